from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route as Path

from proctor.guard.current_session import current
from proctor.server.asgi import GuardMiddleware, Route
from tests.server.gates import HANDOFF, REPLY, make_guard
from tests.tables import table

SAID: list[Any] = []


async def _chat(request: Request) -> Response:
    data = await request.json()
    SAID.append(data)
    session = current()
    assert session is not None
    assert session is request.scope["proctor"].session
    return JSONResponse({"reply": data["answer"], "n": 1}, headers={"X-Own": "1"}, status_code=data.get("status", 200))


async def _events(request: Request) -> Response:
    data = await request.json()

    async def events() -> AsyncIterator[bytes]:
        yield b": hello\n\n"
        for at in range(0, len(data["answer"]), 3):
            piece = data["answer"][at : at + 3]
            told = json.dumps({"delta": piece, "at": at}) if data.get("json", True) else piece
            yield f"data: {told}\n\n".encode()
        yield b"data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


async def _plain(request: Request) -> Response:
    data = await request.json()
    raw = data["answer"].encode()

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(raw), 2):
            yield raw[at : at + 2]

    return StreamingResponse(pieces(), media_type="text/plain")


async def _odd(request: Request) -> Response:
    data = await request.json()
    return Response(data["answer"], media_type="text/html")


async def _free(request: Request) -> Response:
    return PlainTextResponse("ATTACK")


@asynccontextmanager
async def _served(app: Any) -> AsyncIterator[aiohttp.ClientSession]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
                yield client
        finally:
            server.should_exit = True
            await asyncio.to_thread(thread.join)


