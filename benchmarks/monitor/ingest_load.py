"""Load for the ingest benchmark: OTLP exports with realistic spans, turns as NDJSON, and senders that wait."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

__all__ = ["Sent", "otlp_exports", "send_all", "turn_exports"]

SPANS_OF_EXPORT = 500
TURNS_OF_EXPORT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What some senders got: seconds until the last acknowledgement, and answers that were not 200."""

    seconds: float
    refused: int


def otlp_exports(count: int, *, per_trace: int, seed: int) -> list[bytes]:
    """Return exports of 500 spans with 16 attributes each, as protobuf; traces are whole within an export."""
    chance = random.Random(seed)
    return [_export(chance, per_trace) for _ in range(count)]


def _export(chance: random.Random, per_trace: int) -> bytes:
    request = ExportTraceServiceRequest()
    bundle = request.resource_spans.add()
    _set(bundle.resource.attributes, {"service.name": "desk", "telemetry.sdk.language": "python"})
    scope = bundle.scope_spans.add()
    now = time.time_ns()
    for _ in range(SPANS_OF_EXPORT // per_trace):
        trace, top = chance.randbytes(16), chance.randbytes(8)
        order, session = f"A-{chance.randrange(10**6)}", f"s-{chance.randrange(10**12)}"
        for at in range(per_trace):
            is_root = at == 0 and per_trace > 1
            span = scope.spans.add(
                trace_id=trace,
                span_id=top if is_root else chance.randbytes(8),
                parent_span_id=b"" if is_root or per_trace == 1 else top,
                start_time_unix_nano=now + at * 10_000_000,
                end_time_unix_nano=now + at * 10_000_000 + 9_000_000,
                name="handle" if is_root else "chat" if at % 3 == 1 or per_trace == 1 else "execute_tool",
            )
            _set(span.attributes, _root(session) if is_root else _step(span.name, session, order))
    return bytes(request.SerializeToString())


def _root(session: str) -> dict[str, Any]:
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk", "gen_ai.conversation.id": session}
    return {
        **about,
        "user.id": "c-1",
        "service.version": "7",
        **{f"app.setting.{n}": "a value of it" for n in range(11)},
    }


def _step(name: str, session: str, order: str) -> dict[str, Any]:
    shared = {
        "gen_ai.conversation.id": session,
        "gen_ai.agent.name": "desk",
        "gen_ai.provider.name": "openai",
        "server.address": "api.example.com",
        "server.port": 443,
    }
    if name != "chat":
        return {
            **shared,
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find_order",
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": "call_1",
            "gen_ai.tool.call.arguments": json.dumps({"order": order}),
            "gen_ai.tool.call.result": json.dumps({"status": "packed", "carrier": "post", "days": 2}),
            **{f"app.detail.{n}": "a value of it" for n in range(5)},
        }
    asked = f"Hello, I ordered {order} ten days ago and it has not arrived. Can you tell me where it is?"
    answer = "Thank you for waiting. Your parcel was packed today, and the post delivers it within two days."
    return {
        **shared,
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.request.max_tokens": 300,
        "gen_ai.usage.input_tokens": 210,
        "gen_ai.usage.output_tokens": 24,
        "gen_ai.input.messages": _messages("user", asked),
        "gen_ai.output.messages": _messages("assistant", answer),
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "You help the customers of a shop."}]),
        "gen_ai.request.temperature": 0.2,
    }


def _messages(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _set(target: Any, attributes: dict[str, Any]) -> None:
    for key, value in attributes.items():
        pair = target.add(key=key)
        if isinstance(value, int):
            pair.value.int_value = value
        elif isinstance(value, float):
            pair.value.double_value = value
        else:
            pair.value.string_value = value


def turn_exports(count: int, *, seed: int) -> list[bytes]:
    """Return requests of 500 turns as NDJSON, 1.3 KB each."""
    chance = random.Random(seed)
    return [b"\n".join(_turn(chance) for _ in range(TURNS_OF_EXPORT)) for _ in range(count)]


def _turn(chance: random.Random) -> bytes:
    order = f"A-{chance.randrange(10**6)}"
    messages = [
        {"role": "user", "content": f"Hello, where is my order {order}? I have waited for ten days now. " * 3},
        {"role": "assistant", "content": "Thank you for waiting. It was packed today and arrives in two days. " * 5},
    ]
    call = {"name": "find_order", "arguments": {"order": order}, "id": "call_1", "result": {"status": "packed"}}
    turn = {
        "messages": messages,
        "intents": [{"name": "order_status", "confidence": 0.91}],
        "tool_calls": [call],
        "confidence": 0.91,
        "latency": round(chance.lognormvariate(0, 0.5), 3),
        "usage": {"input": 412, "output": 88},
        "cost": 0.0004,
    }
    event = {
        "kind": "turn",
        "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "id": f"{chance.getrandbits(128):032x}",
        "session": f"s-{chance.randrange(10**9)}",
        "customer": f"c-{chance.randrange(10**6)}",
        "intent": "order_status",
        "model": "gpt-4o-mini-2024-07-18",
        "version": "prompt-7",
        "turn": turn,
    }
    return json.dumps(event).encode()


def send_all(port: int, path: str, kind: str, bodies: Sequence[bytes], *, senders: int = 4) -> Sent:
    """Send bodies over some connections; one that is asked to wait sends again."""
    left = list(reversed(bodies))
    lock = threading.Lock()
    refused = 0

    def run() -> None:
        nonlocal refused
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        while True:
            with lock:
                if not left:
                    break
                body = left.pop()
            while True:
                connection.request("POST", path, body, {"Content-Type": kind})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    break
                refused += 1
                time.sleep(0.2)
        connection.close()

    started = time.monotonic()
    threads = [threading.Thread(target=run) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Sent(seconds=time.monotonic() - started, refused=refused)
