from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.server.conversation import Conversations, Said, digest
from proctor.server.wire.stream_events import Slot
from proctor.server.wire.text_slots import put

TEXTS = st.lists(st.text(alphabet="ab\n ", max_size=8), min_size=1, max_size=4)


def _slots(texts: list[str]) -> list[Slot]:
    place = list(texts)
    return [Slot("", place, number) for number in range(len(place))]


def _said(*words: str) -> list[Said]:
    kinds = {"u": "user", "a": "assistant"}
    return [Said(kind=kinds[word[0]], digest=digest(word)) for word in words]  # type: ignore[arg-type]


@given(TEXTS, st.text(alphabet="abX\n ", max_size=20))
def test_a_new_text_is_spread_over_its_parts_without_loss(texts: list[str], new: str) -> None:
    slots = _slots(texts)
    changed = put(slots, new)
    assert changed == (new != "\n".join(texts))
    if changed:
        assert "".join(slot.text for slot in slots).replace("\n", "") == new.replace("\n", "")


@given(TEXTS)
def test_each_part_keeps_its_own_when_lines_stay(texts: list[str]) -> None:
    slots = _slots(texts)
    put(slots, "\n".join(texts).replace("a", "XX"))
    assert [slot.text for slot in slots] == [text.replace("a", "XX") for text in texts]


def test_a_conversation_is_found_by_what_was_said_and_by_nobody_else_after_that() -> None:
    known = Conversations()
    first = known.continued(_said("u hi"))
    from proctor.server.conversation import chained

    mark = chained(each.digest for each in _said("u hi", "a hello"))[-1]
    known.mark(first, mark)
    assert known.continued(_said("u hi", "a hello", "u I am Ann")) is first
    assert known.continued(_said("u hi", "a hello", "u I am Bob")) is not first


def test_conversations_and_their_marks_do_not_grow_without_end() -> None:
    known = Conversations(most=10)
    for number in range(100):
        record = known.named(f"s{number}")
        for turn in range(400):
            known.mark(record, digest(number, turn))
            record.called(f"c{turn}", "tool")
    assert len(known) == 10
    assert len(known._marks) <= 10 * 256
    assert len(record.calls) <= 256


def test_conversations_that_nobody_goes_on_with_are_let_go_with_their_marks() -> None:
    known = Conversations(idle=3600.0)
    for number in range(5):
        known.mark(known.named(f"s{number}"), digest(number))
    assert known.at(digest(0)) is known.named("s0")
    for record in list(known._records.values())[:3]:  # s1, s2, s3: s0 was used again
        record.used -= 4000.0
    known.named("s9")
    assert [id for _, id in known._records] == ["s4", "s0", "s9"]
    assert known.at(digest(1)) is None
    assert known.at(digest(4)) is not None
