from __future__ import annotations

from proctor.scorers.answer.quality_parts.coverage import REVIEW, fact_coverage
from proctor.text.fact_values import fact_values
from proctor.wiring.local_models import local_model
from tests.tables import table

STATED = [
    ("costs ¥770", "Here are two: Uzumaki is ¥770, and Gyo is ¥748."),
    ("It costs ¥770.", "You'd pay ¥770 for it."),
    ("Delivery takes 3-5 working days.", "Count on three to five working days until it is with you."),
    ("Each session lasts 90 minutes.", "Every session runs for an hour and a half."),
    ("Die Reparatur kostet 30 bis 50 Euro.", "Rechnen Sie mit mindestens 30 und höchstens 50 Euro."),
    ("修理代は3,000円です。", "修理には三千円いただきます。"),
    ("Sale items are not refundable.", "There are no refunds on sale items."),
]
NOT_STATED = [
    ("It costs ¥770.", "You'd pay ¥880 for it."),
    ("opened manga can be returned within 15 days", "Opened manga can be returned within 30 days."),
    ("The workshop opens at 8 am.", "Doors open at 20:00."),
    ("A caixa traz 6 pastéis.", "A caixa de pastéis custa seis euros."),
    ("The camera does not have a headphone jack.", "It has two card slots and a tilting screen."),
]
DOUBTFUL = [
    (
        "Returns are accepted for 14 days.",
        "You have four weeks to send it back, and the refund follows within 14 days.",
    ),
    ("The tune-up costs £65.", "Sixty-five pounds for a new pair of pedals; the tune-up depends on the bike."),
    ("Delivery is free for 5 to 10 km.", "If you live five to ten kilometres away, we charge three euros to bring it."),
]


@table(("fact", "answer"), STATED)
async def test_a_fact_in_other_words_is_recognised(fact: str, answer: str) -> None:
    assert (await fact_coverage([fact], answer, local_model("entailer"))).value == 1.0


@table(("fact", "answer"), NOT_STATED)
async def test_another_value_or_nothing_is_not_the_fact(fact: str, answer: str) -> None:
    assert (await fact_coverage([fact], answer, local_model("entailer"))).value == 0.0


@table(("fact", "answer"), DOUBTFUL)
async def test_what_is_in_doubt_goes_to_review(fact: str, answer: str) -> None:
    score = await fact_coverage([fact], answer, local_model("entailer"))
    assert (score.status, score.label) == ("error", REVIEW)
    assert "in doubt" in score.reason
    missing = await fact_coverage([fact, "it weighs 4 kg"], answer, local_model("entailer"))
    assert missing.value == 0.0, "a fact that is missing decides"


TWO_VALUES = [
    (("check-in from 3 pm", "check-out until 11 am"), "You can check in from {}, and check-out is until {}."),
    (("dogs cost 12 euros", "cats cost 8 euros"), "For a dog we charge {} a night, for a cat {}."),
    (("Gäste zahlen 14 Euro", "Mitglieder zahlen 6 Euro"), "Gäste zahlen {} für den Abend, Mitglieder nur {}."),
    (("la caution est de 200 euros", "le ménage coûte 45 euros"),
     "Une caution de {} vous sera demandée, et le ménage de fin de séjour est facturé {}."),
    (("i soci pagano 6 €", "gli ospiti pagano 14 €"), "I soci pagano {}, gli ospiti invece {}."),
    (("大人は1800円", "子どもは900円"), "大人の方は{}、お子様は{}です。"),
]  # fmt: skip


@table(("facts", "answer"), TWO_VALUES)
async def test_the_values_of_two_facts_are_told_from_the_same_exchanged(facts: tuple[str, ...], answer: str) -> None:
    values = [fact_values(fact)[0].quote for fact in facts]
    right = await fact_coverage(facts, answer.format(*values), local_model("entailer"))
    assert right.value == 1.0, right.reason
    wrong = await fact_coverage(facts, answer.format(*values[::-1]), local_model("entailer"))
    assert wrong.value == 0.0, wrong.reason
    assert "are exchanged" in wrong.reason


async def test_a_value_with_a_word_of_its_own_is_more_than_a_value() -> None:
    facts = ("adults $18", "children $9")
    right = await fact_coverage(facts, "Tickets: adults pay $18, children pay $9.", local_model("entailer"))
    assert right.value == 1.0, right.reason
    wrong = await fact_coverage(facts, "Tickets: adults pay $9, children pay $18.", local_model("entailer"))
    assert wrong.value == 0.0, wrong.reason
    alone = ("costs ¥770", "costs ¥748")
    titles = await fact_coverage(alone, "Uzumaki is ¥770, and Gyo is ¥748.", local_model("entailer"))
    assert titles.value == 1.0, "nothing tells which is which"


async def test_values_that_no_mark_keeps_apart_stay_in_doubt() -> None:
    facts = ("arrivée à partir de 15 h", "départ jusqu'à 11 h")
    for one, other in (("15 h", "11 h"), ("11 h", "15 h")):
        answer = f"L'arrivée est possible à partir de {one} et le départ se fait jusqu'à {other}."
        assert (await fact_coverage(facts, answer, local_model("entailer"))).label == REVIEW
    third = "You can check in from 3 pm, and check-out is until 11 am. Late check-out is until 2 pm."
    facts = ("check-in from 3 pm", "check-out until 11 am")
    assert (await fact_coverage(facts, third, local_model("entailer"))).label == REVIEW, "2 pm is of no expected fact"


async def test_without_a_network_values_decide_and_the_rest_is_not_stated() -> None:
    assert (await fact_coverage(["It costs ¥770."], "You'd pay ¥770 for it.", None)).value == 1.0
    assert (await fact_coverage(["The shop is closed on Mondays."], "Monday is our day off.", None)).value == 0.0
