"""Split predicates into checks that other tools support; other predicates need Proctor or a judge."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Leaf", "python_condition", "taken_apart"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/[ims]*|[^\s",]+|,')
_MEASURE = re.compile(r"words (<=|<|>=|>|=|!=) (\d+)")
_BETWEEN = re.compile(r"words between (\d+) and (\d+)")
_TEXTS = r'"(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*'
_SET = re.compile(
    rf"(one of|contains|contains all|contains any|contains none|starts with|ends with) ({_TEXTS})( ignoring case)?"
)
_PATTERN = re.compile(r"(matches|is) /((?:[^/\\]|\\.)+)/([ims]*)", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')

Kind = Literal["words", "one of", "all", "any", "none", "starts with", "ends with", "matches", "is", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One check that other tools support: texts to find, or minimum and maximum words."""

    kind: Kind
    texts: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    ignore_case: bool = False
    flags: str = ""


def taken_apart(predicate: str) -> tuple[Leaf, ...] | None:
    """Split a predicate into checks that must all be true; ``None`` if one of them is not portable."""
    leaves = [_leaf(part) for part in _parts(predicate)]
    return tuple(leaf for leaf in leaves if leaf is not None) if leaves and all(leaves) else None


def _parts(predicate: str) -> list[str]:
    """Split at each ``and`` outside texts, patterns and ``between A and B``."""
    parts: list[list[str]] = [[]]
    tokens = _TOKEN.findall(predicate)
    for index, word in enumerate(tokens):
        ranged = index > 1 and tokens[index - 2] == "between"
        if word == "and" and not ranged:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part).replace(" ,", ",") for part in parts]


def _leaf(text: str) -> Leaf | None:
    if text == "is json":
        return Leaf(kind="json")
    if match := _BETWEEN.fullmatch(text):
        return Leaf(kind="words", least=int(match.group(1)), most=int(match.group(2)))
    if match := _MEASURE.fullmatch(text):
        return _words(match.group(1), int(match.group(2)))
    if match := _PATTERN.fullmatch(text):
        kind: Kind = "matches" if match.group(1) == "matches" else "is"
        return Leaf(kind=kind, texts=(match.group(2).replace("\\/", "/"),), flags=match.group(3))
    if match := _SET.fullmatch(text):
        return _set(match)
    return None


def _words(operator: str, number: int) -> Leaf | None:
    limits: dict[str, tuple[int | None, int | None]] = {
        "<=": (None, number),
        "<": (None, number - 1),
        ">=": (number, None),
        ">": (number + 1, None),
        "=": (number, number),
    }
    if operator not in limits or (limits[operator][1] or 0) < 0:
        return None
    least, most = limits[operator]
    return Leaf(kind="words", least=least, most=most)


def _set(match: re.Match[str]) -> Leaf:
    kinds: dict[str, Kind] = {
        "one of": "one of",
        "contains": "all",
        "contains all": "all",
        "contains any": "any",
        "contains none": "none",
        "starts with": "starts with",
        "ends with": "ends with",
    }
    texts = tuple(_unquoted(each) for each in _TEXT.findall(match.group(2)))
    return Leaf(kind=kinds[match.group(1)], texts=texts, ignore_case=bool(match.group(3)))


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except (ValueError, RecursionError):  # an escape that is not valid JSON
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def python_condition(leaf: Leaf) -> str:
    """Return the check as a Python expression over ``text``, the stripped answer."""
    fold = ".casefold()" if leaf.ignore_case else ""
    text = f"text{fold}"
    wanted = [repr(each.casefold() if leaf.ignore_case else each) for each in leaf.texts]
    if leaf.kind == "words":
        limits = ([f">= {leaf.least}"] if leaf.least is not None else []) + (
            [f"<= {leaf.most}"] if leaf.most is not None else []
        )
        return " and ".join(f"len(text.split()) {limit}" for limit in limits)
    if leaf.kind == "json":
        return "is_json(text)"
    if leaf.kind in ("matches", "is"):
        flags = "".join(f" | re.{flag.upper()}" for flag in leaf.flags)
        how = "search" if leaf.kind == "matches" else "fullmatch"
        return f"re.{how}({leaf.texts[0]!r}, text, 0{flags}) is not None"
    join = " or " if leaf.kind in ("one of", "any", "starts with", "ends with") else " and "
    forms = {
        "one of": "{text} == {each}",
        "starts with": "{text}.startswith({each})",
        "ends with": "{text}.endswith({each})",
        "none": "{each} not in {text}",
    }
    form = forms.get(leaf.kind, "{each} in {text}")
    return "(" + join.join(form.format(text=text, each=each) for each in wanted) + ")"
