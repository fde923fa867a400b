"""No pattern that somebody configured can hold the interpreter, wherever it stands: it ends soon or is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.contracts.pattern_places import GLOBS, PATTERNS, PLACES

SECONDS = 120  # for all patterns of one place, on a busy machine; without a bound each would take days


@pytest.mark.parametrize("place", [*PLACES, *GLOBS])
def test_a_hostile_pattern_ends_soon_or_is_refused_with_a_hint(place: str) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.contracts.pattern_places", place],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        pytest.fail(f"{place} hangs: {(error.stdout or b'').decode()}")
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) == (len(PATTERNS) if place in PLACES else 1)
    for pattern, outcome, told in lines:
        assert outcome in ("done", "refused")
        if outcome == "refused":
            assert any(hint in told for hint in ("bound its repeats", "without look-around")), (pattern, told)
