from __future__ import annotations

import io

from proctor.report import conversation

from .conftest import Run


def shown(run: Run, place: int) -> str:
    out = io.StringIO()
    conversation.write(list(run.results())[place], out)
    return out.getvalue()


def test_a_result_in_doubt_says_so_and_so_does_the_gate(doubtful: Run) -> None:
    place = next(n for n, each in enumerate(doubtful.results()) if each.in_doubt)
    text = shown(doubtful, place)
    assert text.splitlines()[0].endswith("· IN DOUBT")
    (gate,) = [line for line in text.splitlines() if "commitments 1.000" in line]
    assert gate.split()[0] == "doubt"


def test_a_sure_pass_is_a_pass(sample: Run) -> None:
    place = next(n for n, each in enumerate(sample.results()) if each.outcome == "pass")
    assert shown(sample, place).splitlines()[0].endswith("· PASS")
