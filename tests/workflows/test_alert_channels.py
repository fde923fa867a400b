"""Messages about alerts at real receivers: an HTTP server that checks every field, an SMTP server, Alertmanager."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default as mail_policy
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema_rs
import pytest
from aiohttp import web
from aiosmtpd.controller import Controller

from proctor.config import Config, load_config, read_environment
from proctor.core.alert_record import AlertChange, AlertRecord, MovedSlice, Silence
from proctor.core.event import Alert
from proctor.project import Project
from proctor.store.alert_spool import AlertSpool
from proctor.store.alert_state import AlertState
from proctor.store.runs import RunStore
from proctor.wiring.alert_settings import alert_settings_of
from proctor.workflows.alert_channels import AlertNotifier
from proctor.workflows.alert_test import send_tests
from proctor.workflows.alerts import send_alert, webhook_of

NOW = 1_763_000_000.0
TEXT = {"type": "string"}
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
TEXTS = {"type": "object", "additionalProperties": TEXT}
ENVELOPE = {
    "type": "object",
    "required": [
        "version", "groupKey", "truncatedAlerts", "status", "receiver", "groupLabels", "commonLabels",
        "commonAnnotations", "externalURL", "alerts",
    ],
    "properties": {
        "version": {"const": "4"},
        "groupKey": TEXT,
        "truncatedAlerts": {"type": "integer"},
        "status": {"enum": ["firing", "resolved"]},
        "groupLabels": TEXTS,
        "commonLabels": TEXTS,
        "commonAnnotations": TEXTS,
        "alerts": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["status", "labels", "annotations", "startsAt", "endsAt", "generatorURL", "fingerprint"],
                "properties": {
                    "status": {"enum": ["firing", "resolved"]},
                    "labels": {**TEXTS, "required": ["alertname", "severity"]},
                    "annotations": {**TEXTS, "required": ["summary"]},
                    "startsAt": TIME,
                    "endsAt": TIME,
                    "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
                },
            },
        },
    },
}  # fmt: skip
PLAIN = {
    "type": "object",
    "properties": {"type": {"const": "plain_text"}, "text": {"type": "string", "maxLength": 150}},
}
MARKED = {"type": "object", "properties": {"type": {"const": "mrkdwn"}, "text": {"type": "string", "maxLength": 3000}}}
SLACK = {
    "type": "object",
    "required": ["text", "blocks"],
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "minLength": 1},
        "blocks": {
            "type": "array",
            "maxItems": 50,
            "items": {
                "oneOf": [
                    {"properties": {"type": {"const": "header"}, "text": PLAIN}, "required": ["type", "text"]},
                    {"properties": {"type": {"const": "section"}, "text": MARKED}, "required": ["type", "text"]},
                    {"properties": {"type": {"const": "context"}}, "required": ["type", "elements"]},
                ]
            },
        },
    },
}
PAGERDUTY = {
    "type": "object",
    "required": ["routing_key", "event_action", "dedup_key"],
    "properties": {
        "routing_key": {"type": "string", "minLength": 32, "maxLength": 32},
        "event_action": {"enum": ["trigger", "acknowledge", "resolve"]},
        "dedup_key": {"type": "string", "maxLength": 255},
        "payload": {
            "type": "object",
            "required": ["summary", "source", "severity"],
            "properties": {
                "summary": {"type": "string", "maxLength": 1024},
                "severity": {"enum": ["critical", "error", "warning", "info"]},
                "timestamp": TIME,
                "custom_details": {"type": "object"},
            },
        },
    },
    "if": {"properties": {"event_action": {"const": "trigger"}}},
    "then": {"required": ["payload"]},
}


def alert(**changes: Any) -> AlertRecord:
    made = AlertRecord(
        number=7,
        fingerprint="0123456789abcdef",
        rule="hallucination",
        kind="rate",
        tier="critical",
        message="score/grounded: 40 of 422 (9.5 %) <@everyone>",
        started=NOW - 240,
        fired=NOW,
        updated=NOW,
        window_start=NOW - 240,
        window_end=NOW,
        bad=40,
        events=422,
        value=0.095,
        baseline=0.02,
        statistic=12.1,
        threshold=11.9,
        examples=("session-1", "session-2"),
        moved=(MovedSlice(dimension="version", value="v2", bad=30, events=200, expected=4.1, evidence=9.0),),
    )
    return replace(made, **changes)


class Receiver:
    """An HTTP server that checks what it gets against a schema, and can be down for a while."""

    def __init__(self) -> None:
        self.got: dict[str, list[Any]] = {}
        self.wrong: list[str] = []
        self.status = 0  # what to answer instead, if not 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        if self.status:
            return web.Response(status=self.status)
        body = await request.json()
        name = request.path.strip("/")
        schemas: dict[str, dict[str, Any]] = {"hook": ENVELOPE, "slack": SLACK, "pagerduty": PAGERDUTY}
        schema = schemas.get(name)
        if schema is not None:
            self.wrong += [each.message for each in jsonschema_rs.validator_for(schema).iter_errors(body)]
        self.got.setdefault(name, []).append(body)
        return web.Response(status=202 if name == "pagerduty" else 200, text="ok")


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver()
    app = web.Application()
    app.router.add_post("/{name:.+}", made.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    made.url = f"http://127.0.0.1:{port}"
    yield made
    await runner.cleanup()


def config_of(folder: Path, text: str) -> Config:
    (folder / "proctor.yaml").write_text(text)
    return load_config(folder / "proctor.yaml", read_environment(folder), start=folder)


class Setup:
    """A notifier with a real state, spool and pool."""

    def __init__(self, config: Config) -> None:
        self.project = Project(config)
        self.state = AlertState(config.store)
        self.spool = AlertSpool(config.store)
        self.notifier = AlertNotifier(alert_settings_of(config), self.state, self.spool, self.project.http)

    async def __aenter__(self) -> Setup:
        await self.project.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        self.state.close()
        await self.project.__aexit__(None, None, None)


def http_channels(url: str) -> str:
    return f"""
