"""A shop's agent, and models by rules. Where a file ``stop`` lies, the agent ends the process in the middle of a run."""

import os
from pathlib import Path

ANSWERS = {
    "return": "You can return it within 15 days of delivery.",
    "cost": "Shipping costs 4.90 euros.",
    "colour": "The jacket comes in red and blue.",
    "hello": "Hello! How can I help?",
}


def answer(text, state):
    if "stop here" in text and Path("stop").exists():
        os._exit(9)
    if "B-1042" in text:
        call = {"name": "find_order", "arguments": {"id": "B-1042"}, "result": {"id": "B-1042", "state": "sent"}}
        return {"answer": "Your parcel B-1042 was sent on Monday.", "tool_calls": [call], "confidence": 0.9}
    if "person" in text:
        return {"answer": "I pass you on to a colleague.", "escalation": {"reason": "asked for a person"}}
    if "broken" in text:
        raise RuntimeError("the order system does not answer")
    return next((known for word, known in ANSWERS.items() if word in text), "I do not know.")


def worse(text, state):
    return "You can return it within 30 days." if "return" in text else answer(text, state)


def reply(request):
    return "Thanks for writing. We look into it."


def judge(request):
    return '{"score": 4, "reason": "to the point", "verdict": "OK", "value": 0.8}'
