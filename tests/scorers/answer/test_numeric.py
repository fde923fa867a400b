from __future__ import annotations

import pytest

from proctor.core.case import Expectation
from proctor.scorers.answer.numeric import Numeric
from tests.scorers.staging import case, said, turns
from tests.tables import table


@table(
    ("scorer", "answer", "value"),
    [
        (Numeric(value=42), "So the answer is 42.", 1.0),
        (Numeric(value=42), "42 of 100", 0.0),
        (Numeric(value=42, pick="first"), "42 of 100", 1.0),
        (Numeric(value=42, pick="any"), "1, 42 and 100", 1.0),
        (Numeric(value=1234.5), "¥1,234.50", 1.0),
        (Numeric(value=0.3), "0.30", 1.0),
        (Numeric(value=0.3), "0.30000000000000004", 0.0),
        (Numeric(value=10, tolerance=0.5), "10.5", 1.0),
        (Numeric(value=10, tolerance=0.5), "10.51", 0.0),
        (Numeric(value=200, tolerance=0.05, relative=True), "190", 1.0),
        (Numeric(value=200, tolerance=0.05, relative=True), "189", 0.0),
        (Numeric(value=-5), "it is −5 degrees", 1.0),
        (Numeric(value=0.12), "12%", 1.0),
        (Numeric(value=12), "12 %", 1.0),
        (Numeric(value=12000), "約1万2千円です", 1.0),
        (Numeric(value=3.14, decimal="comma"), "Pi ist 3,14", 1.0),
        (Numeric(value=7), "seven", 0.0),
    ],
)
async def test_numbers_in_answers(scorer: Numeric, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_the_reference_gives_the_number() -> None:
    score = await Numeric().score(case(reference="3 + 4 = 7"), said("7"))
    assert (score.value, score.measured) == (1.0, 7.0)
    assert (await Numeric(pick="first").score(case(reference="3 of 7"), said("3"))).value == 1.0
    assert (await Numeric().score(case(reference="none"), said("7"))).status == "skipped"
    assert (await Numeric().score(turns(Expectation(reference="1"), None), said("1", "x"))).value == 1.0


async def test_the_reason_names_both() -> None:
    score = await Numeric(value=10.0, tolerance=0.1).score(case(), said("about 12 yen"))
    assert score.reason == "found 12, expected 10 ± 0.1"
    assert score.evidence[0].quote == "12"
    missing = await Numeric(value=10, pick="any").score(case(), said("1 2 3"))
    assert missing.reason == "found 3 others, expected 10"


async def test_numbers_too_large_for_the_machine_are_compared_all_the_same() -> None:
    score = await Numeric(value=1).score(case(), said("1" * 299 + "e300"))
    assert score.value == 0.0
    assert score.measured is None


def test_a_negative_tolerance_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        Numeric(tolerance=-1)
