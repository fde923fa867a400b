from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from proctor.core.entity import Entity
from proctor.store.guard_names import Names

KIM = Entity(kind="PERSON", text="Kim", start=0, end=3, score=0.9)


class _Tagger:
    """Finds Kim in every text, after doing what it is told to."""

    def __init__(self, first: Callable[[], Any] = lambda: None) -> None:
        self.first = first
        self.asked: list[list[str]] = []

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        self.asked.append(list(texts))
        self.first()
        await asyncio.sleep(0)
        return [[KIM] for _ in texts]


async def test_a_caller_with_a_loop_of_its_own_is_answered_too() -> None:
    names = Names(_Tagger())
    assert names.of(["Kim", "Kim again"]) == [[KIM], [KIM]]
    assert names.of([]) == []
    names.end()


def test_a_tagger_that_fails_has_no_answer_and_is_asked_again() -> None:
    def fail() -> None:
        raise RuntimeError("no weights")

    tagger = _Tagger(fail)
    names = Names(tagger)
    assert names.of(["Kim"]) == [None]
    tagger.first = lambda: None
    assert names.of(["Kim"]) == [[KIM]]
    names.end()


def test_fewer_answers_than_texts_are_none() -> None:
    class Forgets(_Tagger):
        async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
            return [[KIM]]

    names = Names(Forgets())
    assert names.of(["Kim", "Lee"]) == [None, None]
    names.end()


def test_a_tagger_that_hangs_holds_nobody_up_and_is_asked_again_when_it_is_back() -> None:
    free = threading.Event()
    tagger = _Tagger(lambda: free.wait(60))
    names = Names(tagger, patience=0.01)
    assert names.of(["Kim"]) == [None]
    assert names.of(["Lee"]) == [None]
    assert tagger.asked == [["Kim"]]
    free.set()
    assert names._last is not None
    assert names._last.answered.wait(60)
    names._patience = 60.0
    assert names.of(["Lee"]) == [[KIM]]
    names.end()
