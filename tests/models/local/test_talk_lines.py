"""A conversation as lines of token numbers: every act of the agent is judged once, whatever its length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.talk_event import TalkEvent, call_text
from proctor.models.local.talk_lines import AGAIN, FRAMES, MARK, talk_lines


def codes(text: str) -> list[int]:
    """One number a character, so that a line can be read again."""
    return [ord(each) for each in text]


def text_of(ids: tuple[int, ...]) -> str:
    return "".join(map(chr, ids))


def test_the_line_holds_all_that_was_said_and_done() -> None:
    call, result = call_text("orders.get", {"id": "A-1"}, {"state": "sent"})
    events = [
        TalkEvent(who="source", text="Returns within 14 days."),
        TalkEvent(who="customer", text="Where is it?"),
        TalkEvent(who="call", text=call, result=result),
        TalkEvent(who="agent", text="It was sent."),
    ]
    (line,) = talk_lines(codes, events)
    assert text_of(line.ids) == (
        'Source: Returns within 14 days.\n\nCustomer: Where is it?\nCall: orders.get {"id": "A-1"}'
        '\nResult: {"state": "sent"}\nFault:\nAgent: It was sent.\nFault:'
    )
    assert [event for _, event in line.marks] == [2, 3]
    for place, _ in line.marks:
        assert text_of(line.ids[: place + 1]).endswith(MARK)


def test_with_notes_each_act_is_told_with_its_new_values() -> None:
    events = [
        TalkEvent(who="source", text="Returns within 14 days."),
        TalkEvent(who="customer", text="Order 17, please."),
        TalkEvent(who="agent", text="Order 17 has 30 days."),
        TalkEvent(who="agent", text="As I said: 30 days."),
    ]
    (line,) = talk_lines(codes, events, notes=True)
    assert text_of(line.ids).endswith(
        "\nAgent: Order 17 has 30 days.\nNot given before: 30\nFault:\nAgent: As I said: 30 days.\nFault:"
    )
    assert [event for _, event in line.marks] == [2, 3]


def test_nothing_is_judged_where_the_agent_did_nothing() -> None:
    assert talk_lines(codes, [TalkEvent(who="customer", text="Hello?")]) == []
    assert talk_lines(codes, []) == []


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    (line,) = talk_lines(codes, [TalkEvent(who="agent", text="begin " + "x" * 3_000 + " end")])
    assert text_of(line.ids).startswith(FRAMES["agent"] + "begin")
    assert " end" in text_of(line.ids)
    assert len(line.ids) < 400


events_ = st.lists(
    st.builds(
        TalkEvent,
        who=st.sampled_from(["source", "customer", "agent", "call"]),
        text=st.text(alphabet="ab \n", max_size=90),
        result=st.text(alphabet="cd", max_size=60),
    ),
    max_size=40,
)


@given(events_, st.integers(min_value=700, max_value=1_200))
def test_every_act_is_judged_once_in_lines_that_are_not_too_long(events: list[TalkEvent], longest: int) -> None:
    lines = talk_lines(codes, events, longest)
    judged = [event for line in lines for _, event in line.marks]
    assert judged == [at for at, each in enumerate(events) if each.who in ("agent", "call")]
    for line in lines:
        places = [place for place, _ in line.marks]
        assert places == sorted(places)
        assert all(text_of(line.ids[: place + 1]).endswith(MARK) for place in places)


def test_a_further_line_shows_what_came_before() -> None:
    events = [TalkEvent(who="agent", text=f"number {at:02} " + "y" * 120) for at in range(20)]
    first, second, *_ = talk_lines(codes, events, 1_000)
    last = first.marks[-1][1]
    assert second.marks[0][1] == last + 1
    assert f"number {last:02}" in text_of(second.ids)
    assert len(second.ids[: second.marks[0][0]]) <= AGAIN + 200
