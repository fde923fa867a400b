"""Answers that are a number of like things: ``Write five slogans, one per line``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.number_words import COUNT, count_of, in_digits
from proctor.generate.extract.predicate_text import checkable
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["CountedProducts", "count_drafts", "counted_products"]

_MADE: Final = Lazy(
    r"\b(?:write|draft|compose|create|generate|produce|give|suggest|propose|list|return|schreib\w*|verfass\w*|"
    r"erstell\w*|formulier\w*|nenn\w*|écri\w+|rédige\w*|propose\w*|donne\w*|escrib\w*|redact\w*|propon\w*|genera\w*|"
    r"escrev\w*|redij\w*|scriv\w*|proponi\w*|schrijf\w*|bedenk\w*|geef|napisz|podaj|zaproponuj|напиши\w*|"
    r"предложи\w*)\s+(?:me |us |mir |exactly |genau |exactement "
    rf"|exactamente |exatamente |esattamente |precies "
    rf")?(?P<n>{COUNT})\s+(?:[^\W\d_]+\s+){{0,2}}?(?P<noun>[^\W\d_]{{3,}})|(?:写|撰写|拟写|拟|生成|创作|起草|输出|"
    rf"给出|提供|列出)(?:出)?(?P<han>{COUNT})(?:个|条|篇|句|则|组)(?P<thing>[一-鿿]{{2,4}})|"
    rf"(?P<thing2>[一-鿿ァ-ヿー]{{2,8}})を(?P<kana>{COUNT})(?:つ|個|本|案|件)",
    re.IGNORECASE,
)
_PER_LINE: Final = Lazy(
    r"\bone (?:\w+ )?(?:per|a|on each) line\b|\b(?:on|in) (?:its|their) own lines?\b|\b(?:each|every) \w+ on a "
    r"(?:new|separate) line\b|\b(?:eine[rns]?|je \w+) (?:\w+ )?pro zeile\b|\bune? (?:\w+ )?par ligne\b|\bun[oa]? "
    r"(?:\w+ )?por línea\b|\buma? (?:\w+ )?por linha\b|\buna? (?:\w+ )?per riga\b|\béén (?:\w+ )?per regel\b|\bjeden "
    r"\w* ?w (?:każdej )?linii\b|单独成行|每行一|一行一|各占一行|1行に1|一行ずつ",
    re.IGNORECASE,
)
_NUMBERED: Final = Lazy(
    r"\bnumber(?:ed)? (?:them|each|from|1|list)|\bnumbered\b|\bnummerier\w*|\bnumérot\w*|\bnumerad[oa]s?|"
    r"\bnumérale\w*|\bnuméralos\b|"
    r"\bnumere\w*|\bnumerat[ei]\b|\bnumera(?:li|le)\b|\bgenummerd\w*|\bnummer ze\b|\bponumeruj\b|编号|番号を",
    re.IGNORECASE,
)
_ALONE: Final = Lazy(
    r"\b(?:only|nothing else|nothing more|nur|sonst nichts|nichts weiter|uniquement|seulement|rien d['’]autre|solo|"
    r"nada más|apenas|"
    r"nada mais|soltanto|nient['’]altro|alleen|niets anders|tylko|nic więcej)\b|只输出|仅输出|のみ|だけ",
    re.IGNORECASE,
)
_UNITS: Final = frozenset(
    [
        "words",
        "word",
        "sentences",
        "sentence",
        "lines",
        "line",
        "paragraphs",
        "sätze",
        "zeilen",
        "phrases",
        "frases",
        "frasi",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedProducts:
    """How many things the answer has, their name, and the beginning of the predicates for each of them."""

    number: int
    noun: str
    each: str
    numbered: bool
    statement: Statement


def counted_products(statements: Sequence[Statement], code: str = "") -> CountedProducts | None:
    """Return the things, if the answer is nothing but them, each on its line or with its number."""
    told = [each for each in statements if not each.code and each.section not in ("example", "input", "tools")]
    lined = any(_PER_LINE.search(each.text) for each in told)
    numbered = any(
        (found := _NUMBERED.search(each.text))
        and not re.search(NEGATION, each.text[max(0, found.start() - 15) : found.start()])
        for each in told
    )
    if not (lined or numbered) or not any(_ALONE.search(each.text) and not is_conditional(each.text) for each in told):
        return None
    for each in told:
        match = None if is_conditional(each.text) else _MADE.search(in_digits(each.text, code))
        if match is None:
            continue
        noun = (match["noun"] or match["thing"] or match["thing2"]).lower()
        number = count_of(match["n"] or match["han"] or match["kana"])
        if number > 1 and noun not in _UNITS:
            form = "each item:" if numbered else "each line:"
            return CountedProducts(number=number, noun=noun, each=form, numbered=numbered, statement=each)
    return None


def count_drafts(products: CountedProducts, statements: Sequence[Statement]) -> Iterator[Draft]:
    """Yield the number of the things, where it is asked for and where the lines or their numbers are."""
    count = f"numbered items = {products.number}" if products.numbered else f"lines = {products.number}"
    yield _draft(products.statement, count)
    for each in statements:
        if each.code or each is products.statement or is_conditional(each.text):
            continue
        if _PER_LINE.search(each.text) or (products.numbered and _NUMBERED.search(each.text)):
            yield _draft(each, f"{count} and lines = {products.number}" if products.numbered else count)


def _draft(statement: Statement, predicate: str) -> Draft:
    said = re.sub(r"\s+", " ", statement.text).rstrip(".;；。")
    text = f"{said}."
    return Draft(
        text=text, start=statement.start, end=statement.end, kind="format", priority=2, predicate=checkable(predicate)
    )
