from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from proctor.core.report import Counts, Spend, Tally
from proctor.report import terminal

from .conftest import Run
from .sample import report_of

_ROOT = Path(__file__).parents[2]


def shown(run: Run, *, width: int = 80, colour: bool = False) -> str:
    out = io.StringIO()
    terminal.write(run.report, run.results, out, width=width, colour=colour)
    return out.getvalue()


def test_figures_per_target(sample: Run) -> None:
    text = shown(sample)
    line = next(line for line in text.splitlines() if line.startswith("agent-v1"))
    assert line.split()[:6] == ["agent-v1", "22", "7", "1", "75.9", "%"]
    assert "58–88 %" in line


def test_mean_per_scorer_with_how_many_it_rests_on(sample: Run) -> None:
    line = next(line for line in shown(sample).splitlines() if line.startswith("policy"))
    tally = next(tally for tally in sample.report.by_scorer if tally.name == "policy")
    assert tally.mean is not None
    assert line.split() == ["policy", f"{tally.mean:.2f}", "24", "21", "3", "2"]


def test_a_scorer_that_only_informs_has_no_verdicts(sample: Run) -> None:
    line = next(line for line in shown(sample).splitlines() if line.startswith("tone"))
    assert line.split()[3:] == ["–", "–", "0"]


def test_spend_by_role_says_when_a_price_is_not_known(sample: Run) -> None:
    lines = shown(sample, width=100).splitlines()
    judge = next(line for line in lines if " judge " in line)
    assert "price not known" in judge
    assert "178" in judge
    target = next(line for line in lines if " target " in line)
    assert "$0.0474" in target
    assert any("$0.0474 and more" in line for line in lines)


def test_failures_name_case_target_score_reason_and_quote(sample: Run) -> None:
    text = shown(sample, width=120)
    assert "✗ refund-after-30-days  agent-v1" in text
    assert "not stated: the return window is 30 days" in text
    assert "“Of course! I have gone ahead" in text


def test_unscored_results_name_their_cause(sample: Run) -> None:
    text = shown(sample, width=120)
    assert "Unscored (2)" in text
    assert "timeout error: no answer after 30 s" in text
    assert "policy could not be judged: the judge's reply was not JSON" in text


def test_at_most_ten_failures_are_listed(sample: Run) -> None:
    failing = [replace(next(iter(sample.results())), sample=number) for number in range(25)]
    run = Run(report=report_of(failing), results=lambda: failing)
    text = shown(run)
    assert "Failures (10 of 25)" in text
    assert text.count("✗ ") == 10


@pytest.mark.parametrize(
    ("decision", "word"),
    [("passed", "PASSED"), ("failed", "FAILED"), ("unjudged", "NOT JUDGED"), (None, "NOT DECIDED")],
)
def test_the_decision_is_the_one_given(sample: Run, decision: str | None, word: str) -> None:
    report = replace(sample.report, decision=decision, reason="because of this")  # type: ignore[arg-type]
    assert f"{word}  because of this" in shown(Run(report=report, results=sample.results))


def test_next_steps_can_be_copied_whole(sample: Run) -> None:
    lines = [line.strip() for line in shown(sample, width=60).splitlines()]
    assert "proctor show 20261115-093000-k3f9" in lines
    assert "proctor export 20261115-093000-k3f9 -o report.html" in lines
    assert "proctor run SUITE --only-failing 20261115-093000-k3f9" in lines


def test_recorded_conversations_are_not_said_to_be_run_again(sample: Run) -> None:
    report = replace(sample.report, settings={"job": {"suite": "", "conversations": ["log.jsonl"]}})
    text = shown(Run(report=report, results=sample.results), width=120)
    assert "--only-failing" not in text
    assert "proctor promote 20261115-093000-k3f9 --failed --to suites/regressions.yaml" in text


