"""What the benchmark of personal data counts: twins that line up, overlaps, wrong alarms."""

from __future__ import annotations

import pytest
from benchmarks.pii import GOLD, PEERS, Row, aligned, tally

from proctor.text.pii import KINDS


def test_a_text_and_its_twin_give_the_places() -> None:
    text = "Hi Anna Berg, we wrote to anna@x.io"
    assert aligned(text, "Hi [NAME_1], we wrote to [EMAIL]") == ((3, 12, "NAME"), (26, 35, "EMAIL"))


@pytest.mark.parametrize("masked", ["Ho [NAME], bye", "Hi [NAME][EMAIL], bye", "Hi [NAME] and more"])
def test_twins_that_do_not_match_are_left_out(masked: str) -> None:
    assert aligned("Hi Anna, bye", masked) is None


def test_every_kind_of_the_tables_is_one_of_ours() -> None:
    ours = {*KINDS, "person", "place", "org"}
    assert set(GOLD.values()) <= ours
    assert set(PEERS.values()) <= ours


def test_what_is_found_what_is_typed_and_what_is_wrong() -> None:
    row = Row("x", "Anna, 212-555-0142, 12", ((0, 4, "PERSON"), (6, 18, "PHONE"), (20, 22, "AGE")))
    made = tally([row], [[(6, 18, "card"), (5, 6, "email")]])
    assert made.marked == {"person": 1, "phone": 1}
    assert (made.any["phone"], made.typed["phone"], made.any["person"]) == (1, 0, 0)
    assert (made.told.total(), made.right.total()) == (2, 1)
