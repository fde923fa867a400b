"""Find clauses of two answers that affirm and deny the same, in any language, by their words alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.acting_calls import did_act
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken
from proctor.text.claims import statements
from proctor.text.polarity import is_denied, root_words, split_clauses
from proctor.text.script import language_of

__all__ = ["is_case", "opposite_clauses", "saying_of"]

_SHARE: Final = 0.7  # of the words of the shorter clause
_SHARE_OF_LONGER: Final = 0.5
_SHARE_IN_ENGLISH: Final = 0.75  # of the longer clause; English is also compared by what each statement is about
_LEAST: Final = 3  # shared words; two in scripts without blanks, where a pair of signs is a word
_LEAST_SIGNS: Final = 2
_BACK: Final = 8  # answers
_MOST_CLAUSES: Final = 40
_CODE: Final = re.compile(r"[\w-]*\d[\w-]*|[「『《“\"«]([^」』》”\"»]{1,40})[」』》”\"»]")
# A condition, a possibility or the customer's own state makes a clause a case of its own.
_CASE: Final = re.compile(
    r"\b(?:please|if|unless|when|once|until|only|except|otherwise|yet|any ?more|still|now|already|but|wenn|falls|"
    r"sofern|sonst|außer|noch|nur|si|sauf|sinon|"
    r"encore|seulement|cuando|salvo|solo|sólo|todavía|aún|quando|soltanto|ancora|salvo|caso|ainda|apenas|als|"
    r"tenzij|alleen|nog|om|bara|ännu|jeśli|chyba|tylko|jeszcze"
    r"|если|кроме|только|пока|ещё|eğer|sadece|henüz)\b|إذا|فقط|場合|なら|のみ|まだ|如果|只有|除非|还|면|만|아직",
    re.IGNORECASE,
)


_INTENT: Final = re.compile(
    r"\b(?:i(?:['’]ll| will|['’]d| would| need|['’]m going)|let me|we(?:['’]ll| will)|ich werde|werde ich|je vais|"
    r"voy a|vou|vado|ik zal|zal ik|jag ska)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"^(?:please )?(?:note|be aware|keep in mind)(?: that)?\s+", re.IGNORECASE)

# What is listed as one of several possibilities is not said to be so.
_EITHER: Final = re.compile(r"\b(?:or|oder|ou|eller|lub|albo|или|либо|veya)\b|または|或者|또는", re.IGNORECASE)


def opposite_clauses(said: Sequence[Spoken]) -> Iterator[tuple[Pair, str]]:
    """Yield pairs of answers of which one denies what the other affirms, unless something was done in between."""
    for place, later in enumerate(said):
        for earlier in said[max(0, place - _BACK) : place]:
            between = said[earlier.at + 1 : later.at + 1]
            if any(did_act(call) for each in between for call in each.tool_calls):
                continue
            found = _opposite(_clauses(earlier.answer), _clauses(later.answer))
            if found is not None:
                one, two = found
                why = f"one says the contrary of the other: {one!r}"
                yield Pair(earlier=earlier, later=later, one=saying_of(earlier, one), two=saying_of(later, two)), why


def _opposite(earlier: Sequence[str], later: Sequence[str]) -> tuple[str, str] | None:
    known = [(each, _roots(each)) for each in earlier]
    for clause in later:
        wanted = _roots(clause)
        ranked = [(len(wanted & roots), each, roots) for each, roots in known]
        most = max((count for count, _, _ in ranked), default=0)
        near = [(each, roots) for count, each, roots in ranked if count == most]
        alike = any(roots == wanted for _, roots in near)
        least = _LEAST if _spaced(clause) and not alike else _LEAST_SIGNS
        if most < least or any(is_denied(each) == is_denied(clause) for each, _ in near):
            continue
        other, roots = near[0]
        longer = _SHARE_IN_ENGLISH if language_of(clause) == "en" else _SHARE_OF_LONGER
        enough = most >= max(_SHARE * min(len(wanted), len(roots)), longer * max(len(wanted), len(roots)))
        if enough and _same_things(other, clause):
            return other, clause
    return None


def _same_things(one: str, other: str) -> bool:
    """Whether both name the same numbers and titles, as far as both name any."""
    left, right = ({each.group().casefold() for each in _CODE.finditer(text)} for text in (one, other))
    return not left or not right or bool(left & right)


def is_case(text: str) -> bool:
    """Whether a text speaks of a case of its own: under a condition, for now, only for some; or of an intention."""
    return _CASE.search(text) is not None or _INTENT.search(text) is not None


@lru_cache(maxsize=512)
def _clauses(answer: str) -> tuple[str, ...]:
    """Return the clauses of an answer's claims that hold in every case."""
    found = [
        clause
        for each in statements(answer, most=_MOST_CLAUSES)
        if each.kind == "claim" and not _EITHER.search(each.text)
        for clause in split_clauses(_LEAD.sub("", each.text))
        if not is_case(clause)
    ]
    return tuple(found[:_MOST_CLAUSES])


@lru_cache(maxsize=4096)
def _roots(clause: str) -> frozenset[str]:
    """Return the roots of a clause without accents: desvío and desviar share one."""
    plain = unicodedata.normalize("NFD", clause)
    return root_words("".join(each for each in plain if not "\u0300" <= each <= "\u036f"))


def _spaced(text: str) -> bool:
    return " " in text.strip()


def saying_of(spoken: Spoken, clause: str) -> Saying:
    """Return the statement that has a clause, or one of the clause alone."""
    for each in spoken.sayings:
        if clause in each.text:
            return each
    none: frozenset[str] = frozenset()
    return Saying(
        text=clause, words=none, quantities=(), denies=is_denied(clause), own=none, names=none, codes=none, kinds={}
    )
