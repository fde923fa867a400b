from __future__ import annotations

from time import process_time

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.split import characters, lines, sentences, spread, tokens, words


@table(
    ("text", "expected"),
    [
        ("", []),
        ("Don't use a well-known word.", ["Don't", "use", "a", "well-known", "word."]),
        ("yes — no… maybe", ["yes", "no", "maybe"]),
        ("- 👍 !", []),
        ("日本語です。", ["日", "本", "語", "で", "す"]),
        ("全12巻", ["全", "12", "巻"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("안녕하세요 여러분", ["안녕하세요", "여러분"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@table(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.14 at example.com today.", ["It costs 3.14 at example.com today."]),
        ("Dr. Smith met J. Doe. They spoke.", ["Dr. Smith met J. Doe.", "They spoke."]),
        ("See e.g. this one. Next.", ["See e.g. this one.", "Next."]),
        ('He said "Stop!" Then he left.', ['He said "Stop!"', "Then he left."]),
        (
            "在庫があります。明日届きます！「はい。」と言った",
            ["在庫があります。", "明日届きます！", "「はい。」", "と言った"],
        ),
        ("Steps:\n- one\n- two", ["Steps:", "- one", "- two"]),
        ("First\n\nSecond", ["First", "Second"]),
        ("A line\nthat goes on.", ["A line\nthat goes on."]),
        ("Really?! … Yes.", ["Really?! …", "Yes."]),
        ("Der Termin ist am 3. Dezember um 9. Bis dann.", ["Der Termin ist am 3. Dezember um 9.", "Bis dann."]),
        ("Tapaaminen on 3. joulukuuta. Tervetuloa.", ["Tapaaminen on 3. joulukuuta.", "Tervetuloa."]),
        ("Termín je 3. 12. 2026. Děkuji.", ["Termín je 3. 12. 2026.", "Děkuji."]),
        ("Vi ses kl. 10. Husk kort.", ["Vi ses kl. 10.", "Husk kort."]),
        ("2026. december 3. napján. Jó.", ["2026. december 3. napján.", "Jó."]),
        ("We have 3. They cost 30. 5 are sold.", ["We have 3.", "They cost 30.", "5 are sold."]),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("Ihr Termin ist am 3. Dezember 2026. Gut.", ["Ihr Termin ist am 3. Dezember 2026.", "Gut."]),
        ("Termín máte 3. prosince v 11:15.", ["Termín máte 3. prosince v 11:15."]),
        ("Din tid er 3. december kl. 11:15.", ["Din tid er 3. december kl. 11:15."]),
        ("Es sind 3. Der Mai kommt.", ["Es sind 3.", "Der Mai kommt."]),
        ("It costs 5. May I help?", ["It costs 5.", "May I help?"]),
        ("He was 12. 2026 was good.", ["He was 12.", "2026 was good."]),
        ("Od 3. 1. 2026 do 31. 12. 2026. Díky.", ["Od 3. 1. 2026 do 31. 12. 2026.", "Díky."]),
        ("How many?\n42.\nThe rest follows.", ["How many?", "42.", "The rest follows."]),
        ("42.\r\nThe rest follows.", ["42.", "The rest follows."]),
        ("...", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_many_numbers_in_a_long_line_take_linear_time() -> None:
    started = process_time()
    assert len(sentences("Costs 12. Then " * 40_000)) == 40_001
    assert process_time() - started < 3  # ten seconds, when each number read its line from the start


def test_characters_join_accents_to_their_letters() -> None:
    assert characters("cafe\u0301") == characters("café") == 4
    assert characters("a b\n") == 4


def test_lines_are_those_with_something_on_them() -> None:
    assert lines("one\n\n  \ntwo\r\nthree") == ["one", "two", "three"]


@table(
    ("text", "expected"),
    [
        ("It's 3.5 % of A_B", ["it", "s", "3", "5", "of", "a", "b"]),
        ("Café NAÏVE", ["café", "naïve"]),
        ("漫画12巻 OK👍", ["漫", "画", "12", "巻", "ok", "👍"]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_spread_leaves_spaced_scripts_alone() -> None:
    assert spread("a b") == "a b"
    assert spread("été 東京") == "été  東  京 "


@settings(deadline=None)
@given(st.text(max_size=200))
def test_nothing_with_a_letter_is_lost(text: str) -> None:
    kept = [sign for sign in text if sign.isalnum()]
    assert [sign for piece in words(text) for sign in piece if sign.isalnum()] == kept
    assert [sign for piece in sentences(text) for sign in piece if sign.isalnum()] == kept
    assert all(piece == piece.strip() and piece for piece in sentences(text))


def test_a_long_run_of_full_stops_is_read_once() -> None:
    text = "." * 200_000 + "x"
    assert sentences(f"One. Two {text}") == ["One.", f"Two {text}"]
