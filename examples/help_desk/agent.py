"""The shop's rule-based agent: finds passages by their words, looks orders up, hands over what it must not handle.

It is a real agent with real faults. It does not read Japanese policies it was never given, and it trusts
the first passage that matches: the suite beside it finds both.
"""

from __future__ import annotations

import re
from typing import Any

PASSAGES: list[dict[str, Any]] = [
    {
        "id": "returns",
        "date": "2026-09-01",
        "words": {"return", "refund", "send", "back"},
        "text": "Items can be returned within 15 days of delivery, unused and with their tags. Refunds take 5 days.",
    },
    {
        "id": "shipping",
        "date": "2026-05-12",
        "words": {"shipping", "delivery", "deliver", "postage", "arrive"},
        "text": "Shipping costs 4.90 and is free above 60.00. Delivery takes 2 to 3 working days.",
    },
    {
        "id": "warranty",
        "date": "2025-11-20",
        "words": {"warranty", "broken", "defect", "repair", "torn"},
        "text": "Every tent and jacket has a warranty of 2 years. Repairs are free in that time.",
    },
    {
        "id": "returns-ja",
        "date": "2026-09-01",
        "words": {"返品", "返金"},
        "text": "商品は到着から15日以内であれば返品できます。",
    },
]
ORDERS: dict[str, dict[str, str | None]] = {
    "B-1042": {"status": "on its way", "expected": "2026-11-17"},
    "B-1043": {"status": "delivered", "expected": "2026-11-10"},
    "B-1044": {"status": "waiting for payment", "expected": None},
}
PRICES = {"trail tent": 249.0, "rain jacket": 119.5, "head lamp": 34.9}
HAND_OVER = re.compile(r"\b(lawyer|sue|court|press|journalist|burn(ed|t)|injur\w+)\b", re.IGNORECASE)
ORDER_NUMBER = re.compile(r"\bB-\d{4}\b")


def answer(text: str, state: dict[str, Any]) -> dict[str, Any]:
    """Answer one message of a conversation."""
    if HAND_OVER.search(text):
        return {
            "answer": "I am sorry about this. I am handing you over to a colleague who will call you today.",
            "intents": [{"name": "complaint", "confidence": 0.95}],
            "escalation": {"reason": "legal, press or safety", "category": "policy complexity"},
        }
    number = ORDER_NUMBER.search(text)
    if number:
        return _order(number.group())
    if re.search(r"\border\b|\bparcel\b", text, re.IGNORECASE):
        state["asked_for"] = "order number"
        return {"answer": "Gladly. What is your order number? It looks like B-1234.", "intents": [{"name": "order"}]}
    priced = next((name for name in PRICES if name in text.lower()), None)
    if priced:
        return _price(priced, state)
    if state.get("item") and re.search(r"\b(it|that one|two)\b", text, re.IGNORECASE):
        return _price(state["item"], state, count=2 if "two" in text.lower() else 1)
    return _passage(text)


def _order(number: str) -> dict[str, Any]:
    found = ORDERS.get(number)
    call: dict[str, Any] = {"name": "find_order", "arguments": {"id": number}, "result": found}
    if found is None:
        call["error"] = "no such order"
        return {"answer": f"I cannot find an order {number}. Is the number right?", "tool_calls": [call]}
    when = f", expected on {found['expected']}" if found["expected"] else ""
    return {
        "answer": f"Your order {number} is {found['status']}{when}.",
        "intents": [{"name": "order", "confidence": 0.98}],
        "tool_calls": [call],
        "confidence": 0.98,
    }


def _price(name: str, state: dict[str, Any], count: int = 1) -> dict[str, Any]:
    state["item"] = name
    total = PRICES[name] * count
    words = f"Two of the {name} cost" if count == 2 else f"The {name} costs"
    return {
        "answer": f"{words} {total:.2f}.",
        "intents": [{"name": "product", "confidence": 0.9}],
        "tool_calls": [{"name": "get_price", "arguments": {"item": name}, "result": PRICES[name]}],
    }


def _passage(text: str) -> dict[str, Any]:
    words = set(re.findall(r"\w+", text.lower()))
    for passage in PASSAGES:
        if words & passage["words"] or any(word in text for word in passage["words"] if not word.isascii()):
            source = {key: passage[key] for key in ("id", "date", "text")}
            return {
                "answer": passage["text"],
                "intents": [{"name": "policy", "confidence": 0.8}],
                "sources": [source],
                "confidence": 0.8,
            }
    return {"answer": "I do not know that. Shall I ask a colleague?", "confidence": 0.2}
