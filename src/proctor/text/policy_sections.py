"""Classify sentences in which an error is costly: policies, prices, booking terms. English and Japanese, by rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.money import CURRENCIES
from proctor.text.quantities import find_quantities

__all__ = ["SECTIONS", "about_the_talk", "section_key", "sections_of"]

SECTIONS: Final = ("policy", "price", "booking_terms")

# Any statement about refunds is a policy.
_REFUND: Final = (
    r"\b(?:cancel\w*|refund\w*|reimburs\w*|money back|non-?refundable|no-?show|reembolso\w*|remboursement\w*|annul\w+"
    r"|stornier\w*|rückerstatt\w*|erstatt\w*)\b|返金|払い?戻|返品|キャンセル|取り?消|解約|退款|取消|환불|취소"
)
_RETURN: Final = (
    r"\b(?:return(?:s|ed|ing|able)?|exchang\w*|warrant\w+|guarantee\w*|rebook\w*|reschedul\w*|penalt\w+|compensat\w+)\b"
    r"|交換|保証|補償|違約"
)
_RULE: Final = (
    r"\b(?:polic(?:y|ies)|terms?(?: and conditions)?|rules?|conditions?|eligib\w+|entitle\w*|deadline\w*|must"
    r"|(?:is|are|isn't|aren't|not) (?:allowed|permitted|possible|valid|covered|accepted|required|included)|allowed"
    r"|permitted|prohibited|forbidden|required|mandatory|valid (?:for|until|till)|expir\w+|insur\w+|liab\w+|visa"
    r"|passport)\b"
    r"|規定|規約|ポリシー|ルール|条件|対象(?:外)?|期限|有効|必要(?:です|が)|禁止|許可|認め|できません|いただけません|保険"
    r"|政策|规定|정책"
)
_PRICED: Final = (
    r"\b(?:pric\w+|costs?|fees?|pay(?:s|able|ments?)?|charg(?:e|es|ed)|surcharge\w*|deposit\w*|discount\w*|rates?|"
    r"fares?"
    r"|free(?: of charge)?"
    r"|half (?:of )?(?:the )?price|tax(?:es)?|per (?:person|night|day|item)|cheap\w*|preis\w*|precio\w*|prix)\b"
    r"|料金|価格|値段|手数料|割引|無料|税込|税別|送料|半額|代金|价格|费用|가격|요금"
)
_BOOKED: Final = (
    r"\b(?:booking|bookings|booked|reservation\w*|reserved|itinerar\w+|ticket\w*|voucher\w*|order(?:s|ed)?"
    r"|subscription\w*|appointment\w*|shipment\w*|delivery|reserva\w*|réservation\w*|buchung\w*)\b"
    r"|予約|注文|配送|お届け|チケット|预订|订单|예약|주문"
)
_TERMS: Final = (
    r"\b(?:confirm\w*|cancel\w*|chang\w+|modif\w+|mov(?:ed|es)|status|starts?|begins?|depart\w*|arriv\w*|"
    r"check-?(?:in|out)"
    r"|includ\w+|travell?ers?|guests?|children|seats?|cards?|paid"
    r"|pending|completed|until|before|after|within|by email|sent|transfer\w*"
    r"|refund\w*)\b|確定|確認|変更|開始|出発|到着|含ま|まで|以内|前日|当日|完了|済み"
)
_WINDOW: Final = frozenset({"hour", "business day", "month", "minute", "date", "percent"})
_KINDS: Final = {
    "refund": _REFUND,
    "return": _RETURN,
    "rule": _RULE,
    "price": _PRICED,
    "booked": _BOOKED,
    "terms": _TERMS,
}
_PATTERNS: Final[Mapping[str, FilteredPattern]] = {
    name: FilteredPattern(words, re.IGNORECASE) for name, words in _KINDS.items()
}
_FREE: Final = FilteredPattern(
    r"\b(?:free of charge|for free|no (?:extra )?(?:charge|fee|cost)s?|half (?:of )?the price)\b|無料|半額",
    re.IGNORECASE,
)

# Statements about the agent itself: what it cannot do, see or find. A reason in it is a claim.
_UNABLE: Final = re.compile(
    r"^(?:(?:sorry|unfortunately|i(?:'m| am) (?:sorry|afraid)),? ?(?:but )?)?"
    r"i (?:can ?not|can'?t|could not|couldn'?t|do not|don'?t|am not able|was not able|am unable|was unable|have not"
    r"|haven'?t|would need|need|will need)\b"
    r"|(?:わかりかねます|お答えできません|見つかりません(?:でした)?)[。.]?$",
    re.IGNORECASE,
)
# Statements about the conversation: what may be asked, what is needed next, what was said before.
_TALK: Final = re.compile(
    r"^(?:(?:you can|you may|feel free to|please) (?:ask|tell|write|reach|contact|reply|let|say|send|choose)\b"
    r"|(?:if|when|once) you (?:want|would like|need|wish|prefer|tell|are ready|have)\b"
    r".{0,160}\b(?:ask|tell|let|say|reply|write|i (?:can|will))\b"
    r"|(?:to|before) .{0,80}\bi (?:need|have to|must|will need)\b"
    r"|(?:the|that|this) .{0,60}\bas i (?:said|mentioned|told)\b|as i (?:said|mentioned|told)\b"
    r"|i(?:'m| am) handing you|i(?:'ll| will) (?:hand|pass|connect|transfer) you)"
    r"|(?:お伺い|お尋ね|お聞かせ|お知らせ|お申し付け|ご連絡)(?:ください|くださいませ)[。.]?$",
    re.IGNORECASE,
)
_REASON: Final = FilteredPattern(
    r"\b(?:because|since|due to|as (?:our|the|it|this|your)|according|polic(?:y|ies)|rules?"
    r"|not (?:possible|allowed|permitted))\b|ため|ので|規定|から、",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def sections_of(sentence: str) -> frozenset[str]:
    """Return the critical sections of a sentence, of ``policy``, ``price`` and ``booking_terms``."""
    hits = {name for name, pattern in _PATTERNS.items() if pattern.search(sentence)}
    figures = find_quantities(sentence)
    found = set()
    if any(one.unit in CURRENCIES for one in figures) or (
        "price" in hits and (figures or len(hits) > 1 or _FREE.search(sentence))
    ):
        found.add("price")
    window = any(one.unit in _WINDOW for one in figures)
    if "refund" in hits or (hits & {"return", "rule"} and (window or len(hits) > 1)):
        found.add("policy")
    if "booked" in hits and (figures or hits & {"terms", "refund", "price"}):
        found.add("booking_terms")
    return frozenset(found)


def about_the_talk(sentence: str) -> bool:
    """Whether a sentence is about the conversation or the agent's abilities, which no source can support."""
    if any(one.unit for one in find_quantities(sentence)):
        return False
    if _UNABLE.search(sentence) is not None:
        return _REASON.search(sentence) is None
    return _TALK.search(sentence) is not None


@lru_cache(maxsize=64)  # the settings name the same few for every claim
def section_key(name: str) -> str:
    """Return a key that is equal for "booking terms", "booking-terms" and "booking_terms"."""
    return "_".join(re.findall(r"\w+", name.casefold().replace("_", " ")))
