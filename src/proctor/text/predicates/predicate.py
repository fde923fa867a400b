"""A predicate: a statement about an output, parsed once and checked by code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from proctor.text.predicates.combine import negation
from proctor.text.predicates.forms import FORMS
from proctor.text.predicates.parser import Grammar
from proctor.text.predicates.term import Checked, OutputView, SpentError, Term, unknown

__all__ = ["Predicate", "parse"]

_GRAMMAR = Grammar(FORMS)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A statement about an output. ``text`` is its canonical form, ``root`` its parsed term; equality is by text."""

    text: str
    root: Term = field(compare=False, repr=False)

    def check(self, output: str, inputs: Mapping[str, Any] | None = None) -> Checked:
        """Check the output; ``inputs`` are the values the prompt was filled with."""
        given = {str(name): _as_text(value) for name, value in (inputs or {}).items()}
        try:
            return self.root.run(OutputView(text=output, inputs=given))
        except SpentError as error:
            return unknown(str(error))

    def negated(self) -> Predicate:
        """Return the negated predicate."""
        return _of(negation(self.root))

    def terms(self) -> Iterator[Term]:
        """Yield every term, the root first."""
        left = [self.root]
        while left:
            term = left.pop()
            yield term
            left.extend(reversed(term.inner))

    def __reduce__(self) -> tuple[Callable[[str], Predicate], tuple[str]]:
        return parse, (self.text,)

    def __str__(self) -> str:
        return self.text


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _of(term: Term) -> Predicate:
    return Predicate(text=term.text, root=term)


@lru_cache(maxsize=4096)
def parse(text: str) -> Predicate:
    """Parse a predicate.

    Raises:
        PredicateError: the text is not a predicate; with the position and a hint.
    """
    return _of(_GRAMMAR.read(text))
