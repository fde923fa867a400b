from __future__ import annotations

from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.answer.expected_answer import Expected
from tests.tables import table


def said(text: str) -> Trajectory:
    return Trajectory(turns=(Turn(messages=(Message(role="assistant", content=text),)),))


def expecting(reference: str | None, **metadata: Any) -> Case:
    return Case(id="c", input="?", expect=Expectation(reference=reference), metadata=metadata)


@table(
    ("reference", "answer", "passed"),
    [
        ("NN", " NN\n", True),
        ("NN", "VB", False),
        ("42", "42.0", True),
        ("42", "43", False),
        ('{"a": 1, "b": "x"}', '```json\n{"b": "x", "a": 1.0}\n```', True),
        ('{"a": 1, "b": "x"}', '{"a": 1}', False),
        ('{"a": true}', '{"a": 1}', False),
        ("[1, 2]", "[2, 1]", False),
        ("It ships within two days, at no cost.", "It ships within  two days, at no cost.", True),
        ("It ships within two days, at no cost.", "Delivery is free and takes two days.", None),
        ('{"title": "A long title that can be said otherwise"}', '{"title": "Another title"}', None),
        ('{"title": "A long title that can be said otherwise"}', "no JSON at all", None),
    ],
)
async def test_what_is_expected(reference: str, answer: str, passed: bool | None) -> None:
    score = await Expected().score(expecting(reference), said(answer))
    assert score.status == "ok"
    assert score.passed is passed
    assert passed is not None or "similarity" in score.reason


async def test_a_models_groundtruth_informs_and_does_not_decide() -> None:
    score = await Expected().score(expecting("NN", origin="openai:gpt-5"), said("VB"))
    assert score.passed is None
    decided = await Expected(decides=True).score(expecting("NN", origin="openai:gpt-5"), said("VB"))
    assert decided.passed is False


@pytest.mark.parametrize("reference", [None, "  "])
async def test_without_an_expected_answer_there_is_nothing_to_score(reference: str | None) -> None:
    assert (await Expected().score(expecting(reference), said("x"))).status == "skipped"
