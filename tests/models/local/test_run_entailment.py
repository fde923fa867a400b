"""A line is judged once, whoever asks for it, and what is remembered is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from proctor.models.local import run_entailment
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.network import Network
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.run_entailment import LogitJudge, judge_of
from proctor.models.local.tokenizer import Line

PASSAGE = "Refunds are paid within five days after the parcel has come back. Shipping to Japan costs 12 euros."
CLAIMS = ["Refunds are paid within five days.", "Shipping to Japan costs 12 euros."]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Line]]:
    """Every line that a network was asked for."""
    found: list[Line] = []
    real = Network.run

    def run(self: Network, lines: Sequence[Line], outputs: Any = None) -> Any:
        found.extend(lines)
        return real(self, lines, outputs)

    judge_of.cache_clear()
    monkeypatch.setattr(Network, "run", run)
    yield found
    judge_of.cache_clear()


def test_entailment_and_support_of_one_pair_are_one_run(lines: list[Line]) -> None:
    pair = (PASSAGE, CLAIMS[0])
    shares, support = LocalEntailer().readings([pair]), LocalGrounder().readings([pair])
    assert len(lines) == 1
    judge_of.cache_clear()
    assert LocalGrounder().readings([pair]) == support
    assert LocalEntailer().readings([pair]) == shares


def test_claims_that_were_judged_one_by_one_are_not_judged_again_with_the_answer(lines: list[Line]) -> None:
    LocalEntailer().readings([(PASSAGE, claim) for claim in CLAIMS])
    assert len(lines) == 2
    LocalGrounder().readings([(PASSAGE, " ".join(CLAIMS))])
    assert len(lines) == 3  # the answer as a whole


def test_equal_lines_of_one_call_are_run_once(lines: list[Line]) -> None:
    found = LocalEntailer().readings([(PASSAGE, CLAIMS[0])] * 3)
    assert len(lines) == 1
    assert found[0] == found[1] == found[2]


def test_what_is_remembered_is_bounded(lines: list[Line], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_entailment, "KEEP", 2)
    judge = LogitJudge()
    some = [Line((0, 5, 2, number, 2), 3) for number in range(10, 13)]
    first = judge.logits(some)
    judge.logits(some[1:])
    assert len(lines) == 3
    assert judge.logits(some[:1])[0].tolist() == first[0].tolist()
    assert len(lines) == 4
    assert judge.logits([]) == []
