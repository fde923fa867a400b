"""Normalise a text: NFKC, no invisible characters, no disguised letters, with offsets to the original."""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import lru_cache

from proctor.text.chunked_regex import breathe, finditer
from proctor.text.normalise.characters import (
    CONTROLS,
    KASHIDA,
    OVERLAYS,
    SPECIAL,
    VARIATION,
    composing,
    is_emoji,
    is_settled,
    kind_of,
    plain_of,
)
from proctor.text.normalise.confusables import fold_confusables
from proctor.text.normalise.emoji import flag_tags, keeps_joiner, keeps_selector, letters_of_regions
from proctor.text.normalise.offsets import OffsetMap, identity
from proctor.text.normalise.results import DEFAULT_LIMITS, Limits, Normalised, Signal

__all__ = ["normalise"]

_CONTROL = re.compile(f"[{CONTROLS}]")
_SELECTOR = re.compile(f"[{VARIATION}]")
_OVERLAY = re.compile(f"[{OVERLAYS}]")
_JOINER = re.compile("[\u200c\u200d]")
# Terminal colours and cursor moves: not text.
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")
_ARABIC = re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_MARKS_ON_LATIN = 1  # after composition: one more accent may be a language, two are decoration
_MARKS_ELSEWHERE = 4
_SPANS = 64
_FEW = 8  # maximum characters of a cached cluster


def normalise(text: str, limits: Limits | None = None) -> Normalised:
    """Normalise a text for detectors; every offset of the result maps back to the original.

    Plain ASCII is returned unchanged. The result has signals for what was unusual, and one named ``oversize`` if the
    text is too long for :func:`views` to search completely.
    """
    oversize = _oversize(text, limits or DEFAULT_LIMITS)
    if text.isascii() and (text.isprintable() or not _has(_CONTROL, text)):
        return Normalised(original=text, plain=text, offsets=identity(len(text)), signals=oversize)
    special = _has(SPECIAL, text)
    if not special and unicodedata.is_normalized("NFKC", text):
        plain, offsets, signals = text, identity(len(text)), _Signals()
    else:
        plain, offsets, signals = _rewrite(text, special=special)
    if not plain.isascii():
        plain = _fold(plain, offsets, signals)
    return Normalised(original=text, plain=plain, offsets=offsets, signals=signals.all() + oversize)


def _has(pattern: re.Pattern[str], text: str) -> bool:
    return any(True for _ in finditer(pattern, text))


def _oversize(text: str, limits: Limits) -> tuple[Signal, ...]:
    if len(text) <= limits.scan:
        return ()
    return (Signal(kind="oversize", count=len(text), spans=((limits.scan, len(text)),)),)


class _Signals:
    """Collects signals by kind."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def note(self, kind: str, start: int, end: int) -> None:
        """Count one of a kind; an adjacent span is merged."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        spans = self._spans.setdefault(kind, [])
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        elif len(spans) < _SPANS:
            spans.append((start, end))

    def note_characters(self, text: str, changed: set[str], kept: frozenset[int]) -> None:
        """Count every character that is unusual by itself."""
        kinds = {character: kind for character in changed if (kind := kind_of(character))}
        if not kinds:
            return
        run, begin, end = "", 0, 0  # runs are counted at once: a text may consist only of such characters
        for at, character in enumerate(text):
            kind = kinds.get(character)
            if kind is None or at in kept:
                continue
            if kind != run or at != end:
                self._note_run(run, begin, end)
                run, begin = kind, at
            end = at + 1
        self._note_run(run, begin, end)

    def _note_run(self, kind: str, begin: int, end: int) -> None:
        if kind:
            self.note(kind, begin, end)
            self._counts[kind] += end - begin - 1

    def all(self) -> tuple[Signal, ...]:
        return tuple(
            Signal(kind=kind, count=count, spans=tuple(self._spans[kind])) for kind, count in self._counts.items()
        )


def _rewrite(text: str, *, special: bool) -> tuple[str, OffsetMap, _Signals]:
    """Map each character by itself, then apply what depends on its neighbours."""
    table = {c: plain_of(c) for c in set(text) if c > "\x7f" or not c.isprintable() if not is_settled(c)}
    pieces = [table.get(character, character) for character in text]
    breathe()
    signals = _Signals()
    kept: frozenset[int] = frozenset()
    if special:
        kept = _keep_meant(text, pieces)
        for match in _ANSI.finditer(text):
            pieces[match.start() : match.end()] = [""] * len(match.group())
        for at, letter in letters_of_regions(text):
            pieces[at] = letter
            signals.note("enclosed", at, at + 1)
    signals.note_characters(text, {character for character, plain in table.items() if plain != character}, kept)
    breathe()
    plain = "".join(pieces)
    offsets = _offsets_of(pieces)
    breathe()
    if any(map(unicodedata.combining, set(plain))) or not unicodedata.is_normalized("NFC", plain):
        plain, offsets = _compose(plain, offsets, signals)
    return plain, offsets, signals


