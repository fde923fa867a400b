"""Reads ``and``, ``or``, ``not``, ``when … :`` and parentheses around the forms of a grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from proctor.text.predicates.scanner import PredicateScanner

__all__ = ["DEEPEST", "ConnectiveReader"]

DEEPEST: Final = 40

AnyTerm = TypeVar("AnyTerm")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectiveReader(Generic[AnyTerm]):
    """A reader of joined terms. ``form`` reads a single one at a depth; the other three say what a joined one means."""

    scan: PredicateScanner
    form: Callable[[int], AnyTerm]
    joined: Callable[[str, Sequence[AnyTerm]], AnyTerm]
    negation: Callable[[AnyTerm], AnyTerm]
    guarded: Callable[[AnyTerm, AnyTerm], AnyTerm]

    def either(self, depth: int) -> AnyTerm:
        """Terms with ``or`` between them."""
        terms = [self._both(depth)]
        while self.scan.take_word("or"):
            terms.append(self._both(depth))
        return terms[0] if len(terms) == 1 else self.joined("or", terms)

    def _both(self, depth: int) -> AnyTerm:
        terms = [self.single(depth)]
        while self.scan.take_word("and") or self.scan.take_word("but"):
            terms.append(self.single(depth))
        return terms[0] if len(terms) == 1 else self.joined("and", terms)

    def single(self, depth: int) -> AnyTerm:
        """One term: in parentheses, denied, under a condition, or a form."""
        if depth > DEEPEST:
            raise self.scan.failed("it is nested too deeply", "say it in several rules")
        if self.scan.take("("):
            term = self.either(depth + 1)
            if not self.scan.take(")"):
                raise self.scan.failed(f"a closing parenthesis was expected, not {self.scan.here()}")
            return term
        if self.scan.take_word("not"):
            return self.negation(self.single(depth + 1))
        if self.scan.take_word("when") or self.scan.take_word("if"):
            condition = self.either(depth + 1)
            if not (self.scan.take(":") or self.scan.take_word("then")):
                raise self.scan.failed(f"a colon was expected after the condition, not {self.scan.here()}")
            return self.guarded(condition, self.either(depth + 1))
        return self.form(depth)
