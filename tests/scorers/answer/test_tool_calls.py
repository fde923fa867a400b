from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.case import Expectation
from proctor.core.chat import ToolCall
from proctor.core.decode import decode
from proctor.scorers.answer.tool_calls import ToolCalls
from proctor.scorers.match_calls import pair
from tests.scorers.staging import BROKEN, case, said, turns
from tests.tables import table


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


FIND, BOOK, PAY = call("find", q="tea"), call("book", id=1), call("pay", amount=2.5)


async def value_of(scorer: ToolCalls, wanted: list[ToolCall], made: list[ToolCall]) -> float | None:
    return (await scorer.score(case(tool_calls=tuple(wanted)), said("ok", calls=[made]))).value


@table(
    ("wanted", "made", "value"),
    [
        ([FIND, BOOK], [FIND, BOOK], 1.0),
        ([FIND, BOOK], [BOOK, FIND], 1.0),
        ([FIND, BOOK], [FIND], 2 / 3),
        ([FIND], [FIND, PAY], 2 / 3),
        ([FIND], [FIND, FIND], 2 / 3),
        ([FIND], [], 0.0),
        ([FIND], [call("find", q="coffee")], 0.0),
        ([call("f", a=1, b=[1, 2])], [call("f", b=[1.0, 2], a=1.0)], 1.0),
        ([call("f", a=1)], [call("f", a=True)], 0.0),
        ([call("f", a=None)], [call("f")], 0.0),
        ([call("f", a="1")], [call("f", a=1)], 0.0),
    ],
)
async def test_f1_of_the_calls(wanted: list[ToolCall], made: list[ToolCall], value: float) -> None:
    assert await value_of(ToolCalls(), wanted, made) == pytest.approx(value)


@table(
    ("made", "value"),
    [([FIND, BOOK, PAY], 1.0), ([BOOK, FIND, PAY], 2 / 3), ([PAY, BOOK, FIND], 1 / 3), ([FIND, PAY, BOOK, PAY], 6 / 7)],
)
async def test_a_strict_order(made: list[ToolCall], value: float) -> None:
    assert await value_of(ToolCalls(order="strict"), [FIND, BOOK, PAY], made) == pytest.approx(value)


async def test_others_may_come_beside_a_subset() -> None:
    assert await value_of(ToolCalls(order="subset"), [BOOK], [FIND, BOOK, PAY]) == 1.0
    assert await value_of(ToolCalls(order="subset"), [BOOK, PAY], [FIND, BOOK]) == 0.5
    score = await ToolCalls(order="subset").score(case(tool_calls=(BOOK,)), said("ok", calls=[[FIND, BOOK]]))
    assert score.reason == "all 1 expected calls were made"


@table(
    ("arguments", "made", "value"),
    [
        ("exact", call("f", q=" Tea "), 0.0),
        ("normalised", call("f", q=" ＴＥＡ "), 1.0),
        ("ignore", call("f", q="coffee"), 1.0),
        ("subset", call("f", q="tea", page=2), 1.0),
        ("subset", call("f", page=2), 0.0),
        ("exact", call("f", q="tea", page=2), 0.0),
    ],
)
async def test_how_arguments_are_compared(arguments: Any, made: ToolCall, value: float) -> None:
    assert await value_of(ToolCalls(arguments=arguments), [call("f", q="tea")], [made]) == value


async def test_a_subset_reaches_into_mappings() -> None:
    wanted = [call("f", filter={"colour": "red"})]
    assert (
        await value_of(ToolCalls(arguments="subset"), wanted, [call("f", filter={"colour": "red", "size": 1})]) == 1.0
    )
    assert await value_of(ToolCalls(arguments="subset"), wanted, [call("f", filter="red")]) == 0.0


async def test_subsets_are_paired_as_well_as_they_can_be() -> None:
    # The loose expectation must not take the only call that the strict one fits.
    wanted = [call("f"), call("f", a=1)]
    assert await value_of(ToolCalls(arguments="subset"), wanted, [call("f", a=1), call("f", a=2)]) == 1.0


