"""Parse a step predicate by the table of forms: ``not``, ``and``, ``or``, ``when … :`` and parentheses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.scorers.conversation.steps.combine import guarded, joined, negation
from proctor.scorers.conversation.steps.forms import SLOTS
from proctor.scorers.conversation.steps.scanner import StepScanner
from proctor.scorers.conversation.steps.selector import Selector, read_selector
from proctor.scorers.conversation.steps.term import StepForm, StepTerm
from proctor.text.predicates import Predicate, PredicateError
from proctor.text.predicates.values import written

__all__ = ["StepGrammar"]

DEEPEST: Final = 40
_PIECE = re.compile(r"[^\s:]+|:")
# Optional suffixes of a form, followed by a quoted text: the keyword argument of `make`, and the words.
_SUFFIXES: Final = {"each": ("for", "each"), "same": ("for", "the", "same")}


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A form in one of its spellings, in pieces; a piece in capitals is a slot."""

    pieces: tuple[str, ...]
    form: StepForm


class StepGrammar:
    """All forms in all their spellings."""

    def __init__(self, forms: Sequence[StepForm]) -> None:
        self.spellings = [
            _Spelling(tuple(_PIECE.findall(spelling)), form) for form in forms for spelling in (form.form, *form.also)
        ]

    def read(self, text: str) -> StepTerm:
        """Parse the whole text into a term.

        Raises:
            PredicateError: the text is not a step predicate.
        """
        if not text.strip():
            raise PredicateError("it is empty", hint="write a rule, for example confirmation before write")
        reader = _Reader(self, StepScanner(text))
        term = reader.either(0)
        if not reader.scan.ended:
            # The error of the form that parsed furthest is the most helpful.
            if reader.furthest is not None and reader.furthest.position > reader.scan.at:
                raise reader.furthest
            raise reader.scan.failed(f"nothing should follow here, but {reader.scan.here()} does", "join with and / or")
        return term


class _Reader:
    def __init__(self, grammar: StepGrammar, scan: StepScanner) -> None:
        self.grammar = grammar
        self.scan = scan
        self.furthest: PredicateError | None = None

    def either(self, depth: int) -> StepTerm:
        terms = [self.both(depth)]
        while self.scan.take_word("or"):
            terms.append(self.both(depth))
        return terms[0] if len(terms) == 1 else joined("or", terms)

    def both(self, depth: int) -> StepTerm:
        terms = [self.single(depth)]
        while self.scan.take_word("and") or self.scan.take_word("but"):
            terms.append(self.single(depth))
        return terms[0] if len(terms) == 1 else joined("and", terms)

    def single(self, depth: int) -> StepTerm:
        if depth > DEEPEST:
            raise self.scan.failed("it is nested too deeply", "say it in several rules")
        if self.scan.take("("):
            term = self.either(depth + 1)
            if not self.scan.take(")"):
                raise self.scan.failed(f"a closing parenthesis was expected, not {self.scan.here()}")
            return term
        if self.scan.take_word("not"):
            return negation(self.single(depth + 1))
        if self.scan.take_word("when") or self.scan.take_word("if"):
            condition = self.either(depth + 1)
            if not (self.scan.take(":") or self.scan.take_word("then")):
                raise self.scan.failed(f"a colon was expected after the condition, not {self.scan.here()}")
            return guarded(condition, self.either(depth + 1))
        return self.atom()

    def atom(self) -> StepTerm:
        """Parse with the form that matches furthest; if none matches, raise the error of the one that got furthest."""
        begin = self.scan.at
        best: tuple[int, StepTerm] | None = None
        furthest: PredicateError | None = None
        for spelling in self.grammar.spellings:
            self.scan.at = begin
            try:
                term = self.filled(spelling)
            except PredicateError as error:
                if furthest is None or error.position > furthest.position:
                    furthest = error
                continue
            if best is None or self.scan.at > best[0]:
                best = self.scan.at, term
        self.furthest = furthest
        if best is None:
            self.scan.at = begin
            raise furthest or self.scan.failed(f"a rule about steps was expected, not {self.scan.here()}")
        self.scan.at = best[0]
        return best[1]

    def filled(self, spelling: _Spelling) -> StepTerm:
        values: dict[str, Any] = {}
        for piece in spelling.pieces:
            if piece == ":":
                if not self.scan.take(":"):
                    raise self.scan.failed(f"a colon was expected, not {self.scan.here()}")
            elif piece.isupper():
                values[piece] = self.value(piece)
            elif not self.scan.take_word(piece):
                hint = f"the form is `{shown(spelling.pieces)}`; docs/trace_rules.md has them all"
                raise self.scan.failed(f"`{piece}` was expected, not {self.scan.here()}", hint)
        return self.made(spelling.form, values)

    def value(self, slot: str) -> Any:
        match slot:
            case "A" | "B":
                return read_selector(self.scan)
            case "TEXTS":
                return self.scan.read_texts()
            case "BOUND":
                return self.scan.read_bound()
            case _:
                return self.scan.read_predicate()

    def made(self, form: StepForm, values: Mapping[str, Any]) -> StepTerm:
        given: dict[str, Any] = {slot.lower(): value for slot, value in values.items()}
        options: list[str] = []
        if form.options:
            options = [option for option in form.options if self.scan.take_words(*option.split())]
            given["options"] = frozenset(options)
        tail = list(options)
        for name, words in _SUFFIXES.items():
            if getattr(form, name) and self.scan.take_words(*words):
                given[name] = self.scan.read_text()
                tail.append(f"{' '.join(words)} {written(given[name])}")
        try:
            check = form.make(**given)
        except ValueError as error:
            raise self.scan.failed(str(error), f"an example is `{form.example}`") from None
        text = " ".join([_written(form, values), *tail])
        return StepTerm(form=form.form, text=text, values=tuple(values.values()), wide="PRED" in values, run=check)


def shown(pieces: Sequence[str]) -> str:
    """Return the pieces of a form for a message."""
    return " ".join(SLOTS.get(piece, piece) for piece in pieces).replace(" :", ":")


def _written(form: StepForm, values: Mapping[str, Any]) -> str:
    pieces: list[str] = []
    for piece in _PIECE.findall(form.form):
        if piece == ":":
            pieces[-1] += ":"
        elif piece.isupper():
            value = values[piece]
            pieces.append(value.text if isinstance(value, Selector | Predicate) else written(value))
        else:
            pieces.append(piece)
    return " ".join(pieces)
