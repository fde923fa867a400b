"""A step predicate: a statement about a conversation, parsed once and checked by code."""

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
    """A statement about a conversation. ``text`` is its canonical form, ``root`` its parsed term."""

    text: str
    root: StepTerm = field(compare=False, repr=False)

    def check(
        self, run: Trajectory | StepsView, *, writes: Iterable[str] = (), reads: Iterable[str] = ()
    ) -> StepsChecked:
        """Check the conversation and return the steps that broke the predicate."""
        return self.root.run(run if isinstance(run, StepsView) else view_of(run, writes=writes, reads=reads))

    def terms(self) -> Iterator[StepTerm]:
        """Yield every term, the root first."""
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
    """Parse a step predicate.

    Raises:
        PredicateError: the text is not a step predicate; with the position and a hint.
    """
    term = _GRAMMAR.read(text)
    return StepPredicate(text=term.text, root=term)


@lru_cache(maxsize=4096)
def parse_rule(text: str) -> StepPredicate:
    """Parse the step predicate of a rule; an output predicate is applied to every answer.

    Raises:
        PredicateError: it is neither.
    """
    try:
        return parse_steps(text)
    except PredicateError as error:
        try:
            output = parse(text)
        except PredicateError as other:
            # The error of the parser that got further is the more helpful.
            raise (other if other.position > error.position else error) from None
    return parse_steps(f"every answer: {output.text}")
