"""No pattern that somebody configured can hold the interpreter, wherever it stands: it ends soon or is refused."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

import pytest
from tests.contracts.pattern_places import GLOBS, PLACES, patterns_of
from tests.tables import table

SECONDS = 300  # for all patterns of all places, on a busy machine; without a bound each would take days


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Sequence[Sequence[str]]]:
    """Pattern, outcome and text of each line, by place. One process tries all places: its start costs the most."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.contracts.pattern_places", *PLACES, *GLOBS],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        pytest.fail(f"this hangs: {(error.stdout or b'').decode().splitlines()[-1:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    found = defaultdict(list)
    for line in done.stdout.splitlines():
        place, *rest = line.split("\t")
        found[place].append(rest)
    return found


@table("place", [*PLACES, *GLOBS])
def test_a_hostile_pattern_ends_soon_or_is_refused_with_a_hint(
    place: str, outcomes: Mapping[str, Sequence[Sequence[str]]]
) -> None:
    lines = outcomes[place]
    assert [pattern for pattern, *_ in lines] == list(patterns_of(place))
    for pattern, outcome, told in lines:
        assert outcome in ("done", "refused")
        if outcome == "refused":
            assert any(hint in told for hint in ("bound its repeats", "without look-around")), (pattern, told)
