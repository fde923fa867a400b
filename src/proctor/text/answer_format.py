"""Detect the format of an answer: lists, links, prices, cards, names of a work, and broken formatting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from proctor.text.script import Slip, has_japanese
from proctor.text.script_ranges import HAN, HIRAGANA, KATAKANA
from proctor.text.split import lines, sentences, words

__all__ = ["Naming", "is_romanised", "layout_slips", "namings", "repetitions", "shapes", "unbalanced", "unfinished"]

LONGEST = 50_000
MOST_SLIPS = 50

_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•・▪●]|\(?\d{1,3}[.)．、]|[①-⑳])[ \t]*\S")
_LINK = re.compile(
    r"\[[^\[\]\n]{1,300}\]\([^)\s]{1,500}\)|https?://[^\s)>\]」』）]{4,}|\bwww\.[^\s)>\]]{4,}|<a\s[^>]{0,500}href", re.I
)
_PRICE = re.compile(
    r"[$¥￥€£]\s?[0-9０-９]|[0-9０-９]\s?(?:円|ドル|USD|JPY|EUR|dollars?|yen)\b|[0-9０-９]\s?(?:円|ドル)|"
    r"\b(?:USD|JPY|EUR)\s?[0-9]",
    re.I,
)
_HEADING = re.compile(r"(?m)^#{1,6}\s+\S")
_TABLE = re.compile(r"(?m)^\s*\|.*\|\s*$\n^\s*\|[\s:|-]+\|\s*$")
_CODE = re.compile(r"```")
_EMOJI = re.compile(r"[\U0001f300-\U0001faff\u2600-\u27bf]")
_BOLD = re.compile(r"\*\*[^*\n]{1,300}\*\*")
_STEPS = re.compile(
    r"(?m)^[ \t]*(?:\(?\d{1,3}[.)．、]|[①-⑳])|\bstep \d|\bfirst\b.*\bthen\b|まず.*(?:次に|その後|続いて)", re.I | re.S
)
# A card: a name in bold, in a link or at the start of an item, with a price or an id on the same or the next line.
_CARD = re.compile(
    r"(?:\*\*[^*\n]{1,200}\*\*|\[[^\[\]\n]{1,200}\]\([^)\s]{1,300}\)"
    r"|^[ \t]*(?:[-*•・]|\d{1,3}[.)])[ \t]*\S)[^\n]{0,300}\n?[^\n]{0,200}?"
    r"(?:[$¥￥€£]\s?[0-9]|[0-9]\s?円|\b[A-Z]{1,6}-?\d{3,}|\bASIN\b)",
    re.MULTILINE,
)
_SHAPES: Final[Mapping[str, Callable[[str], bool]]] = {
    "list": lambda text: len(_ITEM.findall(text)) >= 2,
    "steps": lambda text: _STEPS.search(text) is not None,
    "link": lambda text: _LINK.search(text) is not None,
    "price": lambda text: _PRICE.search(text) is not None,
    "card": lambda text: _CARD.search(text) is not None,
    "heading": lambda text: _HEADING.search(text) is not None,
    "table": lambda text: _TABLE.search(text) is not None,
    "code": lambda text: _CODE.search(text) is not None,
    "bold": lambda text: _BOLD.search(text) is not None,
    "emoji": lambda text: _EMOJI.search(text) is not None,
    "question": lambda text: "?" in text or "？" in text,
}

_PLACEHOLDER = re.compile(
    r"\{\{[^}\n]{0,80}\}\}|\{%[^%\n]{0,80}%\}|\$\{\w+\}|\[(?:INSERT|YOUR|TODO|PLACEHOLDER|NAME|LINK|"
    r"PRODUCT)[^\]\n]{0,40}\]"
    r"|<(?:INSERT|YOUR|TODO|PLACEHOLDER)[^>\n]{0,40}>|\blorem ipsum\b|(?<![\w'])(?:undefined|NaN|null|"
    r"None)(?=[\s.,]*(?:$|\n))"
    r"|\[object Object\]"
)
_EMPTY_LINK = re.compile(r"\[[^\[\]\n]{0,200}\]\(\s{0,5}\)|\[\s{0,5}\]\([^()\n]{0,300}\)")
_HTML = re.compile(r"</?(?:div|span|p|br|b|i|ul|ol|li|table|tr|td|script|style)\b[^>\n]{0,200}>", re.IGNORECASE)
_NUMBERED = re.compile(r"(?m)^[ \t]*(\d{1,3})[.)][ \t]+\S")

_PAIRS: Final = {
    "(": ")",
    "[": "]",
    "{": "}",
    "（": "）",
    "「": "」",
    "『": "』",
    "【": "】",
    "“": "”",
    "《": "》",
    "〈": "〉",
}
_OPENING = {closing: opening for opening, closing in _PAIRS.items()}
_NOT_BRACKETS = re.compile(
    r"```.*?```|`[^`\n]*`|(?m:^[ \t]*\(?(?:\d{1,3}|[a-zA-Z])[)）])|"
    r"(?<!\S)[:;=]['-]?[)(\]\[DPp]|\([・^;TωД][^)\n]{0,12}\)"
    r"|https?://[^\s()]+",
    re.DOTALL,
)

_LAST_WORD = re.compile(
    r"(?:\b(?:the|an?|and|or|but|of|with|from|your|our|their|which|because|these)|[,;(\-–—「『（]|[をはがにへ、])\s*$"
)
_CLOSED = re.compile(r"[.!?。！？…♪☆~〜:：)）\]】」』\"”’'*`>|]\s*$|https?://\S+\s*$")


def shapes(text: str) -> Mapping[str, bool]:
    """Return which formats a text has: list, steps, link, price, card, heading, table, code, bold, emoji, question."""
    read = text[:LONGEST]
    return {name: has(read) for name, has in _SHAPES.items()}


def layout_slips(text: str) -> tuple[Slip, ...]:
    """Return broken formatting: placeholders, empty links, unclosed marks, tags, wrong numbering."""
    text = text[:LONGEST]
    found = [*_leftovers(text), *_open_marks(text), *_numbering(text)]
    return tuple(found[:MOST_SLIPS])


def _slip(kind: str, hit: re.Match[str], note: str, weight: float = 1.0) -> Slip:
    return Slip(kind=kind, quote=hit.group()[:60], start=hit.start(), note=note, weight=weight)


def _leftovers(text: str) -> Iterator[Slip]:
    plain = re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.DOTALL)
    for pattern, kind, note in (
        (_PLACEHOLDER, "placeholder", "a hole that was not filled"),
        (_EMPTY_LINK, "link", "a link without text or address"),
        (_HTML, "markup", "a tag that a reader would see"),
    ):
        for hit, _ in zip(pattern.finditer(plain), range(10), strict=False):
            yield _slip(kind, hit, note)


def _open_marks(text: str) -> Iterator[Slip]:
    if text.count("```") % 2:
        yield Slip(kind="markup", quote="```", start=text.rfind("```"), note="a block of code is not closed")
        return
    for line in lines(text):
        bare = re.sub(r"`[^`]*`", "", line)
        if bare.count("**") % 2:
            yield Slip(kind="markup", quote=line[:60], start=text.find(line), note="bold is not closed", weight=0.5)


def _numbering(text: str) -> Iterator[Slip]:
    """Yield a slip for a numbered list that skips or repeats: 1, 2, 2, 4. All ones are valid Markdown numbering."""
    hits = list(_NUMBERED.finditer(text))
    given = [int(hit[1]) for hit in hits]
    if len(given) < 2 or set(given) == {1}:
        return
    for before, now, hit in zip(given, given[1:], hits[1:], strict=False):
        if now not in (before + 1, 1):
            note = f"{now} follows {before} in a numbered list"
            yield _slip("numbering", hit, note, 0.5)
            return


def unbalanced(text: str) -> tuple[Slip, ...]:
    """Return brackets and quotation marks without a partner."""
    text = text[:LONGEST]
    plain = _NOT_BRACKETS.sub(lambda found: " " * len(found.group()), text)
    waiting: list[tuple[str, int]] = []
    found: list[tuple[int, str]] = []
    for at, sign in enumerate(plain):
        if sign in _PAIRS:
            waiting.append((sign, at))
        elif sign in _OPENING:
            if waiting and waiting[-1][0] == _OPENING[sign]:
                waiting.pop()
            elif sign != "”" and not re.search(r"(?:^|\s)(?:[a-zA-Z]|\d{1,2})$", plain[max(0, at - 4) : at]):
                # ” is also used for inches, and a) and b) mark list items
                found.append((at, f"{sign} closes nothing"))
    found += [(at, f"{sign} is not closed") for sign, at in waiting if sign != "“"]
    for paragraph in re.finditer(r"[^\n]+(?:\n(?!\n)[^\n]+)*", plain):
        quotes = [hit.start() for hit in re.finditer('"', paragraph.group())]
        inches = len(re.findall(r'(?<=\d)"', paragraph.group()))
        # Require an odd count both with and without the inch marks.
        if len(quotes) % 2 and inches % 2 == 0:
            found.append((paragraph.start() + quotes[-1], 'a quotation mark (") has no partner'))
    return tuple(
        Slip(kind="unbalanced", quote=text[max(0, at - 10) : at + 20].strip(), start=at, note=note)
        for at, note in sorted(found)[:5]
    )


def repetitions(text: str) -> tuple[Slip, ...]:
    """Return repeated text: three words twice in a row, a sentence twice, a phrase over and over."""
    text = text[:LONGEST]
    found: list[Slip] = []
    seen: set[str] = set()
    for sentence in sentences(text):
        said = words(sentence)
        key = " ".join(said).casefold()
        # A label with its value may repeat; a whole sentence should not.
        if len(said) >= (12 if has_japanese(sentence) else 6) and key in seen and not _ITEM.match(sentence):
            note = "the sentence stands there twice"
            found.append(Slip(kind="repetition", quote=sentence[:60], start=text.rfind(sentence), note=note))
        seen.add(key)
    if not found:
        found.extend(_stuttered(text))
    return tuple(found[:5])


def _stuttered(text: str) -> Iterator[Slip]:
    """Yield the same words twice in a row within one sentence."""
    for sentence in sentences(text)[:500]:
        said = [word.casefold() for word in words(sentence)][:500]
        least = 6 if has_japanese(sentence) else 3  # a Japanese character is less than a word
        for at in range(len(said)):
            for size in range(least, min(12, (len(said) - at) // 2) + 1):
                piece = said[at : at + size]
                if len(set(piece)) > 1 and said[at + size : at + 2 * size] == piece:
                    quote = ("" if has_japanese(sentence) else " ").join(piece)[:60]
                    start = max(0, text.find(sentence))
                    yield Slip(kind="repetition", quote=quote, start=start, note="the words stand twice in a row")
                    return


def unfinished(text: str) -> Slip | None:
    """Return where the text breaks off, if it does: inside a phrase, at a comma, at a particle."""
    last = next(iter(reversed(lines(text[-2000:]))), "").rstrip()
    bare = _EMOJI.sub("", last).rstrip()
    if not bare or _CLOSED.search(bare):
        return None
    if _LAST_WORD.search(bare):
        return Slip(kind="unfinished", quote=bare[-60:], start=max(0, len(text) - 60), note="the text breaks off")
    prose = not _ITEM.match(last) and not last.lstrip().startswith(("#", "|")) and len(words(last)) >= 12
    ends_in_letter = bare[-1].isalnum()
    if prose and ends_in_letter and re.search(r"[.!?。！？]", text[: -len(last)] or last):
        note = "the last sentence has no end"
        return Slip(kind="unfinished", quote=bare[-60:], start=max(0, len(text) - 60), note=note, weight=0.5)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """A place where a work is named, and which of its names are there."""

    quote: str
    start: int
    original: bool
    romanised: bool
    english: bool

    @property
    def missing(self) -> tuple[str, ...]:
        """The names that are missing."""
        there = {"original": self.original, "romanised": self.romanised, "English": self.english}
        return tuple(name for name, has in there.items() if not has)


_JAPANESE_NAME = re.compile(rf"[{HIRAGANA}{KATAKANA}{HAN}々〆・！？×☆♪～〜]{{2,40}}")
_LATIN_NAME = re.compile(r"[A-Za-zĀ-ſ][\wĀ-ſ'’×:!&.-]*(?:[ ,][\wĀ-ſ'’×:!&.-]+){0,9}")
_GROUP = re.compile(r"[^()（）\n.。!?]{0,80}[(（][^()（）\n]{2,160}[)）]")
_ROMAJI_WORD = re.compile(
    r"(?:(?:[kgsztdnhbpmyrwjf]|ch|sh|ts|ky|gy|ny|hy|by|py|my|ry)?(?:[aiueoāīūēō]|aa|ii|uu|ee|oo|ou)|"
    r"n(?![aiueoy])|(?:kk|ss|tt|pp|tch|ssh)[aiueoō])+",
    re.IGNORECASE,
)
_ROMAJI_TITLE = re.compile(r"\b[A-ZĀ-Ō][a-zā-ō'’-]+(?: (?:no|ga|wa|wo|o|ni|to|de|na|e|[A-ZĀ-Ō][a-zā-ō'’-]+)){1,7}\b")
_ROMAJI_PARTICLE = re.compile(r" (?:no|ga|wa|wo|ni|na) ")


def is_romanised(name: str) -> bool:
    """Whether a name in Latin letters looks like romanised Japanese."""
    said = re.findall(r"[A-Za-zĀ-ſ'’]+", name)
    if not said or has_japanese(name):
        return False
    return all(_ROMAJI_WORD.fullmatch(word.replace("'", "").replace("’", "")) for word in said)


def namings(text: str) -> tuple[Naming, ...]:
    """Return where a text in Latin script names a work by a Japanese name, and which of its three names are there.

    The names are recognised by form: one in Japanese script, one that looks romanised, one that does not.
    """
    text = text[:LONGEST]
    found: list[Naming] = []
    covered: list[tuple[int, int]] = []
    for hit in _GROUP.finditer(text):
        if not has_japanese(hit.group()) and not _ROMAJI_PARTICLE.search(hit.group()):
            continue
        inside = re.split(r"[(（)）/／|;；、,]", hit.group())
        latin = [
            name.group().strip()
            for piece in inside
            if not has_japanese(piece)
            for name in [_LATIN_NAME.search(piece)]
            if name
        ]
        romanised = [name for name in latin if is_romanised(name)]
        original = has_japanese(hit.group())
        english = len(latin) > len(romanised) or len(romanised) > 1
        found.append(
            Naming(
                quote=hit.group().strip()[-120:],
                start=hit.start(),
                original=original,
                romanised=bool(romanised),
                english=english,
            )
        )
        covered.append(hit.span())
    for hit in (*_JAPANESE_NAME.finditer(text), *_ROMAJI_TITLE.finditer(text)):
        if any(start <= hit.start() < end for start, end in covered):
            continue
        original = has_japanese(hit.group())
        if not original and not (_ROMAJI_PARTICLE.search(hit.group()) and is_romanised(hit.group())):
            continue
        found.append(
            Naming(quote=hit.group(), start=hit.start(), original=original, romanised=not original, english=False)
        )
    return tuple(sorted(found, key=lambda each: each.start)[:MOST_SLIPS])
