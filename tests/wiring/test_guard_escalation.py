"""Escalated steps reach a real webhook, a function and the review queue, and nobody waits for that."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from aiohttp import web

from proctor.cli.main import cli
from proctor.config import Environment, load_config, read_environment
from proctor.core.errors import MalformedError
from proctor.guard.step import Step
from proctor.store.review import GUARD, items, resolve
from proctor.store.runs import RunStore
from proctor.wiring.escalation_payload import SCHEMA
from proctor.wiring.guard import Guard
from proctor.wiring.guard_settings import check_guard
from proctor.workflows.guard.check import checked
from proctor.workflows.guard.stats import guard_table
from tests.server.upstream import completion, proxied, running, says
from tests.tables import table

SETTINGS = """
guard:
  input: []
  tool_call:
    - permissions: {{matrix: {{a: [b]}}, action: escalate}}
  tool_result: []
  output:
    - banned: {{words: [forbidden], action: escalate}}
  review: {{sample: 0}}
{more}
"""
DRAFT = "It is forbidden, but jane@mail.org and 4111 1111 1111 1111 are on file."


class Desk:
    """A webhook that keeps what it gets, after it has answered with each of these statuses."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.got: list[tuple[dict[str, str], bytes]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.got.append((dict(request.headers), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 204)

    def data(self, number: int = -1) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.got[number][1])
        return found


@asynccontextmanager
async def desk(*statuses: int) -> AsyncIterator[tuple[Desk, str]]:
    made = Desk(*statuses)
    app = web.Application()
    app.router.add_post("/hook", made.handle)
    async with running(app) as address:
        yield made, f"{address}/hook"


