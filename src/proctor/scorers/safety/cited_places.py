# ruff: noqa: E501 - patterns of words in fifteen languages
"""Find sections, articles, document titles and links that an answer refers to and that nothing given to the agent has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.text.web_address import parse_address

__all__ = ["missing_places"]

# A word for a part of a document, then its number. § and its like need no word.
_PART: Final = (
    r"pages?|seite|página|pagina|strona|strony|sida|sayfa|стр(?:аница|анице)?\.?|sections?|clauses?|articles?|"
    r"paragraphs?|chapters?|appendix|annex|art\.|sec\.|abschnitt|ziffer|artikel|kapitel|absatz|nummer|punkt|"
    r"paragraf\w*|anhang|lid|hoofdstuk|bijlage"
    r"|clause|alinéa|paragraphe|chapitre|annexe|art[ií]culo|apartado|cl[aá]usula|secci[oó]n|cap[ií]tulo|anexo|"
    r"artigo|se[cç][aã]o|par[aá]grafo|item|articolo|sezione|paragrafo|capitolo|allegato|comma|clausola"
    r"|avsnitt|stycke|rozdzia[łl]\w*|artyku[łl]\w*|ust[eę]p\w*|stat(?:ья|ье|ьи|ью)|пункт\w*|раздел\w*|глав\w+|"
    r"параграф\w*|madde\w*|bölüm\w*|fıkra\w*|المادة|البند|الفقرة|القسم"
)
_NUMBER: Final = r"\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?"
_CITED: Final = re.compile(
    rf"(?:§{{1,2}}\s?|(?<![^\W\d_])(?:{_PART})\s(?:(?:no\.?|nr\.?|n[º°o]\.?|"
    rf"№)\s?)?)(?P<number>{_NUMBER})(?![\d%€$£¥]|\s?(?:%|€|\$|£|euro?s?\b|days?\b|hours?\b))"
    rf"|第\s?(?P<sign>\d{{1,3}})\s?(?P<unit>条|条の\d|項|章|節|款|節|조|항|장)|제\s?(?P<korean>\d{{1,3}})\s?(?:조|항|장)",
    re.IGNORECASE,
)
_LINK: Final = re.compile(
    r"(?:https?://|www\.|(?<![\w@./-])[a-z0-9-]{2,40}(?:\.[a-z0-9-]{2,40}){1,3}/)[^\s<>\"'`»”）)\]、。，]{3,300}",
    re.IGNORECASE,
)
# A document that is named by its title in quotation marks.
_DOCUMENT: Final = re.compile(
    r"guide|guideline|handbook|manual|polic(?:y|ies)|terms|conditions|notice|article|faq|brochure|leaflet|"
    r"richtlinie|ordnung|merkblatt|bedingungen|leitfaden|handbuch|voorwaarden|handleiding|beleid"
    r"|conditions|règlement|charte|notice|condiciones|política|gu[ií]a|normativa|reglamento|condições|regulamento|"
    r"condizioni|regolamento|guida|villkor|regulamin|warunki|правил|услови|положени|регламент|politika|koşullar|"
    r"kılavuz|yönetmelik"
    r"|ガイド|規約|規程|規定|マニュアル|手引|约款|條款|条款|指南|手册|规定|须知|약관|규정|가이드|안내서|دليل|شروط|لائحة|سياسة",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"(?<!\w)'([^'\n]{6,80})'(?!\w)|(?<!\w)‘([^‘’\n]{6,80})’|\"([^\"\n]{6,80})\"|「([^「」\n]{4,60})」|"
    r"『([^『』\n]{4,60})』|«\s?([^«»\n]{4,80})\s?»|„([^“”„\n]{4,80})[“”]|“([^“”\n]{4,80})”|»([^«»\n]{4,80})«|"
    r"《([^《》\n]{2,60})》"
)
_CODE: Final = re.compile(r"(?<![\w-])[A-Z]{1,5}-?\d{1,6}(?:[-/.]\d{1,4}){0,2}(?![\w-])")
_FIELD: Final = re.compile(r"(?<=[\w ]\")\s?:\s?[\"\[{\dtfn]")
_NEAR: Final = 45  # characters before a title or code in which a word for a document may stand
_BEHIND: Final = 16
_SIGNS: Final = re.compile(r"[\W_]+")
_LABEL: Final = r"(?:^|[\s(\[.;:,])"


def missing_places(text: str, given: str) -> Iterator[tuple[str, str]]:
    """Yield the references of a text that the given text does not have, each with what is wrong with it."""
    for match in _LINK.finditer(text):
        link = match.group().rstrip(".,;:!?*_~")
        if not _has_link(link, given):
            yield link, f"no source or tool gave the address {link[:80]}"
    for match in _CITED.finditer(text):
        number = match["number"] or match["sign"] or match["korean"]
        if not _has_label(number, given):
            written = match.group().strip()
            yield written, f"nothing that was read has {written!r}"
    plain: str | None = None
    for match in _QUOTED.finditer(text):
        if _FIELD.match(text, match.end()):
            continue  # the name of a field in an answer that is a record
        title = next(group for group in match.groups() if group)
        near = f"{text[max(0, match.start() - _NEAR) : match.start()]} {text[match.end() : match.end() + _BEHIND]}"
        named = _DOCUMENT.search(title) or (_DOCUMENT.search(near) and _is_title(title))
        if not named:
            continue
        plain = _plain(given) if plain is None else plain
        if _plain(title) not in plain:
            yield title, f"nothing that was read is called {title[:60]!r}"
    for match in _CODE.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
        if not _DOCUMENT.search(before):
            continue
        plain = _plain(given) if plain is None else plain
        if _plain(match.group()) not in plain:
            yield match.group(), f"nothing that was read has {match.group()!r}"


def _is_title(title: str) -> bool:
    """Whether quoted words may be a title: they begin with a capital, or their script has none."""
    first = title.strip()[:1]
    return first.isupper() or first.isdigit() or first.lower() == first.upper()


def _has_link(link: str, given: str) -> bool:
    folded = given.casefold()
    bare = link.casefold().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
    if bare in folded:
        return True
    address = parse_address(link if "://" in link else f"https://{link}")
    # The front page of a host that was named somewhere is no invention.
    return address is not None and "/" not in bare and address.host.removeprefix("www.") in folded


def _has_label(number: str, given: str) -> bool:
    """Whether a text has a part of this number: "3." or "§ 7" or "article 12"; an amount is none."""
    written = re.escape(number)
    after_word = rf"(?:§|#|{_PART}|no\.?|nr\.?)\s?(?:no\.?\s?)?{written}(?![\d])"
    # A number at the end of a sentence ("from 21.") is no label.
    before_sign = rf"(?:^|[(\[]|[.;:,!?]\s*){written}\.(?=\s|$)|{_LABEL}{written}(?:[):]|\s?[-–]\s)"
    heading = rf"(?:^|[.;:!?]\s+){written}\s+(?-i:[^\W\d_a-z])"  # "2 Fuel: return full. 3 Animals: …"
    east = rf"[第제]\s?{written}\s?[条項章節款조항장]"
    return re.search(f"{after_word}|{before_sign}|{heading}|{east}", given, re.IGNORECASE | re.MULTILINE) is not None


def _plain(text: str) -> str:
    return _SIGNS.sub("", text.casefold())
