from __future__ import annotations

from time import process_time

from tests.tables import table

from proctor.text.fact_values import fact_values, has_value

SAME = [
    ("3-5 working days", "three to five working days"),
    ("takes 2-3 hours", "at least two hours, three at most"),
    ("one year", "twelve months"),
    ("90 minutes", "an hour and a half"),
    ("1500 g", "1.5 kg"),
    ("12 pieces", "a dozen baguettes"),
    ("148 dollars", "a hundred and forty-eight dollars"),
    ("2,50 Euro", "zwei Euro fünfzig"),
    ("at 8 am", "at 08:00"),
    ("um 18:30 Uhr", "heute Abend um halb sieben"),
    ("à 14 h 15", "à deux heures et quart de l'après-midi"),
    ("alle 21:00", "alle nove di sera"),
    ("午後7時まで", "19時に閉店"),
    ("open from 7 to 15 h", "between seven in the morning and three in the afternoon"),
    ("21 vitesses", "vingt et une vitesses"),
    ("в наборе 5 книг", "пять книг"),
    ("B-3319 has shipped", "b-3319 is on its way"),
    ("closed on Mondays", "Monday is our day off"),
]
OTHER = [
    ("15 days", "30 days"),
    ("at 8 am", "at 20:00"),
    ("6 pastéis", "seis euros"),
    ("1500 g", "1.05 kg"),
    ("um 18:30 Uhr", "heute Abend um halb acht"),
    ("90 minutes", "an hour and a quarter"),
    ("12 pieces", "half a dozen"),
    ("order B-3319", "order B-3318"),
    ("once a week", "twelve times"),
]


def _held(fact: str, answer: str) -> bool:
    wanted = fact_values(fact)
    return bool(wanted) and all(has_value(each, fact_values(answer)) for each in wanted)


@table(("fact", "answer"), SAME)
def test_the_same_value_in_other_words(fact: str, answer: str) -> None:
    assert _held(fact, answer)


@table(("fact", "answer"), OTHER)
def test_another_value(fact: str, answer: str) -> None:
    assert not _held(fact, answer)


@table(
    ("text", "is_one_kind"),
    [
        ("arrivée à partir de 15 h, départ jusqu'à 11 h", True),  # read as a length and as a time
        ("la batería dura 10 horas, a las 2 horas", True),
        ("from 3 pm until 11 am", True),
        ("12 euros and 8 euros", True),
        ("at 3 pm for 2 hours", False),
        ("15時から3時間", False),
        ("12 euros for 8 days", False),
        ("40 and 2", False),
        ("B-12 and C-14", False),
    ],
)
def test_values_of_one_kind_may_stand_in_each_others_place(text: str, is_one_kind: bool) -> None:
    one, other = fact_values(text)
    assert one.same_kind(other) is other.same_kind(one) is is_one_kind


def test_words_of_another_language_are_no_numbers() -> None:
    assert fact_values("There are no refunds on sale items, once sold.") == ()


def test_the_codes_of_a_long_text_are_found_in_linear_time() -> None:
    started = process_time()
    assert [each.code for each in fact_values("a-" * 50_000 + "b or T-301")] == ["t-301"]
    assert process_time() - started < 5  # minutes, when each part of a word read all that follow
