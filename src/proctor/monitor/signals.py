"""Signals of how a task ended, in a small text format: ``escalation and no outcome/booking_changed``."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from proctor.core.decode import closest

__all__ = ["REPEAT", "Condition", "SignalTerm", "parse_condition"]

REPEAT: Final = "repeat_contact"
_KINDS: Final = ("escalation", "outcome", "contact", "csat", "gate", "note", REPEAT)
_SIGNAL = re.compile(r"([a-z_]+)(?:/([\w.-]+))?")
_CONJUNCTION = re.compile(r"\s+(?:and|AND)\s+|\s*\+\s*")
_NO = re.compile(r"(?:no|not|without)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalTerm:
    """A signal that must be present, or absent."""

    signal: str
    absent: bool = False

    def __str__(self) -> str:
        return f"no {self.signal}" if self.absent else self.signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Signals that must all be present, or absent, within a window."""

    terms: tuple[SignalTerm, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.terms))

    @property
    def signals(self) -> frozenset[str]:
        """Every signal in the condition."""
        return frozenset(term.signal for term in self.terms)

    def holds(self, seen: AbstractSet[str], *, over: bool) -> bool | None:
        """Return whether it holds; ``None`` while the window is open and undecided."""
        answers = [_answer(term, seen, over) for term in self.terms]
        if any(answer is False for answer in answers):
            return False
        return None if any(answer is None for answer in answers) else True


def _answer(term: SignalTerm, seen: AbstractSet[str], over: bool) -> bool | None:
    if term.signal in seen:
        return not term.absent
    return term.absent if over else None


def parse_condition(text: str) -> Condition:
    """Parse a condition.

    Raises:
        ValueError: it is not a condition; the message shows the format.
    """
    return Condition(terms=tuple(_term(part) for part in _CONJUNCTION.split(text.strip())))


def _term(text: str) -> SignalTerm:
    absent = _NO.match(text)
    signal = (text[absent.end() :] if absent else text).strip()
    found = _SIGNAL.fullmatch(signal)
    if found is None:
        example = "outcome/booking_changed, repeat_contact, or escalation and no outcome/booking_changed"
        raise ValueError(f"{text!r} is no signal; write it like {example}")
    if found[1] not in _KINDS:
        guess = closest(found[1], _KINDS)
        raise ValueError(
            f"{signal!r}: there is no kind of event {found[1]!r}; "
            + (f"did you mean {guess!r}?" if guess else f"known: {', '.join(_KINDS)}")
        )
    return SignalTerm(signal=signal, absent=absent is not None)
