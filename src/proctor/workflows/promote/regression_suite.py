"""The suite that gets cases from production, and who may write it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from proctor.config import Config
from proctor.store.lock import one_at_a_time

__all__ = ["REGRESSIONS", "regression_suite", "sole_promotion"]

REGRESSIONS: Final = Path("suites/regressions.yaml")


def regression_suite(config: Config) -> Path:
    """Return the file that cases are added to unless another one is named."""
    return config.folder / REGRESSIONS


@contextmanager
def sole_promotion(config: Config) -> Iterator[None]:
    """Be the only one who adds cases: two who read a file and write it again would lose a case.

    Raises:
        StoreError: another process adds cases for too long.
    """
    with one_at_a_time(config.store / "promote.lock"):
        yield
