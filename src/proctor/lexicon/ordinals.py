"""Resolve references by number or position, such as “the second one”, and parse the lists they refer to."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.lexicon.match import words_of
from proctor.text.split import sentences

__all__ = ["Item", "Reference", "listed_items", "references"]

LONGEST: Final = 50_000
MOST_ITEMS: Final = 50

_WORDS: Final = {
    word: index
    for index, names in enumerate(
        (
            "first 1st one 一 1",
            "second 2nd two 二 2",
            "third 3rd three 三 3",
            "fourth 4th four 四 4",
            "fifth 5th five 五 5",
            "sixth 6th six 六 6",
            "seventh 7th seven 七 7",
            "eighth 8th eight 八 8",
            "ninth 9th nine 九 9",
            "tenth 10th ten 十 10",
        )
    )
    for word in names.split()
}
_PLACE = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|1st|2nd|3rd|[4-9]th|10th)"
# What counts in "the second result" but not in "the last name".
_MORE_NOUNS: Final = frozenset({"ones", "result", "product", "entry", "name", "thing"})
_ITEM = re.compile(
    r"(?m)^[ \t]*(?P<mark>[-*•・▪●◦]|\(?\d{1,3}[.)．、:：]|[①-⑳]|[0-9]️?⃣)[ \t]*(?P<text>\S.{0,600}?)[ \t]*$"
)
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s,;:、：]))(?:\(?([1-9]\d?)[.)．]|([①-⑳]))\s*(?=\S)")
_SUGGESTING = re.compile(
    r"(?:recommend(?:ed|ing|ations?)?|suggest(?:ed|ions?)?|try|check out|such as|including|like|are|include|"
    r"options?|consider|enjoy|"
    r"titles?|series|picks?|considered|listed|mentioned|offered|choices?|between|have|read|"
    r"loved?)\b[^.!?\n:]{0,40}?[:]?\s*$",
    re.IGNORECASE,
)
_WORD = r"[A-ZÀ-ÞĀ-Ž0-9][\w'’×&!/-]{0,40}"
_LITTLE = r"(?:(?:of|the|a|an|no|to|in|on|and(?=\s+the)|&|wa|ni|ga|x|×|de|la|le|vs\.?)[ ]){0,3}"
_NAME = rf"[A-ZÀ-ÞĀ-Ž0-9][\w'’×&!.:/-]{{0,40}}(?:[ ]{_LITTLE}{_WORD}){{0,7}}(?:\s?[(（][^()（）\n]{{1,120}}[)）])?"
_SERIES_OF_NAMES = re.compile(
    rf"(?P<names>{_NAME}(?:,\s{_NAME}){{1,12}}(?:,?\s(?:and|or|&)\s{_NAME})?|{_NAME}\s(?:and|or|&)\s{_NAME})"
)
_QUOTED = re.compile(
    r"『([^』\n]{1,80})』|「([^」\n]{1,80})」|《([^》\n]{1,80})》|“([^”\n]{2,80})”|\"([^\"\n]{2,80})\"|"
    r"\*\*([^*\n]{2,120})\*\*"
)
_BETWEEN = re.compile(r"[\s、,，・と;；/／や]*(?:and|or|それから|そして|または)?[\s、,と]*", re.IGNORECASE)
_HEAD_END = re.compile(
    r"\s[-–—]\s|\s*：|\s*:(?=\s|$)|\s+by\s|。|\.\s|、|,\s|\s*[¥￥$]\s?\d|\s*\|\s*|は(?=[、\s])|\s+(?:is|are|was|"
    r"follows|tells|costs|has)\s"
)
_GROUP = re.compile(r"[(（\[［]([^()（）\[\]［］\n]{1,120})[)）\]］]")
_SPLIT = re.compile(r"\s*[/／|]\s*|\s*[;；]\s*|,\s+|、")
_MARKS = re.compile(r"\*\*|__|`|!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,300}\)")


@lru_cache(maxsize=8)
def _pointers(nouns: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What points at a place in English and in Japanese; only nouns of what can stand in a list count.

    "The second volume" counts volumes and "the first time" counts times.
    """
    noun, any_noun = _joined(nouns), _joined(nouns | _MORE_NOUNS)
    english = re.compile(
        rf"\b(?:the\s+|that\s+|your\s+)?(?P<place>{_PLACE})\s+(?:(?:\w+\s+)?(?:{any_noun})s?\b(?!\s+(?:time|volume))"
        rf"|(?:on|in|from|of)\s+(?:the|your|that)\s+list"
        rf"|(?:(?:that\s+)?(?:you|u)\s+(?:mentioned|listed|recommended|suggested|named|said|showed|gave)))"
        rf"|\bthe\s+(?P<bare>{_PLACE})(?=\s*(?:[?.!,;]|$|please\b|sounds\b|looks\b|is\b|too\b|instead\b|and\b|or\b))"
        rf"|\b(?:the\s+)?(?P<last>last|final|latter)(?:\s+(?:{noun})\b|(?=\s*(?:[?.!,]|$)))"
        r"|\b(?:the\s+)?(?P<former>former)\b"
        rf"|\b(?:the\s+)?(?P<middle>middle)\s+(?:{noun})\b"
        r"|(?:\b(?:number|no\.?|option|item|choice)\s*#?\s*|(?<![\w&])#)(?P<number>\d{1,2}|one|two|three|four|five|"
        r"six|seven|eight|nine|ten)\b(?![.:]\d|[-/]\d|\d)",
        re.IGNORECASE,
    )
    japanese = re.compile(
        r"(?P<count>[一二三四五六七八九十]|\d{1,2})(?:つ|個|番|件|点|本)(?:目|め)(?!の?(?:巻|話|章))"
        r"|(?P<number>[一二三四五六七八九十]|\d{1,2})番(?:の(?!方法)|を|は|が|に|で|と(?!号)|$|[。！？!?、])"
        rf"|(?P<last>最後|一番下|いちばん下)の(?:{noun}|の)?"
        rf"|(?P<first>最初|一番上|いちばん上|はじめ)の(?:{noun}|一つ)"
        r"|(?P<former>前者)|(?P<latter>後者)|(?P<middle>真ん中)の"
    )
    return english, japanese