alerts:
  url: https://proctor.example
  channels:
    hook: {{webhook: {{url: "{url}/hook", headers: {{X-Token: abc}}}}}}
    desk: {{slack: "{url}/slack"}}
    pager: {{pagerduty: {{key: {"k" * 32}, url: "{url}/pagerduty"}}}}
"""


async def test_every_http_channel_gets_its_shape_for_a_fire_and_its_end(tmp_path: Path, receiver: Receiver) -> None:
    async with Setup(config_of(tmp_path, http_channels(receiver.url))) as setup:
        setup.notifier.say([AlertChange(kind="fired", alert=alert())], NOW)
        assert [each.delivered for each in await setup.notifier.flush(NOW)] == [True] * 3
        ended = alert(resolved=NOW + 60, state="resolved")
        setup.notifier.say([AlertChange(kind="resolved", alert=ended)], NOW + 60)
        await setup.notifier.flush(NOW + 60)
        assert setup.spool.waiting() == []
    assert receiver.wrong == []
    first, last = receiver.got["hook"]
    assert (first["status"], last["status"]) == ("firing", "resolved")
    assert first["alerts"][0]["labels"] == last["alerts"][0]["labels"]
    assert first["alerts"][0]["details"]["examples"] == ["session-1", "session-2"]
    assert first["alerts"][0]["generatorURL"] == "https://proctor.example/ui/alerts/7"
    page, end = receiver.got["pagerduty"]
    assert (page["event_action"], end["event_action"]) == ("trigger", "resolve")
    assert page["dedup_key"] == end["dedup_key"] == "0123456789abcdef"
    message = receiver.got["slack"][0]
    read_as_markup = message["text"] + message["blocks"][1]["text"]["text"]  # a header is plain text
    assert "<@everyone>" not in read_as_markup  # nobody is called by a text of an alert


async def test_a_receiver_that_is_down_gets_the_message_later_also_from_another_process(
    tmp_path: Path, receiver: Receiver
) -> None:
    config = config_of(tmp_path, f'alerts: {{channels: {{desk: {{slack: "{receiver.url}/slack"}}}}}}\n')
    receiver.status = 503
    async with Setup(config) as setup:
        setup.notifier.say([AlertChange(kind="fired", alert=alert())], NOW)
        setup.notifier.say([AlertChange(kind="resolved", alert=alert(resolved=NOW + 1))], NOW + 1)
        results = await setup.notifier.flush(NOW + 1)
        assert [each.delivered for each in results] == [False]  # the second waits behind the first
        assert await setup.notifier.flush(NOW + 2) == []  # not at once again
    receiver.status = 0
    async with Setup(config) as setup:
        assert [each.delivered for each in await setup.notifier.flush(NOW + 3600)] == [True, True]
        assert setup.spool.waiting() == []
    texts = [each["text"] for each in receiver.got["slack"]]
    assert texts[0].startswith("[FIRING 1]")
    assert texts[1].startswith("[RESOLVED 1]")


async def test_a_message_that_is_refused_is_given_up_and_visible(tmp_path: Path, receiver: Receiver) -> None:
    receiver.status = 400
    config = config_of(tmp_path, f'alerts: {{channels: {{desk: {{slack: "{receiver.url}/slack"}}}}}}\n')
    async with Setup(config) as setup:
        setup.notifier.say([AlertChange(kind="fired", alert=alert())], NOW)
        await setup.notifier.flush(NOW)
        assert setup.spool.waiting() == []
        assert [each.failure for each in setup.spool.dead()] == ["Slack answered with status 400"]


async def test_alerts_of_one_rule_are_one_message(tmp_path: Path, receiver: Receiver) -> None:
    async with Setup(config_of(tmp_path, http_channels(receiver.url))) as setup:
        slices = [alert(slice={"intent": name}, fingerprint=f"{name:0>16}") for name in ("1", "2", "3")]
        setup.notifier.say([AlertChange(kind="fired", alert=each) for each in slices], NOW)
        await setup.notifier.flush(NOW)
    assert receiver.wrong == []
    assert [len(each["alerts"]) for each in receiver.got["hook"]] == [3]
    assert len(receiver.got["slack"]) == 1
    assert len(receiver.got["pagerduty"]) == 3  # an incident each, as its API wants


async def test_tiers_wait_for_the_day_and_the_week(tmp_path: Path, receiver: Receiver) -> None:
    async with Setup(config_of(tmp_path, http_channels(receiver.url))) as setup:
        monday = 1_762_732_800.0 + 9 * 3600  # 2025-11-10 09:00 UTC
        for tier, name in (("high", "a"), ("medium", "b"), ("low", "c")):
            made, new = setup.state.open_alert(
                alert(tier=tier, rule=name, fingerprint=f"{name:0>16}", fired=monday - 100), again_within=0
            )
            assert new
            assert setup.notifier.say([AlertChange(kind="fired", alert=made)], monday - 100) == 0  # nothing at once
        setup.state.add_silence(Silence(match={"rule": "c"}, until=monday + 10_000))
        assert setup.notifier.summarise(monday - 3600) == 0
        assert setup.notifier.summarise(monday) == 4  # a day's and a week's, to two channels that people read
        assert setup.notifier.summarise(monday + 60) == 0
        assert setup.notifier.summarise(monday + 86_400) == 2  # the one that is still open
        await setup.notifier.flush(monday + 86_400)
    assert receiver.wrong == []
    titles = [each["commonAnnotations"]["title"] for each in receiver.got["hook"]]
    assert titles[0] == "Daily summary: 1 alerts (high), 1 still open"
    assert titles[1] == "Weekly summary: 1 alerts (medium, low), 1 still open"
    assert "pagerduty" not in receiver.got


class Inbox:
    """Keeps the mail that an SMTP server gets."""

    def __init__(self) -> None:
        self.mails: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=mail_policy)))
        return "250 OK"


@pytest.fixture
def inbox() -> Iterator[tuple[Inbox, int]]:
    made = Inbox()
    controller = Controller(made, hostname="127.0.0.1", port=_free_port())
    controller.start()
    yield made, controller.port
    controller.stop()


async def test_mail(tmp_path: Path, inbox: tuple[Inbox, int]) -> None:
    box, port = inbox
    text = f"""
