"""Match the tool calls made with those expected."""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from proctor.core.chat import ToolCall
from proctor.core.codec import dumps

__all__ = ["Arguments", "Pairing", "pair", "shown"]

Arguments = Literal["exact", "subset", "ignore", "normalised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Pairs of expected and actual calls, by index, with counts.

    ``same_names`` is how many can be paired by name alone, ``same_arguments`` how many also by their arguments, in any
    order; ``names_in_order`` how many come in the expected order.
    """

    pairs: tuple[tuple[int, int], ...]
    same_names: int
    same_arguments: int
    names_in_order: int


def pair(wanted: Sequence[ToolCall], made: Sequence[ToolCall], *, arguments: Arguments, in_order: bool) -> Pairing:
    """Pair as many calls as possible, each once."""
    fits = _fits_by_subset(wanted, made) if arguments == "subset" else _fits_by_key(wanted, made, arguments)
    free = _most_pairs(fits, len(made))
    by_name = Counter(call.name for call in wanted) & Counter(call.name for call in made)
    names = {name: [index for index, call in enumerate(made) if call.name == name] for name in by_name}
    return Pairing(
        pairs=_longest_chain(fits) if in_order else free,
        same_names=by_name.total(),
        same_arguments=len(free),
        names_in_order=len(_longest_chain([names.get(call.name, []) for call in wanted])),
    )


def shown(call: ToolCall) -> str:
    """Return a call as source text: ``search(query="tea")``."""
    inside = ", ".join(f"{key}={dumps(value).decode()}" for key, value in call.arguments.items())
    return f"{call.name}({inside})"


# --- candidates: for each expected call, the indices of matching actual calls, in order ------------


def _fits_by_key(wanted: Sequence[ToolCall], made: Sequence[ToolCall], arguments: Arguments) -> list[list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for index, call in enumerate(made):
        places[_key(call, arguments)].append(index)
    return [places.get(_key(call, arguments), []) for call in wanted]


def _fits_by_subset(wanted: Sequence[ToolCall], made: Sequence[ToolCall]) -> list[list[int]]:
    return [
        [i for i, other in enumerate(made) if other.name == call.name and _within(call.arguments, other.arguments)]
        for call in wanted
    ]


def _key(call: ToolCall, arguments: Arguments) -> str:
    said = None if arguments == "ignore" else _canonical(call.arguments, loosely=arguments == "normalised")
    return json.dumps([call.name, said], sort_keys=True)


def _within(part: Any, whole: Any) -> bool:
    """Whether the mapping contains all entries of the other, at any depth; other values must be equal."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        return all(key in whole and _within(value, whole[key]) for key, value in part.items())
    return bool(_canonical(part, loosely=False) == _canonical(whole, loosely=False))


def _canonical(value: Any, *, loosely: bool) -> Any:
    """Return a canonical form that is equal for equivalent values: 1 and 1.0, but not 1 and true."""
    if isinstance(value, bool) or value is None:
        return ["literal", value]
    if isinstance(value, str):
        return ["text", unicodedata.normalize("NFKC", value).strip().casefold() if loosely else value]
    if isinstance(value, (int, float)):
        whole = isinstance(value, float) and value.is_integer()
        return ["number", repr(int(value) if whole else value)]
    if isinstance(value, Mapping):
        return {str(key): _canonical(item, loosely=loosely) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item, loosely=loosely) for item in value]
    return ["other", repr(value)]


# --- pairing ---------------------------------------------------------------------------------------


def _most_pairs(fits: Sequence[Sequence[int]], made: int) -> tuple[tuple[int, int], ...]:
    """Return a maximum matching in any order, by augmenting paths."""
    owner: list[int | None] = [None] * made

    def place(start: int) -> bool:
        came_from: dict[int, int] = {}  # index of an actual call -> the expected call that reached it
        waiting = [start]
        while waiting:
            one = waiting.pop()
            for spot in fits[one]:
                if spot in came_from:
                    continue
                came_from[spot] = one
                holder = owner[spot]
                if holder is None:
                    _hand_over(owner, came_from, spot, start)
                    return True
                waiting.append(holder)
        return False

    for index in range(len(fits)):
        place(index)
    return tuple(sorted((holder, spot) for spot, holder in enumerate(owner) if holder is not None))


def _hand_over(owner: list[int | None], came_from: Mapping[int, int], spot: int, start: int) -> None:
    """Assign each index on the augmenting path to the call that reached it."""
    held = {holder: place for place, holder in enumerate(owner) if holder is not None}
    while True:
        one = came_from[spot]
        owner[spot] = one
        if one == start:
            return
        spot = held[one]


def _longest_chain(fits: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return a longest common subsequence: the most pairs that keep the order of both sides."""
    # ends[n] is the smallest index at which a chain of n + 1 pairs can end.
    ends: list[int] = []
    chains: list[tuple[Any, int, int] | None] = []
    for one, spots in enumerate(fits):
        for spot in reversed(spots):  # backwards, so that one expected call joins a chain only once
            at = bisect_left(ends, spot)
            link = (chains[at - 1] if at else None, one, spot)
            if at == len(ends):
                ends.append(spot)
                chains.append(link)
            elif spot < ends[at]:
                ends[at] = spot
                chains[at] = link
    pairs = []
    link_or_none = chains[-1] if chains else None
    while link_or_none is not None:
        before, one, spot = link_or_none
        pairs.append((one, spot))
        link_or_none = before
    return tuple(reversed(pairs))
