"""Scan the tokens of a predicate: words, quoted texts, patterns, numbers, JSON."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from proctor.text.predicates.values import Bound, FromInput, Pattern

__all__ = ["PredicateError", "PredicateScanner"]

MOST_CHARACTERS: Final = 50_000

_WORD = re.compile(r"[^\W\d_][\w-]*")
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?(?:e[-+]?\d{1,2})?", re.IGNORECASE)
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "「": "」"}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_OPERATORS: Final = {
    "<=": "<=", ">=": ">=", "!=": "!=", "==": "=", "=": "=", "<": "<", ">": ">", "≤": "<=", "≥": ">=", "≠": "!=",
}  # fmt: skip
_SAID: Final = {
    ("at", "most"): "<=",
    ("up", "to"): "<=",
    ("no", "more", "than"): "<=",
    ("at", "least"): ">=",
    ("no", "fewer", "than"): ">=",
    ("no", "less", "than"): ">=",
    ("exactly",): "=",
    ("more", "than"): ">",
    ("fewer", "than"): "<",
    ("less", "than"): "<",
}
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DECODER = json.JSONDecoder()


class PredicateError(ValueError):
    """The text is not a predicate: the reason, the position (in characters from the start), and a hint."""

    def __init__(self, message: str, *, position: int = 0, hint: str = "") -> None:
        self.message = message
        self.position = position
        self.hint = hint
        super().__init__(f"character {position + 1}: {message}" + (f"; {hint}" if hint else ""))


class PredicateScanner:
    """A position in the text of a predicate, with methods that read from there."""

    def __init__(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise PredicateError(
                f"it has {len(text):,} characters, more than {MOST_CHARACTERS:,}", hint="say it in several rules"
            )
        self.text = text
        self.at = 0
        self.skip()

    def skip(self) -> None:
        """Skip white space."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    @property
    def ended(self) -> bool:
        """Whether the end is reached."""
        return self.at >= len(self.text)

    def word(self) -> str:
        """Return the next word in lowercase; empty if there is none."""
        found = _WORD.match(self.text, self.at)
        return found.group().lower() if found else ""

    def take_word(self, word: str) -> bool:
        """Consume this word if it comes next."""
        if self.word() != word:
            return False
        self.at += len(word)
        self.skip()
        return True

    def take_words(self, *words: str) -> bool:
        """Consume these words if they all come next."""
        begin = self.at
        if all(self.take_word(word) for word in words):
            return True
        self.at = begin
        return False

    def take(self, mark: str) -> bool:
        """Consume this mark if it comes next."""
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        self.skip()
        return True

    def failed(self, message: str, hint: str = "") -> PredicateError:
        """Return an error at this position."""
        return PredicateError(message, position=self.at, hint=hint)

    def here(self) -> str:
        """Return the text at this position, for a message."""
        rest = self.text[self.at : self.at + 24].strip()
        return f"`{rest}`" if rest else "the end"

    @property
    def at_text(self) -> bool:
        """Whether a quoted text comes next."""
        return self.text[self.at : self.at + 1] in _QUOTES

    def read_text(self) -> str:
        """Read a quoted text."""
        if not self.at_text:
            raise self.failed(f"a text in double quotes was expected, not {self.here()}", 'write it like "this"')
        closing = _QUOTES[self.text[self.at]]
        found: list[str] = []
        at = self.at + 1
        while at < len(self.text):
            character = self.text[at]
            if character == closing:
                self.at = at + 1
                self.skip()
                return "".join(found)
            if character == "\\" and self.text[at + 1 : at + 2] in _ESCAPES:
                found.append(_ESCAPES[self.text[at + 1]])
                at += 2
                continue
            found.append(character)
            at += 1
        self.at += 1
        raise self.failed("the text in quotes does not end", f"close it with {closing}")

    def read_texts(self) -> tuple[str, ...]:
        """Read texts separated by commas."""
        found = [self.read_text()]
        while True:
            begin = self.at
            comma = self.take(",")
            joined = self.take_word("or") or self.take_word("and")
            if (comma or joined) and self.at_text:
                found.append(self.read_text())
                continue
            self.at = begin
            if comma and not joined:
                raise self.failed("a text in double quotes must follow the comma", 'write "a", "b"')
            return tuple(found)

    def read_regex(self) -> Pattern:
        """Read a regex between slashes, with its flags."""
        begin = self.at
        if not self.text.startswith("/", begin):
            raise self.failed(f"a regular expression was expected, not {self.here()}", "write it like /this/")
        at, in_class = begin + 1, False
        while at < len(self.text) and (in_class or self.text[at] != "/"):
            if self.text[at] == "\\":
                at += 1
            elif self.text[at] == "[":
                in_class = True
            elif self.text[at] == "]":
                in_class = False
            at += 1
        if at >= len(self.text):
            self.at = begin + 1
            raise self.failed("the regular expression does not end", "close it with /")
        flags = self.text[at + 1 : at + 1 + len(self.text)]
        flags = flags[: len(flags) - len(flags.lstrip(_LETTERS))]
        try:
            found = Pattern.read(self.text[begin + 1 : at], flags)
        except ValueError as error:
            self.at = begin + 1
            raise self.failed(str(error), "use a simpler regular expression") from None
        self.at = at + 1 + len(flags)
        self.skip()
        return found

    def read_number(self) -> int | float:
        """Read a number."""
        found = _NUMBER.match(self.text, self.at)
        if not found:
            raise self.failed(f"a number was expected, not {self.here()}", "write it in digits")
        self.at = found.end()
        self.skip()
        value = float(found.group())
        return int(value) if value.is_integer() and abs(value) < 1e15 else value

    def read_limit(self) -> int | float | FromInput:
        """Read a number, or the input that provides it."""
        if self.take_word("input"):
            return FromInput(self.read_text())
        return self.read_number()

    def read_bound(self) -> Bound:
        """Read an operator and a number, or ``between A and B``."""
        if self.take_word("between"):
            low = self.read_limit()
            if not (self.take_word("and") or self.take(",")):
                raise self.failed("`between A and B` needs its `and`")
            begin = self.at
            high = self.read_limit()
            if not isinstance(low, FromInput) and not isinstance(high, FromInput) and high < low:
                self.at = begin
                raise self.failed(f"nothing lies between {low} and {high}", "the smaller number comes first")
            return Bound(sign="between", low=low, high=high)
        for said, sign in _SAID.items():
            if self.take_words(*said):
                return Bound(sign=sign, low=self.read_limit())
        for written, sign in _OPERATORS.items():
            if self.take(written):
                return Bound(sign=sign, low=self.read_limit())
        raise self.failed(
            f"a comparison was expected, not {self.here()}", "write <=, <, >=, >, =, != or `between A and B`"
        )

    def read_name(self) -> str:
        """Read a bare word, in lowercase."""
        found = self.word()
        if not found:
            raise self.failed(f"a word was expected, not {self.here()}")
        self.take_word(found)
        return found

    def read_json(self) -> Any:
        """Read a JSON value."""
        try:
            value, end = _DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError):
            raise self.failed(f"a JSON value was expected, not {self.here()}") from None
        self.at = end
        self.skip()
        return value