@asynccontextmanager
async def _guarded(*outer: Middleware, **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    guard, _ = make_guard()
    routes = [Route(path=path) for path in ("/events", "/plain", "/odd")]
    routes += [Route(path="/chat", status=403), Route(path="/nested", text="/messages/*/content", answer="/out/0/text")]
    paths = {"/chat": _chat, "/events": _events, "/plain": _plain, "/odd": _odd, "/free": _free, "/nested": _chat}
    app = Starlette(
        routes=[Path(path, call, methods=["POST", "GET"]) for path, call in paths.items()],
        middleware=[*outer, Middleware(GuardMiddleware, guard=guard, routes=routes, **{"expose": "full", **options})],
    )
    SAID.clear()
    async with _served(app) as client:
        yield client
    guard.close()


async def test_words_pass_are_masked_or_stopped_on_their_way_in() -> None:
    async with _guarded() as client:
        body = {"message": "hi", "answer": "Hello.", "session": "s1"}
        async with client.post("/chat", json=body) as answer:
            assert await answer.json() == {"reply": "Hello.", "n": 1}
            assert answer.headers["X-Proctor-Session"] == "s1"
            assert answer.headers["X-Own"] == "1"
        async with client.post("/chat", json={**body, "message": "I am SECRET-a"}) as answer:
            assert answer.headers["X-Proctor-Verdict"].startswith("redact; input")
        assert SAID[-1]["message"] == "I am [SECRET]"
        async with client.post("/chat", json={**body, "message": "ATTACK"}) as answer:
            assert answer.status == 403
            told = await answer.json()
            assert (told["reply"], told["proctor"]["verdicts"][0]["action"]) == (REPLY, "block")
        assert len(SAID) == 2


async def test_answers_pass_are_masked_or_replaced_on_their_way_out() -> None:
    async with _guarded() as client:
        async with client.post("/chat", json={"message": "hi", "answer": "It is SECRET-a."}) as answer:
            assert await answer.json() == {"reply": "It is [SECRET].", "n": 1}
        async with client.post("/chat", json={"message": "hi", "answer": "My LAWYER."}) as answer:
            assert (answer.status, (await answer.json())["reply"]) == (403, HANDOFF)
        for status in (404, 500):
            body = {"message": "hi", "answer": "no ATTACK", "status": status}
            async with client.post("/chat", json=body) as answer:
                assert (answer.status, (await answer.json())["reply"]) == (status, REPLY)
            async with client.post("/chat", json={**body, "answer": "It broke."}) as answer:
                assert (answer.status, (await answer.json())["reply"]) == (status, "It broke.")


@pytest.mark.parametrize(("options", "shown"), [({"expose": "none"}, None), ({"expose": "action"}, "block")])
async def test_a_customer_is_not_told_which_gate_fired(options: Any, shown: str | None) -> None:
    async with _guarded(**options) as client:
        for path, body in (
            ("/chat", {"message": "ATTACK", "answer": "x"}),
            ("/chat", {"message": "hi", "answer": "an ATTACK"}),
        ):
            async with client.post(path, json=body) as answer:
                text = await answer.text()
                assert answer.headers.get("X-Proctor-Verdict") == shown
                assert REPLY in text
                assert "words" not in text
                assert ("proctor" in text) is (shown is not None)
        async with client.post("/events", json={"message": "hi", "answer": "Fine. An ATTACK. Bye"}) as answer:
            text = await answer.text()
            assert REPLY in text
            assert "an attack" not in text


@table("as_json", [True, False])
@table("hold", ["sentence", "whole"])
async def test_a_stream_of_events_is_held_back_by_sentences(as_json: bool, hold: str) -> None:
    async with _guarded(hold=hold) as client:
        body = {"message": "hi", "answer": "All is well. 日本です。The end", "json": as_json}
        async with client.post("/events", json=body) as answer:
            raw = await answer.text()
        pieces = [body["answer"][at : at + 3] for at in range(0, len(str(body["answer"])), 3)]  # type: ignore[index]
        for piece in pieces:
            assert (json.dumps(piece) if as_json else piece) in raw
        assert raw.startswith(": hello\n\n")
        assert raw.endswith("data: [DONE]\n\n")
        for word in ("SECRET-a", "ATTACK"):
            said = {**body, "answer": f"All is well. Now {word} comes. The end"}
            async with client.post("/events", json=said) as answer:
                lines = (await answer.text()).splitlines()
            data = [line[6:] for line in lines if line.startswith("data: ") and line != "data: [DONE]"]
            text = "".join(json.loads(each)["delta"] for each in data) if as_json else "".join(data)
            assert word not in text
            assert ("[SECRET]" if word == "SECRET-a" else REPLY) in text


@pytest.mark.parametrize("key", ["token", "choices"])
async def test_events_with_their_text_elsewhere_are_read_all_the_same(key: str) -> None:
    async def wrong(request: Request) -> Response:
        data = await request.json()

        async def events() -> AsyncIterator[bytes]:
            yield b'data: {"type": "start", "id": "m-1"}\n\n'
            for at in range(0, len(data["answer"]), 3):
                piece = data["answer"][at : at + 3]
                told = {key: piece} if key == "token" else {key: [{"delta": {"content": piece}}]}
                yield f"data: {json.dumps(told)}\n\n".encode()
            yield b'data: {"type": "end"}\n\n'

        return StreamingResponse(events(), media_type="text/event-stream")

    guard, _ = make_guard()
    app = GuardMiddleware(Starlette(routes=[Path("/chat", wrong, methods=["POST"])]), guard, [Route(path="/chat")])
    async with _served(app) as client:
        for answer in ("Fine. An ATTACK. Bye", "Fine. It is SECRET-a here. Bye"):
            async with client.post("/chat", json={"message": "hi", "answer": answer}) as got:
                lines = [json.loads(line[6:]) for line in (await got.text()).splitlines() if line.startswith("data:")]
            told = "".join(json.dumps(each) for each in lines).replace('"}{"token": "', "")
            text = "".join(_strings_of(lines))
            assert "ATTACK" not in text + told
            assert "SECRET-a" not in text + told
        async with client.post("/chat", json={"message": "hi", "answer": "All is well. Bye"}) as got:
            raw = await got.text()
            assert raw.count("data:") == 8, "nothing is lost of an answer that is let go"
    guard.close()


def _strings_of(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for each in inside for text in _strings_of(each)]


async def test_every_part_of_a_message_and_every_string_beside_an_answer_is_read() -> None:
    async with _guarded() as client:
        for message in (["hi", {"body": "ATTACK"}], {"text": "hi", "note": "ATTACK"}, [["hi", ["ATTACK"]]]):
            async with client.post("/chat", json={"message": message, "answer": "x"}) as got:
                assert got.status == 403, message
        assert SAID == []

    async def two(request: Request) -> Response:
        data = await request.json()
        return JSONResponse({"reply": "Fine.", "debug": data["debug"], "type": "reply"})

    guard, _ = make_guard()
    inner = Starlette(routes=[Path(path, two, methods=["POST"]) for path in ("/chat", "/open")])
    app = GuardMiddleware(inner, guard, [Route(path="/chat"), Route(path="/open", ignore=("/debug",))])
    async with _served(app) as client:
        async with client.post("/chat", json={"message": "hi", "debug": "an ATTACK"}) as got:
            assert (await got.json())["reply"] == REPLY
        async with client.post("/chat", json={"message": "hi", "debug": "SECRET-a"}) as got:
            assert await got.json() == {"reply": "Fine.", "debug": "[SECRET]", "type": "reply"}
        async with client.post("/open", json={"message": "hi", "debug": "an ATTACK"}) as got:
            assert (await got.json())["debug"] == "an ATTACK"
    guard.close()


async def test_a_file_that_the_server_would_send_by_itself_does_not_leave_unread(tmp_path: Any) -> None:
    (tmp_path / "answer.txt").write_text("an ATTACK")
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert "http.response.pathsend" not in scope["extensions"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.pathsend", "path": str(tmp_path / "answer.txt")})

    async def receive() -> Any:
        return {"type": "http.request", "body": b'{"message": "hi"}', "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    guard, _ = make_guard()
    scope = {"type": "http", "method": "POST", "path": "/chat", "headers": []}
    await GuardMiddleware(app, guard, [Route(path="/chat")])(
        {**scope, "extensions": {"http.response.pathsend": {}}}, receive, send
    )
    assert not any(message["type"] == "http.response.pathsend" for message in sent)
    guard.close()


async def test_a_plain_stream_passes_byte_for_byte_or_is_masked() -> None:
    async with _guarded() as client:
        for answer, told in (
            ("日本語です。All is well. é", "日本語です。All is well. é"),
            ("日本。It is SECRET-a. Bye", "日本。It is [SECRET]. Bye"),
            ("Fine. An ATTACK. Bye", f"Fine. \n\n{REPLY}"),
        ):
            async with client.post("/plain", json={"message": "hi", "answer": answer}) as got:
                assert await got.text() == told


async def test_what_is_not_where_it_should_be_is_looked_at_all_the_same() -> None:
    async with _guarded() as client:
        for answer, told in (("<p>Fine</p>", "<p>Fine</p>"), ("<p>ATTACK</p>", None), ("<p>SECRET-a</p>", None)):
            async with client.post("/odd", json={"message": "hi", "answer": answer}) as got:
                text = await got.text()
                assert text == told if told else json.loads(text)["reply"]
                assert "ATTACK" not in text
        async with client.post("/chat", json={"massage": "ATTACK", "answer": ""}) as got:
            assert got.status == 400
            assert "/message" in (await got.json())["error"]["message"]
        async with client.post("/chat", data=b"{") as got:
            assert got.status == 400
        assert SAID == []


async def test_pointers_lead_into_lists_and_what_is_not_guarded_passes() -> None:
    async with _guarded() as client:
        talk = [{"content": "a SECRET-a"}, {"content": [{"type": "text", "text": "SECRET-b"}]}]
        async with client.post("/nested", json={"messages": talk, "answer": "x"}) as answer:
            assert answer.status == 200
        assert SAID[-1]["messages"] == [{"content": "a [SECRET]"}, {"content": [{"type": "text", "text": "[SECRET]"}]}]
        async with client.post("/nested", json={"messages": [{"content": "ATTACK"}]}) as answer:
            assert (await answer.json())["out"] == [{"text": REPLY}]
        async with client.post("/free", data=b"ATTACK") as answer:
            assert await answer.text() == "ATTACK"
        async with client.get("/chat") as answer:
            assert answer.status == 500  # the application's own trouble with an empty body


async def test_a_body_that_is_too_large_is_refused() -> None:
    async with _guarded(most_bytes=1000) as client, client.post("/chat", json={"message": "x" * 2000}) as answer:
        assert answer.status == 413


async def test_what_packs_answers_belongs_outside_and_that_is_said() -> None:
    body = {"message": "hi", "answer": "It is SECRET-a. " * 9}
    packing = Middleware(GZipMiddleware, minimum_size=10)
    async with _guarded(packing) as client, client.post("/chat", json=body) as answer:
        assert answer.status == 200
        assert "SECRET-" not in await answer.text()
    guard, _ = make_guard()
    inner = Starlette(routes=[Path("/chat", _chat, methods=["POST"])], middleware=[packing])
    app = GuardMiddleware(inner, guard, [Route(path="/chat")])
    async with _served(app) as client, client.post("/chat", json=body) as answer:
        assert answer.status == 500
        assert "packed" in await answer.text()
    guard.close()


def test_a_pointer_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with /"):
        Route(path="/chat", text="message")


@pytest.mark.parametrize("name", ["a\r\nb", "x" * 257])
async def test_a_session_has_a_short_name_that_can_be_printed(name: str) -> None:
    async with _guarded() as client:
        async with client.post("/chat", json={"message": "hi", "answer": "Hello.", "session": name}) as answer:
            assert answer.status == 400
            assert "session" in (await answer.json())["error"]["message"]
        assert SAID == []
