from __future__ import annotations

from proctor.scorers.answer.quality_parts.coverage import REVIEW, fact_coverage
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


async def test_without_a_network_values_decide_and_the_rest_is_not_stated() -> None:
    assert (await fact_coverage(["It costs ¥770."], "You'd pay ¥770 for it.", None)).value == 1.0
    assert (await fact_coverage(["The shop is closed on Mondays."], "Monday is our day off.", None)).value == 0.0
