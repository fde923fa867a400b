"""What is exchanged with other tools: a prompt with its rules and tests, and notes on what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.core.case import Case, Check
from proctor.core.codec import content_id
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.prompts.prompt import Prompt

__all__ = ["Bundle", "Notes", "Outgoing", "Recorded", "accepted_reference", "case_id", "unique"]

_PLACES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An existing answer of a model to a case, with the verdicts of its origin."""

    case: str
    model: str
    answer: str
    sample: int = 0
    verdicts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A prompt with all that is known about it, for import or export.

    ``name`` is the stem of its files. ``file`` is the prompt as a file: its ending and its text. ``inputs`` describes
    the valid values of each input. ``checks`` judge every case. ``recorded`` are existing answers of models. ``models``
    are those it is for, ``judge`` the one that judges. ``notes`` list what could not be converted.
    """

    name: str
    description: str = ""
    prompt: Prompt | None = None
    file: tuple[str, str] | None = None
    intent: str = ""
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    checks: tuple[Check, ...] = ()
    cases: tuple[Case, ...] = ()
    baseline: tuple[Case, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    models: tuple[str, ...] = ()
    judge: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def enabled(self) -> tuple[Rule, ...]:
        """The positive rules that are not disabled."""
        return tuple(rule for rule in self.rules if rule.polarity == "positive" and not rule.disabled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """Files for another tool, by name, and notes on what they do not contain."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


class Notes:
    """What could not be converted: each item once, with its places."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Add a note; the same text at another place extends that note."""
        places = self._places.setdefault(what, [])
        if place and place not in places:
            places.append(place)

    def tell(self) -> tuple[str, ...]:
        """Return the notes in the order they were added."""
        return tuple(what + _where(places) for what, places in self._places.items())


def _where(places: Sequence[str]) -> str:
    if not places:
        return ""
    more = len(places) - _PLACES_SHOWN
    return f" ({', '.join(places[:_PLACES_SHOWN])}{f' and {more} more' if more > 0 else ''})"


def case_id(inputs: Mapping[str, Any] | str, scenario: str = "") -> str:
    """Return the id of a test by its content, as for generated tests."""
    return "t-" + content_id([dict(inputs) if isinstance(inputs, Mapping) else inputs, scenario], length=10)


def unique(wanted: str, taken: set[str]) -> str:
    """Return the id, or the id with the next free number, and mark it as taken."""
    chosen, number = wanted, 2
    while chosen in taken:
        chosen, number = f"{wanted}-{number}", number + 1
    taken.add(chosen)
    return chosen


def accepted_reference(case: Case) -> str | None:
    """Return the expected answer, or None if it is a groundtruth that was not accepted."""
    return None if GeneratedTest.of(case).has_rejected_truth else case.expect.reference
