"""The types of predicates: the view of a text, results, terms and forms."""

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

# Above this many characters only forms that read a text once are tried.
LONGEST: Final = 200_000
# Characters that one check may read in total, including repeats: a few seconds at most.
MOST_WORK: Final = 40_000_000
# Display names of a form's slots.
SLOTS: Final = {
    "TEXTS": '"a", "b"', "TEXT": '"text"', "REGEX": "/regex/", "PATTERN": '"text" or /regex/', "BOUND": "OP N",
    "NUMBER": "N", "JSON": "{…}", "PRED": "PREDICATE",
}  # fmt: skip
_QUOTE: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a check: ``ok`` is None if the predicate does not apply or cannot be decided.

    ``known`` is False if it cannot be decided, and True if it does not apply.
    """

    ok: bool | None
    reason: str
    quote: str = ""
    known: bool = True


class SpentError(OpenError):
    """A check has used up its work limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputView:
    """The text to check, and the inputs it came from."""

    text: str
    inputs: Mapping[str, str]
    purse: list[int] = field(default_factory=lambda: [MOST_WORK], compare=False, repr=False)

    @property
    def source(self) -> str:
        """The only input, or all of them joined."""
        return "\n\n".join(self.inputs.values())

    def of(self, text: str) -> OutputView:
        """Return a view of another text with the same inputs."""
        return OutputView(text=text, inputs=self.inputs, purse=self.purse)

    def spend(self, work: int) -> None:
        """Subtract work from the limit of this check.

        Raises:
            SpentError: the limit is exceeded.
        """
        self.purse[0] -= work
        if self.purse[0] < 0:
            raise SpentError("the check would take too long on this text")


Check = Callable[[OutputView], Checked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form of statement about a text. Words in capitals are slots.

    ``TEXT`` "…", ``TEXTS`` one or more of them, ``REGEX`` /…/, ``PATTERN`` either, ``BOUND`` an operator and a number,
    ``NUMBER`` a number, ``NAME`` a bare word, ``JSON`` a JSON value, ``PRED`` a predicate. ``make`` receives the values
    of the slots in order (and the options, if the form has any) and returns the check; it raises a ValueError with the
    reason for invalid values.
    """

    form: str
    meaning: str
    example: str
    make: Callable[..., Check]
    also: tuple[str, ...] = ()  # other accepted spellings; the output uses ``form``
    options: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()  # values of NAME, for the docs
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
    """A parsed predicate or a part of one: the form, its values and its inner terms."""

    form: str
    text: str
    values: tuple[Any, ...] = ()
    options: tuple[str, ...] = ()
    inner: tuple[Term, ...] = ()
    wide: bool = False  # extends to the right end, so it needs parentheses inside another term
    run: Check = field(compare=False, repr=False)

    def within(self) -> str:
        """Return its text as a part of another term."""
        return f"({self.text})" if self.wide else self.text


def yes(reason: str, quote: str = "") -> Checked:
    """Return a result that is true."""
    return Checked(ok=True, reason=reason, quote=short(quote))


def no(reason: str, quote: str = "") -> Checked:
    """Return a result that is false."""
    return Checked(ok=False, reason=reason, quote=short(quote))


def verdict(ok: bool, reason: str, quote: str = "") -> Checked:
    """Return a result that is true or false, with the same reason."""
    return Checked(ok=ok, reason=reason, quote=short(quote))


def unknown(reason: str) -> Checked:
    """Return an undecided result."""
    return Checked(ok=None, reason=reason, known=False)


def skipped(reason: str) -> Checked:
    """Return a result that does not apply."""
    return Checked(ok=None, reason=f"does not apply: {reason}")


def plural(count: int, names: str) -> str:
    """Return a count with its noun: ``1 word``, ``2 words``."""
    return f"{count:,} {names.removesuffix('s') if count == 1 else names}"


def short(text: str, most: int = _QUOTE) -> str:
    """Return a text for display: stripped, and truncated if it is long."""
    text = text.strip()
    return text if len(text) <= most else text[: most - 1] + "…"
