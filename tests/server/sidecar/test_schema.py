"""Contract: every string field of the sidecar's questions is judged, or named as exempt."""

from __future__ import annotations

import aiohttp

from proctor.server.sidecar.app import make_app
from proctor.server.sidecar.requests import QUESTIONS
from tests.server.attack_fields import make_attack_guard
from tests.server.schema_walk import Exempt, attacks
from tests.server.upstream import running

_CALLER = "the caller writes it for the record; no model reads it"
_ID = "names the conversation, the customer or the call"
EXEMPT = {
    "*.session": _ID,
    "*.customer": _ID,
    "*.id": _ID,
    "*.metadata": _CALLER,
    "tool_call.intents": "what the caller takes the customer to want; permissions are looked up by it",
    "tool_result.name": "the tool was judged by its name when it was called",
    "tool_result.arguments": "they were judged when the tool was called",
    "output.section": "names a section of the settings",
    "output.sources*": "what the draft is compared with; it was judged as a tool result or is the caller's own",
}


async def test_every_string_of_a_question_is_judged() -> None:
    exempt = Exempt(EXEMPT)
    guard = make_attack_guard()
    passed: list[str] = []
    count = 0
    async with running(make_app(guard)) as address, aiohttp.ClientSession(address) as client:
        for point, kind in QUESTIONS.items():
            for path, asked in attacks(kind, exempt, point):
                count += 1
                async with client.post(f"/v1/{point}", json=asked) as answer:
                    assert answer.status in (200, 400), (path, await answer.text())
                    if answer.status == 200 and (await answer.json())["action"] != "block":
                        passed.append(path)
    guard.close()
    assert not passed, "\n".join(passed)
    assert count > 5
    assert exempt.stale == set()
