"""Compare what two texts affirm and deny: a negation, or no charge where there is a charge, in fifteen languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.normalise.language_likeness import common_words
from proctor.text.script_ranges import EAST_ASIAN, HAN, HANGUL, KATAKANA, THAI_LETTERS

__all__ = [
    "OppositeClause",
    "find_opposite",
    "is_denied",
    "is_free",
    "is_included",
    "root_words",
    "split_clauses",
]

_HINDI: Final = r"[\u0900-\u0963\u0966-\u097f]"
# Particles and prefixes that deny, a closed class of grammar. In scripts without blanks they are endings.
_DENIED: Final = FilteredPattern(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nothing|nobody|n['’]t|\w+n['’]t|non-?(?=\w)"
    r"|nicht|kein\w*|nie|niemals|ohne|weder"
    r"|niet|geen|nooit|zonder|niks"
    r"|(?<!\bde )(?<!\buw )(?<!\bje )(?<!\been )(?<!\bdeze )(?<!\bmijn )(?<!\bnieuwe )pas|jamais|sans|aucun\w*|"
    r"nul(?:le)?|rien"  # a Dutch "pas" is a card
    r"|(?<!\bi )(?<!\bav )(?<!\bför )(?<!\bmed )(?<!\btil )sin|nunca|ning[uú]n\w*|jamás|tampoco|"
    r"nada"  # a Swedish "sin" is his or her
    r"|non|né|senza|(?<!\d )(?<!\d\. )(?<!im )(?<!de )mai(?! \d)|nessun\w*|neanche"  # May is "Mai" in German and French
    r"|não|nem|sem|nenhum\w*"
    r"|nie|bez|nigdy|żad\w+|brak"
    r"|не|нет|ни|без|нельзя|никогда|никак\w*|невозможно"
    r"|inte|icke|ikke|ingen|inga|inget|intet|aldrig|utan|uden|uten|varken"
    r"|není|nejsou|nelze|nemůž\w+|nemá\w*|nebud\w+|nikdy|žádn\w+|немає|ні|ніколи|неможливо"
    r"|değil\w*|yok\w*|hayır|hiç|olmadan"
    r"|(?-i:(?=[a-zçğıöşü]))\w+(?:mez|maz|mıyor|miyor|muyor|müyor|madan|meden|memeli|mamalı|amaz|emez|amam|emem|"
    r"amayız|emeyiz|amıyor|emiyor)\w*"
    r"|\w+s[ıiuü]z(?:dır|dir|dur|dür)?"
    r"|لا|لم|لن|ليس\w*|غير|دون|بدون|بلا|عدم)\b"
    # Vowel signs are no letters to \b, which would find न in दिन and miss नहीं.
    rf"|(?<!{_HINDI})(?:नहीं|नही|बिना|मत|बग़ैर|बगैर|न)(?!{_HINDI})"
    r"|n['’]t\b"
    r"|不(?!同|但|仅|论|过)|没|無(?!料)|无(?!料)|未(?!満|满)|勿|禁止|ません|ない|なく|なし|ず(?:に|、)|不可"
    r"|않|없|못|아니|안 (?=[가-힣])|불가|금지",
    re.IGNORECASE,
)
_EXCLUDED: Final = FilteredPattern(
    r"\b(?:exclude[sd]?|prohibit\w*|forbidden|impossible|unavailable|refus\w+|ausgeschlossen|verboten|exclus?\w*|"
    r"interdit\w*|excluid\w*|prohibid\w+|esclus\w+|vietat\w+"
    r"|uitgesloten|verboden|wykluczon\w+|исключ\w+|запрещ\w+|yasak\w*|हराम|मना)\b|対象外|除外|除外|제외",
    re.IGNORECASE,
)
_FREE: Final = FilteredPattern(
    r"\b(?:free(?: of charge)?|complimentary|kostenlos\w*|kostenfrei\w*|gratis|umsonst|unentgeltlich|gratuit\w*|"
    r"gratui[td]\w*|offert\w*|de graça"
    r"|gratuitamente|bezpłatn\w+|darmow\w+|бесплатн\w*|ücretsiz\w*|bedava)\b|مجان\w*|निःशुल्क|मुफ़्त|मुफ्त|免费|免費|無料|무료",
    re.IGNORECASE,
)
# No charge said by a negation, which is no denial of the matter itself.
_NO_CHARGE: Final = FilteredPattern(
    r"\b(?:(?:no|any|without(?: any)?) (?:\w+ )?(?:charge|cost|fee)s?|costs? nothing|ohne (?:\w+ )?(?:aufpreis|"
    r"kosten|gebühr\w*|zuschlag)|keine (?:\w+ )?(?:kosten|gebühr\w*)|kostet nichts"
    r"|sans (?:\w+ )?(?:frais|supplément)|sin (?:\w+ )?(?:coste?s?|cargos?|recargos?)|senza (?:\w+ )?(?:costi|"
    r"spese|supplementi)|sem (?:\w+ )?(?:custos?|taxas?)|zonder (?:\w+ )?kosten|geen (?:\w+ )?kosten|"
    r"kost (?:\w+ )?niets"
    r"|bez (?:\w+ )?(?:opłat\w*|dopłat\w*|kosztów)|без (?:\w+ )?(?:доплат\w*|оплат\w*|комисси\w*))\b|(?:بدون|"
    r"دون)(?: أي)? رسوم|बिना (?:\w+ )?शुल्क|不收费|不收取费用|不收取任何费用|无需付费|费用全免|追加料金なし|비용 없이",
    re.IGNORECASE,
)
_INCLUDED: Final = FilteredPattern(
    r"inclu[diís]|inbegriffen|enthalten|compris|compres[oai]|inclus|inbegrepen|exempt|isent|befreit|esent|exent|"
    r"waived|включ|входит|wliczon|dahil|شامل|معف|शामिल|包含|已含|込み|포함",
    re.IGNORECASE,
)
# "Not only", "no later than" and "if not" deny nothing.
_NO_DENIAL: Final = FilteredPattern(
    r"\b(?:not only|no later than|no more than|no less than|not later than|no problem|no worries|if not|whether or not"
    r"|nicht nur|spätestens nicht|no solo|no sólo|non solo|não só|не только|nie tylko|pas seulement|niet alleen|"
    r"ne yazık ki)\b|かもしれません|不仅|不但",
    re.IGNORECASE,
)
# One class of characters begins every match: a search for it takes a tenth of the time of six alternatives.
_CLAUSE: Final = re.compile(
    r"[,;:，、；：،؛.!?。！？।؟()（）\s](?:(?<=[,;:，、；：،؛])(?<!\d.)(?!\d)|(?<=[,;，、；])(?<=\d.)(?=\s)|(?<=[.!?])(?=\s|$)"
    r"|(?<=[。！？।؟()（）])|(?<=\s)[–—-]\s)"
)
_WORD: Final = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u064b-\u0652\u0900-\u0903\u093a-\u094f])+")  # with vowel signs
_LETTERS: Final = bytes(code if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
_RUN: Final = re.compile(f"[{HAN}]+|[{KATAKANA}]+|[{HANGUL}]+|[{THAI_LETTERS}]+")
_UNSPACED: Final = re.compile(f"[{EAST_ASIAN}{THAI_LETTERS}]")
_ROOT: Final = 5
_LEAST_SHARED: Final = 2


@dataclass(frozen=True, slots=True)
class OppositeClause:
    """A clause of a source that denies what a clause of a claim affirms, or the reverse; ``share`` of its words."""

    clause: str
    source: str
    share: float


@lru_cache(maxsize=4096)
def is_denied(text: str) -> bool:
    """Whether a clause denies what it speaks of."""
    plain = _NO_DENIAL.sub(" ", _NO_CHARGE.sub(" ", text))
    return _DENIED.search(plain) is not None or _EXCLUDED.search(plain) is not None


@lru_cache(maxsize=4096)
def is_free(text: str) -> bool:
    """Whether a clause says that something costs nothing."""
    return _FREE.search(text) is not None or _NO_CHARGE.search(text) is not None


@lru_cache(maxsize=4096)
def is_included(text: str) -> bool:
    """Whether a text says that something is included or exempt, which is no charge in other words."""
    return _INCLUDED.search(text) is not None


def find_opposite(claim: str, sources: Sequence[str], least: float = 0.6) -> OppositeClause | None:
    """Return the clause of a source nearest to a clause of the claim, if one of them denies and the other does not."""
    known = [pair for source in sources for pair in _rooted(source)]
    best: OppositeClause | None = None
    for clause in split_clauses(claim):
        wanted = root_words(clause)
        if len(wanted) < _LEAST_SHARED:
            continue
        ranked = [(len(wanted & roots), len(wanted & roots) / len(wanted), text) for text, roots in known]
        count, share, text = max(ranked, default=(0, 0.0, ""))
        if count < _LEAST_SHARED or share < least:
            continue
        # Another clause that is as near and agrees settles it.
        near = [each for _, near_share, each in ranked if near_share >= share - 1e-9]
        if all(is_denied(each) != is_denied(clause) for each in near) and (best is None or share > best.share):
            best = OppositeClause(clause, text, share)
    return best


@lru_cache(maxsize=512)  # the same policies are retrieved repeatedly
def _rooted(source: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((clause, roots) for clause in split_clauses(source) if (roots := root_words(clause)))


@lru_cache(maxsize=2048)
def split_clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a text, split at punctuation that every script has."""
    return tuple(part.strip() for part in _CLAUSE.split(text[:20_000]) if part and part.strip())


@lru_cache(maxsize=4096)
def root_words(clause: str) -> frozenset[str]:
    """Return the beginnings of content words, and pairs of signs in scripts without blanks; denials are left out."""
    plain = _DENIED.sub(" ", _EXCLUDED.sub(" ", clause)).lower()
    found: set[str] = set()
    if not plain.isascii():
        for run in _RUN.findall(plain):
            found.update([run] if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
        plain = _UNSPACED.sub(" ", plain)
    skip = common_words() if clause.isascii() else frozenset[str]()
    words = plain.encode().translate(_LETTERS).decode().split() if plain.isascii() else _WORD.findall(plain)
    for word in words:
        if len(word) > 3 and not (word in skip and len(word) < 5):
            found.add(word[:_ROOT])
    return frozenset(found)