def _joined(nouns: frozenset[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(nouns, key=lambda each: (-len(each), each)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference to a list position; ``index`` counts from 0, from the end if negative.

    ``middle`` means the middle item.
    """

    index: int
    quote: str
    middle: bool = False

    def place(self, length: int) -> int | None:
        """Return the index in a list of this length; ``None`` if there is no such position."""
        if self.middle:
            return length // 2 if length % 2 else None
        at = self.index if self.index >= 0 else length + self.index
        return at if 0 <= at < length else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One list item: all its names and its text."""

    names: tuple[str, ...]
    text: str


def references(text: str) -> tuple[Reference, ...]:
    """Return the references by number or position: the second one, #2, 二つ目, 2番目, the last one."""
    plain = unicodedata.normalize("NFKC", text[:LONGEST])
    found: list[tuple[int, Reference]] = []
    english, japanese = _pointers(words_of("list_noun"))
    for hit in english.finditer(plain):
        word = (hit["place"] or hit["bare"] or hit["number"] or "").lower()
        found.append((hit.start(), _reference(hit, word)))
    for hit in japanese.finditer(plain):
        found.append((hit.start(), _reference(hit, hit["count"] or hit["number"] or "")))
    kept = [each for _, each in sorted(found, key=lambda each: each[0]) if -2 <= each.index < 99]
    return tuple(dict.fromkeys(kept))[:5]


def _reference(hit: re.Match[str], word: str) -> Reference:
    kinds = hit.groupdict()
    quote = hit.group().strip()
    if kinds.get("middle"):
        return Reference(index=0, quote=quote, middle=True)
    if kinds.get("last") or kinds.get("latter"):
        return Reference(index=-1, quote=quote)
    if kinds.get("first") or kinds.get("former"):
        return Reference(index=0, quote=quote)
    index = _WORDS.get(word)
    return Reference(index=index if index is not None else int(word or 0) - 1 if word.isdigit() else 999, quote=quote)


def listed_items(text: str) -> tuple[Item, ...]:
    """Return the items a text lists: on separate lines, numbered in a sentence, in quotation marks, or in a row.

    Empty if there are fewer than two.
    """
    text = text[:LONGEST]
    for find in (_by_line, _by_number, _by_quotation, _by_name):
        items = find(text)
        if len(items) > 1:
            return tuple(items[:MOST_ITEMS])
    return ()


def _item(text: str) -> Item | None:
    names = _names(text)
    return Item(names=names, text=text.strip()[:300]) if names else None


def _by_line(text: str) -> list[Item]:
    """Return items on marked lines; if numbers and bullets are mixed, the bullets are details."""
    hits = list(_ITEM.finditer(text))
    numbered = [hit for hit in hits if hit["mark"][-1] not in "-*•・▪●◦"]
    chosen = numbered if len(numbered) > 1 else hits
    least = min((_indent(hit) for hit in chosen), default=0)
    return [item for hit in chosen if _indent(hit) == least and (item := _item(hit["text"]))]


def _indent(hit: re.Match[str]) -> int:
    return len(hit.group()) - len(hit.group().lstrip())


def _by_number(text: str) -> list[Item]:
    """Return items numbered from 1 within a sentence: 1) one, 2) two, 3) three."""
    for line in text.splitlines():
        hits = list(_INLINE_NUMBER.finditer(line))
        given = [int(hit[1]) if hit[1] else ord(hit[2]) - ord("①") + 1 for hit in hits]
        if len(given) > 1 and given == list(range(1, len(given) + 1)):
            ends = [hit.start() for hit in hits[1:]] + [len(line)]
            pieces = [line[hit.end() : end].strip(" ,;、，") for hit, end in zip(hits, ends, strict=True)]
            return [item for piece in pieces if (item := _item(re.sub(r",?\s+(?:and|or)$", "", piece)))]
    return []


def _by_quotation(text: str) -> list[Item]:
    """Return names in quotation marks or bold that are separated only by commas."""
    best: list[Item] = []
    row: list[Item] = []
    end = 0
    for hit in _QUOTED.finditer(text):
        item = _item(hit[hit.lastindex or 0])
        gap = _GROUP.sub("", text[end : hit.start()])
        if row and not _BETWEEN.fullmatch(gap):
            row = []
        if item:
            row.append(item)
        best = max(best, row, key=len) if len(row) > len(best) else best
        row = list(row)
        end = hit.end()
    return best


def _by_name(text: str) -> list[Item]:
    """Return names in a row after a suggestion: I recommend A, B and C."""
    for sentence in sentences(text)[:200]:
        # Only the first 600 characters of a sentence are searched.
        for hit in _SERIES_OF_NAMES.finditer(sentence[:600]):
            before = sentence[max(0, hit.start() - 80) : hit.start()].rstrip()
            if not (before.endswith(("[", ":")) or _SUGGESTING.search(before)):
                continue
            pieces = re.split(r",\s+(?:and|or)\s+|,\s+(?![^(（]*[)）])|\s+(?:and|or|&)\s+(?=[A-ZÀ-Þ0-9])", hit["names"])
            return [item for piece in pieces if (item := _item(piece))]
    return []


def _names(text: str) -> tuple[str, ...]:
    """Return the names of an item: its head, and the names in brackets after it."""
    bold = re.match(r"\s*\*\*([^*\n]{2,160})\*\*", text)
    quoted = re.match(r"\s*[『「《“\"]([^』」》”\"\n]{1,120})[』」》”\"]", text)
    plain = _MARKS.sub(lambda found: found[1] or "", text)
    head = bold[1] if bold else quoted[1] if quoted else plain
    head = _MARKS.sub(lambda found: found[1] or "", head)
    names: list[str] = []
    outside = _GROUP.sub(" ", head)
    end = _HEAD_END.search(outside, 1)
    names.append(outside[: end.start()] if end else outside)
    # Only brackets directly after the name contain other names of it.
    limit = _HEAD_END.search(plain, 1)
    for group in _GROUP.finditer(plain[: limit.start() + 140] if limit else plain[:300]):
        if limit and group.start() > limit.start() + 1:
            break
        names += _SPLIT.split(group[1])
    names += [part for part in re.split(r"\s+[/／]\s+|／", names[0]) if part != names[0]]
    cleaned = [re.sub(r"^[\s*_“”\"'「『]+|[\s*_“”\"'「」』.,:;。、]+$", "", name) for name in names]
    return tuple(dict.fromkeys(name for name in cleaned if 1 < len(name) <= 120 and any(map(str.isalpha, name))))[:6]
