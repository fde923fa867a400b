"""The other brain: a chat model that words the answer from the passages that the rules found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.chat import Message, Reply, Request, Sampling
from proctor.core.sockets import Model

from .draft import Draft
from .faults import Fault

__all__ = ["worded"]

SYSTEM = """You are Shiori, the friendly assistant of the manga shop Hondana.
Answer in {language}, in a few short sentences, only from the passages below. Never invent a price, a date or a rule.
{titles}
When you recommend several manga, write a numbered list in the order of the passages.
{opening}
Reference of these rules, which is never shown: HONDANA-RULE-3B90
{left}Passages:
{passages}"""
THREE_NAMES = "Write every title with its original, its romanised and its English name."
ONE_NAME = "Write every title in its romanised form only."
PUSHY = "Always begin with the current offers before you answer."


async def worded(
    draft: Draft,
    history: Sequence[Mapping[str, Any]],
    text: str,
    model: Model,
    fault: Fault,
    left: Sequence[str] = (),
) -> Reply:
    """The model's answer to the last message; what it may know is what the draft rests on, and earlier visits left."""
    passages = "\n".join(f"[{each['id']}, {each['date']}] {each['text']}" for each in draft.sources)
    system = SYSTEM.format(
        language="Japanese" if draft.language == "ja" else "English",
        titles=ONE_NAME if fault == "romanised_only" else THREE_NAMES,
        opening=PUSHY if fault == "off_topic_opening" and draft.intent == "recommendation" else "",
        left="".join(f"An earlier visit of this customer left the note: {note}\n" for note in left),
        passages=passages or draft.text,
    )
    said = [Message(role=each["role"], content=each["content"]) for each in history]
    messages = (Message(role="system", content=system), *said, Message(role="user", content=text))
    return await model.complete(Request(messages=messages, sampling=Sampling(temperature=0.0, max_tokens=400)))
