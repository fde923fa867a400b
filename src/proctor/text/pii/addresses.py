"""Find postal addresses by form: street and number, post code with its mark, prefecture and block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.context import made, spaced
from proctor.text.redact import may_contain
from proctor.text.script_ranges import HAN, HIRAGANA, KATAKANA

__all__ = ["find_japanese", "find_named_codes", "find_post_codes", "find_streets"]

_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĶĹĻŁŃŅŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ"
_WORD: Final = rf"(?:[{_UPPER}][\w'’.-]{{0,24}}|\d{{1,3}}(?:st|nd|rd|th))"
_SUFFIX: Final = (
    r"(?:Street|Str|St|Avenue|Ave|Av|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter"
    r"|Way|Circle|Cir"
    r"|Crescent|Cres|Close|Highway|Hwy|Parkway|Pkwy|Trail|Trl|Row|Alley|Plaza|Mews|Gardens|Grove|Loop|Walk|Hill|Quay)"
)
_FLAT: Final = r"(?:,? ?(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm|#)\.? ?#?[A-Z]?\d{0,5}[A-Z]?\b)"
_STATE: Final = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY])"
)
_NAME: Final = rf"[{_UPPER}][^\W\d_]{{0,24}}(?:['’.-][^\W\d_]{{1,24}})?\b"
_TOWN: Final = rf"(?:[,\n] ?(?!{_STATE} ){_NAME}(?: (?!{_STATE} ){_NAME}){{0,2}})"
_UK_HEAD: Final = r"[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d|[A-HK-Y]\d\d|\d[A-HJKPS-UW]|[A-HK-Y]\d[ABEHMNPRV-Y])"
_UK: Final = rf"(?:GIR ?0AA|{_UK_HEAD} \d[ABD-HJLNP-UW-Z]{{2}})"
_TAIL: Final = rf"(?:{_FLAT}?{_TOWN}{{0,2}}(?:,? {_STATE} \d{{5}}(?:-\d{{4}})?\b|,? {_UK}\b|,? \d{{4,6}}\b)?)"

_ENGLISH: Final = Lazy(
    rf"(?<![\w$€£.,-])\d{{1,6}}(?:-\d{{1,5}})?[A-Za-z]?,? (?:[NSEW]\.? |(?:North|South|East"
    rf"|West) )?(?:{_WORD} ){{1,4}}{_SUFFIX}\b\.?{_TAIL}"
)
_PLAIN: Final = Lazy(  # as typed in a hurry: 12 baker street
    r"(?<![\w$€£.,-])\d{1,5} (?!(?:way|of|the|a|an|and|or|in|on|at|to|for|people|per|more|of|min|minutes?|hours?"
    r"|days?) )[a-z'-]{3,20}"
    r"(?: (?!(?:of|the|a|an|and|in|on|at|to|for|down|off|from) )[a-z'-]{2,20})? (?:street|avenue|road|lane|boulevard)\b"
    r"(?:,? (?:apt|apartment|flat|unit|suite) ?#?\d{1,5})?",
)
_ABROAD: Final = Lazy(  # the word for street comes first or is part of the name
    rf"(?<![\w])(?:(?:\d{{1,4}}(?: ?bis)?,? )(?:rue|avenue|boulevard|bd|all[ée]e|chemin|quai|impasse|cours) (?:(?:de"
    rf"|du|des|la|le|l'|d')[ ']?){{0,3}}{_WORD}(?: {_WORD}){{0,3}}"
    rf"|(?:[Rr]ue|[Vv]ia|[Vv]iale|[Cc]alle|C/|[Aa]venida|[Pp]laza|[Pp]iazza|[Pp]aseo|[Rr]ua|[Uu]l\.|[Uu]lica"
    rf"|[Aa]l\.) ?(?:(?:de|del|della|dei|di|la|las|los|do|da|dos"
    rf"|l') ?){{0,3}}{_WORD}(?: {_WORD}){{0,3}},? (?:n[º°]? ?)?\d{{1,4}}[A-Za-z]?(?:/\d{{1,4}})?"
    rf"|[{_UPPER}][\w.-]{{2,30}}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|gracht|vägen"
    rf"|gatan|vej|gade|veien|gata) ?\d{{1,4}}(?: ?[a-zA-Z]\b)?)"
    rf"(?:, ?\d{{2}}-?\d{{3}}(?: {_WORD}){{1,2}})?(?!\w)"
)
# These two begin with a blank, which is fast to search; the part before it is matched backwards.
_US_CODE: Final = Lazy(r" \d{5}(?:-\d{4})?(?![\w-])")
_BEFORE_US: Final = Lazy(rf"(?<![A-Za-z]){_STATE},?$")
_TOWN_BEFORE: Final = Lazy(rf"(?<![\w]){_WORD}(?: {_WORD}){{0,2}},? $")
_UK_CODE: Final = Lazy(r" \d[ABD-HJLNP-UW-Z]{2}(?![A-Za-z0-9])")
_ANY_CODE: Final = Lazy(r" \d(?:\d{4}|[ABD-HJLNP-UW-Z]{2})")  # how both begin
_BEFORE_UK: Final = Lazy(rf"(?<![A-Za-z0-9]){_UK_HEAD}$")
_BOX: Final = Lazy(r"\bP\.? ?O\.? ?Box \d{1,6}\b|\bPostfach \d[\d ]{1,8}\b|私書箱第?\d{1,5}号?", re.IGNORECASE)
_PLAIN_WORDS: Final = ("street", "avenue", "road", "lane", "boulevard")
_BOX_WORDS: Final = ("box", "postfach", "私書箱")
_NAMED_CODE: Final = Lazy(
    r"(?:\b(?:zip|postal|post)[ -]?code\b|\bzip\b|\bpostcode\b|\bPLZ\b|\bcode postal\b|郵便番号)(?:[^\w\n]{0,3}(?:is"
    r"|was|number|は|が)){0,2}[^\w\n]{0,4}"
    rf"(\d{{3}}-?\d{{4}}|\d{{5}}(?:-\d{{4}})?|\d{{2}}-\d{{3}}|\d{{4,6}}(?: [A-Z]{{2}})?|{_UK}"
    rf"|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?!\w)",
    re.IGNORECASE,
)
_PREFECTURE: Final = (
    r"(?:東京都|北海道|(?:大阪|京都)府|(?:青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山"
    r"|石川|福井|山梨|長野|岐阜|静岡|愛知|三重"
    r"|滋賀|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎|鹿児島|沖縄)県)"
)
_BLOCK: Final = r"(?:[0-9一二三四五六七八九十]{1,4}(?:丁目|番地?|号|-|の)?){1,6}"
_PLACE: Final = f"[{HAN}{HIRAGANA}{KATAKANA}々]"
_JAPANESE: Final = Lazy(
    rf"(?:〒 ?\d{{3}}-?\d{{4}}[ \u3000\n]{{0,2}})?(?:{_PREFECTURE}{_PLACE}{{1,20}}?"
    rf"|[{HAN}々ヶケ]{{1,6}}?[市区郡]{_PLACE}{{1,14}}?){_BLOCK}"
    rf"(?:[ \u3000]?{_PLACE}{{2,16}}(?:ビル|マンション|ハイツ|荘|アパート|タワー|コーポ)?[ \u3000]?\d{{1,4}}(?:号室?"
    rf"|階|F))?"
)
_SURE: Final = Lazy(rf"{_PREFECTURE}|〒|\d(?:丁目|番地|番\d|号|-\d{{1,3}}-\d)")
_MARKED: Final = Lazy(r"〒 ?\d{3}-?\d{4}")


def find_streets(text: str) -> Iterator[Finding]:
    """Find streets with their number, in English, French, German, Italian, Spanish and related formats."""
    patterns = [(_ENGLISH, 0.85), (_ABROAD, 0.8)]
    if any(word in text for word in _PLAIN_WORDS):
        patterns.append((_PLAIN, 0.7))
    if may_contain(text, _BOX_WORDS):
        patterns.append((_BOX, 0.85))
    for pattern, confidence in patterns:
        for hit in pattern.finditer(text):
            yield made("address", text, hit.span(), confidence)


def find_post_codes(text: str) -> Iterator[Finding]:
    """Find American post codes after their state, with the town before it, and British ones."""
    if " " not in text or next(_ANY_CODE.finditer(text), None) is None:
        return
    for pattern, head in ((_US_CODE, _BEFORE_US), (_UK_CODE, _BEFORE_UK)):
        for hit in pattern.finditer(text):
            begin = max(0, hit.start() - 5)
            if before := head.search(text[begin : hit.start()]):
                start = begin + before.start()
                town = _TOWN_BEFORE.search(text[max(0, start - 60) : start]) if head is _BEFORE_US else None
                yield made(
                    "address", text, (start - len(town.group()) if town else start, hit.end()), 0.85, "post code"
                )


def find_named_codes(text: str) -> Iterator[Finding]:
    """Find post codes after a label."""
    for hit in _NAMED_CODE.finditer(spaced(text)):
        yield made("address", text, hit.span(1), 0.85, "post code")


def find_japanese(text: str) -> Iterator[Finding]:
    """Find Japanese addresses down to the block, and post codes after their mark."""
    for hit in _JAPANESE.finditer(text):
        if _SURE.search(hit.group()):
            yield made("address", text, hit.span(), 0.9)
    for hit in _MARKED.finditer(text):
        yield made("address", text, hit.span(), 0.95, "post code")
