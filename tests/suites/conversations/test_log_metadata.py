from __future__ import annotations

from typing import Any

import pytest

from proctor.core.trajectory import Escalation, Intent
from proctor.suites.conversations.log_metadata import sources_of
from proctor.suites.conversations.messages import read_messages
from proctor.suites.conversations.turns import turns_of

ASK = {"role": "user", "content": "a"}


def test_what_a_log_tells_of_its_turns_is_read() -> None:
    answer = {
        "role": "assistant",
        "content": "b",
        "intent": {"name": "refund", "confidence": 0.9},
        "confidence": 0.4,
        "sources": [{"id": "faq-1", "text": "b", "score": 0.8, "date": "2026-01-01"}, "plain"],
        "escalation": {"reason": "angry", "category": "sentiment_trigger", "queue": 2},
        "latency": 1.5,
    }
    (turn,) = turns_of(read_messages([ASK, answer]))
    assert turn.intents == (Intent(name="refund", confidence=0.9),)
    assert (turn.confidence, turn.latency) == (0.4, 1.5)
    assert [(source.id, source.text, source.score, source.date) for source in turn.sources] == [
        ("faq-1", "b", 0.8, "2026-01-01"),
        ("source-2", "plain", None, None),
    ]
    assert turn.escalation == Escalation(reason="angry", category="sentiment_trigger", extra={"queue": 2})
    assert turn.messages[1].extra["confidence"] == 0.4


@pytest.mark.parametrize("given", [["a", {"name": "b"}], {"a": 0.5, "b": None}])
def test_intents_are_written_in_many_ways(given: Any) -> None:
    (turn,) = turns_of(read_messages([{**ASK, "intents": given}]))
    assert [intent.name for intent in turn.intents] == ["a", "b"]


def test_what_cannot_be_read_stays_in_the_message() -> None:
    odd = {
        "role": "assistant",
        "content": "b",
        "confidence": "high",
        "escalation": False,
        "sources": "none",
        "intent": 7,
    }
    (turn,) = turns_of(read_messages([ASK, odd]))
    assert (turn.confidence, turn.escalation, turn.sources, turn.intents) == (None, None, (), ())
    assert turn.messages[1].extra["confidence"] == "high"


def test_passages_are_found_in_their_wrappings() -> None:
    wrapped = {"documents": [{"document": {"content": "x", "metadata": {"source": "a", "title": "T"}}, "score": 1}]}
    (source,) = sources_of(wrapped)
    assert (source.id, source.text, source.title, source.score) == ("a", "x", "T", 1.0)
    assert sources_of(None) == ()
