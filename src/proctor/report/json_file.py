"""The whole run as one JSON document: the report, then every result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.report import Report, Result
from proctor.report.result_data import result_data

__all__ = ["write"]


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write ``{"report": …, "results": […]}``, one result to a line."""
    out.write('{"report":')
    out.write(dumps(report).decode())
    out.write(',\n"results":[')
    for number, result in enumerate(results()):
        out.write(",\n" if number else "\n")
        out.write(dumps(result_data(result)).decode())
    out.write("\n]}\n")
