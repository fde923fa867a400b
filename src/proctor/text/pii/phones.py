"""Numbers of telephones as people write them, told apart from other rows of digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding

__all__ = ["find_phones", "is_office_line", "phone_key"]

_GAP: Final = r"[ .\u2010-\u2015\u30fc-]"
_PHONE: Final = re.compile(
    rf"(?<![A-Za-z0-9./#+-])(?<!\d[ -])(?:"
    # +44 20 7946 0958, (212) 555-0142, (03)1234-5678, 212-555-0142, 03-1234-5678, 020 7946 0958, 09012345678
    rf"(?:\+|00)[1-9]\d{{0,2}}{_GAP}?(?:\(0?\d{{1,4}}\){_GAP}?)?\d{{1,4}}(?:{_GAP}?\d{{2,4}}){{1,4}}"
    rf"|\(\d{{2,4}}\){_GAP}?\d{{3,4}}{_GAP}?\d{{3,4}}"
    rf"|1?{_GAP}?\d{{3}}[-.]\d{{3}}[-.]\d{{4}}"
    rf"|0[1-9]\d{{0,3}}[ -]\d{{2,4}}[ -]\d{{3,4}}"
    rf"|0[789]0\d{{8}}"
    rf"|\d{{3}} \d{{3}} \d{{4}}"
    rf")(?![A-Za-z0-9/-]|[ .,]\d)"
)
# A bare row of ten or eleven digits may be anything: the words before it must say that it is a telephone.
_BARE: Final = re.compile(
    r"(?:\b(?:phone|tel|telephone|mobile|cell|call|fax|whatsapp|sms|text)\b|電話(?:番号)?|携帯|連絡先)"
    r"[^\d\n]{0,24}?(?<![\d+])(\d{9,12})(?!\d)",
    re.IGNORECASE,
)
_TOLL_FREE: Final = re.compile(
    r"^(?:\+?1)?8(?:00|88|77|66|55|44|33|22)\d{7}$|^(?:\+?81|0)(?:120|800|570)\d+$|^(?:\+?44|0)(?:800|808|3\d\d)\d+$"
)
_OURS: Final = re.compile(
    r"(?:\b(?:call|contact|reach|phone|ring|text|whatsapp) (?:us|our|customer|support|the (?:support|service"
    r"|office|operator|"
    r"airline|hotel|team|desk|store|emergency))|\bour (?:\w+ ){0,4}(?:line|number|hotline|team|desk|office"
    r"|support|cent(?:re|er))\b"
    r"|\b(?:hotline|help ?line|help ?desk|customer (?:service|support|care)|support (?:line|number|team|desk)"
    r"|service (?:line|desk|number)"
    r"|call cent(?:re|er)|toll[- ]free|front desk|reception|emergency (?:line|number))\b"
    r"|お問い合わせ|お客様センター|コールセンター|カスタマー|サポート|窓口|フリーダイヤル|当社|弊社)[^\n]{0,60}$",
    re.IGNORECASE,
)


def find_phones(text: str) -> Iterator[Finding]:
    """Every number of a telephone in the text."""
    taken: list[tuple[int, int]] = []
    for hit in _PHONE.finditer(text):
        if 9 <= sum(map(str.isdigit, hit.group())) <= 15 and not _looks_like_a_date(hit.group()):
            taken.append(hit.span())
            yield Finding(kind="phone", text=hit.group(), start=hit.start(), end=hit.end(), confidence=0.9)
    for hit in _BARE.finditer(text):
        if not any(start < hit.end(1) and hit.start(1) < end for start, end in taken):
            yield Finding(kind="phone", text=hit.group(1), start=hit.start(1), end=hit.end(1), confidence=0.8)


def _looks_like_a_date(text: str) -> bool:
    return re.match(r"(?:19|20)\d\d[ .-](?:0?[1-9]|1[0-2])[ .-]", text) is not None


def is_office_line(text: str, start: int, end: int) -> bool:
    """Whether the number at this place is that of a business: free of charge, or introduced as its own."""
    digits = re.sub(r"\D", "", text[start:end])
    line = text.rfind("\n", 0, start) + 1
    return _TOLL_FREE.match(digits) is not None or _OURS.search(text[max(line, start - 120) : start]) is not None


def phone_key(number: str) -> str:
    """The last nine digits: the same with or without the country in front."""
    return re.sub(r"\D", "", number)[-9:]
