"""Read a whole conversation once and say of each act of its agent how likely it is at fault, and which fault it is.

The network is handed in as a function from a line of tokens to the outputs at its marks. What is too long for a line
loses first what the agent did not speak of.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from proctor.core.errors import StoreError
from proctor.core.talk_event import FAULTS, ActFault, TalkEvent, Who
from proctor.models.local.batcher import Batcher
from proctor.models.local.evidence import select_evidence
from proctor.models.local.large import FAULT_AT, large_network
from proctor.models.local.model_registry import weights_of
from proctor.models.local.probabilities import sigmoid, softmax
from proctor.models.local.talk_lines import talk_lines
from proctor.text.polarity import root_words

__all__ = ["TalkFaults", "large_talk_faults"]

OUTPUTS: Final = FAULT_AT + 1 + len(FAULTS)
SOURCE_LETTERS: Final = 900  # of a source: about as many as a line holds of it
SOURCES_LETTERS: Final = 1_800  # … of all sources
RESULT_LETTERS: Final = 800  # … of a result
SPOKEN: Final = 6_000  # characters of what the agent says that choose them
MOST: Final = 1  # conversations of one batch: each takes seconds
KEEP: Final = 256  # answers

Array = np.ndarray[Any, Any]
_Row = tuple[Who, str, str]


@dataclass(frozen=True, kw_only=True)
class TalkFaults:
    """Reads conversations with ``read_marks``: the tokens of a line and some places in it give an output row for each.

    ``slope`` and ``offset`` make a probability of the logit of a fault. ``notes`` says whether the network learnt from
    lines that tell which values are new.
    """

    read_marks: Callable[[Sequence[int], Sequence[int]], Array]
    encode: Callable[[str], Sequence[int]]
    slope: float = 1.0
    offset: float = 0.0
    notes: bool = False
    _batcher: Batcher[tuple[_Row, ...], tuple[ActFault, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self._computed, most=MOST, keep=KEEP))

    @classmethod
    def calibrated(
        cls,
        read_marks: Callable[[Sequence[int], Sequence[int]], Array],
        encode: Callable[[str], Sequence[int]],
        settings: Mapping[str, Any],
    ) -> TalkFaults:
        """Return one with the slope and offset that the settings of the weights have under ``large.fault``."""
        given = (settings.get("large") or {}).get("fault") or {}
        numbers = {name: float(given[name]) for name in ("slope", "offset") if name in given}
        return cls(read_marks=read_marks, encode=encode, notes=bool(given.get("notes")), **numbers)

    async def faults(self, events: Sequence[TalkEvent]) -> Sequence[ActFault]:
        """Return one for each message and call of the agent, in their order."""
        (found,) = await self._batcher.ask([tuple((each.who, each.text, each.result) for each in events)])
        return found

    def _computed(self, talks: Sequence[tuple[_Row, ...]]) -> list[tuple[ActFault, ...]]:
        return [tuple(self._read(talk)) for talk in talks]

    def _read(self, talk: Sequence[_Row]) -> Iterator[ActFault]:
        events = [_as_trained(*row) for row in talk]
        for line in talk_lines(self.encode, _fitted(events), notes=self.notes):
            rows = np.asarray(self.read_marks(line.ids, [place for place, _ in line.marks]))
            if rows.shape != (len(line.marks), OUTPUTS) or not np.isfinite(rows).all():
                raise StoreError(f"the network gives {rows.shape} for {len(line.marks)} marks, or no numbers")
            for (_, event), row in zip(line.marks, rows.tolist(), strict=True):
                shares = softmax(row[FAULT_AT + 1 :])
                best = max(range(len(FAULTS)), key=shares.__getitem__)
                probability = sigmoid(self.slope * row[FAULT_AT] + self.offset)
                yield ActFault(event=event, probability=probability, kind=FAULTS[best], share=shares[best])


def _as_trained(who: Who, text: str, result: str) -> TalkEvent:
    """Return an event as the network was trained on it: what was said is plain, data is as it was."""
    text = text.encode("utf-8", "replace").decode() if who == "call" else _plain(text)
    return TalkEvent(who=who, text=text, result=result.encode("utf-8", "replace").decode())


def _plain(text: str) -> str:
    """Return a text in NFKC without invisible characters, its blanks joined."""
    folded = unicodedata.normalize("NFKC", text)
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Cs") else " " for c in folded)
    return " ".join(kept.split())


def _fitted(events: Sequence[TalkEvent]) -> list[TalkEvent]:
    """Return the events with long sources and results cut to what the agent speaks of.

    Of too many sources those stay whole that share most words with it; the others come after them, where a line has
    room. The number and the order of all other events stay.
    """
    said = " ".join(each.text for each in events if each.who == "agent")[:SPOKEN]
    found = []
    for at, event in enumerate(events):
        if event.who == "source":
            found.append(_cut(event, said))
        elif len(event.result) > RESULT_LETTERS:
            told = _until_customer(events[at + 1 :])
            result = select_evidence(event.result, told or said, budget=RESULT_LETTERS)
            found.append(TalkEvent(who=event.who, text=event.text, result=result))
        else:
            found.append(event)
    return _ranked(found, said)


def _cut(source: TalkEvent, said: str) -> TalkEvent:
    if len(source.text) <= SOURCE_LETTERS:
        return source
    return TalkEvent(who="source", text=select_evidence(source.text, said, budget=SOURCE_LETTERS))


def _until_customer(events: Sequence[TalkEvent]) -> str:
    """Return what the agent says before the customer speaks again."""
    said = []
    for each in events:
        if each.who == "customer":
            break
        if each.who == "agent":
            said.append(each.text)
    return " ".join(said)[:SPOKEN]


def _ranked(events: list[TalkEvent], said: str) -> list[TalkEvent]:
    """Put the sources that fit best first, if not all of them have room; each keeps a place of a source."""
    places = [at for at, each in enumerate(events) if each.who == "source"]
    if sum(len(events[at].text) for at in places) <= SOURCES_LETTERS:
        return events
    words = root_words(f"{said} é")  # everyday words count too, as in a text that is not English
    order = sorted(places, key=lambda at: -len(words & root_words(f"{events[at].text} é")))
    ranked = list(events)
    for place, at in zip(places, order, strict=True):
        ranked[place] = events[at]
    return ranked


@cache
def large_talk_faults(large: Path, folder: Path | None = None, threads: int = 1) -> TalkFaults:
    """Return the reader with the large network of the folder of fetched models, which is loaded on first use."""

    def read_marks(line: Sequence[int], marks: Sequence[int]) -> Array:
        return large_network(large, folder, threads).outputs(tuple(line), tuple(marks))

    def encode(text: str) -> Sequence[int]:
        return large_network(large, folder, threads).frames.numbers(text)

    return TalkFaults.calibrated(read_marks, encode, weights_of(folder).settings)
