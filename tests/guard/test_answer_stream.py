from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from proctor import guarded, guarded_tool
from proctor.core.errors import ToolRefused
from proctor.guard.current_session import current
from tests.server.gates import HANDOFF, REPLY, make_guard

SENTENCES = ["The first sen", "tence is here. ", "The second one follows. ", "And the", " third."]


async def _pieces(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def test_text_leaves_sentence_by_sentence_and_whole_at_the_end() -> None:
    session = make_guard()[0].session()
    written: list[str] = []

    async def agent() -> AsyncIterator[str]:
        for text in SENTENCES:
            written.append(text)
            yield text

    stream = session.stream(agent())
    seen = []
    async for text in stream:
        seen.append((text, len(written)))
    assert "".join(text for text, _ in seen) == "".join(SENTENCES)
    assert seen[0] == ("The first sentence is here. ", 3), "a sentence leaves before the next one is complete"
    assert not stream.stopped
    assert stream.verdict is None
    assert stream.text == "".join(SENTENCES)


async def test_nothing_of_a_sentence_that_is_stopped_leaves_and_the_agent_is_asked_no_more() -> None:
    session = make_guard()[0].session()
    closed: list[str] = []

    async def agent() -> AsyncIterator[str]:
        try:
            for text in ("All is well. ", "This is an ATT", "ACK on you. ", "Never asked for. ", "Nor this."):
                yield text
                closed.append(text)
        finally:
            closed.append("end")

    stream = session.stream(agent())
    said = [text async for text in stream]
    assert "".join(said) == f"All is well. \n\n{REPLY}"
    assert stream.stopped
    assert stream.verdict is not None
    assert stream.verdict.action == "block"
    assert closed[-1] == "end"
    assert "Nor this." not in closed


async def test_an_attack_at_the_very_end_is_held_back() -> None:
    stream = make_guard()[0].session().stream(_pieces("Fine so far. ", "ATTACK"))
    assert "".join([text async for text in stream]) == f"Fine so far. \n\n{REPLY}"


async def test_whole_mode_releases_nothing_before_the_end() -> None:
    stream = make_guard()[0].session().stream(_pieces(*SENTENCES), mode="whole")
    assert [text async for text in stream] == ["".join(SENTENCES)]
    stopped = make_guard()[0].session().stream(_pieces("Fine. Good. ", "ATTACK."), mode="whole")
    assert [text async for text in stopped] == [REPLY]


async def test_pieces_that_are_no_text_are_refused_with_a_hint() -> None:
    async def chunks() -> AsyncIterator[Any]:
        yield {"delta": "hi"}

    with pytest.raises(TypeError, match="yields text, not dict"):
        [text async for text in make_guard()[0].session().stream(chunks())]


async def test_an_async_generator_stays_one_behind_the_guard() -> None:
    @guarded_tool
    async def lookup(what: str) -> str:
        return f"found {what}"

    async def agent(text: str) -> AsyncIterator[str]:
        assert current() is not None
        yield f"You said {text}. "
        yield f"I {await lookup('it')}. "
        yield "ATTACK." if "bad" in text else "Good bye."

    behind = guarded(agent, make_guard()[0])
    assert "".join([text async for text in behind("hello")]) == "You said hello. I found it. Good bye."
    assert "".join([text async for text in behind("bad")]) == f"You said bad. I found it. \n\n{REPLY}"
    assert [text async for text in behind("ATTACK")] == [REPLY]
    assert current() is None, "the turn does not leak into the caller's context between pieces"
    with pytest.raises(ToolRefused):
        await lookup("outside")


async def test_the_turn_is_not_the_callers_while_the_stream_is_read() -> None:
    async def agent(text: str) -> AsyncIterator[str]:
        yield "One sentence. "
        yield "Another one. "
        yield "Done."

    async for _ in guarded(agent, make_guard()[0])("hello"):
        assert current() is None


async def test_a_stream_that_is_given_up_ends_the_agent() -> None:
    ended: list[bool] = []

    async def agent(text: str) -> AsyncIterator[str]:
        try:
            for _ in range(1000):
                yield "Another sentence. "
        finally:
            ended.append(True)

    stream = guarded(agent, make_guard()[0])("hello")
    assert await anext(stream)
    await stream.aclose()
    assert ended == [True]


def test_a_plain_generator_stays_one_behind_the_guard() -> None:
    def agent(text: str) -> Iterator[str]:
        yield "All is well. "
        yield "ATTACK." if "bad" in text else "Good bye."

    behind = guarded(agent, make_guard()[0])
    assert "".join(behind("hello")) == "All is well. Good bye."
    assert "".join(behind("bad")) == f"All is well. \n\n{REPLY}"
    session = make_guard()[0].sync.session()
    stream = session.stream(["One. ", "Two. ", "Ask my LAW", "YER."])
    assert "".join(stream) == f"One. Two. \n\n{HANDOFF}"
    assert stream.verdict is not None
    assert stream.verdict.action == "escalate"


async def test_a_function_that_returns_a_stream_gets_a_hint() -> None:
    async def agent(text: str) -> Any:
        return _pieces("hi")

    with pytest.raises(TypeError, match=r"session\.stream"):
        await guarded(agent, make_guard()[0])("hello")
