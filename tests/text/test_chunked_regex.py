"""Going over a text piece by piece finds what going over all of it at once finds."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples, seeds
from tests.tables import table

from proctor.guard.encoded_values import coded_values
from proctor.text import chunked_regex
from proctor.text.chunked_regex import MARGIN, PIECE, GivenUp, breathe, finditer, spans, translated, works_for
from proctor.text.pattern_prefilter import Haystack
from proctor.text.pii import find_pii
from proctor.text.pii.pii_prefilter import Gates, needs

PATTERNS = (
    r"\bab{1,6}c?\b",
    r"(?<!a)b{2,5}(?!c)",
    r"a|ab|abc",
    r"[ab]{1,9}c",
    r"a*?",
    r"b?",
    r"(?=a)",
    r"\w{1,8}\s{0,2}c",
    r"(?<=c )a.{0,6}b",
    r"^a|c$",
    r"(?m)^[abc]{1,4}$",
)
PLANTED = (
    "4111 1111 1111 1111",
    "anna.berg@mail-host.com",
    "DE89 3704 0044 0532 0130 00",
    "+44 20 7946 0958",
    "passport number 533380006",
    "my password is hunter2!x",
    "192.168.17.4",
    "sk-proj-abc123def456ghi789jkl012",
    "12 Baker Street, London NW1 6XE",
    "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkq" * 200 + "\n-----END PRIVATE KEY-----",
)
FILLER = ("we", "were", "told", "that", "it", "would", "arrive", "soon", "and", "then", "nothing", "came", "at", "all")


class Told:
    """Work that is given up when somebody says so."""

    done = False
    breathed = 0.0


@pytest.fixture
def work() -> Iterator[Told]:
    told = Told()
    works_for(told)
    yield told
    works_for(None)


def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on nothing is long enough to be gone over in pieces."""
    monkeypatch.setattr(chunked_regex, "PIECE", 10**9)


def filled(rng: Random, length: int) -> str:
    words = rng.choices(FILLER, k=length // 3)
    return " ".join(words)[:length]


def planted_at_borders(rng: Random, values: tuple[str, ...]) -> str:
    """A text of several pieces with a value across or beside each place at which a piece may begin or end."""
    step = PIECE - MARGIN
    text = filled(rng, PIECE + 9 * step)
    for number, value in enumerate(rng.sample(values, len(values))):
        border = number * step + rng.choice((step, PIECE))
        at = border - rng.randint(0, len(value) + 2)
        text = f"{text[:at]} {value} {text[at + len(value) + 2 :]}"
    return text


@settings(max_examples=examples(300))
@given(text=st.text(alphabet="aabbc \n", max_size=400), pattern=st.sampled_from(PATTERNS))
def test_pieces_show_the_matches_of_the_whole(text: str, pattern: str) -> None:
    made = re.compile(pattern)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunked_regex, "PIECE", 48)
        patch.setattr(chunked_regex, "MARGIN", 20)
        found = [hit.span() for hit in finditer(made, text)]
    assert found == [hit.span() for hit in made.finditer(text)]


@table("pattern", [r"a+", r"\d+", r"[ab]+c?", r"(?<!\w)[ab]++(?!\w)"])
def test_a_match_over_many_pieces_is_one(pattern: str) -> None:
    text = f"{'a' * (3 * PIECE)}bc {'7' * (2 * PIECE)} {'ab' * PIECE}"
    made = re.compile(pattern)
    assert [hit.span() for hit in finditer(made, text)] == [hit.span() for hit in made.finditer(text)]


@table("blanks", [10, 100, MARGIN, 2 * MARGIN, PIECE])
@table("before", [0, 1, MARGIN // 2, MARGIN, MARGIN + 9, PIECE // 2])
def test_many_blanks_hide_nothing(blanks: int, before: int) -> None:
    made = re.compile(r"ignore\s+all\s+(?:previous\s+)?rules")
    some = f"ignore{' ' * blanks}all{' ' * blanks}previous rules"
    text = f"{'word ' * ((PIECE - before) // 5)}{some} {'word ' * PIECE}"
    found = [hit.span() for hit in finditer(made, text)]
    assert found == [hit.span() for hit in made.finditer(text)]
    assert len(found) == 1


@pytest.mark.parametrize("seed", seeds(6))
def test_personal_data_at_the_borders_is_found_as_in_the_whole(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = planted_at_borders(Random(seed), PLANTED)
    found = find_pii(text)
    whole(monkeypatch)
    assert found == find_pii(text)
    assert {"card", "email", "iban", "passport", "secret", "ip"} <= {each.kind for each in found}
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize("seed", seeds(6))
def test_coded_values_at_the_borders_are_found_as_in_the_whole(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    coded = ("NDExMSAxMTExIDExMTEgMTExMQ==", "34313131203131313120313131312031313131", "%61%6e%6e%61%40b.example")
    text = planted_at_borders(Random(seed), (*coded, "&#97;&#110;&#110;&#97;&#64;&#98;"))
    found = list(coded_values(text))
    whole(monkeypatch)
    assert found == list(coded_values(text))
    assert {each.kind for each in found} == {"base64", "hex", "percent", "html"}


@pytest.mark.parametrize("seed", seeds(6))
def test_a_haystack_has_the_same_matches_in_their_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Haystack((r"set\s{1,3}aside", r"\bmy (?:lawyer|court)s?\b", r"\w{3,9} ombudsman", r"法廷.{0,8}訴"))
    text = planted_at_borders(Random(seed), ("Set  aside", "my lawyers", "call ombudsman", "法廷で必ず訴", "my court"))
    found = [(number, hit.span()) for number, hit in words.find(text)]
    numbers = list(words.numbers(text))
    whole(monkeypatch)
    assert found == [(number, hit.span()) for number, hit in words.find(text)]
    assert {number for number, _ in found} == {0, 1, 2, 3} == set(numbers)


def test_a_long_record_opens_the_finders_that_a_short_one_opens() -> None:
    gates = Gates([needs("passport", digits=4), needs("iban"), needs("", digits=0)])
    for length in (40, PIECE - 4, PIECE, 3 * PIECE):
        assert gates.opened(f'"{"x " * (length // 2)}": 1, "passportNumber": "12345"') == [0, 2]


@settings(max_examples=examples(50))
@given(text=st.text(min_size=1, max_size=40), times=st.integers(1, 4000))
def test_letters_are_exchanged_as_in_the_whole(text: str, times: int) -> None:
    table: dict[int, int | str] = {ord("a"): "bc", ord("ß"): ord("s"), 0x661: "1"}
    assert translated(text * times, table) == (text * times).translate(table)


@table("length", [0, 1, PIECE, PIECE + 1, 3 * PIECE])
def test_pieces_side_by_side_are_all_of_it(length: int) -> None:
    assert [at for start, end in spans(length) for at in range(start, end)] == list(range(length))


def test_work_goes_on_until_nobody_waits_for_it(work: Told) -> None:
    text = "a " * PIECE
    hits = finditer(re.compile("a"), text)
    assert next(hits).start() == 0
    breathe()
    work.done = True
    with pytest.raises(GivenUp):
        next(hits)
    for again in (breathe, lambda: find_pii("Call 4111 1111 1111 1111"), lambda: list(spans(5))):
        with pytest.raises(GivenUp):
            again()


def test_work_that_is_given_up_stops_nobody_else(work: Told) -> None:
    work.done = True
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(len(find_pii("a@b-shop.com"))))
    other.start()
    other.join()
    assert found == [1]
    works_for(None)
    breathe()
