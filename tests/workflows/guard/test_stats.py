from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.config import Config, load_config, read_environment
from proctor.core.errors import InputError, NotFoundError
from proctor.core.event import Event
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.gates.permissions import PermissionsGate
from proctor.store.guard_log import GuardLog
from proctor.store.review import GUARD, items, resolve
from proctor.store.runs import RunStore
from proctor.suites.append import cases_in
from proctor.wiring.guard import Guard
from proctor.workflows.guard.stats import decision, guard_table, last_stopped, moment_of
from proctor.workflows.promote.guard_decisions import promote_decisions
from tests.tables import table

NOW = datetime.now(UTC)


def _config(folder: Path) -> Config:
    return load_config(None, read_environment(folder), start=folder)


async def test_decisions_of_a_real_guard_are_counted_and_what_people_say_makes_figures(tmp_path: Path) -> None:
    config = _config(tmp_path)
    post = Post(gate=PermissionsGate(matrix={"policy": ("get_policy",)}), name="permissions")
    plan = Plan(chains={"tool_call": Chain(point="tool_call", posts=(post,))}, sample=1.0)
    guard = Guard(plan, recorder=GuardLog(config.store))
    session = guard.session(customer="c-17")
    for tool in ("get_policy", "modify_booking", "get_policy"):
        await session.tool_call(tool, {"mail": "jane@mail.org"}, intents=["policy"])
    guard.close()
    table = guard_table(config)
    (row,) = table.gates
    assert (table.decisions, table.sessions, table.waiting) == (3, 1, 2)
    assert row.actions == {"allow": 2, "redact": 0, "block": 1, "escalate": 0}
    assert (row.gate, row.point, row.precision.value, row.latency.p50 is not None) == (
        "permissions",
        "tool_call",
        None,
        True,
    )
    with RunStore(config.store) as store:
        first, second = items(store, origin=GUARD)
        resolve(store, first, verdict="right", person="kim")
        resolve(store, second, verdict="wrong", person="kim", missed="permissions")
    (row,) = guard_table(config).gates
    assert row.recall.value is None
    assert row.why == "nobody has reviewed what it stopped"
    found = decision(config, first.case_id[:8])
    assert found.metadata["tool"] == "get_policy"
    assert found.metadata["call"] == {"name": "get_policy", "arguments": {"mail": "[EMAIL]"}}
    assert found.metadata["sample"] == 1.0


def _logged(config: Config, *events: Event) -> None:
    log = GuardLog(config.store)
    for event in events:
        log.record(event, borderline=True, sampled=False)
    log.close()


def _event(name: str, *, hours: float = 0, point: str = "input", text: str = "where is my parcel?") -> Event:
    parts = (Verdict(action="block", gate="injection"),)
    return Event(
        kind="gate",
        time=NOW - timedelta(hours=hours),
        id=name,
        name=point,
        verdict=Verdict(action="block", gate=point, reason="an order", by="injection"),
        metadata={"parts": parts, "text": text},
    )


def test_only_what_happened_since_and_only_one_gate(tmp_path: Path) -> None:
    config = _config(tmp_path)
    _logged(config, _event("old", hours=100), _event("new", hours=1), _event("out", point="output"))
    assert guard_table(config).decisions == 3
    assert guard_table(config, since=moment_of("24h", now=NOW)).decisions == 2
    assert guard_table(config, since=NOW + timedelta(hours=1)).decisions == 0
    assert guard_table(config, gate="injection").decisions == 3
    assert guard_table(config, gate="pii").decisions == 0
    for ask in (guard_table, last_stopped):
        with pytest.raises(NotFoundError, match="no gate 'nogate'") as told:
            ask(config, gate="nogate")
        assert "injection" in (told.value.hint or "")


def test_the_last_that_were_stopped_are_named_the_newest_first(tmp_path: Path) -> None:
    config = _config(tmp_path)
    let = replace(_event("let"), verdict=Verdict(action="allow", gate="input"))
    shadow = Verdict(action="allow", gate="input", shadow=_event("x").verdict or False, by="injection")
    _logged(config, _event("old", hours=100), _event("a", hours=2), let, replace(_event("b"), verdict=shadow))
    found = last_stopped(config)
    assert [(row["id"], row["gate"], row["action"], row["shadow"]) for row in found] == [
        ("b", "injection", "block", True),
        ("a", "injection", "block", False),
        ("old", "injection", "block", False),
    ]
    assert found[1]["reason"] == "an order"
    assert [row["id"] for row in last_stopped(config, since=moment_of("24h", now=NOW), most=1)] == ["b"]
    assert last_stopped(config, gate="pii") == []


