"""Examples without a baseline, copied fresh, run and gated as a reader would: a second run of the same version is
not held. The manga store, which brings a baseline, has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.server import ChatServer
from tests.examples.copied import copied


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def test_the_travel_desk_is_not_held_and_its_naive_agent_is(tmp_path: Path, server: ChatServer) -> None:
    desk = copied("travel_desk", tmp_path, server)
    desk.run("run", "-q", code=0)
    desk.run("bless", code=0)
    desk.run("run", "-q", code=0)
    done = desk.run("gate", "last")
    assert done.returncode in (0, 3), done.stdout
    desk.run("run", "-q", "-t", "naive", code=1)
    desk.run("gate", "last", code=1)


def test_the_help_desk_is_not_held(tmp_path: Path, server: ChatServer) -> None:
    desk = copied("help_desk", tmp_path, server)
    desk.run("run", "-q", "orders", code=0)
    desk.run("bless", code=0)
    desk.run("run", "-q", "orders", code=0)
    done = desk.run("gate", "last")
    assert done.returncode in (0, 3), done.stdout
