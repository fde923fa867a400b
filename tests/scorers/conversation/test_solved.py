"""The estimate, its features and its trees."""

from __future__ import annotations

import asyncio
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.solved import Solved
from proctor.scorers.conversation.solved_features import features
from proctor.scorers.conversation.solved_trees import read_trees, shipped_trees
from tests.profiles import examples
from tests.tables import table


def turn(asked: str, answer: str, *calls: ToolCall) -> Turn:
    return Turn(
        messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)), tool_calls=calls
    )


CANCELLED = Trajectory(
    turns=(
        turn(
            "Please cancel my order W123456",
            "Shall I cancel W123456?",
            ToolCall(name="get_order", result={"id": "W123456"}),
        ),
        turn(
            "Yes, go ahead",
            "It has been cancelled.",
            ToolCall(name="cancel_order", arguments={"id": "W123456"}, result="ok"),
        ),
    )
)


def test_features_tell_what_happened() -> None:
    found = features(CANCELLED, "You must not cancel shipped orders.\nBe kind.")
    assert found["writes"] == 1
    assert found["reads"] == 1
    assert found["agreed_share"] == 1.0
    assert found["want_cancel"] == 1
    assert found["made_cancel"] == 1
    assert found["undone"] == 0
    assert found["rules_on_made"] == 1
    assert found["made_up"] == 0


def test_a_failed_change_that_was_left_so_is_seen() -> None:
    call = ToolCall(name="cancel_order", arguments={"id": "W9"}, result="Error: no")
    found = features(Trajectory(turns=(turn("Cancel it", "Sorry, I cannot.", call),)))
    assert found["writes"] == 0
    assert found["writes_open"] == 1
    assert found["no_write_refused"] == 1
    assert found["made_up"] == 0


def test_the_cheaper_record_beside_the_chosen_one_is_seen() -> None:
    shelf = ToolCall(name="list_items", result=[{"item_id": "i1", "price": 5}, {"item_id": "i2", "price": 3}])
    buy = ToolCall(name="order_item", arguments={"item_id": "i1"}, result="ok")
    found = features(Trajectory(turns=(turn("Order the cheapest", "Done.", shelf, buy),)))
    assert found["picked"] == 1
    assert found["not_best_price"] == 1


def test_the_mark_of_a_simulated_customer_is_no_words() -> None:
    spoken = Trajectory(turns=(turn("Thanks ###STOP###", "Bye."),))
    kept = Trajectory(
        turns=(
            Turn(
                messages=(
                    Message(role="user", content="Thanks", extra={"ended": "STOP"}),
                    Message(role="assistant", content="Bye."),
                )
            ),
        )
    )
    plain = Trajectory(turns=(turn("Thanks", "Bye."),))
    assert features(spoken) == features(kept) == features(plain)


@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(st.text(max_size=40), st.text(max_size=40), st.text(max_size=12), st.text(max_size=30)), max_size=4
    )
)
def test_any_conversation_has_all_features_and_a_probability(said: list[tuple[str, str, str, str]]) -> None:
    run = Trajectory(turns=tuple(turn(a, b, ToolCall(name=n, arguments={"x": r}, result=r)) for a, b, n, r in said))
    found = features(run)
    assert set(found) == set(shipped_trees().features)
    assert all(math.isfinite(value) for value in found.values())
    assert 0.0 < shipped_trees().probability(found) < 1.0


@table("last", ["Thanks, bye.", "Thanks ###STOP###", "###TRANSFER###", "## NOTES ## my order"])
def test_the_word_and_the_number_say_the_same(last: str) -> None:
    run = Trajectory(turns=(*CANCELLED.turns, turn(last, "Good bye.")))
    one = asyncio.run(Solved().score(Case(id="c"), run))
    assert one.value == pytest.approx(shipped_trees().probability(features(run)))
    assert one.label == ("solved" if (one.value or 0.0) >= 0.5 else "unsolved")
    assert json.loads(one.raw or "{}")["cut"] == 0.5


def test_the_score_is_the_same_each_time_and_informs_only() -> None:
    one, other = (asyncio.run(Solved().score(Case(id="c"), CANCELLED)) for _ in range(2))
    assert one == other
    assert Solved.threshold is None
    assert one.label in ("solved", "unsolved")
    assert one.producer == "local model"
    assert any(each.note == "the customer's last words" and each.turn == 1 for each in one.evidence)


def test_no_conversation_has_no_estimate() -> None:
    assert asyncio.run(Solved().score(Case(id="c"), Trajectory())).status == "skipped"


TREE = {
    "version": "t", "features": ["a"], "start": 0.0, "slope": 1.0, "offset": 0.0, "threshold": 0.5,
    "trees": [[[0, -1, -1], [1.5, 0, 0], [1, 0, 0], [2, 0, 0], [0.0, -2.0, 2.0]]],
}  # fmt: skip


def test_trees_by_hand() -> None:
    trees = read_trees(TREE)
    assert trees.probability({"a": 1}) == pytest.approx(1 / (1 + math.exp(2)))
    assert trees.probability({"a": 2}) == pytest.approx(1 / (1 + math.exp(-2)))
    assert trees.reasons({"a": 2}) == [("a", 2.0)]
    assert trees.probability({}) == trees.probability({"a": 0})


@table(
    "tree",
    [
        [[0, -1], [1, 0], [1, 0], [2, 0], [0, 1]],
        [[1, -1, -1], [1, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 1]],
        [[0, -1, -1], [1, 0], [1, 0, 0], [2, 0, 0], [0, 1, 1]],
        [[0, -1, -1], [1, 0, 0], [0, 0, 0], [2, 0, 0], [0, 1, 1]],
    ],
)
def test_broken_trees_are_refused(tree: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="tree 0"):
        read_trees({**TREE, "trees": [tree]})
