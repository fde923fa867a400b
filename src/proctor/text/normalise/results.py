"""What the normaliser gives back: the cleaned text, what was found in it, and its decoded views."""

from __future__ import annotations

from dataclasses import dataclass, field

from proctor.text.normalise.offsets import OffsetMap

__all__ = ["DocumentText", "Limits", "Normalised", "Searched", "SearchedDocument", "Signal", "View"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is looked at, so that a hostile text cannot take the time of others.

    ``scan``: characters of one text that are searched for encodings; of a longer text the beginning, the end and
    evenly spread windows in between are searched. ``output``: characters of all views together. ``views``: how
    many views. ``depth``: how many encodings inside one another.
    """

    scan: int = 131_072
    output: int = 131_072
    views: int = 24
    depth: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One kind of unusual character and where it stands in the original.

    ``count`` is of all such characters; ``spans`` holds the first places (at most 64), neighbours joined.
    """

    kind: str
    count: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """A text made plain for detectors, with the way back to the original."""

    original: str
    plain: str
    offsets: OffsetMap = field(repr=False)
    signals: tuple[Signal, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that ``plain[start:end]`` came from."""
        return self.offsets.span(start, end)

    def signal(self, kind: str) -> Signal | None:
        """What was found of one kind."""
        return next((signal for signal in self.signals if signal.kind == kind), None)


class Searched(str):
    """A plain text in which nothing hidden is to be looked for: it was decoded already, or what it hides stands beside.

    It is no key for the same letters that nobody has searched: what is found in those may differ.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:  # what a string has by itself looks at the letters alone
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

    ``kinds`` names the encodings in the order in which they were undone, the outermost first.
    """

    kinds: tuple[str, ...]
    text: str
    offsets: OffsetMap = field(repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that ``text[start:end]`` came from."""
        return self.offsets.span(start, end)

    @property
    def source(self) -> tuple[int, int]:
        """The part of the original that the whole view came from."""
        return self.offsets.span(0, len(self.text))
