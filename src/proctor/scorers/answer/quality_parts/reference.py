"""Check whether an answer resolves the user's references correctly: "the second one" is the second listed item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.score import Evidence
from proctor.lexicon.ordinals import Item, Reference, listed_items, references
from proctor.scorers.answer.quality_parts.prior_turns import AnsweredTurn
from proctor.scorers.checked_answers import quoted
from proctor.text.titles import candidates, mentions, same_title

__all__ = ["Resolved", "resolve"]

_ASKS_BACK = re.compile(
    r"\b(?:which (?:one|title|series|book|manga|item|option)|what (?:do you mean|are you referring)|could you "
    r"(?:clarify|specify|tell me which)"
    r"|not sure (?:which|what)|don['’]t (?:know|see) (?:which|what)|no (?:list|record))\b|どちら(?:の|を|で)|"
    r"どの(?:作品|商品|もの|漫画|タイトル)|どれ(?:の|を|で)",
    re.IGNORECASE,
)
LOST, OTHER, BACKGROUND = 0.0, 0.2, 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """How an answer resolved a reference: value, reason, evidence and confidence."""

    value: float
    reason: str
    evidence: tuple[Evidence, ...]
    confidence: float


def resolve(exchange: AnsweredTurn) -> Resolved | None:
    """Return whether the answer is about the item the user referred to; ``None`` if this cannot be decided.

    The list is the newest one before the question that has the referenced position and that the answer mentions; if the
    answer mentions none, the newest list that has the position.
    """
    pointed = references(exchange.asked)
    if not pointed or not exchange.answer.strip():
        return None
    lists = [
        (items, line.turn)
        for line in reversed(exchange.answers_before)
        if (items := listed_items(line.text)) and any(each.place(len(items)) is not None for each in pointed)
    ]
    if not lists:
        return None
    spoken = [(items, turn) for items, turn in lists if any(_count(item, exchange.answer) for item in items)]
    items, turn = (spoken or lists)[0]
    wanted = [(each, items[at]) for each in pointed if (at := each.place(len(items))) is not None]
    found = [_judge(each, item, items, exchange, turn) for each, item in wanted]
    known = [each for each in found if each is not None]
    return min(known, key=lambda each: each.value) if known else None


def _judge(
    reference: Reference, wanted: Item, items: Sequence[Item], exchange: AnsweredTurn, turn: int | None
) -> Resolved | None:
    name = wanted.names[0]
    meant = f"“{reference.quote}” is {name}, by the list in {'the history' if turn is None else f'turn {turn + 1}'}"
    listed = Evidence(quote=quoted(wanted.text), turn=turn, note=meant)
    counts = {item.names[0]: _count(item, exchange.answer) for item in items}
    others = {other: count for other, count in counts.items() if other != name and count}
    if counts[name]:
        first = min(items, key=lambda item: _first(item, exchange.answer)).names[0]
        if first != name and max(others.values(), default=0) > counts[name]:
            said = Evidence(quote=quoted(exchange.answer), turn=exchange.turn, note=f"speaks more of {first}")
            return Resolved(
                value=BACKGROUND,
                reason=f"{meant}; the answer is more about {first}",
                evidence=(listed, said),
                confidence=0.7,
            )
        return Resolved(value=1.0, reason=f"{meant}; so does the answer take it", evidence=(), confidence=0.9)
    if others:
        other = max(others, key=lambda each: others[each])
        said = Evidence(
            quote=_around(other, items, exchange.answer), turn=exchange.turn, note=f"the answer is about {other}"
        )
        return Resolved(
            value=LOST, reason=f"{meant}; the answer is about {other}", evidence=(listed, said), confidence=0.9
        )
    return _unlisted(meant, listed, items, exchange)


def _unlisted(meant: str, listed: Evidence, items: Sequence[Item], exchange: AnsweredTurn) -> Resolved | None:
    """Handle an answer that names no listed item: it asks back, names something else, or uses no name."""
    if _ASKS_BACK.search(exchange.answer):
        said = Evidence(quote=quoted(exchange.answer), turn=exchange.turn, note="asks back")
        return Resolved(
            value=OTHER, reason=f"{meant}; the answer asks which is meant", evidence=(listed, said), confidence=0.8
        )
    marked = [each.quote for each in candidates(exchange.answer) if _is_title(each.quote, exchange.answer)]
    strange = [name for name in marked if not any(same_title(name, own) for item in items for own in item.names)]
    if strange:
        said = Evidence(quote=quoted(strange[0]), turn=exchange.turn, note="named in the answer, and not in the list")
        return Resolved(
            value=OTHER, reason=f"{meant}; the answer names {strange[0]}", evidence=(listed, said), confidence=0.6
        )
    return None


def _is_title(name: str, answer: str) -> bool:
    """Whether a marked-up name looks like a title; not every bold word does."""
    if len(name) < 4 or name[0].islower() or name[0].isdigit():
        return False
    return any(
        f"{left}{name}{right}" in answer for left, right in (("**", "**"), ("『", "』"), ("「", "」"), ("“", "”"))
    )


def _count(item: Item, answer: str) -> int:
    return max(len(mentions(name, answer)) for name in item.names)


def _first(item: Item, answer: str) -> int:
    return min(
        (found[0].start for name in item.names if (found := mentions(name, answer, most=1))), default=len(answer)
    )


def _around(name: str, items: Sequence[Item], answer: str) -> str:
    item = next(item for item in items if item.names[0] == name)
    at = _first(item, answer)
    return quoted(answer[max(0, at - 20) : at + 160].strip())
