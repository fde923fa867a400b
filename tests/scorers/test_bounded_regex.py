"""Regular expressions within bounds: here when cheap, in a child process when not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest

from proctor.scorers import bounded_regex
from proctor.scorers.bounded_regex import PatternError, first_matches


async def test_a_cheap_pattern_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "run", refuse)
    assert await first_matches(r"\d+ yen", ["costs 12 yen", "free"]) == [(6, 12), None]
    assert await first_matches("a+", ["aaa", "aab"], manner="fullmatch") == [(0, 3), None]


@pytest.mark.parametrize("manner", ["search", "fullmatch"])
async def test_both_ways_give_the_same(manner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["日本 ab\nAB", "", "\ud800 lone", "abab", "x" * 1000]
    here = [await first_matches(p, texts, manner=manner, ignore_case=True) for p in (r"ab", r"\w+", r"(?s).*B$")]
    monkeypatch.setattr(bounded_regex, "STEPS_HERE", -1)
    child = [await first_matches(p, texts, manner=manner, ignore_case=True) for p in (r"ab", r"\w+", r"(?s).*B$")]
    assert here == child


async def test_a_nested_repeat_that_matches_at_once_is_answered() -> None:
    assert await first_matches("(a+)+b", ["aaab"]) == [(0, 4)]


async def test_the_loop_goes_on_while_a_child_works() -> None:
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    pulse = asyncio.ensure_future(heart())
    begun = time.monotonic()
    with pytest.raises(PatternError, match="took more than 1 s"):
        await first_matches(r"(a|a)*\1$", ["a" * 50_000 + "!"], seconds=1)
    pulse.cancel()
    assert beats > 5
    assert time.monotonic() - begun < bounded_regex.WALL_SECONDS


async def test_a_child_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(PatternError, match="no process could be started"):
        await first_matches(r"(a+)+\1$", ["aaa"])
