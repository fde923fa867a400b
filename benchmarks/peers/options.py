"""What every peer's program is told, and how it answers."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass

__all__ = ["RUBRIC", "Options", "read_options", "tell"]

RUBRIC = "The answer must state the price that the reference gives."


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One job: so many cases, so many at a time, against the server at an address."""

    base_url: str
    cases: int
    concurrency: int


def read_options() -> Options:
    """The job, from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("base_url")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=50)
    given = parser.parse_args()
    return Options(base_url=given.base_url, cases=given.cases, concurrency=given.concurrency)


def tell(passed: int, judged: int) -> None:
    """Say how it went, as the last line of standard output."""
    print(json.dumps({"passed": passed, "judged": judged}), flush=True)
