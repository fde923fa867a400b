"""Conversations that are read once, with a small network or a rule in place of the large one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from proctor.core.errors import StoreError
from proctor.core.talk_event import FAULTS, TalkEvent
from proctor.models.local.large import FAULT_AT
from proctor.models.local.talk_faults import RESULT_LETTERS, SOURCE_LETTERS, Array, TalkFaults
from tests.marked_faults import SURE, marked_faults

OUTPUTS = FAULT_AT + 1 + len(FAULTS)


def agent(text: str) -> TalkEvent:
    return TalkEvent(who="agent", text=text)


def customer(text: str) -> TalkEvent:
    return TalkEvent(who="customer", text=text)


async def test_each_act_has_a_probability_and_a_kind_at_its_place() -> None:
    call = TalkEvent(who="call", text='pay {"id": "!wrong_id"}', result='{"ok": true}')
    found = await marked_faults().faults([customer("Hello!"), agent("Hello."), call, agent("?dead_end")])
    assert [(each.event, each.kind) for each in found[1:]] == [(2, "wrong_id"), (3, "dead_end")]
    assert [round(each.probability, 2) for each in found] == [0.05, 0.95, 0.62]
    assert found[1].share == pytest.approx(np.exp(2) / (np.exp(2) + 9))


async def test_slope_and_offset_make_the_probability() -> None:
    (sure,) = await marked_faults(slope=0.5, offset=-SURE / 2).faults([agent("!loop")])
    assert sure.probability == pytest.approx(0.5)
    settings = {"large": {"fault": {"slope": 2.0, "offset": -1.0}}}
    made = TalkFaults.calibrated(lambda ids, places: np.zeros((1, OUTPUTS)), list, settings)  # type: ignore[arg-type]
    assert (made.slope, made.offset) == (2.0, -1.0)
    assert TalkFaults.calibrated(made.read_marks, made.encode, {}).slope == 1.0


async def test_a_small_network_reads_the_same_marks_alone_and_beside_others() -> None:
    """A recurrent network: what it says at a mark follows from all tokens before it, and from none after it."""
    dice = np.random.default_rng(4)
    table, turned, head = dice.normal(size=(128, 12)), dice.normal(size=(12, 12)) / 4, dice.normal(size=(12, OUTPUTS))

    def read_marks(ids: Sequence[int], places: Sequence[int]) -> Array:
        state, rows = np.zeros(12), {}
        for at, number in enumerate(ids):
            state = np.tanh(table[number % 128] + turned @ state)
            rows[at] = state @ head
        return np.array([rows[place] for place in places], np.float32)

    reader = TalkFaults(read_marks=read_marks, encode=lambda text: [ord(each) for each in text])
    talk = [customer("Where is it?"), agent("It was sent."), customer("When?"), agent("On Monday.")]
    whole, start = await asyncio.gather(reader.faults(talk), reader.faults(talk[:2]))
    assert [each.event for each in whole] == [1, 3]
    assert whole[0] == start[0]
    assert len({each.probability for each in whole}) == 2


async def test_a_long_conversation_is_read_in_several_lines_and_judged_once() -> None:
    talk = [each for at in range(60) for each in (customer(f"question {at}" * 9), agent(f"answer {at} " * 9))]
    found = await marked_faults().faults([*talk, agent("!loop")])
    assert [each.event for each in found] == [*range(1, 120, 2), 120]
    assert [each.event for each in found if each.probability > 0.9] == [120]


async def test_of_what_is_too_long_the_part_that_the_agent_speaks_of_is_read() -> None:
    seen: list[str] = []
    words: dict[str, int] = {}

    def read_marks(ids: Sequence[int], places: Sequence[int]) -> Array:
        known = list(words)
        seen.append(" ".join(known[number] for number in ids))
        return np.zeros((len(places), OUTPUTS), np.float32)

    reader = TalkFaults(
        read_marks=read_marks, encode=lambda text: [words.setdefault(each, len(words)) for each in text.split()]
    )
    noise = "The harbour opens at nine on weekdays. " * 40
    rule = "Returned kayaks are refunded within 14 days."
    await reader.faults(
        [
            TalkEvent(who="source", text=noise),
            TalkEvent(who="source", text=noise + "Closed."),
            TalkEvent(who="source", text=noise + rule + noise),
            customer("refund?"),
            TalkEvent(who="call", text="read {}", result=noise + "Kayak 7 was returned on Monday." + noise),
            agent("Your kayak was returned, and returned kayaks are refunded within 14 days."),
        ]
    )
    assert len(noise) > max(SOURCE_LETTERS, RESULT_LETTERS)
    assert seen[0].index(rule) < SOURCE_LETTERS  # the source with it comes first
    assert len(seen[0]) < 3 * len(noise)
    assert "Kayak 7 was returned on Monday." in seen[0]


async def test_signs_that_no_tokenizer_takes_are_read_as_others() -> None:
    def encode(text: str) -> list[int]:
        return list(text.encode())  # which fails where half a pair stands alone

    reader = TalkFaults(read_marks=lambda ids, places: np.zeros((len(places), OUTPUTS)), encode=encode)
    call = TalkEvent(who="call", text="find \ud800", result="\udfff")
    assert len(await reader.faults([customer("\ud800"), call, agent("a\u200bb\udc00")])) == 2


async def test_outputs_of_another_shape_are_an_error() -> None:
    reader = TalkFaults(read_marks=lambda ids, places: np.zeros((len(places), 3)), encode=list)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="marks"):
        await reader.faults([agent("")])