alerts:
  channels:
    mail: {{email: {{to: [ann@example.com, bob@example.com], sender: p@example.com, host: 127.0.0.1, port: {port}}}}}
"""
    async with Setup(config_of(tmp_path, text)) as setup:
        setup.notifier.say([AlertChange(kind="fired", alert=alert(message="落ちた 40 of 422"))], NOW)
        assert [each.delivered for each in await setup.notifier.flush(NOW)] == [True]
    addresses, mail = box.mails[0]
    assert addresses == ["ann@example.com", "bob@example.com"]
    assert mail["Subject"] == "[FIRING 1] hallucination: 落ちた 40 of 422"
    body = mail.get_content()
    assert "moved: version v2: 30 of 200" in body
    assert "examples: session-1, session-2" in body


async def test_a_mail_server_that_is_not_there_is_tried_later(tmp_path: Path) -> None:
    text = f"""
alerts:
  channels:
    mail: {{email: {{to: [ann@example.com], sender: p@example.com, host: 127.0.0.1, port: {_free_port()}}}}}
"""
    async with Setup(config_of(tmp_path, text)) as setup:
        setup.notifier.say([AlertChange(kind="fired", alert=alert())], NOW)
        assert [each.delivered for each in await setup.notifier.flush(NOW)] == [False]
        assert [each.attempts for each in setup.spool.waiting()] == [1]


ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
AMTOOL = shutil.which("amtool")


@pytest.fixture
def alertmanager(tmp_path: Path, receiver: Receiver) -> Iterator[str]:
    if ALERTMANAGER is None or AMTOOL is None:
        pytest.skip("needs prometheus-alertmanager and amtool")
    settings = tmp_path / "alertmanager.yml"
    settings.write_text(f"""
