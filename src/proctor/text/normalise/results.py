"""Results of the normaliser: the cleaned text, its signals, and its decoded views."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from proctor.text.normalise.offsets import OffsetMap

__all__ = ["DEFAULT_LIMITS", "DocumentText", "Limits", "Normalised", "Searched", "SearchedDocument", "Signal", "View"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on the work, so that a hostile text cannot consume others' time.

    ``scan``: characters of one text that are searched for encodings; of a longer text the beginning, the end and evenly
    spaced windows are searched. ``output``: characters of all views together. ``views``: number of views. ``depth``:
    nested encodings.
    """

    scan: int = 131_072
    output: int = 131_072
    views: int = 24
    depth: int = 3


DEFAULT_LIMITS: Final = Limits()
# Of one text that is searched for injections: a longer one is rejected, since an attack could be in the unread part.
MAX_CLASSIFIED_CHARS: Final = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One kind of unusual character and its positions in the original.

    ``count`` counts all such characters; ``spans`` holds the first spans (at most 64), adjacent ones merged.
    """

    kind: str
    count: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """A text normalised for detectors, with offsets to the original."""

    original: str
    plain: str
    offsets: OffsetMap = field(repr=False)
    signals: tuple[Signal, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that ``plain[start:end]`` came from."""
        return self.offsets.span(start, end)

    def signal(self, kind: str) -> Signal | None:
        """Return the signal of one kind, if any."""
        return next((signal for signal in self.signals if signal.kind == kind), None)


class Searched(str):
    """A plain text that must not be searched for hidden text: it was decoded, or its hidden text is given separately.

    It never equals a plain string with the same characters, because other things may be found in that.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:  # str's own compares only the characters
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), str(self)))


class SearchedDocument(Searched):
    """A part of a document or a tool's result in which nothing hidden is to be looked for."""

    __slots__ = ()


class DocumentText(str):
    """What a document or a tool says, as opposed to a user: an order in it is suspicious that is none from a user.

    It is no key for the same letters from a user.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DocumentText) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((DocumentText, str(self)))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A text that was hidden in the original by one or more encodings.

    ``kinds`` names the encodings, outermost first.
    """

    kinds: tuple[str, ...]
    text: str
    offsets: OffsetMap = field(repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that ``text[start:end]`` came from."""
        return self.offsets.span(start, end)

    @property
    def source(self) -> tuple[int, int]:
        """The span of the original that the whole view came from."""
        return self.offsets.span(0, len(self.text))
