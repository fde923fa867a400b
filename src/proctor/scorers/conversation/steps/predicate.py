"""A step predicate: a text that says what holds of a conversation, read once and checked by code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.steps.forms import FORMS
from proctor.scorers.conversation.steps.parser import StepGrammar
from proctor.scorers.conversation.steps.step import StepsView, view_of
from proctor.scorers.conversation.steps.term import StepsChecked, StepTerm
from proctor.text.predicates import PredicateError, parse

__all__ = ["StepPredicate", "parse_rule", "parse_steps"]

_GRAMMAR = StepGrammar(FORMS)


@dataclass(frozen=True, slots=True)
class StepPredicate:
    """What holds of a conversation. ``text`` is its canonical form, ``root`` its parts."""

    text: str
    root: StepTerm = field(compare=False, repr=False)

    def check(
        self, run: Trajectory | StepsView, *, writes: Iterable[str] = (), reads: Iterable[str] = ()
    ) -> StepsChecked:
        """Whether the conversation keeps it, with the steps that broke it."""
        return self.root.run(run if isinstance(run, StepsView) else view_of(run, writes=writes, reads=reads))

    def terms(self) -> Iterator[StepTerm]:
        """Every part of it, the whole first."""
        left = [self.root]
        while left:
            term = left.pop()
            yield term
            left.extend(reversed(term.inner))

    def __reduce__(self) -> tuple[Callable[[str], StepPredicate], tuple[str]]:
        return parse_steps, (self.text,)

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=4096)
def parse_steps(text: str) -> StepPredicate:
    """The step predicate that the text says.

    Raises:
        PredicateError: it says none; tells what is wrong, where, and how to fix it.
    """
    term = _GRAMMAR.read(text)
    return StepPredicate(text=term.text, root=term)


@lru_cache(maxsize=4096)
def parse_rule(text: str) -> StepPredicate:
    """The step predicate of a rule; a predicate of an output holds of every answer.

    Raises:
        PredicateError: it is neither.
    """
    try:
        return parse_steps(text)
    except PredicateError as error:
        try:
            output = parse(text)
        except PredicateError as other:
            # The complaint of the reading that came further is the one that helps.
            raise (other if other.position > error.position else error) from None
    return parse_steps(f"every answer: {output.text}")
