"""Effects of tool calls in a canonical form: equal for calls that have the same result."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.transcript import parse_loosely

__all__ = ["Effect", "effect", "net"]

# A later call of one of these on the same target replaces an earlier one.
_SETS: Final = re.compile(
    r"^(?:modify|update|set|change|edit|replace|rename|assign|put|modificar|actualizar|cambiar)", re.I
)
_TARGET: Final = re.compile(r"(?:^|_)(?:id|ids|number|key|name|email|code)$")
_HOW: Final = re.compile(r"payment|method|card|reason|note|summary|comment|message")
_OPPOSITES: Final = (
    ("enable", "disable"),
    ("suspend", "resume"),
    ("lock", "unlock"),
    ("block", "unblock"),
    ("activate", "deactivate"),
    ("on", "off"),
    ("subscribe", "unsubscribe"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One change: its tool, its canonical arguments and its target."""

    tool: str
    arguments: str
    target: str
    loose: bool = False

    def met_by(self, other: Effect) -> bool:
        """Whether the other is this change; a loose one requires only the arguments it names."""
        if self.tool != other.tool:
            return False
        if self.arguments == other.arguments:
            return True
        wanted, made = json.loads(self.arguments), json.loads(other.arguments)
        return (self.loose or wanted.keys() == made.keys()) and all(
            key in made and _within(value, made[key]) for key, value in wanted.items()
        )


def effect(call: ToolCall, *, compare: Sequence[str] | None = None, ignore: Iterable[str] = ()) -> Effect:
    """Return the effect of a call.

    ``compare`` names the only arguments that count, ``ignore`` those that never do.
    """
    skip = {name.casefold() for name in ignore}
    arguments = {str(key): plain(value) for key, value in call.arguments.items() if str(key).casefold() not in skip}
    if compare is not None:
        arguments = {key: value for key, value in arguments.items() if key in compare}
    arguments = {key: value for key, value in arguments.items() if value not in (None, "", [], {})}
    arguments = _paired(arguments)
    target = {key: value for key, value in arguments.items() if _TARGET.search(key) and not _HOW.search(key)}
    target = {key: value for key, value in target.items() if not key.startswith("new_") and not isinstance(value, list)}
    return Effect(
        tool=call.name.strip().casefold(),
        arguments=_written(arguments),
        target=_written(target),
        loose=compare is not None,
    )


def net(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Return the net changes of a sequence: no repeats, none that was overwritten or undone."""
    left: list[Effect] = []
    for one in effects:
        undone = next((other for other in reversed(left) if _undoes(one, other)), None)
        if undone is not None:
            left.remove(undone)
            continue
        if _SETS.match(one.tool):
            left = [other for other in left if (other.tool, other.target) != (one.tool, one.target)]
        if one not in left:
            left.append(one)
    return tuple(left)


def _undoes(one: Effect, other: Effect) -> bool:
    if one.target != other.target or one.arguments != other.arguments or one.tool == other.tool:
        return False
    words, others = one.tool.split("_"), other.tool.split("_")
    if len(words) != len(others):
        return False
    differing = [{a, b} for a, b in zip(words, others, strict=True) if a != b]
    return len(differing) == 1 and any(differing[0] == set(pair) for pair in _OPPOSITES)


def plain(value: Any) -> Any:
    """Return a canonical form that is equal for equivalent values: 5, 5.0 and "5"; case; white space."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return _number(float(value))
    if isinstance(value, str):
        opened = parse_loosely(value)
        if not isinstance(opened, str):
            return plain(opened)
        text = " ".join(unicodedata.normalize("NFKC", value).split()).casefold()
        bare = text.replace(",", "").lstrip("$€£¥")
        if re.fullmatch(r"-?\d{1,12}(?:\.\d+)?", bare) and not re.fullmatch(r"0\d+", bare):
            return _number(float(bare))
        return {"true": True, "false": False, "yes": True, "no": False, "null": None, "none": None}.get(text, text)
    if isinstance(value, Mapping):
        inside = {str(key): plain(item) for key, item in value.items()}
        return {key: item for key, item in inside.items() if item not in (None, "")}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return repr(value)


def _within(wanted: Any, made: Any) -> bool:
    """Whether ``made`` contains all of ``wanted``; nested records may have more fields."""
    if isinstance(wanted, dict) and isinstance(made, dict):
        return all(key in made and _within(value, made[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(made, list) and len(wanted) == len(made):
        free = list(made)
        for one in wanted:
            place = next((i for i, other in enumerate(free) if _within(one, other)), None)
            if place is None:
                return False
            free.pop(place)
        return True
    return bool(wanted == made)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _paired(arguments: dict[str, Any]) -> dict[str, Any]:
    """Sort lists whose order has no meaning; lists that belong together are sorted together.

    ``item_ids`` and ``new_item_ids`` are pairs. A pair of equal values changes nothing and is dropped if others remain.
    """
    together: set[str] = set()
    for new in [key for key in arguments if key.startswith("new_") and isinstance(arguments[key], list)]:
        old = new.removeprefix("new_")
        if isinstance(arguments.get(old), list) and len(arguments[old]) == len(arguments[new]):
            pairs = sorted(zip(arguments[old], arguments[new], strict=True), key=_written)
            changed = [pair for pair in pairs if pair[0] != pair[1]] or pairs
            arguments = {**arguments, old: [a for a, _ in changed], new: [b for _, b in changed]}
            together |= {old, new}
    return {
        key: sorted(value, key=_written) if isinstance(value, list) and key not in together else value
        for key, value in arguments.items()
    }


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
