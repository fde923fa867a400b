"""Calls that come to the same are the same; others are not."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import ToolCall
from proctor.scorers.conversation.effects import effect, net


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def test_numbers_case_space_and_text_of_lists_do_not_matter() -> None:
    one = call("change_seat", booking_id=" ab12 ", row=7, tags=["b", "a"], note=None)
    other = call("change_seat", booking_id="AB12", row="7.0", tags="['a', 'b']")
    assert effect(one) == effect(other)


def test_another_value_is_another_effect() -> None:
    assert effect(call("change_seat", row=7)) != effect(call("change_seat", row=8))


def test_pairs_are_sorted_together() -> None:
    one = call("exchange", item_ids=["a", "b"], new_item_ids=["x", "y"])
    same = call("exchange", item_ids=["b", "a"], new_item_ids=["y", "x"])
    crossed = call("exchange", item_ids=["a", "b"], new_item_ids=["y", "x"])
    assert effect(one) == effect(same)
    assert effect(one) != effect(crossed)


def test_an_item_exchanged_for_itself_beside_others_changes_nothing() -> None:
    one = call("exchange", item_ids=["a", "b"], new_item_ids=["x", "b"])
    assert effect(one) == effect(call("exchange", item_ids=["a"], new_item_ids=["x"]))


def test_a_later_setting_takes_the_place_of_an_earlier_one() -> None:
    first, last = (
        effect(call("update_address", order_id="1", street="A")),
        effect(call("update_address", order_id="1", street="B")),
    )
    other = effect(call("update_address", order_id="2", street="A"))
    assert net([first, other, last]) == (other, last)


def test_opposites_undo_each_other_and_repeats_count_once() -> None:
    on, off = effect(call("enable_roaming", line_id="1")), effect(call("disable_roaming", line_id="1"))
    assert net([on, off]) == ()
    assert net([on, on]) == (on,)


def test_a_record_inside_may_say_more_but_the_call_may_not() -> None:
    gold = effect(call("book", flights=[{"number": "F1"}]))
    assert gold.met_by(effect(call("book", flights=[{"number": "F1", "price": 3}])))
    assert not gold.met_by(effect(call("book", flights=[{"number": "F1"}], bags=2)))


def test_only_the_named_arguments_are_compared() -> None:
    gold = effect(call("transfer", summary="x", to="desk"), compare=["to"])
    assert gold.met_by(effect(call("transfer", summary="y", to="desk")))
    assert not gold.met_by(effect(call("transfer", summary="x", to="other")))


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), st.lists, max_leaves=5),
        max_size=4,
    )
)
def test_an_effect_is_its_own(arguments: dict[str, Any]) -> None:
    one = effect(ToolCall(name="do", arguments=arguments))
    assert one == effect(ToolCall(name="do", arguments=dict(reversed(list(arguments.items())))))
    assert one.met_by(one)
