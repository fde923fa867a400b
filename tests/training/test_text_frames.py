"""The networks that are made from a language model are asked as they were trained."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tokenizers import Tokenizer
from training.qwen_layers import TURNS
from training.qwen_network import ROLES
from training.token_lines import alone_lines, lines_of

from proctor.models.local.large import ACTS
from proctor.models.local.text_frames import TextFrames
from proctor.models.local.weights import open_weights

LONG, OTHER = "A long text. " * 200, "Was ist das? " * 60


@pytest.mark.parametrize(("one", "two"), [(LONG, OTHER), ("hi", "yo"), ("", OTHER), (LONG, "yo")])
def test_a_line_is_cut_and_framed_as_in_training(one: str, two: str) -> None:
    tokenizer = Tokenizer.from_file(str(open_weights().path("multilingual.tokenizer.json")))
    frames = TextFrames(tokenizer)
    assert frames.pair(one, two, 320) == tuple(lines_of(tokenizer, [(one, two)], 320)[0])
    assert frames.alone(one, "user", 256) == tuple(alone_lines(tokenizer, [("user", one)], 256)[0])
    assert frames.alone(one, "document", 256) == tuple(alone_lines(tokenizer, [("document", one)], 256)[0])
    assert frames.turn(one, two, "agent", 200) == tuple(lines_of(tokenizer, [(one, two)], 200, TURNS["agent"])[0])
    assert frames.turn(one, two, "customer", 200) == tuple(lines_of(tokenizer, [(one, two)], 200, TURNS["customer"])[0])


def test_acts_are_in_the_order_of_training() -> None:
    assert {role: tuple(acts) for role, acts in ROLES.items()} == ACTS
