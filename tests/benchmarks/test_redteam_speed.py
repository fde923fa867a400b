"""The benchmark of attempts with twins plans them always alike, and runs them all."""

from __future__ import annotations

import pytest

from benchmarks import redteam_speed


def test_the_same_attempts_are_planned_again() -> None:
    first, second = redteam_speed.planned(12), redteam_speed.planned(12)
    assert [case.id for case in first] == [case.id for case in second]
    assert len({case.id for case in first}) == 12


def test_every_attempt_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert redteam_speed.main(["--attempts", "8"]) in (0, 1)  # on a busy machine eight may take long
    told = capsys.readouterr().out
    counted = [int(word) for word in told.splitlines()[-1].replace(",", " ").split() if word.isdigit()]
    assert sum(counted) == 8
    assert "unscored" not in told
