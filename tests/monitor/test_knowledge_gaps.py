from __future__ import annotations

from proctor.core.handoff import HandOff
from proctor.monitor.knowledge_gaps import GapFinder, masked
from tests.monitor.logs import ByFirstWord, at


def _gap(number: int, question: str, category: str = "knowledge_gap", also: tuple[str, ...] = ()) -> HandOff:
    return HandOff(
        id=f"t{number}", turn=0, category=category, question=question, also=also, intent="faq", time=at(number)
    )


async def test_questions_on_one_matter_are_one_gap_and_the_largest_comes_first() -> None:
    finder = GapFinder(ByFirstWord())
    for number in range(150):
        matter = "refund in crypto currency" if number % 3 else "pickup by helicopter"
        await finder.add(_gap(number, f"{matter} {'a' * (number % 4)}"))
    await finder.add(_gap(200, "meal", "explicit_request"))
    await finder.add(_gap(201, "meal for my dog", "explicit_request", also=("knowledge_gap",)))
    found = await finder.gaps()
    assert [(gap.question.split()[0], gap.count) for gap in found] == [("refund", 100), ("pickup", 50), ("meal", 1)]
    assert found[0].intents == {"faq": 100}
    assert {"refund", "crypto", "currency"} <= set(found[0].terms)
    assert len(found[0].examples) == 4
    assert (found[1].first, found[1].last) == (at(0), at(147))
    assert [gap.count for gap in await finder.gaps(at_least=50)] == [100, 50]


async def test_without_an_encoder_words_tell_matters_apart() -> None:
    finder = GapFinder()
    for number, question in enumerate(
        ["Can I bring my dog on the boat?", "is my dog allowed on the boat tour", "Do you sell gift vouchers?"]
    ):
        await finder.add(_gap(number, question))
    assert [gap.count for gap in await finder.gaps()] == [2, 1]


async def test_the_name_of_a_gap_stays_the_same_for_the_same_questions() -> None:
    names = []
    for _ in range(2):
        finder = GapFinder()
        await finder.add(_gap(1, "Do you sell gift vouchers?"))
        names.append((await finder.gaps())[0].id)
    assert names[0] == names[1]


def test_personal_data_stay_at_home() -> None:
    text = masked("Mail me at ann.lee@mail.example.org about\nBK-20931, card 4111 1111 1111 1111")
    assert "@" not in text
    assert "20931" not in text
    assert "4111" not in text
    assert "\n" not in text
    assert "about" in text
