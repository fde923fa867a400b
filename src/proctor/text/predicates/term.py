"""What a predicate is made of: the text it looks at, what it found, its terms, and the forms they are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.text.predicates.values import OpenError

__all__ = [
    "LONGEST",
    "SLOTS",
    "Check",
    "Checked",
    "Form",
    "OutputView",
    "SpentError",
    "Term",
    "VocabularyEntry",
    "no",
    "plural",
    "short",
    "skipped",
    "unknown",
    "verdict",
    "yes",
]

# Above this many characters only forms that read a text once and do nothing else with it are tried.
LONGEST: Final = 200_000
# So many characters may be read in one check, over and over ones too: some seconds at the very most.
MOST_WORK: Final = 40_000_000
# How the slots of a form are shown to a person.
SLOTS: Final = {
    "TEXTS": '"a", "b"', "TEXT": '"text"', "REGEX": "/regex/", "PATTERN": '"text" or /regex/', "BOUND": "OP N",
    "JSON": "{…}", "PRED": "PREDICATE",
}  # fmt: skip
_QUOTE: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found: ``ok`` is None where the predicate says nothing about this text, or cannot tell.

    ``known`` is False where it cannot tell; where it does not apply, it is known not to.
    """

    ok: bool | None
    reason: str
    quote: str = ""
    known: bool = True


class SpentError(OpenError):
    """A check has read as much as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputView:
    """The text that is looked at, and the inputs it came from."""

    text: str
    inputs: Mapping[str, str]
    purse: list[int] = field(default_factory=lambda: [MOST_WORK], compare=False, repr=False)

    @property
    def source(self) -> str:
        """The only input, or all of them, one after the other."""
        return "\n\n".join(self.inputs.values())

    def of(self, text: str) -> OutputView:
        """Another text with the same inputs."""
        return OutputView(text=text, inputs=self.inputs, purse=self.purse)

    def spend(self, work: int) -> None:
        """Take so much work out of what this check may cost.

        Raises:
            SpentError: nothing is left.
        """
        self.purse[0] -= work
        if self.purse[0] < 0:
            raise SpentError("the check would take too long on this text")


Check = Callable[[OutputView], Checked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way to say something about a text. Words in capitals are slots.

    ``TEXT`` "…", ``TEXTS`` one or more of them, ``REGEX`` /…/, ``PATTERN`` either, ``BOUND`` an operator and a number,
    ``NAME`` a bare word, ``JSON`` a JSON value, ``PRED`` a predicate. ``make`` is given the values of the slots in
    order (and the options, where the form has any) and gives the check; a ValueError from it says what is wrong.
    """

    form: str
    meaning: str
    example: str
    make: Callable[..., Check]
    also: tuple[str, ...] = ()  # other spellings that are understood and written as ``form``
    options: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()  # what NAME may be, for the docs
    any_length: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyEntry:
    """A line of the vocabulary."""

    family: str
    form: str
    meaning: str
    example: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A predicate or a part of one, as read: the form, its values, and the terms inside it."""

    form: str
    text: str
    values: tuple[Any, ...] = ()
    options: tuple[str, ...] = ()
    inner: tuple[Term, ...] = ()
    wide: bool = False  # takes in everything to its right, so it stands in parentheses inside another
    run: Check = field(compare=False, repr=False)

    def within(self) -> str:
        """Its text as a part of another term."""
        return f"({self.text})" if self.wide else self.text


def yes(reason: str, quote: str = "") -> Checked:
    """It holds."""
    return Checked(ok=True, reason=reason, quote=short(quote))


def no(reason: str, quote: str = "") -> Checked:
    """It does not hold."""
    return Checked(ok=False, reason=reason, quote=short(quote))


def verdict(ok: bool, reason: str, quote: str = "") -> Checked:
    """It holds or not, for the same reason."""
    return Checked(ok=ok, reason=reason, quote=short(quote))


def unknown(reason: str) -> Checked:
    """It cannot be told."""
    return Checked(ok=None, reason=reason, known=False)


def skipped(reason: str) -> Checked:
    """It says nothing about this text."""
    return Checked(ok=None, reason=f"does not apply: {reason}")


def plural(count: int, names: str) -> str:
    """So many of something: ``1 word``, ``2 words``."""
    return f"{count:,} {names.removesuffix('s') if count == 1 else names}"


def short(text: str, most: int = _QUOTE) -> str:
    """A stretch of text to show: trimmed, and cut where it is long."""
    text = text.strip()
    return text if len(text) <= most else text[: most - 1] + "…"
