"""Decide whether an answer states an expected fact in other words: values first, then entailment both ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from proctor.text.content_words import content, overlap_share
from proctor.text.fact_values import FactValue, fact_values, has_value
from proctor.text.polarity import is_denied, is_free, split_clauses

__all__ = ["FactDecision", "FactReading", "decided", "read_fact"]

FactDecision = Literal["stated", "not stated", "in doubt"]

# The answer leaves open what it speaks of: it would have to ask, or it depends.
_LEFT_OPEN = re.compile(
    r"\b(?:(?:i|we)(?:['’]d| would)? (?:have|need) to (?:ask|check|look)|depends? on|not sure"
    r"|(?:i|we)['’]?ll (?:ask|check)"
    r"|let me check|müsste ich|muss ich (?:erst )?(?:nach|fragen)|kommt darauf an|hängt davon ab"
    r"|il faudrait (?:demander|vérifier)|(?:ça|cela) dépend|je dois (?:demander|vérifier)|depende"
    r"|tendría que (?:preguntar|mirar)"
    r"|dipende|dovrei (?:chiedere|controllare)|teria de|tenho de (?:perguntar|verificar)|moet ik (?:vragen|nakijken)"
    r"|hangt af"
    r"|zapytać|sprawdz|zależy|sormam|kontrol etme)|уточн|спрошу|зависит|確認(?:します|いたします|が必要)|お問い合わせ"
    r"|要看|需要(?:问|确认)|확인해",
    re.IGNORECASE,
)
_CONTRADICTED: Final = 0.75
# With the values of the fact in the answer little more is needed; without values the network must be sure.
_SOME_BACK, _SOME_ENTAILED, _SOME_WORDS = 0.12, 0.35, 0.5
_ENTAILED, _AGAINST = 0.55, 0.3
_BOTH_WAYS, _BOTH_WAYS_SURE, _ENTAILED_TOO, _AGAINST_MOST = 0.3, 0.45, 0.3, 0.5
_UNLIKELY: Final = 0.25
_BARE_WORDS, _BARE_CHARACTERS = 3, 8  # a fact with no more is a value alone


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReading:
    """What values and words alone say about a fact and an answer."""

    has_numbers: bool
    missing: str = ""  # a value of the fact that the answer does not have
    doubt: str = ""  # why the values may belong to something else
    rivals: tuple[FactValue, ...] = ()  # other values of the answer that could stand in the place of the fact's
    is_bare: bool = False  # the fact names nothing that the value belongs to: "costs ¥770"
    other_polarity: bool = False
    words: float = 0.0


def read_fact(
    fact: str, answer: str, *, beside: Iterable[str] = (), settled: Collection[FactValue] = ()
) -> FactReading:
    """Compare the values of a fact with those of the answer: numbers, ranges, times, codes, negation.

    ``beside`` are the facts that the answer should state. ``settled`` are values of the answer that are known to belong
    to others of them.
    """
    wanted, given = fact_values(fact), fact_values(answer)
    numbers = [each for each in wanted if not each.code and each.unit != "weekday"]
    is_bare = _is_bare(fact, wanted, numbers) and not any(_tells_apart(fact, each) for each in beside)
    rivals = () if is_bare else tuple(each for each in _rivals(numbers, given) if each not in settled)
    missing = next((each.quote for each in wanted if not has_value(each, given)), "")
    return FactReading(
        has_numbers=bool(numbers),
        missing=missing,
        doubt="" if is_bare else _doubt(fact, answer, numbers, given, rivals),
        rivals=rivals,
        is_bare=is_bare,
        other_polarity=is_denied(fact) != is_denied(answer),
        words=overlap_share(content(fact), content(answer)),
    )


def _is_bare(fact: str, wanted: tuple[FactValue, ...], numbers: list[FactValue]) -> bool:
    short = len(fact.split()) <= _BARE_WORDS and (" " in fact.strip() or len(fact) <= _BARE_CHARACTERS)
    return bool(numbers) and short and len(content(_without(fact, wanted))) <= 1


def _tells_apart(fact: str, other: str) -> bool:
    """Whether the word beside a value matters, because another fact has another word beside one of the same kind."""
    mine, its = fact_values(fact), fact_values(other)
    words, others = content(_without(fact, mine)), content(_without(other, its))
    alike = any(one.same_kind(each) and not one.same(each) for one in mine for each in its)
    return alike and bool(words) and bool(others) and words != others


def _without(fact: str, values: tuple[FactValue, ...]) -> str:
    """Return the words of a fact without its values."""
    out, at = [], 0
    for each in sorted(values, key=lambda value: value.start):
        out.append(fact[at : each.start])
        at = max(at, each.end)
    return " ".join([*out, fact[at:]])


def _rivals(numbers: list[FactValue], given: tuple[FactValue, ...]) -> list[FactValue]:
    others = [each for each in given if not any(one.same(each) for one in numbers)]
    return [each for each in others if any(one.same_kind(each) for one in numbers)]


def _doubt(
    fact: str,
    answer: str,
    numbers: list[FactValue],
    given: tuple[FactValue, ...],
    rivals: tuple[FactValue, ...],
) -> str:
    if _LEFT_OPEN.search(answer):
        return "the answer leaves something open"
    if rivals:
        return f"it also says {rivals[0].quote!r}"
    if is_free(fact) and any(each.unit.isupper() and not has_value(each, numbers) for each in given):
        return "the fact says that it is free, and the answer names a price"
    words = content(fact)
    clauses = split_clauses(answer)
    held = [each for each in clauses if any(has_value(one, fact_values(each)) for one in numbers)]
    rest = [each for each in clauses if each not in held]
    if held and not any(words & content(each) for each in held) and any(words & content(each) for each in rest):
        return "the value stands beside something else"
    return ""


def decided(reading: FactReading, forth: Mapping[str, float], back: Mapping[str, float]) -> FactDecision:
    """Decide with the network: ``forth`` reads the fact from the answer, ``back`` the answer from the fact."""
    entailed, against, again = forth["entailment"], forth["contradiction"], back["entailment"]
    if reading.missing:
        return "not stated"
    if reading.is_bare:
        return "stated"
    if reading.has_numbers:
        if reading.doubt or against > _CONTRADICTED:
            return "in doubt"
        enough = again >= _SOME_BACK or entailed >= _SOME_ENTAILED or reading.words >= _SOME_WORDS
        return "stated" if enough else "in doubt"
    if reading.doubt:
        return "in doubt" if entailed >= _UNLIKELY else "not stated"
    both = not reading.other_polarity and entailed >= _ENTAILED_TOO
    sure = entailed >= _ENTAILED and against < _AGAINST
    sure = sure or (both and again >= _BOTH_WAYS and against < _AGAINST)
    if sure or (both and again >= _BOTH_WAYS_SURE and against < _AGAINST_MOST):
        return "stated"
    denied = entailed < _UNLIKELY or against > max(_AGAINST_MOST, entailed)
    return "not stated" if denied else "in doubt"
