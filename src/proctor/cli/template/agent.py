"""A small shop agent: looks answers up, looks orders up, and says so when it does not know.

Replace it with your own. Proctor calls ``answer`` with the user's message and, when the function has a
parameter of that name, with ``messages``, ``session``, ``inputs``, ``page``, ``case`` or ``state``.
"""

import re

ANSWERS = {
    ("return", "refund"): "You can return any item within 15 days of delivery, unused and in its packaging.",
    ("shipping", "delivery"): "Shipping costs 4.90 and takes two to three working days.",
}
ORDERS = {"B-1042": "on its way", "B-1043": "delivered"}


def answer(text: str, state: dict[str, str]) -> str | dict[str, object]:
    """Answer one message; ``state`` lives as long as the conversation."""
    number = re.search(r"\bB-\d{4}\b", text)
    if number:
        status = ORDERS.get(number.group(), "not known to us")
        call = {"name": "find_order", "arguments": {"id": number.group()}, "result": status}
        return {"answer": f"Your order {number.group()} is {status}.", "tool_calls": [call]}
    if "order" in text.lower():
        state["waiting_for"] = "order number"
        return "Of course. What is your order number? It looks like B-1234."
    for words, reply in ANSWERS.items():
        if any(word in text.lower() for word in words):
            return reply
    return "I do not know that. Shall I ask a colleague?"
