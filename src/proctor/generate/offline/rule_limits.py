"""Determine what a rule limits, from its predicate or its words, so that an input can test the limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.rule import Rule

__all__ = ["Aim", "Limit", "aim_of"]

_UNITS = (
    "words|characters|letters|sentences|lines|paragraphs|items|bullets|numbered items|headings|questions|exclamations"
    "|links|emoji|numbers|digits"
)
_MEASURE = re.compile(
    rf"\b({_UNITS}|count \"[^\"]+\"|(?:tags|elements) \"[^\"]+\")\s*(<=|>=|!=|<|>|=|"
    rf"between)\s*(\d+)(?:\s+and\s+(\d+))?"
)
_MOST_WORDS = r"at most|no more than|not exceed(?:ing)?|fewer than|less than|under|up to|maximum(?: of)?|within"
_LEAST_WORDS = r"at least|no fewer than|minimum(?: of)?|more than"
_IN_WORDS = re.compile(
    rf"\b({_MOST_WORDS}|{_LEAST_WORDS}|exactly)\s+(\d+|one|two|three|four|five|ten)\s+(?:<\w+>\s+)?"
    rf"({_UNITS}|tags|paragraph|sentence|line|word)",
    re.IGNORECASE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SET = re.compile(
    r"\b(one of|only words|contains none|contains all|contains any|contains|starts with|ends with)\s+"
    r'((?:"(?:[^"\\]|\\.)*"\s*,?\s*)+)'
)
_RANGE = re.compile(r"\bnumber between (-?\d+(?:\.\d+)?) and (-?\d+(?:\.\d+)?)")
# Kinds of requirements, and their signs in a predicate or in the text of a rule.
_FACETS: tuple[tuple[str, str], ...] = (
    ("json", r"\bjson\b"),
    ("json", r"\barray\b"),
    ("markup", r"\btags?\b(?= \"| only)|<\w+>"),
    ("markup", r"\bhtml\b|\bxml\b"),
    ("bare", r"no extra text|nothing else|\bonly\b|\bjust\b"),
    ("bare", r"(?:no|without) (?:any )?(?:expla|comment|pre)"),
    ("language", r"language is|script is|same language"),
    ("language", r"\bin (?:english|french|german|japanese|spanish)\b"),
    ("refusal", r"\bunknown\b|can'?t ?answer|\bn/?a\b"),
    ("refusal", r"not (?:sure|find|found|able|know)|unable|cannot|declin|refus"),
    ("style", r"\bstyle|\btone\b|case is"),
    ("style", r"conversational|formal|polite|friendly|shakespear|simple|concise"),
    ("number", r"is number|is integer|number between|\bscore\b|\brat(?:e|ing)\b|\bscale\b"),
    ("source", r"from the input|quotes the input|keeps the numbers|meaning|accura|fact|faithful|preserv"),
    ("order", r"fields in order|\bfirst\b.*\bthen\b|\border\b|\bfinally\b|conclud"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number of a unit."""

    unit: str
    number: int

    @property
    def said(self) -> str:
        """As text: `80 words`, `3 <p> elements`."""
        return f"{self.number} {self.name}"

    @property
    def name(self) -> str:
        """The unit as text."""
        kind, _, quoted = self.unit.partition(" ")
        if kind in ("tags", "elements") and quoted:
            return f"<{quoted.strip(chr(34))}> elements"
        return f"times {quoted}" if kind == "count" else self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What an input can test: limits, labels, words that must or must not occur, and kinds of requirements."""

    most: Limit | None = None
    least: Limit | None = None
    labels: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    banned: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    facets: frozenset[str] = frozenset()


def aim_of(rule: Rule, rules: Sequence[Rule] = ()) -> Aim:
    """Return what the rule limits; for an inverse rule, what the contradicted rule limits."""
    positive = next((each for each in rules if each.id == rule.inverse_of), rule) if rule.inverse_of else rule
    predicate = positive.predicate or ""
    most, least = _limits(predicate) if predicate else (None, None)
    if most is None and least is None:
        most, least = _limits_in_words(positive.text)
    sets = _sets(predicate)
    both = f"{predicate} {positive.text}".lower()
    facets = {name for name, pattern in _FACETS if re.search(pattern, both)}
    if positive.kind in ("refusal", "style"):
        facets.add(positive.kind)
    found = _RANGE.search(predicate)
    return Aim(
        most=most,
        least=least,
        labels=sets.get("one of", ()) or sets.get("contains any", ()) or sets.get("only words", ()),
        wanted=tuple(
            text for key in ("contains", "contains all", "starts with", "ends with") for text in sets.get(key, ())
        ),
        banned=sets.get("contains none", ()),
        bounds=(float(found.group(1)), float(found.group(2))) if found else None,
        facets=frozenset(facets),
    )


def _limits(predicate: str) -> tuple[Limit | None, Limit | None]:
    most: Limit | None = None
    least: Limit | None = None
    for unit, sign, first, second in _MEASURE.findall(predicate):
        low, high = int(first), int(second or first)
        if sign in ("<=", "<", "=", "between"):
            most = most or Limit(unit=unit, number=high - (sign == "<"))
        if sign in (">=", ">", "=", "between"):
            least = least or Limit(unit=unit, number=low + (sign == ">"))
    return most, least


def _limits_in_words(text: str) -> tuple[Limit | None, Limit | None]:
    match = _IN_WORDS.search(text)
    if match is None:
        return None, None
    said, number, unit = match.group(1).lower(), match.group(2).lower(), match.group(3).lower()
    limit = Limit(unit=unit, number=_NUMBERS[number] if number in _NUMBERS else int(number))
    if said == "exactly":
        return limit, limit
    return (None, limit) if re.match(_LEAST_WORDS, said) else (limit, None)


def _sets(predicate: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, listed in _SET.findall(predicate):
        texts = tuple(
            text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") for text in _QUOTED.findall(listed)
        )
        found[name] = found.get(name, ()) + texts
    return found
