from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.lazy_module import lazy_module
from tests.server.gates import REPLY, make_guard
from tests.server.upstream import Upstream, proxied, says, streams
from tests.tables import table

if TYPE_CHECKING:
    import openai
else:
    openai = lazy_module("openai")

PATH = "/v1/completions"


def _completion(*texts: str, **more: Any) -> dict[str, Any]:
    choices = [
        {"index": place, "text": text, "logprobs": None, "finish_reason": "stop"} for place, text in enumerate(texts)
    ]
    return {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": choices, **more}


def _events(text: str, size: int = 4, **more: Any) -> Sequence[bytes]:
    def event(text: str, finish: str | None) -> bytes:
        choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish, **more}
        return b"data: " + json.dumps({**_completion(), "choices": [choice]}).encode() + b"\n\n"

    cut = [event(text[at : at + size], None) for at in range(0, len(text), size)]
    return [*cut, event("", "stop"), b"data: [DONE]\n\n"]


@asynccontextmanager
async def _client() -> AsyncIterator[tuple[Upstream, openai.AsyncOpenAI]]:
    guard, _ = make_guard()
    async with (
        proxied(guard) as (upstream, address, _),
        openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client,
    ):
        yield upstream, client


async def test_prompts_and_answers_are_guarded() -> None:
    async with _client() as (upstream, client):
        upstream.say = says(_completion("Fine.", "It is SECRET-a.", "An ATTACK."))
        answer = await client.completions.create(model="m", prompt=["I am SECRET-a", "hi"], suffix="SECRET-b", n=3)
        assert [each.text for each in answer.choices] == ["Fine.", "It is [SECRET].", REPLY]
        assert [each.finish_reason for each in answer.choices] == ["stop", "stop", "content_filter"]
        assert upstream.body()["prompt"] == ["I am [SECRET]", "hi"]
        assert upstream.body()["suffix"] == "[SECRET]"
        for prompt, suffix in (("ATTACK", "x"), (["hi", "ATTACK"], "x"), ("hi", "ATTACK")):
            answer = await client.completions.create(model="m", prompt=prompt, suffix=suffix)
            assert (answer.choices[0].text, answer.choices[0].finish_reason) == (REPLY, "content_filter")
        assert len(upstream.asked) == 1


async def test_streams_are_held_back_by_sentence_and_end_in_good_order() -> None:
    async with _client() as (upstream, client):
        for said, may, end in (
            ("Fine. It is SECRET-a.", ("Fine. It is [SECRET].",), "stop"),
            ("Fine. An ATTACK.", (f"Fine. \n\n{REPLY}", REPLY), "content_filter"),
        ):
            upstream.say = streams(_events(said))
            pieces = [each async for each in await client.completions.create(model="m", prompt="hi", stream=True)]
            assert "".join(each.choices[0].text for each in pieces) in may
            assert pieces[-1].choices[0].finish_reason == end
        pieces = [each async for each in await client.completions.create(model="m", prompt="ATTACK", stream=True)]
        assert "".join(each.choices[0].text for each in pieces) == REPLY


async def test_a_harmless_stream_passes_byte_for_byte() -> None:
    guard, _ = make_guard()
    raw = b"".join(_events("One. Two. Three."))
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams([raw[at : at + 9] for at in range(0, len(raw), 9)])
        async with client.post(address + PATH, json={"prompt": "hi", "stream": True}) as answer:
            assert await answer.read() == raw


@table(
    ("body", "words"),
    [
        ({"prompt": [1, 2]}, "tokens cannot be read"),
        ({"prompt": [[1, 2]]}, "tokens cannot be read"),
        ({"prompt": ["hi", 3]}, "tokens cannot be read"),
        ({"prompt": {"prompt_string": "ATTACK"}}, "tokens cannot be read"),
        ({"prompt": "hi", "prompt_embeds": "AAAA"}, "prompt_embeds"),
        ({"prompt": "hi", "suffix": ["ATTACK"]}, "suffix"),
    ],
)
async def test_what_cannot_be_read_is_refused(body: dict[str, Any], words: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + PATH, json=body) as answer:
            assert answer.status == 400
            assert words in (await answer.json())["error"]["message"]
        assert upstream.asked == []


@pytest.mark.parametrize(
    "more", [{"message": {"content": "ATTACK"}}, {"content": "ATTACK"}, {"stop_reason": "ATTACK it"}]
)
async def test_no_other_field_of_an_answer_leads_around_the_gates(more: dict[str, Any]) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        whole = _completion("Fine.")
        whole["choices"][0] |= more
        for say, stream in (
            (says(whole), False),
            (streams(_events("Fine.", **more)), True),
            (says({**whole, "x": "ATTACK"}), False),
        ):
            upstream.say = say
            async with client.post(address + PATH, json={"prompt": "hi", "stream": stream}) as answer:
                assert "ATTACK" not in await answer.text()
