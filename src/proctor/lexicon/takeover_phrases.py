"""Detect phrases that try to take over an agent, in clear or hidden text, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.lexicon.fold import fold
from proctor.lexicon.injected_orders import specifics
from proctor.lexicon.match import Matcher, matcher
from proctor.text.normalise import normalise, views

__all__ = ["Attempt", "Override", "attempts", "override_in", "readings", "shortened"]

_LETTERS: Final = 20_000  # of one message, from its two ends: nobody writes more, and the work stays bounded
_BETWEEN: Final = " \t\n\r:،,"
_KINDS: Final = {
    "takeover_override": "override",
    "takeover_hijack": "hijack",
    "takeover_jailbreak": "jailbreak",
    "takeover_extraction": "extraction",
}
# Quoting such phrases or asking about their meaning is no attempt.
_ASKS_ABOUT: Final = re.compile(
    r"(?:[\"“‘'`«「『(]\s*|\b(?:phrase|words?|term|expression|directive|attack|attacks|like|called|explain|mean|means|"
    r"(?:assessment|interpretation|meaning) of|make of|interpret)\b[^.!?\n]{0,24})$",
    re.I,
)
_HINTED: Final = ("override", "hijack", "smuggling", "extraction", "jailbreak")
# The requested actions, in the languages of the phrases above.
_WISHES: Final[Mapping[str, str]] = {
    "cancel": r"cancel|取消|キャンセル|إلغاء|ألغ|الغاء|취소|annul|stornier|anular|отмен|iptal|रद्द|בטל",
    "refund": r"refund|reimburs|退款|返金|استرداد|استرجاع|환불|rembours|erstatt|reembols|rimbors|возврат|iade",
    "book": r"\bbook\b|reserve|purchase|\bbuy\b|预订一|购买|予約して|احجز|예약해|réserve[zr]|buche|reserva\b|prenota",
    "change": r"chang|modif|updat|reschedul|更改|修改|变更|変更|تغيير|عدل|변경|änder|cambia|измен",
    "add": r"\badd\b|enrol|添加|追加|أضف|추가|ajoute|hinzufüg|añad|добав",
    "remove": r"remov|delet|删除|削除|احذف|삭제|supprim|lösch|elimin|borra|удал",
    "send": r"send|mail it|forward|发送|送信|أرسل|보내|envo[iy]|schick|sende|enví|отправ",
    "pay": r"\bpay\b|charge|waive|discount|免除|折扣|خصم|할인|rabatt|remise|descuent|скидк",
    "file": r"\bopen a|\bcreate|\bfile a|创建|作成|أنشئ|만들",
}
_WISHED: Final = {kind: re.compile(pattern, re.I) for kind, pattern in _WISHES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A takeover phrase: its kind, its span, and whether it is only mentioned."""

    kind: str
    start: int
    end: int
    mentioned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """An attempt: the matched text, the whole decoded text, and what it asks for."""

    text: str
    whole: str
    kinds: frozenset[str]
    values: frozenset[str]


def shortened(message: str) -> str:
    """Return the message, or both ends of one that is too long."""
    half = _LETTERS // 2
    return message if len(message) <= _LETTERS else f"{message[:half]}\n{message[-half:]}"


def readings(message: str) -> tuple[str, ...]:
    """Return the normalised message, and every text hidden in it."""
    plain = normalise(shortened(message))
    return (plain.plain, *(view.text for view in views(plain)))


def attempts(text: str) -> Iterator[Attempt]:
    """Yield every attempt in one reading of a message, by its phrases alone."""
    for kind, start, end in _found(text):
        mentioned = _ASKS_ABOUT.search(text[max(0, start - 48) : start]) is not None
        mentioned = mentioned or (kind != "extraction" and _only_told(text, start, end))
        yield Attempt(kind=kind, start=start, end=end, mentioned=mentioned)


def override_in(texts: Sequence[str], labels: Mapping[str, float] | None = None, cut: float = 1.0) -> Override | None:
    """Return the attempt in the readings of one message: by phrase, or by a confident classifier."""
    for text in texts:
        found = next(((start, end) for kind, start, end in _found(text) if kind != "extraction"), None)
        if found is not None:
            return _override(_around(text, *found), text)
    if labels is not None and labels.get("injection", 0.0) >= cut and any(labels.get(kind) for kind in _HINTED):
        return _override(texts[-1][:200], "\n".join(texts))
    return None


def _found(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind and span of every attempt."""
    for found in matcher(*_KINDS).find(text):
        yield _KINDS[found.concept], found.start, found.end


def _only_told(text: str, start: int, end: int) -> bool:
    """Whether the phrase is reported as someone else's words; never if it names the agent's own rules."""
    before, after, own = (matcher(name) for name in ("reported_order_before", "reported_order_after", "agent_rules"))
    is_before, is_after, is_own = _told_patterns(before, after, own)
    named = fold(text[start:end])
    if is_own.search(named) is not None or next(own.own_hits(named), None) is not None:
        return False
    ahead, behind = fold(text[max(0, start - 64) : start]), fold(text[end : end + 64])
    if is_before.search(ahead) is not None or is_after.match(behind) is not None:
        return True
    return any(not ahead[hit.end :].strip(_BETWEEN) for hit in before.own_hits(ahead)) or any(
        hit.start == 0 for hit in after.own_hits(behind)
    )


@lru_cache(maxsize=8)
def _told_patterns(
    before: Matcher, after: Matcher, own: Matcher
) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns for text before and after a reported phrase, and for the agent's own rules."""
    return (
        re.compile(rf"(?:{before.joined()})[\s:،,]*$", re.I),
        re.compile(after.joined(), re.I),
        re.compile(own.joined(), re.I),
    )


def _override(text: str, whole: str) -> Override:
    kinds = frozenset(kind for kind, pattern in _WISHED.items() if pattern.search(whole))
    return Override(text=text, whole=whole, kinds=kinds, values=specifics(whole))


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - 40) : end + 160].strip()
