"""The assistant of a manga shop, in two versions: the second one was released with last year's rules in its prompt."""

from typing import Any

RULES = {
    "returns-opened-2026-09": "Opened manga can be returned within 15 days of delivery.",
    "refunds-2026-06": "Refunds are paid within 5 business days after the parcel reaches the warehouse.",
    "shipping-cost-2026-07": "Shipping within Japan costs 480 yen and is free for orders of 5000 yen or more.",
    "delivery-2026-03": "Delivery within Japan takes 2 to 4 business days.",
    "hours-2026-01": "Our support team answers from 9:00 to 18:00 Japan time on weekdays.",
    "gift-2026-01": "Gift wrapping costs 250 yen for each parcel.",
}
JAPANESE = {
    "returns-opened-2026-09": "開封した漫画は、お届けから15日以内であれば返品できます。",
    "refunds-2026-06": "返金は、商品が倉庫に届いてから5営業日以内に行います。",
    "shipping-cost-2026-07": "日本国内の送料は480円で、5000円以上のご注文は無料です。",
    "delivery-2026-03": "日本国内へのお届けは2日から4日の営業日がかかります。",
    "hours-2026-01": "サポート窓口の受付時間は、平日の9時から18時(日本時間)です。",
    "gift-2026-01": "ギフト包装は1個口につき250円です。",
}
LAST_YEAR = {"15 days": "30 days", "5 business": "10 business", "480 yen": "380 yen", "5000 yen": "3000 yen"}
LAST_YEAR |= {"15日": "30日", "から5営業日": "から10営業日", "480円": "380円", "5000円": "3000円"}
WORDS = {
    "refunds-2026-06": ("refund", "money back", "返金"),
    "returns-opened-2026-09": ("return", "opened", "send it back", "返品", "開封"),
    "shipping-cost-2026-07": ("shipping", "送料"),
    "delivery-2026-03": ("deliver", "arrive", "お届け"),
    "hours-2026-01": ("support", "窓口"),
    "gift-2026-01": ("gift wrapping", "ギフト"),
}


def v1_0(question: str) -> dict[str, Any]:
    """Answer with the rule that the question is about."""
    found = next((rule for rule, words in WORDS.items() if any(word in question.lower() for word in words)), None)
    if found is None:
        return {"answer": "I do not know that. A colleague will write to you.", "escalation": "not in the rules"}
    japanese = any("\u3040" <= letter <= "\u30ff" for letter in question)
    rule = (JAPANESE if japanese else RULES)[found]
    return {"answer": rule, "sources": [{"id": found, "text": rule}]}


def v1_1(question: str) -> dict[str, Any]:
    """Find the same rule, and tell what it said last year."""
    reply = v1_0(question)
    for now, before in LAST_YEAR.items():
        reply["answer"] = reply["answer"].replace(now, before)
    return reply