def test_an_interrupted_run_says_how_to_go_on(sample: Run) -> None:
    report = replace(sample.report, status="interrupted", decision=None)
    text = shown(Run(report=report, results=sample.results))
    assert "proctor run --resume 20261115-093000-k3f9" in text
    assert "interrupted" in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(sample: Run, hostile: Run, width: int) -> None:
    for run in (sample, hostile):
        for line in shown(run, width=width).splitlines():
            assert cell_len(line) <= width or line.lstrip().startswith("proctor ")


def test_without_colour_there_is_no_control_sequence(sample: Run, hostile: Run) -> None:
    for run in (sample, hostile):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown(run))


def test_with_colour_only_our_own_sequences_appear(hostile: Run) -> None:
    text = shown(hostile, colour=True)
    assert "\x1b[" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", re.sub("\x1b\\[[0-9;]*m", "", text))


def test_markup_in_a_case_is_shown_and_not_obeyed(hostile: Run) -> None:
    assert "[bold red]not bold[/]" in shown(hostile, width=200)


def test_characters_that_turn_the_line_round_are_gone(hostile: Run) -> None:
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029]", shown(hostile))


def test_an_empty_run(empty: Run) -> None:
    text = shown(empty)
    assert "NOT JUDGED  no case was run" in text
    assert "Failures" not in text


def test_a_stream_that_knows_only_ascii(sample: Run) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    terminal.write(sample.report, sample.results, out, width=80)
    out.flush()
    assert b"FAILED" in raw.getvalue()
    assert re.search(rb" \d+-\d+ %", raw.getvalue())  # an interval, with a dash that ASCII has


def test_no_figures_are_made_up_when_none_are_known() -> None:
    unknown = report_of(
        [],
        by_target=(Tally(name="t", counts=Counts(unscored=3)),),
        by_scorer=(Tally(name="s", counts=Counts(unscored=3)),),
        spend=(Spend(model="m"),),
        counts=Counts(unscored=3),
    )
    text = shown(Run(report=unknown, results=lambda: []))
    assert re.search(r"^t +0 +0 +3 +– +– +– +–$", text, re.MULTILINE)
    assert re.search(r"^s +– +0 +– +– +3$", text, re.MULTILINE)
    assert "price not known" in text


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_in_a_real_terminal(term: str) -> None:
    """In a pseudo-terminal colours appear where the terminal has them, and the text is the same."""
    program = (
        "import sys; from proctor.report import terminal;"
        "from tests.report.sample import sample_report, sample_results;"
        "terminal.write(sample_report(), sample_results, sys.stdout)"
    )
    reading, writing = pty.openpty()
    environment = {"TERM": term, "COLUMNS": "80", "PATH": os.defpath, "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen([sys.executable, "-c", program], cwd=_ROOT, stdout=writing, env=environment) as running:
        os.close(writing)
        pieces = []
        try:
            while piece := os.read(reading, 4096):
                pieces.append(piece)
        except OSError:  # the other end is closed
            pass
        os.close(reading)
        assert running.wait(60) == 0
    text = b"".join(pieces).decode()
    assert ("\x1b[" in text) is (term != "dumb")
    assert "FAILED  pass rate" in re.sub("\x1b\\[[0-9;]*m", "", text)


def test_the_number_in_doubt_stands_beside_passed(doubtful: Run) -> None:
    lines = shown(doubtful).splitlines()
    assert max(map(cell_len, lines)) <= 80
    (agent,) = [line for line in lines if line.startswith("agent-v1")]
    assert agent.split()[:5] == ["agent-v1", "22", "1", "7", "1"]
    (facts,) = [line for line in lines if line.startswith("facts")]
    tally = next(each for each in doubtful.report.by_scorer if each.name == "facts")
    assert facts.split()[3:] == [str(tally.counts.passed), "2", str(tally.counts.failed), str(tally.counts.unscored)]
    assert "doubt" not in shown(Run(report=report_of([]), results=lambda: []))
