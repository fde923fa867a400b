"""A run with dimensions by intent, and a real local server that keeps what it was sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from proctor.core.chat import Usage
from proctor.core.report import Cell, Counts, Fingerprint, Report, Spend, Tally
from proctor.core.score import Score
from proctor.report.publish.published_result import Graded

ENDED = datetime.now(UTC).replace(microsecond=250_000)


@dataclass
class Sent:
    """One request as it came over the wire."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """Answers with the queued (status, headers, body), then with 200."""

    url: str = ""
    sent: list[Sent] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.sent.append(Sent(self.command, self.path, headers, body))
            status, more, reply = state.answers.pop(0) if state.answers else (200, {}, b"")
            self.send_response(status)
            for name, value in {**more, "Content-Length": str(len(reply))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply)

        do_PUT = do_POST = _take

        def log_message(self, format: str, *args: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield state
    running.shutdown()
    running.server_close()
    thread.join(5)


@pytest.fixture
def report() -> Report:
    def cell(dimension: str, intent: str | None, mean: float | None) -> Cell:
        return Cell(dimension=dimension, intent=intent, target="shop", cases=2, unscored=1, mean=mean)

    return Report(
        id="run-1",
        name='manga "store"/all',
        status="finished",
        decision="failed",
        counts=Counts(passed=1, failed=1, unscored=1),
        by_target=(Tally(name="shop", counts=Counts(passed=1, failed=1, unscored=1)),),
        by_dimension=(
            cell("relevance", None, 0.75),
            cell("relevance", "faq", 0.5),
            cell("relevance.intent_relevance", None, 0.7),
            cell("pass_rate", None, 0.5),
            cell("pass_rate", "faq", 0.5),
            cell("quality", None, 0.6),
            cell("fluency", None, None),
        ),
        latency={"p50": 0.25},
        spend=(
            Spend(model="openai:gpt", role="judge", calls=3, usage=Usage(input=100, output=20), cost=0.5),
            Spend(model="local:x", calls=1),
        ),
        fingerprint=Fingerprint(trigger="prompt_change"),
        started=ENDED - timedelta(seconds=30),
        finished=ENDED,
    )


def _score(value: float | None, threshold: float = 0.7) -> Score:
    part = Score(name="intent_relevance", value=value, status="ok" if value is not None else "error")
    return Score(
        name="relevance",
        value=value,
        status="ok" if value is not None else "error",
        threshold=threshold,
        reason="the opening is off the question",
        confidence=0.8,
        producer="local model",
        parts=(part,),
    )


@pytest.fixture
def results() -> list[Graded]:
    return [
        Graded(
            case="a", target="shop", intent="faq", outcome="pass", value=0.9, dimensions=(_score(0.9),), duration=0.5,
            time=ENDED, answer="resp-1", trace={"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "zz"},
        ),
        Graded(case="b", target="shop", intent="faq", outcome="fail", value=0.1, dimensions=(_score(0.1),), duration=2),
        Graded(case="c", target="shop", intent="挨拶", outcome="unscored", dimensions=(_score(None),)),
    ]  # fmt: skip
