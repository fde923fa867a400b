"""What holds for every test: no network but the loopback, and an environment that nobody else set."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from proctor.text.known_secrets import forget_secrets
from tests.chromium import browser, chromium, shared_page
from tests.profiles import register

__all__ = ["browser", "chromium", "shared_page"]

register()

# Files that take longest are first, so that no worker is left with one at the end.
_LONGEST = (
    "tests/server/pages/test_accessibility.py",
    "tests/workflows/batch/test_batch.py",
    "tests/examples/test_manga_store_gate.py",
    "tests/report/test_browser.py",
    "tests/contracts/test_scorers.py",
    "tests/wiring/test_guard_warmup.py",
    "tests/models/local/test_model_registry.py",
    "tests/server/pages/",
    "tests/server/ingest/",
    "tests/benchmarks/test_run_crashes.py",
    "tests/cli/",
    "tests/examples/",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="Run the tests that are marked slow too.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=_rank)
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: runs with --slow, or with make test PROFILE=long"))


def _rank(item: pytest.Item) -> int:
    return next((rank for rank, start in enumerate(_LONGEST) if item.nodeid.startswith(start)), len(_LONGEST))


def pytest_collection_finish() -> None:
    """Keep the thousands of tests and their modules out of every later garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):  # noqa: TID251 - a test begins with a clean one
        if name.endswith("_API_KEY") or (name.startswith("PROCTOR_") and name not in _OURS):
            monkeypatch.delenv(name)
    forget_secrets()  # the values that one test resolves must not be masked in another
    yield
    forget_secrets()


_OURS = {"PROCTOR_REQUIRE_BROWSER", "PROCTOR_TEST_GGUF", "PROCTOR_DATA"}


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    """A test that reaches beyond this machine is a broken test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "unix"
        if host not in ("127.0.0.1", "::1", "localhost", "unix"):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield
