"""proctor alerts, as a user calls it."""

from __future__ import annotations

import errno
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.cli.main import main
from proctor.core.alert_record import AlertRecord, MovedSlice, RuleStatus
from proctor.store import db
from proctor.store.alert_state import AlertState


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proctor.yaml").write_text("alerts: {}\n")
    return tmp_path


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(["alerts", *words])
    return int(done.value.code or 0)


def fired(folder: Path, **changes: object) -> AlertRecord:
    now = time.time()
    made = AlertRecord(
        fingerprint="abcdef0123456789",
        rule="hallucination",
        kind="rate",
        tier="critical",
        message="score/grounded: 40 of 422",
        started=now - 300,
        fired=now,
        updated=now,
        window_start=now - 300,
        window_end=now,
        bad=40,
        events=422,
        value=0.095,
        baseline=0.02,
        statistic=12.5,
        threshold=11.9,
        examples=("session-9",),
        moved=(MovedSlice(dimension="version", value="v2", bad=30, events=200, expected=4.0, evidence=9.0),),
    )
    with AlertState(folder / ".proctor") as state:
        return state.open_alert(replace(made, **changes), again_within=0)[0]  # type: ignore[arg-type]


def test_from_fire_to_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fired(folder)
    assert call("list") == 0
    assert "hallucination" in capsys.readouterr().out
    assert call("show", "1") == 0
    shown = capsys.readouterr().out
    for words in (
        "40 of 422",
        "version v2: 30 of 200, expected 4",
        "session-9",
        "statistic:    12.5",
        "baseline:     0.02",
    ):
        assert words in shown
    assert call("ack", "hallucination", "--by", "ann", "--note", "rolling back") == 0
    assert "acknowledged by ann" in capsys.readouterr().out
    call("list")
    assert "\tacked\t" in capsys.readouterr().out
    assert call("resolve", "1") == 0
    assert call("resolve", "1") == 0
    assert "ended already" in capsys.readouterr().out
    call("list")
    assert "no open alerts" in capsys.readouterr().err
    call("list", "--all", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [(each["number"], each["shown"], each["note"]) for each in found] == [(1, "resolved", "rolling back")]


def test_silences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fired(folder, slice={"intent": "refund"})
    assert call("silence", "hallucination", "intent=refund", "--for", "30 min", "--by", "ann", "--note", "known") == 0
    call("list")
    assert "\tsilenced\t" in capsys.readouterr().out
    call("silence")
    assert "rule=hallucination intent=refund" in capsys.readouterr().out
    assert call("silence", "--end", "1") == 0
    assert call("silence", "--end", "1") == 2
    assert call("silence", "halucination") == 2
    assert "did you mean 'hallucination'?" in capsys.readouterr().err
    assert call("silence", "nosuchrule") == 2
    assert "the rules are hallucination, " in capsys.readouterr().err
    assert call("silence", "colour=red") == 2
    assert call("silence", "injection", "--for", "soon") == 2
    assert "expected a length of time" in capsys.readouterr().err


def test_the_new_normal_is_left_to_the_engine(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fired(folder)
    assert call("ack", "1", "--new-normal") == 0
    assert "new normal" in capsys.readouterr().out
    with AlertState(folder / ".proctor") as state:
        assert state.alerts()[0].new_normal


def test_a_rule_whose_alert_a_person_ended_is_not_firing_while_no_server_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = {"intent": "faq"}, {"intent": "billing"}
    status = RuleStatus(rule="hallucination", kind="rate", tier="critical", state="firing", since=1.0, detail="40 of 9")
    fired(folder, slice=one)
    with AlertState(folder / ".proctor") as state:
        state.set_status([replace(status, slice=one), replace(status, slice=other), replace(status, rule="slow")])
    assert call("resolve", "1", "--by", "kim") == 0
    capsys.readouterr()
    assert call("limits", "--json") == 0
    found = [(each["rule"], each.get("slice"), each["state"]) for each in json.loads(capsys.readouterr().out)]
    assert found == [
        ("hallucination", one, "resolved"),
        ("hallucination", other, "firing"),
        ("slow", None, "firing"),
    ]
    with pytest.raises(SystemExit):
        main(["watch", "--once"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  hallucination faq")]
    assert [row.split()[2:] for row in rows] == [["resolved", "resolved", "by", "kim"]]


def test_limits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("limits") == 0
    assert "nothing has been watched yet" in capsys.readouterr().out
    assert call("limits", "--per-minute", "400", "--rate", "0.04", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["rule"] for row in rows] == ["hallucination", "injection", "escalation"]
    assert rows[0]["smallest"] == pytest.approx(2.0, rel=0.02)
    assert rows[0]["2x"] > 0.98
    assert call("limits", "--per-minute", "400") == 2


def test_wrong_settings_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "proctor.yaml").write_text(
        "alerts: {rules: {mine: {rate: score/groundet}}, routes: {critical: [pager]}, colour: red}\n"
    )
    assert call("limits") == 2
    assert "alerts.colour: unknown key" in capsys.readouterr().err
    (folder / "proctor.yaml").write_text(
        "alerts: {rules: {mine: {rate: score/groundet}}, routes: {critical: [pager]}}\n"
    )
    assert call("test") == 2
    told = capsys.readouterr().err
    assert "alerts.rules.mine.rate: unknown score 'groundet'" in told
    assert "did you mean 'score/grounded'?" in told
    assert "alerts.routes.critical[0]: there is no channel 'pager'" in told


def test_without_channels_there_is_nothing_to_test(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("test") == 2
    assert "there is no channel" in capsys.readouterr().err
    (folder / "proctor.yaml").write_text('alerts: {channels: {desk: {slack: "http://127.0.0.1:9/x"}}}\n')
    assert call("test", "dsk") == 2
    assert "did you mean 'desk'?" in capsys.readouterr().err
    assert call("test") == 3
    assert capsys.readouterr().out.startswith("desk: ")


def test_an_unknown_alert(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("show", "ack", "resolve"):
        assert call(verb, "9") == 2
        assert "there is no alert '9'" in capsys.readouterr().err


def test_the_rules_for_prometheus_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("rules") == 0
    assert "alert: ProctorDown" in capsys.readouterr().out


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO])
def test_a_store_that_cannot_be_written_is_named_once(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(db, "private_database", refused)
    assert call("list") == 3
    told = capsys.readouterr().err
    assert told.count("alerts.db") == 1
    assert "Errno" not in told
    assert ("cannot be written" if number == errno.EROFS else os.strerror(number)) in told
