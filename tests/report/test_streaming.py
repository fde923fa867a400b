"""Any number of results goes through every writer in flat memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from functools import partial
from io import TextIOBase
from pathlib import Path
from typing import TextIO, cast

import pytest

from proctor.core.report import Result
from proctor.report import html, terminal
from proctor.report.formats import Writer, writer_for
from tests.tables import table

from .conftest import Run, many

_ROOT = Path(__file__).parents[2]

# A process of its own: the most memory it ever held is then that of the writers alone.
_PROGRAM = """
import resource, sys
from tests.report.conftest import many
from tests.report.test_streaming import Nowhere
from proctor.report.formats import writer_for

run = many(int(sys.argv[1]))
for name in sys.argv[2:]:
    out = Nowhere()
    writer_for(name)(run.report, run.results, out)
    assert out.length > 1_000, name
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


class Nowhere(TextIOBase):
    """A stream that keeps nothing but the length of what it was given."""

    length = 0

    def write(self, text: str) -> int:
        self.length += len(text)
        return len(text)


def _most_memory(count: int) -> int:
    names = ("out.json", "out.csv", "out.junit.xml", "out.md", "out.html")
    program = [sys.executable, "-c", _PROGRAM, str(count), *names]
    done = subprocess.run(program, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
def test_twenty_thousand_results_take_no_more_memory_than_three_thousand() -> None:
    few, all_of_them = _most_memory(3_000), _most_memory(20_000)
    unit = 1 if sys.platform == "darwin" else 1024
    # To hold them would take well over twenty megabytes.
    assert (all_of_them - few) * unit < 10_000_000


def _peaks(write: Writer, *counts: int) -> list[int]:
    """The most memory that a writer holds for so many results."""
    peaks = []
    for count in counts:
        run = many(count)
        tracemalloc.start()
        write(run.report, run.results, cast(TextIO, Nowhere()))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peaks


def test_the_page_keeps_only_the_rows_it_shows() -> None:
    few, all_of_them = _peaks(partial(html.write, limit=50), 200, 4_000)
    assert all_of_them < few + 2_000_000


@table("name", ["out.json", "out.csv", "out.junit.xml", "out.md"])
def test_a_file_takes_no_more_memory_for_more_results(name: str) -> None:
    few, all_of_them = _peaks(writer_for(name), 100, 1_000)
    assert all_of_them < few + 500_000


def test_the_terminal_reads_no_further_than_it_must(huge: Run) -> None:
    read = 0

    def counted() -> Iterator[Result]:
        nonlocal read
        for result in huge.results():
            read += 1
            yield result

    terminal.write(huge.report, counted, cast(TextIO, Nowhere()), width=80)
    assert 0 < read <= 400
