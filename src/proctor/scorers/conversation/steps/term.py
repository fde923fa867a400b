"""What a step predicate is made of: what was found, its terms, and the forms they are written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.scorers.conversation.steps.step import StepsView, TraceStep

__all__ = ["Check", "StepForm", "StepTerm", "StepsChecked", "no", "skipped", "unknown", "yes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsChecked:
    """What a check found: ``ok`` is None where the predicate says nothing about this conversation, or cannot tell.

    ``known`` is False where it cannot tell. ``steps`` are those it rests on: where it is broken, the ones that broke
    it, the first one first.
    """

    ok: bool | None
    reason: str
    steps: tuple[TraceStep, ...] = ()
    known: bool = True

    @property
    def step(self) -> TraceStep | None:
        """The step that decided."""
        return self.steps[0] if self.steps else None


Check = Callable[[StepsView], StepsChecked]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepForm:
    """One way to say something about steps. Words in capitals are slots.

    ``A`` and ``B`` are steps, ``BOUND`` an operator and a number, ``TEXT`` "…", ``TEXTS`` one or more of them,
    ``PRED`` a predicate of an output. ``make`` is given the values by the names of the slots in small letters (and
    ``options``, where the form has any); other spellings may have the slots in another order.
    """

    form: str
    meaning: str
    example: str
    make: Callable[..., Check]
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    each: bool = False  # whether `for each "argument"` may follow
    same: bool = False  # whether `for the same "argument"` may follow


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTerm:
    """A predicate or a part of one, as read: the form, its values, and the terms inside it."""

    form: str
    text: str
    values: tuple[Any, ...] = ()
    inner: tuple[StepTerm, ...] = ()
    wide: bool = False  # takes in everything to its right, so it stands in parentheses inside another
    run: Check = field(compare=False, repr=False)

    def within(self) -> str:
        """Its text as a part of another term."""
        return f"({self.text})" if self.wide else self.text


def yes(reason: str, steps: Sequence[TraceStep] = ()) -> StepsChecked:
    """It holds."""
    return StepsChecked(ok=True, reason=reason, steps=tuple(steps))


def no(reason: str, steps: Sequence[TraceStep] = ()) -> StepsChecked:
    """It does not hold."""
    return StepsChecked(ok=False, reason=reason, steps=tuple(steps))


def unknown(reason: str) -> StepsChecked:
    """It cannot be told."""
    return StepsChecked(ok=None, reason=reason, known=False)


def skipped(reason: str) -> StepsChecked:
    """It says nothing about this conversation."""
    return StepsChecked(ok=None, reason=f"does not apply: {reason}")