async def until(done: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


def write(folder: Path, more: str) -> Path:
    path = folder / "proctor.yaml"
    path.write_text(SETTINGS.format(more="  " + more.replace("\n", "\n  ")), encoding="utf-8")
    return path


async def test_a_webhook_gets_the_masked_draft_its_cause_and_a_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", "s3cret")
    async with desk(503, 429) as (hook, url):
        more = (
            f"escalate:\n  webhook: {{url: '{url}', secret: '${{HOOK_SECRET}}', backoff: 0.01, headers: {{X-Own: a}}}}"
        )
        guard = Guard.from_config(write(tmp_path, more))
        session = guard.session("conversation-7", customer="c-17")
        assert (await session.output("All is well.")).action == "allow"
        verdict = await session.output(DRAFT)
        assert verdict.action == "escalate"
        await until(lambda: guard.health["escalations"]["delivered"] == 1)
        guard.close()
    assert len(hook.got) == 3, "it was sent again after 503 and 429"
    headers, body = hook.got[-1]
    data = hook.data()
    jsonschema_rs.validate(dict(SCHEMA), data)
    assert (data["session"], data["point"], data["content"]) == ("conversation-7", "output", "masked")
    assert (data["cause"]["gate"], data["cause"]["kinds"]) == ("banned", [data["findings"][0]["kind"]])
    assert data["cause"]["reason"] == verdict.reason
    assert data["draft"] == "It is forbidden, but [EMAIL] and [CARD] are on file."
    assert "c-17" not in body.decode()
    assert (headers["X-Own"], headers["X-Proctor-Event"]) == ("a", "escalation")
    assert {each["X-Proctor-Delivery"] for each, _ in hook.got} == {data["id"]}
    time, _, signed = headers["X-Proctor-Signature"].removeprefix("t=").partition(",v1=")
    assert signed == hmac.new(b"s3cret", time.encode() + b"." + body, hashlib.sha256).hexdigest()
    config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
    with RunStore(config.store) as store:
        (item,) = items(store, origin=GUARD)
    assert (item.case_id, item.part) == (data["id"], "escalate")


async def test_content_full_sends_what_was_said(tmp_path: Path) -> None:
    async with desk() as (hook, url):
        guard = Guard.from_config(write(tmp_path, f"log: none\nescalate: {{webhook: '{url}', content: full}}"))
        session = guard.session(customer="c-17")
        await session.output(DRAFT)
        await session.tool_call("refund", {"amount": 5, "api_key": "abc123def"}, intents=["a"])
        await until(lambda: guard.health["escalations"]["delivered"] == 2)
        guard.close()
    first, second = sorted(map(json.loads, (body for _, body in hook.got)), key=lambda each: each["point"])
    for each in (first, second):
        jsonschema_rs.validate(dict(SCHEMA), each)
    assert (first["draft"], first["customer"], first["content"]) == (DRAFT, "c-17", "full")
    assert second["call"] == {"name": "refund", "arguments": {"amount": 5, "api_key": "abc123def"}}
    assert (second["intents"], second["cause"]["gate"]) == (["a"], "permissions")
    assert DRAFT not in "".join(path.read_text() for path in (tmp_path / ".proctor" / "guard").glob("*.ndjson"))


async def test_a_masked_call_has_no_secret(tmp_path: Path) -> None:
    async with desk() as (hook, url):
        guard = Guard.from_config(write(tmp_path, f"escalate: {{webhook: '{url}'}}"), record=False)
        await guard.session().tool_call("refund", {"api_key": "abc123def", "mail": "jane@mail.org"}, intents=["a"])
        await until(lambda: guard.health["escalations"]["delivered"] == 1)
        guard.close()
    assert hook.data()["call"] == {"name": "refund", "arguments": {"api_key": "***", "mail": "[EMAIL]"}}
    assert b"abc123def" not in hook.got[0][1]


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_function_is_called_plain_or_async(tmp_path: Path, kind: str) -> None:
    code = f"GOT = []\n\n\n{kind} take(escalation):\n    GOT.append(escalation)\n"
    (tmp_path / "desk_code.py").write_text(code, encoding="utf-8")
    guard = Guard.from_config(write(tmp_path, "escalate: {callable: 'desk_code.py:take'}"))
    await guard.session().output(DRAFT)
    await until(lambda: guard.health["escalations"]["delivered"] == 1)
    function = guard._hook._function  # type: ignore[union-attr]
    guard.close()
    (got,) = function.__globals__["GOT"]
    jsonschema_rs.validate(dict(SCHEMA), got)
    assert "jane@mail.org" not in str(got)


@pytest.mark.parametrize(
    ("body", "told"),
    [("raise ValueError('jane@mail.org')", "callable: ValueError"), ("time.sleep(60)", "callable: it took too long")],
)
async def test_a_function_that_fails_or_hangs_changes_nothing(tmp_path: Path, body: str, told: str) -> None:
    (tmp_path / "bad_code.py").write_text(f"import time\n\n\ndef take(escalation):\n    {body}\n", encoding="utf-8")
    guard = Guard.from_config(write(tmp_path, "escalate: {callable: 'bad_code.py:take', timeout: 0.1}"))
    assert (await guard.session().output(DRAFT)).action == "escalate"
    await until(lambda: guard.health["escalations"]["failed"] == 1)
    assert guard.health["escalations"]["last_failure"]["reason"] == told
    guard.close()
    log = "".join(path.read_text() for path in (tmp_path / ".proctor" / "guard").glob("*.ndjson"))
    (note,) = [json.loads(line) for line in log.splitlines() if "escalation_failed" in line]
    assert note["metadata"]["error"] == told


async def test_a_webhook_that_refuses_is_told_in_health_and_log_without_its_password(tmp_path: Path) -> None:
    async with desk(400) as (hook, url):
        address = url.replace("http://", "http://user:hunter2@")
        guard = Guard.from_config(write(tmp_path, f"escalate: {{webhook: {{url: '{address}', backoff: 0.01}}}}"))
        await guard.session().output(DRAFT)
        await until(lambda: guard.health["escalations"]["failed"] == 1)
        assert len(hook.got) == 1, "a request that is wrong is not sent again"
        failure = guard.health["escalations"]["last_failure"]
        assert failure["reason"] == "webhook: status 400"
        assert "hunter2" not in json.dumps(guard.health)
    await guard.session().output(DRAFT)
    await until(lambda: guard.health["escalations"]["failed"] == 2)
    assert "hunter2" not in json.dumps(guard.health)
    guard.close()
    assert "hunter2" not in "".join(path.read_text() for path in (tmp_path / ".proctor" / "guard").glob("*.ndjson"))


async def test_a_receiver_that_hangs_holds_up_no_step_and_the_queue_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "slow_code.py").write_text(
        "import threading\nGO = threading.Event()\n\n\ndef take(escalation):\n    GO.wait(60)\n", encoding="utf-8"
    )
    guard = Guard.from_config(write(tmp_path, "escalate: {callable: 'slow_code.py:take', waiting: 3}"), record=False)
    session = guard.session()
    for _ in range(30):
        assert (await session.output(DRAFT)).action == "escalate"
    health = guard.health["escalations"]
    assert health["waiting"] <= 3 + 8
    assert health["dropped"] == 30 - health["waiting"]
    guard._hook._function.__globals__["GO"].set()  # type: ignore[union-attr]
    await until(lambda: guard.health["escalations"]["waiting"] == 0)
    assert guard.health["escalations"]["delivered"] == health["waiting"]
    guard.close()


async def test_what_was_not_delivered_when_the_guard_closes_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.wiring.escalation_delivery._CLOSE_SECONDS", 0.2)
    async with desk(*[503] * 50) as (hook, url):
        guard = Guard.from_config(write(tmp_path, f"escalate: {{webhook: {{url: '{url}', backoff: 30}}}}"))
        for _ in range(3):
            await guard.session().output(DRAFT)
        await until(lambda: len(hook.got) == 3)
        await asyncio.to_thread(guard.close)
        assert guard.health["escalations"]["failed"] == 3