def _offsets_of(pieces: list[str]) -> OffsetMap:
    widths = list(map(len, pieces))
    if min(widths) == 1 == max(widths):
        return identity(len(pieces))
    starts, ends = array("I"), array("I")
    for at, width in enumerate(widths):
        if width == 1:
            starts.append(at)
            ends.append(at + 1)
        elif width:
            starts.extend([at] * width)
            ends.extend([at + 1] * width)
    return OffsetMap(starts, ends)


def _keep_meant(text: str, pieces: list[str]) -> frozenset[int]:
    """Restore invisible characters that a language or an emoji needs; return their positions."""
    kept: set[int] = set()
    for match in _JOINER.finditer(text):
        at = match.start()
        if (match.group() == "\u200d" and keeps_joiner(text, at)) or _keeps_in_script(text, at):
            kept.add(at)
    for match in _SELECTOR.finditer(text):
        at = match.start()
        if keeps_selector(text, at):
            kept.add(at)
            if not (_is_letter(text, at - 2) or _is_letter(text, at + 1)):
                kept.add(at - 1)  # shown as an emoji: ``ℹ️`` alone is not an ``i``
    for match in re.finditer(KASHIDA, text):
        if not _ARABIC.match(text, match.end()):
            kept.add(match.start())  # ``هـ`` at the end of a word is a letter by itself
    for start, end in flag_tags(text):
        kept.update(range(start, end))
    for at in kept:
        pieces[at] = text[at]
    return frozenset(kept)


def _is_letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and text[at].isalpha() and not is_emoji(text[at])


def _keeps_in_script(text: str, at: int) -> bool:
    """Whether a joiner or non-joiner shapes the letters of its script here."""
    if not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if _ARABIC.match(before) and _ARABIC.match(after):
        # Persian separates stems and endings with it; one after every letter hides a word.
        return at > 1 and bool(_ARABIC.match(text[at - 2])) and text[at + 2 : at + 3] not in ("\u200c", "\u200d")
    return 9 in (unicodedata.combining(before), unicodedata.combining(after))  # a virama, in Indic scripts


def _compose(text: str, offsets: OffsetMap, signals: _Signals) -> tuple[str, OffsetMap]:
    """Compose letters and their marks, cluster by cluster, and remove decorative marks."""
    joining = composing(set(text))
    out: list[str] = []
    starts, ends = array("I"), array("I")
    at = 0
    for match in re.finditer(f".?[{re.escape(joining)}]+", text, re.DOTALL) if joining else ():
        breathe()
        start, end = match.span()
        first, last = offsets.starts[start], offsets.ends[end - 1]
        found = match.group()
        cluster, decorated = _known_cluster(found) if len(found) <= _FEW else _cluster(found)
        if decorated:
            signals.note("combining", first, last)
        if cluster == found:
            continue
        out += (text[at:start], cluster)
        starts.extend(offsets.starts[at:start])
        ends.extend(offsets.ends[at:start])
        starts.extend([first] * len(cluster))
        ends.extend([last] * len(cluster))
        at = end
    out.append(text[at:])
    starts.extend(offsets.starts[at:])
    ends.extend(offsets.ends[at:])
    return "".join(out), OffsetMap(starts, ends)


@lru_cache(maxsize=2048)
def _known_cluster(cluster: str) -> tuple[str, bool]:
    return _cluster(cluster)


def _cluster(cluster: str) -> tuple[str, bool]:
    """Return a composed letter with its marks, and whether decorative marks were removed."""
    composed = unicodedata.normalize("NFC", cluster)
    if len(composed) == 1:
        return composed, False
    marks = sum(unicodedata.category(c) in ("Mn", "Me") for c in composed)
    is_latin = composed[0] < "\u0590" or "\u1e00" <= composed[0] <= "\u1fff"  # and Greek, Cyrillic, Armenian
    overlay = is_latin and _OVERLAY.search(composed)
    if not overlay and marks <= (_MARKS_ON_LATIN if is_latin else _MARKS_ELSEWHERE):
        return composed, False
    if is_latin and (overlay or composed[0].isalnum()):
        bare = unicodedata.normalize("NFD", composed)[0]
        return (bare if marks > _MARKS_ON_LATIN + 1 else _OVERLAY.sub("", composed)), True
    return composed[:_MARKS_ELSEWHERE], True


def _fold(plain: str, offsets: OffsetMap, signals: _Signals) -> str:
    """Replace confusable letters by what they imitate; the length stays."""
    folded = fold_confusables(plain)
    if not folded:
        return plain
    letters = list(plain)
    for at, letter in folded:
        letters[at] = letter
        signals.note("confusable", *offsets.span(at, at + 1))
    return "".join(letters)