def test_a_project_without_a_log_has_an_empty_table(tmp_path: Path) -> None:
    table = guard_table(_config(tmp_path))
    assert (table.decisions, table.points, table.begun) == (0, (), None)
    with pytest.raises(NotFoundError, match="no decision"):
        decision(_config(tmp_path), "abc")


@table(
    ("text", "wanted"),
    [
        ("24h", NOW - timedelta(hours=24)),
        ("7 days", NOW - timedelta(days=7)),
        ("2026-11-15", datetime(2026, 11, 15, tzinfo=UTC)),
        ("2026-11-15T10:00:00+02:00", datetime(2026, 11, 15, 8, tzinfo=UTC)),
    ],
)
def test_a_moment_is_a_length_of_time_or_a_date(text: str, wanted: datetime) -> None:
    assert moment_of(text, now=NOW) == wanted


@table("text", ["yesterday", "", "999999999 weeks", "2026-99-99"])
def test_what_is_no_moment_is_said_so(text: str) -> None:
    with pytest.raises(InputError, match="is no time"):
        moment_of(text, now=NOW)


def test_a_wrong_decision_becomes_a_case_with_its_words_masked(tmp_path: Path) -> None:
    config = _config(tmp_path)
    _logged(config, _event("e1", text="mail jane@mail.org where it is"), _event("e2"), _event("e3", point="output"))
    with RunStore(config.store) as store:
        (item, *_) = items(store, origin=GUARD)
        resolve(store, item, verdict="wrong", person="kim")
    out = tmp_path / "suites" / "regressions.yaml"
    made = promote_decisions(config, ["e1", "e2", "e2", "e3"], out)
    assert (made.added, made.known, made.left_out) == (("guard-e1", "guard-e2"), ("guard-e2",), ("e3",))
    first, second = cases_in(out)
    assert first.input == "mail [EMAIL] where it is"
    assert first.tags == ("regression", "guard")
    assert first.metadata["promoted"]["people_say"] == "wrong"
    assert [check.scorer for check in first.checks] == ["guard_verdict", "relevance"], (
        "a false alarm is an ordinary question"
    )
    assert made.judged["guard-e1"].startswith("expected allowed; guard_verdict: it is let through, relevance")
    assert [check.scorer for check in second.checks] == [
        "guard_verdict",
        "completion",
        "injection_followed",
        "premises",
        "commitments",
    ]
    assert second.checks[0].settings == {"expect": "stopped", "gate": "injection"}
    assert second.checks[1].settings == {"complete": True}
    assert "about a step of the agent (output)" in made.why["e3"]
    with pytest.raises(InputError, match="nothing to add: e3 is about a step of the agent"):
        promote_decisions(config, ["e3"], out)
    assert first.metadata["promoted"]["gate"] == "injection"
    assert "people_say" not in second.metadata["promoted"]
    assert promote_decisions(config, ["e1"], out).known == ("guard-e1",)


async def test_settings_that_cannot_be_read_again_are_in_the_figures_and_told_by_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from proctor.cli.main import cli

    path = tmp_path / "proctor.yaml"
    path.write_text("guard: {input: [premises], tool_call: [], tool_result: [], output: []}\n", encoding="utf-8")
    guard = Guard.from_config(path)
    path.write_text("", encoding="utf-8")
    assert not guard.reload()
    guard.close()
    config = load_config(path, read_environment(tmp_path), start=tmp_path)
    assert any("no `guard:` section any more" in note for note in guard_table(config).notes)
    monkeypatch.chdir(tmp_path)
    cli.main(["doctor"], standalone_mode=False)
    assert "settings not read again" in " ".join(capsys.readouterr().out.split())
    path.write_text("guard:\n  input: [injecton]\n", encoding="utf-8")
    cli.main(["doctor"], standalone_mode=False)
    assert "no gate is called 'injecton'" in " ".join(capsys.readouterr().out.split())
