"""Find texts that are broken as a whole, in any language: loops, wrong encodings, leftovers of a machine, a cut end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.text.split import lines, words

__all__ = ["TextDamage", "text_damage"]

_READ: Final = 20_000
_GRAM, _CHARACTERS = 4, 7  # words that are compared, and characters in a script without spaces
_LEAST: Final = 8  # words below which nothing can loop
_USUAL, _LOOPED = 0.22, 0.55  # share of repeated runs: found in fluent texts, certain to be a loop
# Two characters that a UTF-8 letter becomes when it is read in another encoding: Ã©, Å‚, ë„.
_MOJIBAKE = re.compile(
    r"[ÂÃÄÅÎÏÐÑØÙà-ïâ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022"
    r"\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
_LOST = re.compile("\ufffd")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,6});|</?[a-zA-Z][^<>\n]{0,80}>|\]\]>")
_TOKEN = re.compile(
    r"<\|[a-z_]{2,30}\|>|</?s>|<(?:pad|unk|eos|bos|sep|cls|mask)>|\[(?:UNK|PAD|SEP|CLS|MASK|INST)\]|"
    r"\{\{[^}\n]{0,80}\}\}"
    r"|\\u[0-9a-fA-F]{4}|\\n"
)
_ITEM = re.compile(r"^[ \t]*(?:[-*•・▪●#|>]|\(?\d{1,3}[.)．、]|[①-⑳])")
_CLOSED = re.compile(
    r"[.!?。！？…♪☆~〜:：;；)）\]】」』》\"”’'»*`>|/\d%€$¥£\U0001f300-\U0001faff\u2600-\u27bf]\s*$|https?://\S+\s*$"
)
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$|[」』”\"])|[。！？]")
_HANGING = re.compile(
    r"\b(?:the|an?|and|or|but|of|with|from|your|our|their|which|because|these|to|in|at|on|for|if|is|are|will|can|"
    r"be|by|as"
    r"|der|die|das|den|dem|ein|eine|einen|und|oder|mit|von|zu|im|in|für|wenn|ist|le|la|les|un|une|des|du|de|et|ou|avec"
    r"|pour|dans|est|el|los|las|una|y|o|con|por|para|en|es|il|lo|gli|di|e|che|per|è|os|as|um|uma|do|da|na|nos|het|"
    r"een|van"
    r"|met|voor|op|en|w|z|na|i|się|ve|bir|ile|için|и|в|на|с|для|не|по)\s*$|[,;(\-–—「『（、を]\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDamage:
    """One fault of the whole text: how far it makes the text unreadable, from 0 to 1, and where."""

    kind: str
    share: float
    quote: str
    note: str


def text_damage(text: str) -> tuple[TextDamage, ...]:
    """Return what is broken about a text, the worst first."""
    read = text[:_READ]
    return tuple(sorted(_all(read), key=lambda each: -each.share))


def _all(text: str) -> Iterator[TextDamage]:
    yield from _loop(text)
    yield from _encoding(text)
    if (cut := _cut(text)) is not None:
        yield cut


def _loop(text: str) -> Iterator[TextDamage]:
    """Yield a loop: the same run of words again and again. Lines of a list may begin alike."""
    said = [word.strip(".,;:!?。、！？，").casefold() for word in words(text)]
    if len(said) < _LEAST:
        return
    seen: set[tuple[str, ...]] = set()
    again, quote = 0, ""
    size = _CHARACTERS if len(said) > 2 * len(text.split()) + 3 else _GRAM
    for at in range(len(said) - size + 1):
        run = tuple(said[at : at + size])
        if run in seen:
            again += 1
            quote = quote or " ".join(said[at : at + 8])
        seen.add(run)
    share = again / max(1, len(said) - size + 1)
    if share > _USUAL:
        amount = min(1.0, 0.5 + 0.5 * (share - _USUAL) / (_LOOPED - _USUAL))
        note = f"the same words again and again ({share:.0%} of the text)"
        yield TextDamage(kind="loop", share=amount, quote=quote, note=note)


def _encoding(text: str) -> Iterator[TextDamage]:
    size = max(20, len(text))
    for pattern, kind, note, weight in (
        (_MOJIBAKE, "encoding", "letters of a wrong encoding", 8.0),
        (_LOST, "encoding", "lost characters", 12.0),
        (_TOKEN, "leftover", "a mark of a program that a reader would see", 25.0),
        (_ENTITY, "leftover", "markup that a reader would see", 12.0),
    ):
        hits = [hit for hit, _ in zip(pattern.finditer(text), range(200), strict=False)]
        least = 1 if kind == "leftover" or pattern is _LOST else 2
        if len(hits) >= least:
            first = hits[0].start()
            amount = min(0.95, 0.3 + weight * len(hits) / size)
            yield TextDamage(kind=kind, share=amount, quote=text[max(0, first - 15) : first + 25], note=note)


def _cut(text: str) -> TextDamage | None:
    """Return where the text breaks off: no end mark in a text that has some, or a last word that needs another."""
    last = next(iter(reversed(lines(text.rstrip()[-3000:]))), "").rstrip()
    if not last or _CLOSED.search(last) or _ITEM.match(last) or "```" in text:
        return None
    count = len(words(last))
    unspaced = count > 1.5 * len(last.split()) + 3
    if count < (10 if unspaced else 4):
        return None
    if _HANGING.search(last):
        amount, note = 0.6, "the text breaks off"
    elif _SENTENCE.search(text[: len(text.rstrip()) - 1]):
        amount, note = 0.5, "the last sentence has no end"
    elif count >= (16 if unspaced else 8):
        amount, note = 0.3, "the sentence has no end mark"
    else:
        return None
    return TextDamage(kind="cut off", share=amount, quote=last[-60:], note=note)
