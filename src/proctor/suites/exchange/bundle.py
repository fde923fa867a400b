"""What is exchanged with other tools: a prompt, its rules and its tests; and the notes on what stayed behind."""

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
    """An answer of a model to a case that exists already, with what was said of it where it comes from."""

    case: str
    model: str
    answer: str
    sample: int = 0
    verdicts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A prompt with all that is known about it, on its way in or out.

    ``name`` is the stem of the files it is written to. ``file`` is the prompt as a file: its ending and its text.
    ``inputs`` says in words what a valid value of each input is. ``checks`` judge every case. ``recorded`` are
    answers of models that exist already. ``models`` are those it is for, ``judge`` the one that judges. ``notes``
    say what could not be brought over.
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
        """The rules an output must keep, less those a person has switched off."""
        return tuple(rule for rule in self.rules if rule.polarity == "positive" and not rule.disabled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """Files for another tool, by name, and what they do not say."""

    files: Mapping[str, str]
    notes: tuple[str, ...] = ()


class Notes:
    """What could not be brought over: each thing once, with the places it stands at."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Note something; the same thing at another place is one note."""
        places = self._places.setdefault(what, [])
        if place and place not in places:
            places.append(place)

    def tell(self) -> tuple[str, ...]:
        """The notes, in the order they came up."""
        return tuple(what + _where(places) for what, places in self._places.items())


def _where(places: Sequence[str]) -> str:
    if not places:
        return ""
    more = len(places) - _PLACES_SHOWN
    return f" ({', '.join(places[:_PLACES_SHOWN])}{f' and {more} more' if more > 0 else ''})"


def case_id(inputs: Mapping[str, Any] | str, scenario: str = "") -> str:
    """The id of a test by what it says, as generated tests have it."""
    return "t-" + content_id([dict(inputs) if isinstance(inputs, Mapping) else inputs, scenario], length=10)


def unique(wanted: str, taken: set[str]) -> str:
    """The id, or the id with the next free number; it is taken from now on."""
    chosen, number = wanted, 2
    while chosen in taken:
        chosen, number = f"{wanted}-{number}", number + 1
    taken.add(chosen)
    return chosen


def accepted_reference(case: Case) -> str | None:
    """The expected answer, unless it is a groundtruth that was not accepted: that one is never given out as right."""
    return None if GeneratedTest.of(case).has_rejected_truth else case.expect.reference
