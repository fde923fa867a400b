"""Digests reach real receivers: a webhook, Slack's shape, and e-mail with the page."""

from __future__ import annotations

import asyncio
import email
import email.policy
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from proctor.core.digest import PeriodDigest
from proctor.core.errors import NotFoundError
from proctor.workflows.alert_channels import ChannelResult
from proctor.workflows.monitor.digest import DigestJob, digest_of
from proctor.workflows.monitor.digest_delivery import send_digest
from tests.workflows.monitor.traffic_log import config_in, keep, traffic


class Receiver:
    """An HTTP server that keeps what it is sent, and answers with ``status``."""

    def __init__(self) -> None:
        self.bodies: dict[str, list[Any]] = {}
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.bodies.setdefault(self.path, []).append(json.loads(body))
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


def _config(folder: Path, text: str) -> Any:
    config = config_in(folder, f"monitor: {{digest: {{light: true, sample: 0}}}}\n{text}")
    keep(config, traffic(3))
    return config


def _digest(config: Any) -> PeriodDigest:
    job = DigestJob(kind="daily", name="2026-11-04", now=datetime(2026, 11, 5, tzinfo=UTC))
    return asyncio.run(digest_of(config, job))


def test_a_webhook_gets_the_figures_and_slack_a_short_text(tmp_path: Path, receiver: Receiver) -> None:
    channels = f"hook: {{webhook: '{receiver.url}/hook'}}, chat: {{slack: '{receiver.url}/slack'}}"
    pager = f"pager: {{pagerduty: {{key: k, url: '{receiver.url}/pager'}}}}"
    config = _config(tmp_path, f"alerts: {{channels: {{{channels}, {pager}}}}}\n")
    digest = _digest(config)
    sent = asyncio.run(send_digest(config, digest))
    assert {(each.channel, each.delivered) for each in sent} == {("hook", True), ("chat", True)}
    assert set(receiver.bodies) == {"/hook", "/slack"}, "a pager gets no digest"
    hook = receiver.bodies["/hook"][0]
    assert hook["version"] == "4"
    assert hook["alerts"] == []
    assert hook["groupKey"] == "digest/daily/2026-11-04"
    assert hook["digest"]["headline"][0]["name"] == "repeat contact"
    slack = receiver.bodies["/slack"][0]
    assert slack["blocks"][0]["text"]["text"].startswith("Daily digest 2026-11-04: repeat contact")
    assert "- completion: " in slack["blocks"][1]["text"]["text"]
    assert all(len(block["text"]["text"]) <= 3000 for block in slack["blocks"])


def test_a_receiver_that_fails_is_tried_again_and_the_digest_is_kept(tmp_path: Path, receiver: Receiver) -> None:
    config = _config(tmp_path, f"alerts: {{channels: {{hook: {{webhook: '{receiver.url}/hook'}}}}}}\n")
    digest = _digest(config)
    receiver.status = 503
    sent = asyncio.run(send_digest(config, digest))
    assert [(each.delivered, each.failure) for each in sent] == [(False, "the webhook answered with status 503")]
    assert len(list((config.store / "alert-spool").glob("*.json"))) == 1


def test_e_mail_has_the_text_and_the_page(tmp_path: Path) -> None:
    smtp = pytest.importorskip("aiosmtpd.smtp")
    kept: list[bytes] = []

    class Keep:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            kept.append(envelope.content)
            return "250 OK"

    async def deliver() -> list[ChannelResult]:
        server = await asyncio.get_running_loop().create_server(lambda: smtp.SMTP(Keep()), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            to = f"{{to: [desk@example.com], sender: proctor@example.com, host: 127.0.0.1, port: {port}}}"
            config = _config(tmp_path, f"alerts: {{channels: {{desk: {{email: {to}}}}}}}\n")
            job = DigestJob(kind="daily", name="2026-11-04", now=datetime(2026, 11, 5, tzinfo=UTC))
            return await send_digest(config, await digest_of(config, job))

    sent = asyncio.run(deliver())
    assert [each.delivered for each in sent] == [True], sent
    message = email.message_from_bytes(kept[0], policy=email.policy.default)
    assert message["Subject"].startswith("Daily digest 2026-11-04: repeat contact")
    body = message.get_body(("plain",))
    assert body is not None
    assert "- handed over: " in body.get_content()
    page = next(message.iter_attachments())
    assert page.get_filename() == "daily-digest-2026-11-04.html"
    assert "<svg" in page.get_content()


def test_without_a_channel_for_it_a_digest_is_not_sent(tmp_path: Path) -> None:
    config = _config(tmp_path, "")
    digest = _digest(config)
    with pytest.raises(NotFoundError, match="no channel that takes a digest"):
        asyncio.run(send_digest(config, digest))
    text = "monitor: {digest: {channels: [desc]}}\nalerts: {channels: {desk: {slack: 'http://127.0.0.1:9/x'}}}\n"
    with pytest.raises(NotFoundError) as caught:
        asyncio.run(send_digest(config_in(tmp_path, text), digest))
    assert "did you mean 'desk'?" in str(caught.value)