async def test_the_evidence_names_missing_and_extra_calls() -> None:
    made = [call("find", q="coffee"), PAY]
    score = await ToolCalls().score(case(tool_calls=(FIND, BOOK)), said("ok", calls=[made]))
    assert [each.note for each in score.evidence] == [
        'arguments differ: expected find(q="tea"), found find(q="coffee")',
        "missing: book(id=1)",
        "not expected: pay(amount=2.5)",
    ]
    assert {part.name: part.value for part in score.parts} == {
        "name precision": 0.5,
        "name recall": 0.5,
        "arguments": 0.0,
        "order": 1.0,
    }


async def test_no_call_may_be_expected() -> None:
    scorer = decode(ToolCalls, {"calls": []}, strict=True)
    assert (await scorer.score(case(tool_calls=(FIND,)), said("ok"))).value == 1.0
    assert (await scorer.score(case(), said("ok", calls=[[FIND]]))).value == 0.0
    assert (await ToolCalls().score(case(), said("ok", calls=[[FIND]]))).status == "skipped"


async def test_a_turns_calls_are_held_against_that_turn() -> None:
    asked = turns(Expectation(tool_calls=(FIND,)), Expectation(tool_calls=(BOOK,)))
    assert (await ToolCalls().score(asked, said("a", "b", calls=[[FIND], [BOOK]]))).value == 1.0
    swapped = await ToolCalls().score(asked, said("a", "b", calls=[[BOOK], [FIND]]))
    assert swapped.value == 0.0
    assert [part.name for part in swapped.parts] == ["turn 1", "turn 2"]
    assert {each.turn for each in swapped.evidence} == {0, 1}
    assert (await ToolCalls().score(asked, said("a", calls=[[FIND]]))).status == "error"


async def test_what_cannot_be_compared_is_not_judged() -> None:
    nested: Any = 1
    for _ in range(5000):
        nested = [nested]
    score = await ToolCalls().score(case(tool_calls=(call("f", a=1),)), said("ok", calls=[[call("f", a=nested)]]))
    assert score.status == "error"
    assert (await ToolCalls().score(case(tool_calls=(FIND,)), BROKEN)).status == "error"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)
CALLS = st.lists(
    st.builds(
        lambda name, arguments: ToolCall(name=name, arguments=arguments),
        st.sampled_from("fg"),
        st.dictionaries(st.sampled_from("ab"), JSON, max_size=2),
    ),
    max_size=5,
)


@settings(deadline=None)
@given(CALLS, CALLS, st.sampled_from(["exact", "subset", "ignore", "normalised"]), st.booleans())
def test_each_call_is_paired_once_and_with_its_like(
    wanted: list[ToolCall], made: list[ToolCall], arguments: Any, in_order: bool
) -> None:
    pairing = pair(wanted, made, arguments=arguments, in_order=in_order)
    ones, others = [one for one, _ in pairing.pairs], [other for _, other in pairing.pairs]
    assert len(set(ones)) == len(ones)
    assert len(set(others)) == len(others)
    assert all(wanted[one].name == made[other].name for one, other in pairing.pairs)
    assert len(pairing.pairs) <= pairing.same_arguments <= pairing.same_names <= min(len(wanted), len(made))
    if in_order:
        assert ones == sorted(ones)
        assert others == sorted(others)


@settings(deadline=None)
@given(CALLS, st.sampled_from(["exact", "subset", "ignore", "normalised"]), st.booleans())
def test_calls_are_all_paired_with_themselves(calls: list[ToolCall], arguments: Any, in_order: bool) -> None:
    pairing = pair(calls, calls, arguments=arguments, in_order=in_order)
    assert len(pairing.pairs) == len(calls) == pairing.names_in_order


@settings(deadline=None)
@given(CALLS, CALLS, st.randoms())
def test_order_does_not_matter_when_it_is_ignored(wanted: list[ToolCall], made: list[ToolCall], random: Any) -> None:
    before = len(pair(wanted, made, arguments="subset", in_order=False).pairs)
    random.shuffle(made)
    assert len(pair(wanted, made, arguments="subset", in_order=False).pairs) == before
