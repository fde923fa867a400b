"""The types of step predicates: results, terms and forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.scorers.conversation.steps.step import StepsView, TraceStep

__all__ = ["Check", "StepForm", "StepTerm", "StepsChecked", "no", "skipped", "unknown", "yes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsChecked:
    """The result of a check: ``ok`` is None if the predicate does not apply or cannot be decided.

    ``known`` is False if it cannot be decided. ``steps`` are the deciding steps: for a broken predicate those that
    broke it, in order.
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
    """One form of statement about steps. Words in capitals are slots.

    ``A`` and ``B`` are steps, ``BOUND`` an operator and a number, ``TEXT`` "…", ``TEXTS`` one or more of them, ``PRED``
    an output predicate. ``make`` receives the values by the lowercase names of the slots (and ``options``, if the form
    has any); other spellings may order the slots differently.
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
    """A parsed predicate or a part of one: the form, its values and its inner terms."""

    form: str
    text: str
    values: tuple[Any, ...] = ()
    inner: tuple[StepTerm, ...] = ()
    wide: bool = False  # extends to the right end, so it needs parentheses inside another term
    run: Check = field(compare=False, repr=False)

    def within(self) -> str:
        """Return its text as a part of another term."""
        return f"({self.text})" if self.wide else self.text


def yes(reason: str, steps: Sequence[TraceStep] = ()) -> StepsChecked:
    """Return a result that is true."""
    return StepsChecked(ok=True, reason=reason, steps=tuple(steps))


def no(reason: str, steps: Sequence[TraceStep] = ()) -> StepsChecked:
    """Return a result that is false."""
    return StepsChecked(ok=False, reason=reason, steps=tuple(steps))


def unknown(reason: str) -> StepsChecked:
    """Return an undecided result."""
    return StepsChecked(ok=None, reason=reason, known=False)


def skipped(reason: str) -> StepsChecked:
    """Return a result that does not apply."""
    return StepsChecked(ok=None, reason=f"does not apply: {reason}")