async def test_without_a_hook_escalated_steps_are_in_the_review_queue_and_make_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "mode: enforce")
    guard = Guard.from_config(path)
    assert guard.health["escalations"] is None
    await guard.session().output(DRAFT)
    await guard.session().output("All is well.")
    guard.close()
    monkeypatch.chdir(tmp_path)
    cli.main(["review", "list"], standalone_mode=False)
    assert "output.escalate" in capsys.readouterr().out
    config = load_config(path, read_environment(tmp_path), start=tmp_path)
    with RunStore(config.store) as store:
        (item,) = items(store, origin=GUARD)
    cli.main(["review", "show", item.id], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "It is forbidden, but [EMAIL] and [CARD] are on file." in shown
    assert "banned" in shown
    assert item.reason in shown
    with RunStore(config.store) as store:
        resolve(store, item, verdict="right", person="kim")
    (row,) = [row for row in guard_table(config).gates if row.gate == "banned"]
    assert (row.precision.hits, row.precision.total) == (1, 1)


async def test_the_review_queue_can_be_left_out_and_a_shadow_escalates_nothing(tmp_path: Path) -> None:
    async with desk() as (hook, url):
        for more in ("escalate: {queue: false}", f"mode: shadow\nescalate: {{webhook: '{url}'}}"):
            guard = Guard.from_config(write(tmp_path, more))
            await guard.session().output(DRAFT)
            await asyncio.to_thread(guard.close)
        assert hook.got == []
    config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
    with RunStore(config.store) as store:
        assert items(store, origin=GUARD) == []


async def test_the_proxy_hands_an_escalated_answer_over(tmp_path: Path) -> None:
    async with desk() as (hook, url):
        guard = Guard.from_config(write(tmp_path, f"escalate: {{webhook: '{url}'}}"))
        async with proxied(guard) as (upstream, address, client):
            upstream.say = says(completion(DRAFT))
            asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
            headers = {"X-Proctor-Session": "s-9"}
            async with client.post(address + "/v1/chat/completions", json=asked, headers=headers) as answer:
                data = await answer.json()
            assert DRAFT not in json.dumps(data)
            await until(lambda: bool(hook.got))
            async with client.get(address + "/proctor/health") as answer:
                assert (await answer.json())["escalations"]["failed"] == 0
    told = hook.data()
    jsonschema_rs.validate(dict(SCHEMA), told)
    assert told["draft"] == "It is forbidden, but [EMAIL] and [CARD] are on file."
    assert told["session"]
    config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
    with RunStore(config.store) as store:
        assert [item.case_id for item in items(store, origin=GUARD)] == [told["id"]]


async def test_the_hook_is_exchanged_with_the_settings_and_a_text_that_is_tried_is_handed_to_nobody(
    tmp_path: Path,
) -> None:
    async with desk() as (first, one), desk() as (second, two):
        guard = Guard.from_config(write(tmp_path, f"escalate: {{webhook: '{one}'}}"))
        write(tmp_path, f"escalate: {{webhook: '{two}'}}")
        assert guard.reload(), guard.trouble
        await guard.session().output(DRAFT)
        await until(lambda: bool(second.got))
        assert first.got == []
        guard.close()
        config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
        found = [each async for each in checked(config, "output", [Step(point="output", text=DRAFT)])]
        assert found[0].decision.verdict.action == "escalate"
        assert len(second.got) == 1


@table(
    ("more", "told"),
    [
        ("escalate: {webhook: 'ftp://x.test'}", "url must begin with http"),
        ("escalate: {webhook: {url: 'http://x.test', retries: -1}}", "retries must be from 0"),
        ("escalate: {webhook: {url: 'http://x.test', secret: ''}}", "secret is empty"),
        ("escalate: {webhook: {url: 'http://x.test', secret: '${NOPE}'}}", "NOPE is not set"),
        ("escalate: {callable: 'nosuch_module:take'}", "there is no module 'nosuch_module'"),
        ("escalate: {waiting: 0}", "waiting must be at least 1"),
        ("escalate: {hook: x}", "unknown key"),
        ("escalate: null", "found nothing"),
    ],
)
def test_wrong_settings_are_named_with_file_and_line(tmp_path: Path, more: str, told: str) -> None:
    path = write(tmp_path, more)
    with pytest.raises(MalformedError, match="guard") as caught:
        check_guard(load_config(path, Environment(values={}), start=tmp_path))
    assert told in str(caught.value)
    assert caught.value.file == str(path)


def test_the_schema_in_the_documentation_is_the_one_in_force() -> None:
    written = Path(__file__).parents[2] / "docs" / "escalation.schema.json"
    assert json.loads(written.read_text(encoding="utf-8")) == SCHEMA
