from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from proctor.models.local import background_inference
from proctor.models.local.background_inference import BackgroundInference
from proctor.models.local.model_registry import network_of, pieces_of
from proctor.models.local.tokenizer import END, START, Line


def _line(text: str) -> Line:
    return Line((START, *pieces_of().numbers([text])[0], END))


def test_it_answers_as_the_network_does() -> None:
    network, lines = network_of("reader"), [_line("Anna Berg asked"), _line("Where is my parcel?")]
    for mine, theirs in zip(BackgroundInference(network).run(lines), network.run(lines), strict=True):
        assert all((one == other).all() for one, other in zip(mine, theirs, strict=True))


class _Tells:
    """A network that tells where it runs."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []

    def run(self, lines: Sequence[Line]) -> list[Any]:
        self.found.append((threading.current_thread().name, os.getpriority(os.PRIO_PROCESS, 0)))
        return []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_only_the_thread_that_runs_it_steps_back() -> None:
    network, before = _Tells(), os.getpriority(os.PRIO_PROCESS, 0)
    BackgroundInference(network).run([])  # type: ignore[arg-type]
    ((name, priority),) = network.found
    assert name.startswith("proctor-aside")
    assert priority == min(19, before + 10)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_program_that_ends_is_still_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(background_inference, "_thread", lambda: ended)
    network = _Tells()
    BackgroundInference(network).run([])  # type: ignore[arg-type]
    assert network.found[0][0] == threading.current_thread().name
