from __future__ import annotations

from importlib import import_module

from proctor.workflows.exchange.pytest_suite import PytestSuite


def test_files_that_were_exported_earlier_still_find_it() -> None:
    assert import_module("proctor.wiring.pytest_suite").PytestSuite is PytestSuite