route: {{receiver: back, group_by: [alertname], group_wait: 100ms, group_interval: 200ms, repeat_interval: 1h}}
receivers: [{{name: back, webhook_configs: [{{url: "{receiver.url}/hook", send_resolved: true}}]}}]
""")
    port = _free_port()
    process = subprocess.Popen(
        [
            ALERTMANAGER,
            f"--config.file={settings}",
            f"--storage.path={tmp_path / 'am'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


async def test_alertmanager_receives_groups_silences_and_resolves(
    tmp_path: Path, receiver: Receiver, alertmanager: str
) -> None:
    now = time.time()
    text = f'alerts: {{channels: {{am: {{alertmanager: "{alertmanager}"}}}}}}\n'
    async with Setup(config_of(tmp_path, text)) as setup:
        fired = [
            alert(slice={"intent": name}, fingerprint=f"{name:0>16}", fired=now, window_end=now) for name in ("1", "2")
        ]
        setup.notifier.say([AlertChange(kind="fired", alert=each) for each in fired], now)
        assert [each.delivered for each in await setup.notifier.flush(now)] == [True]
        await _until(lambda: bool(receiver.got.get("hook")))
        # Its webhook is the envelope that ours is: both alerts of the rule in one group.
        assert {each["labels"]["intent"] for each in receiver.got["hook"][-1]["alerts"]} == {"1", "2"}
        assert receiver.got["hook"][-1]["groupLabels"] == {"alertname": "hallucination"}
        assert {each["labels"]["intent"] for each in await _active(alertmanager)} == {"1", "2"}
        silence = (f"--alertmanager.url={alertmanager}", "silence", "add", "intent=2", "-d", "1h", "-c", "known")
        done = await asyncio.create_subprocess_exec(str(AMTOOL), *silence, stdout=subprocess.DEVNULL)
        assert await done.wait() == 0
        await _until_async(lambda: _suppressed(alertmanager, {"2"}))
        ended = [replace(each, resolved=time.time(), state="resolved") for each in fired]
        setup.notifier.say([AlertChange(kind="resolved", alert=each) for each in ended], time.time())
        assert [each.delivered for each in await setup.notifier.flush(time.time())] == [True]
        await _until(lambda: receiver.got["hook"][-1]["status"] == "resolved")
        assert await _active(alertmanager) == []
    assert receiver.wrong == []


async def test_open_alerts_are_sent_to_alertmanager_again_while_nobody_silenced_them(
    tmp_path: Path, receiver: Receiver
) -> None:
    async with Setup(
        config_of(tmp_path, f'alerts: {{channels: {{am: {{alertmanager: "{receiver.url}"}}}}}}\n')
    ) as setup:
        made, _ = setup.state.open_alert(alert(), again_within=0)
        setup.notifier.say([AlertChange(kind="fired", alert=made)], NOW)
        for seconds in (0, 30, 61, 90, 122):
            await setup.notifier.flush(NOW + seconds)
        pushes = receiver.got["api/v2/alerts"]
        assert len(pushes) == 4  # the message itself, and one a minute
        ends = [each[0]["endsAt"] for each in pushes]
        assert ends == sorted(ends)
        setup.state.add_silence(Silence(match={"rule": "hallucination"}, until=NOW + 10_000))
        await setup.notifier.flush(NOW + 200)
        assert len(pushes) == 4


async def test_a_test_message_says_what_became_of_it(tmp_path: Path, receiver: Receiver) -> None:
    text = http_channels(receiver.url) + f'    gone: {{slack: "http://127.0.0.1:{_free_port()}/x"}}\n'
    results = await send_tests(config_of(tmp_path, text))
    assert {each.channel: each.delivered for each in results} == {
        "hook": True, "desk": True, "pager": True, "gone": False,
    }  # fmt: skip
    assert receiver.wrong == []


async def _active(url: str) -> list[Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/api/v2/alerts") as reply:
        found: list[Any] = await reply.json()
        return found


async def _suppressed(url: str, intents: set[str]) -> bool:
    found = {each["labels"]["intent"] for each in await _active(url) if each["status"]["state"] == "suppressed"}
    return found == intents


async def _until(true: Any) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


async def _until_async(true: Any) -> None:
    for _ in range(200):
        if await true():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_alerts_of_releases_go_to_the_channels_too(tmp_path: Path, receiver: Receiver) -> None:
    text = f'alerts: {{webhook: "{receiver.url}/plain", channels: {{desk: {{slack: "{receiver.url}/slack"}}}}}}\n'
    config = config_of(tmp_path, text)
    told = Alert(
        rule="floor",
        message="first: correctness is below its floor",
        tier="high",
        time=datetime.now(UTC),
        key="floor-1",
    )
    with RunStore(config.store) as store:
        done = await send_alert(config, store, told, webhook_of(config))
    assert (done.delivered, done.failure) == (True, "")
    assert receiver.wrong == []
    assert receiver.got["plain"][0]["rule"] == "floor"  # unchanged, as before
    assert receiver.got["slack"][0]["text"] == "[FIRING 1] floor: first: correctness is below its floor"
    receiver.status = 503
    with RunStore(config.store) as store:
        done = await send_alert(config, store, told, None)
    assert done.failure == "desk: Slack answered with status 503"
    assert len(AlertSpool(config.store).waiting()) == 1  # for `proctor serve` to deliver
