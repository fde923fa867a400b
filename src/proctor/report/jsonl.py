"""Every result as one line of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.report import Report, Result
from proctor.report.result_data import result_data

__all__ = ["write"]


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write one result per line, without the figures of the report."""
    for result in results():
        out.write(dumps(result_data(result)).decode())
        out.write("\n")
