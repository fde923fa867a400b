"""Scan the tokens of a step predicate, in addition to those of output predicates."""

from __future__ import annotations

import re
from typing import Final

from proctor.scorers.conversation.steps.fields import ValueCondition, bounded, given, matched, named
from proctor.text.predicates import Predicate, PredicateError, parse
from proctor.text.predicates.scanner import PredicateScanner
from proctor.text.predicates.values import FromInput, written

__all__ = ["StepScanner"]

_TOOL: Final = re.compile(r"[^\W\d][\w*]*(?:[.:/-][\w*]+)*|\*")
_TICKED: Final = re.compile(r"`([^`\n]{1,200})`")


class StepScanner(PredicateScanner):
    """A position in the text of a step predicate, with methods that read from there."""

    def tool(self) -> tuple[str, int] | None:
        """Return the tool name at this position and where it ends."""
        if ticked := _TICKED.match(self.text, self.at):
            return ticked.group(1), ticked.end()
        found = _TOOL.match(self.text, self.at)
        return (found.group(), found.end()) if found else None

    def go(self, place: int) -> None:
        """Move to a position and skip white space."""
        self.at = place
        self.skip()

    def read_condition(self) -> ValueCondition:
        """Read a condition: a bound, a text, true, false, one of several texts, a pattern; or only presence."""
        if (same := self._same()) is not None:
            return same
        begin = self.at
        if self.take_words("not", "one", "of"):
            texts = self.read_texts()
            return named(texts, f"not one of {written(texts)}", other=True)
        if self.take_words("one", "of"):
            texts = self.read_texts()
            return named(texts, f"one of {written(texts)}")
        if self.take_word("matches"):
            return matched(self.read_regex().searching())
        try:
            bound = self.read_bound()
        except PredicateError:
            if self.text[begin : begin + 1] in tuple("<>=!≤≥≠"):
                raise
            self.at = begin
            return given()
        if any(isinstance(side, FromInput) for side in bound.sides):
            self.at = begin
            raise self.failed("a value is compared with a number or a text here, not with an input")
        return bounded(bound)

    def _same(self) -> ValueCondition | None:
        """Read ``= "text"`` or ``!= false``; return None for a numeric comparison or none."""
        begin = self.at
        signs = (("!=", "!="), ("≠", "!="), ("==", "="), ("=", "="))
        sign = next((plain for mark, plain in signs if self.take(mark)), None)
        if sign is not None and self.at_text:
            text = self.read_text()
            return named((text,), f"{sign} {written(text)}", other=sign == "!=")
        if sign is not None and (word := self.word()) not in ("", "input"):
            if word not in ("true", "false"):
                hint = "write a text in double quotes; only numbers, true and false stand without"
                raise self.failed(f"a value was expected, not {self.here()}", hint)
            self.take_word(word)
            return named((word,), f"{sign} {word}", other=sign == "!=")
        self.at = begin
        return None

    def read_predicate(self) -> Predicate:
        """Read an output predicate from here to the closing parenthesis around it, or to the end.

        Raises:
            PredicateError: it is invalid; the position is in the whole text.
        """
        begin = self.at
        end = self._closing()
        try:
            found = parse(self.text[begin:end])
        except PredicateError as error:
            raise PredicateError(error.message, position=begin + error.position, hint=error.hint) from None
        self.go(end)
        return found

    def _closing(self) -> int:
        begin, depth = self.at, 0
        try:
            while not self.ended:
                mark = self.text[self.at]
                if self.at_text:
                    self.read_text()
                elif mark == "/":
                    self.read_regex()
                elif mark == ")" and not depth:
                    break
                else:
                    depth += (mark == "(") - (mark == ")")
                    self.at += 1
            return self.at
        finally:
            self.at = begin
