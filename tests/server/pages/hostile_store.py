"""A project in which every field that others can write holds markup, scripts, and text that is hard to show."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from proctor.cli.demo_project import _called, _quiet
from proctor.config import Config, open_config
from proctor.core.audit import AuditRating
from proctor.core.chat import Message, ToolCall
from proctor.core.event import Event
from proctor.core.trajectory import Escalation, Source, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.store.guard_log import GuardLog
from proctor.store.private_files import private_folder
from proctor.wiring.alert_settings import engine_of
from proctor.wiring.monitor_state import open_alert_state, open_audit_store
from proctor.workflows.monitor.audit import SampleJob, audit_settings, draw_audit
from proctor.workflows.monitor.intake import Intake

__all__ = ["MARKS", "make_hostile"]

# Each would run, ask for something or change the page if it were markup.
MARKS = (
    "<script>window.xssRan=1;alert(1)</script>",
    '"><img src=x onerror="window.xssRan=1;alert(2)">',
    "'><svg onload=window.xssRan=1>",
    "</textarea></title></script><script>window.xssRan=1</script>",
    "javascript:window.xssRan=1//",
    '<a href="https://evil.invalid/">link</a><iframe src="https://evil.invalid/"></iframe>',
    "[md](javascript:alert(3)) ![img](https://evil.invalid/p.png) https://evil.invalid/plain",
    "{{ 7*7 }}{% raw %}${7*7}<%= 7*7 %>",
    "\u202e\u2066gnol\u2069 مرحبا 日本語\u0000\u200b" + "W" * 300,
    '<form action="https://evil.invalid/"><input name=form_token><button>x</button></form>',
    '<base href="//evil.invalid/"><link rel=stylesheet href="//evil.invalid/a.css"><style>*{display:none}</style>',
)
_SETTINGS = """
target: echo
targets: {echo: {python: "echo.py:answer"}}
suites: {hostile: suites/hostile.yaml}
audit: {size: 10, core: 6}
alerts: {rules: {ungrounded: {in_a_row: score/grounded, count: 3, tier: critical, by: intent}}}
guard: {log: masked, input: [injection]}
redteam: {hostile: {target: echo, goals: redteam/goals.yaml, techniques: [message_alone], attempts: 4, held_out: 0}}
"""


def make_hostile(folder: Path) -> Path:
    """Make the project; return its folder."""
    (folder / "suites").mkdir(parents=True)
    (folder / "redteam").mkdir()
    (folder / "proctor.yaml").write_text(_SETTINGS, encoding="utf-8")
    (folder / "echo.py").write_text("def answer(text):\n    return {'answer': text, 'confidence': 0.5}\n")
    cases = [
        {
            "id": f"{n}{mark[:80]}", "intent": mark[:60], "tags": [mark[:40]], "input": mark,
            "checks": [{"contains": mark[::-1]}],
        }
        for n, mark in enumerate(map(_plain, MARKS))
    ]  # fmt: skip
    (folder / "suites" / "hostile.yaml").write_text(json.dumps({"name": _plain(MARKS[0]), "cases": cases}))
    (folder / "redteam" / "goals.yaml").write_text(json.dumps({"goals": [_goal()]}))
    config = open_config(folder)
    now = datetime.now(UTC)
    _traffic(config, now)
    _audit(config, now)
    _guard(config, now)
    for line in ("run hostile -q", "bless last", "run hostile -q", "gate last -q", "redteam run hostile -q"):
        with _quiet():
            _called(config, line.split())
    return folder


def _plain(mark: str) -> str:
    """Return what a suite takes: an id has only printable characters."""
    return "".join(each for each in mark if each.isprintable())


def _goal() -> dict[str, Any]:
    return {
        "id": "goal-1", "scope": "extraction", "title": MARKS[0] + MARKS[5], "severity": "critical",
        "effects": [{"kind": "said", "pattern": "(?i)script"}], "instruction": {"en": f"Say this: {MARKS[0]}"},
        "carriers": [{"turns": {"en": [MARKS[1]]}}], "legitimate": MARKS[2], "tags": ["LLM01"],
    }  # fmt: skip


def _events(now: datetime) -> list[Event]:
    made: list[Event] = []
    for day in range(9):
        for number, mark in enumerate(MARKS):
            time = now - timedelta(days=day, minutes=5 * number + 1)
            session = f"{day}-{number}-{mark[:90]}"
            same: dict[str, Any] = {
                "session": session, "customer": f"{mark[:50]}{number}", "intent": mark[:60], "model": mark[:60],
                "version": mark[:60], "source": mark[:60],
            }  # fmt: skip
            call = ToolCall(name=mark[:60], arguments={mark[:60]: mark}, result=mark)
            messages = (
                Message(role="user", content=mark),
                Message(role="assistant", content=mark, tool_calls=(call,)),
                Message(role="assistant", content=mark),
            )
            source = Source(id=mark[:80], text=mark)
            escalation = Escalation(reason=mark, category="knowledge gap") if number % 3 == 0 else None
            turn = Turn(messages=messages, sources=(source,), confidence=0.4, latency=1.0, escalation=escalation)
            made += [
                Event(kind="turn", time=time, id=f"{session}/t", turn=turn, metadata={"topic": mark}, **same),
                Event(kind="gate", time=time, id=f"{session}/g", name="input", verdict=_verdict(mark),
                      metadata={"text": mark}, **same),
                Event(kind="score", time=time, id=f"{session}/s", name="grounded", value=0.0,
                      metadata={"passed": False, "reason": mark}, **same),
                Event(kind="outcome", time=time, id=f"{session}/o", name=mark[:60], **same),
                Event(kind="csat", time=time, id=f"{session}/c", value=1.0, metadata={"comment": mark}, **same),
            ]  # fmt: skip
    return sorted(made, key=lambda event: event.time)


def _verdict(mark: str) -> Verdict:
    finding = Finding(kind=mark[:60], detector=mark[:60], confidence=0.9, severity="high", reason=mark, text=mark)
    return Verdict(action="block", gate="input", by=mark[:60], reason=mark, findings=(finding,))


def _traffic(config: Config, now: datetime) -> None:
    private_folder(config.store)
    clock = [0.0]
    with open_alert_state(config) as state, closing(Intake(config.store, clock=lambda: clock[0])) as intake:
        intake.alerts = engine_of(config, state, clock=lambda: clock[0])
        for event in _events(now):
            clock[0] = event.time.timestamp() + 1
            intake.add([event])
            intake.tick()
        intake.index()


def _audit(config: Config, now: datetime) -> None:
    _, items = draw_audit(config, SampleJob(), now=now)
    names = audit_settings(config).dimensions
    with open_audit_store(config) as store:
        for item in items[:5]:
            for number, rater in enumerate(("ben", MARKS[0])):
                values = {name: 1 + 3 * number for name in names}
                store.rate([AuditRating(item=item.id, rater=rater, values=values, note=MARKS[1], time=now)])


def _guard(config: Config, now: datetime) -> None:
    log = GuardLog(config.store)
    for number, mark in enumerate(MARKS):
        event = Event(
            kind="gate", time=now - timedelta(hours=number), id=f"{number:032d}", name="input", session=mark[:60],
            customer=mark[:60], verdict=_verdict(mark),
            metadata={"text": mark, "parts": (_verdict(mark),), "mode": "enforce", "turn": 1},
        )  # fmt: skip
        log.record(event, borderline=True)
    log.close()
