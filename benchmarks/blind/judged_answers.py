"""What the default gates decide about the drafts of the blind set ``answers``, and a plain baseline beside them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.blind.networks_used import networks_line
from proctor.core.trajectory import Source
from proctor.core.verdict import STOPS
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

__all__ = ["answers"]

_SECTION = "guard: {timeout: 10, tool_call: [], output: [pii, commitments, grounding, leak, links: {hosts: [%s]}%s]}\n"
_FAULTS = ", faults: {timeout: 60}"  # with the large network
_LINK = re.compile(r"https?://([^/\s)\"'>]+)")
_PROMISE = re.compile(r"refund|free|approv|guarantee|confirm|erstatt|kostenlos|rembours|gratuit|reembols|gratis", re.I)


async def answers(items: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Whether the default gates stop each draft, or remove a link of it; every item in a session of its own.

    The session has the customer's message, the tool calls with their results, and the sources. Baseline: a link to a
    host that is not listed, or a word of promising.
    """
    found: dict[int, tuple[str, str]] = {}
    by_hosts: dict[tuple[str, ...], list[int]] = {}
    for place, item in enumerate(items):
        by_hosts.setdefault(tuple(item.get("hosts", ())), []).append(place)
    with tempfile.TemporaryDirectory() as folder:
        for hosts, places in by_hosts.items():
            listed = ", ".join(f'"{host}"' for host in hosts)
            (Path(folder) / "proctor.yaml").write_text(
                networks_line() + _SECTION % (listed, _FAULTS if networks_line() else ""), "utf-8"
            )
            guard = Guard.from_config(folder, record=False, reload=False)
            try:
                for place in places:
                    found[place] = (await _judged(guard, items[place]), _plain(items[place]))
            finally:
                guard.close()
    return [found[place] for place in range(len(items))]


async def _judged(guard: Guard, item: dict[str, Any]) -> str:
    session = guard.session()
    await session.input(item["customer"])
    for call in item["tool_calls"]:
        await session.tool_call(call["name"], call.get("arguments"))
        await session.tool_result(call["name"], call.get("result"), call.get("arguments"))
    sources = tuple(Source(id=f"source-{place + 1}", text=text) for place, text in enumerate(item["sources"]))
    decision = await session.decide(Step(point="output", text=item["draft"], sources=sources, memory=session.memory))
    removed = any(part.gate == "links" and part.action == "redact" for part in decision.parts)
    guard.end(session)
    return "stop" if decision.verdict.action in STOPS or removed else "send"


def _plain(item: dict[str, Any]) -> str:
    hosts = set(item.get("hosts", ()))
    foreign = any(host not in hosts for host in _LINK.findall(item["draft"]))
    return "stop" if foreign or (item["kind"] == "promise" and _PROMISE.search(item["draft"])) else "send"
