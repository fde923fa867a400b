"""Parse a predicate by the table of forms: atoms, ``not``, ``and``, ``or``, ``when … :`` and parentheses."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from proctor.text.predicates.combine import guarded, joined, negation
from proctor.text.predicates.connectives import ConnectiveReader
from proctor.text.predicates.scanner import PredicateError, PredicateScanner
from proctor.text.predicates.term import LONGEST, SLOTS, Check, Checked, Form, OutputView, SpentError, Term, unknown
from proctor.text.predicates.values import OpenError, written

__all__ = ["Grammar"]

_LEAST_WORK: Final = 20
_PIECE = re.compile(r"[^\s:]+|:")


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A form in one of its spellings, in pieces; a piece in capitals is a slot."""

    pieces: tuple[str, ...]
    form: Form


class Grammar:
    """The forms, indexed by their first word."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self.by_word: Mapping[str, list[_Spelling]] = defaultdict(list)
        for form in forms:
            for spelling in (form.form, *form.also):
                pieces = tuple(_PIECE.findall(spelling))
                self.by_word[pieces[0]].append(_Spelling(pieces, form))
        for spellings in self.by_word.values():
            spellings.sort(key=_literals, reverse=True)

    def read(self, text: str) -> Term:
        """Parse the whole text into a term.

        Raises:
            PredicateError: the text is not a predicate.
        """
        reader = _Reader(self, PredicateScanner(text))
        if not text.strip():
            raise PredicateError("it is empty", hint="write a predicate, for example words <= 80")
        term = reader.terms.either(0)
        if not reader.scan.ended:
            raise reader.scan.failed(f"nothing should follow here, but {reader.scan.here()} does", "join with and / or")
        return term


def _literals(spelling: _Spelling) -> tuple[int, int]:
    """Return the number of leading plain words and of pieces: the longest spelling is tried first."""
    pieces = spelling.pieces
    return next((at for at, piece in enumerate(pieces) if not piece.islower()), len(pieces)), len(pieces)


def _following(spelling: _Spelling) -> str:
    """Return what follows the first word of a spelling, for a message."""
    piece = spelling.pieces[1] if len(spelling.pieces) > 1 else "nothing"
    return SLOTS.get(piece, piece)


class _Reader:
    def __init__(self, grammar: Grammar, scan: PredicateScanner) -> None:
        self.grammar = grammar
        self.scan = scan
        self.terms = ConnectiveReader(scan=scan, form=self.read_form, joined=joined, negation=negation, guarded=guarded)

    def read_form(self, depth: int) -> Term:
        start = self.scan.at
        if self.scan.take_words("is", "not"):
            return negation(self.atom("is", start, depth))
        word = self.scan.word()
        self.scan.take_word(word)
        return self.atom(word, start, depth)

    def atom(self, word: str, start: int, depth: int) -> Term:
        """Parse a form whose first word, at ``start``, was already read."""
        begin = self.scan.at
        furthest: PredicateError | None = None
        for spelling in self.grammar.by_word.get(word, ()):
            self.scan.at = begin
            try:
                return self.filled(spelling, depth)
            except PredicateError as error:
                if furthest is None or error.position >= furthest.position:
                    furthest = error
        if furthest is not None and furthest.position > begin:
            raise furthest
        self.scan.at = begin if furthest else start
        if furthest is None:
            raise self.scan.failed(f"a predicate was expected, not {self.scan.here()}", _nearest(word, self.grammar))
        following = ", ".join(dict.fromkeys(_following(spelling) for spelling in self.grammar.by_word[word]))
        raise self.scan.failed(f"`{word}` cannot be followed by {self.scan.here()}", f"what can follow it: {following}")

    def filled(self, spelling: _Spelling, depth: int) -> Term:
        values: list[Any] = []
        inner: list[Term] = []
        wide = False
        for piece in spelling.pieces[1:]:
            if piece == ":":
                self.scan.take(":")
                wide = True
            elif piece == "PRED":
                self.scan.take(":")
                inner.append(self.terms.either(depth + 1) if wide else self.terms.single(depth + 1))
            elif piece.isupper():
                values.append(self.value(piece))
            elif not self.scan.take_word(piece):
                raise self.scan.failed(
                    f"`{piece}` was expected, not {self.scan.here()}", f"the form is `{spelling.form.form}`"
                )
        options = self.options(spelling.form)
        return self.made(spelling.form, tuple(values), tuple(inner), options)

    def value(self, slot: str) -> Any:
        match slot:
            case "TEXT":
                return self.scan.read_text()
            case "TEXTS":
                return self.scan.read_texts()
            case "REGEX":
                return self.scan.read_regex()
            case "PATTERN":
                return self.scan.read_text() if self.scan.at_text else self.scan.read_regex()
            case "BOUND":
                return self.scan.read_bound()
            case "NUMBER":
                return self.scan.read_number()
            case "NAME":
                return _Name(self.scan.read_name())
            case _:
                return self.scan.read_json()

    def options(self, form: Form) -> tuple[str, ...]:
        taken = set()
        more = True
        while more:
            more = False
            for option in form.options:
                begin = self.scan.at
                self.scan.take(",")
                if self.scan.take_words(*option.split()):
                    taken.add(option)
                    more = True
                else:
                    self.scan.at = begin
        return tuple(option for option in form.options if option in taken)

    def made(self, form: Form, values: tuple[Any, ...], inner: tuple[Term, ...], options: tuple[str, ...]) -> Term:
        given: list[Any] = [*values, *(term.run for term in inner)]
        try:
            check = form.make(*given, options=frozenset(options)) if form.options else form.make(*given)
        except ValueError as error:
            raise self.scan.failed(str(error), f"an example is `{form.example}`") from None
        text = _written(form, values, inner, options)
        wide = bool(inner) and ":" in form.form
        run = _bounded(check, math.inf if form.any_length else LONGEST)
        return Term(form=form.form, text=text, values=values, inner=inner, options=options, wide=wide, run=run)


class _Name(str):
    """A bare word among the values."""

    __slots__ = ()


def _bounded(check: Check, longest: float) -> Check:
    """Limit the check to texts that are not too long for it."""

    def run(view: OutputView) -> Checked:
        size = len(view.text)
        if size > longest:
            return unknown(f"{size:,} characters are too many to check")
        view.spend(size + _LEAST_WORK)
        try:
            return check(view)
        except SpentError:
            raise
        except OpenError as error:
            return unknown(str(error))

    return run


def _written(form: Form, values: Sequence[Any], inner: Sequence[Term], options: Sequence[str]) -> str:
    left, terms = list(values), list(inner)
    pieces: list[str] = []
    for piece in _PIECE.findall(form.form):
        if piece == ":":
            pieces[-1] += ":"
        elif piece == "PRED":
            term = terms.pop(0)
            tight = ":" not in form.form and (term.wide or term.form in ("and", "or"))
            pieces.append(f"({term.text})" if tight else term.text)
        elif piece.isupper():
            value = left.pop(0)
            pieces.append(str(value) if isinstance(value, _Name) else written(value))
        else:
            pieces.append(piece)
    return " ".join([*pieces, *options])


def _nearest(word: str, grammar: Grammar) -> str:
    near = get_close_matches(word[:30], grammar.by_word, n=1) if word else []
    if near:
        return f"did you mean `{grammar.by_word[near[0]][0].form.example}`?"
    return "see docs/predicates.md for the forms"
