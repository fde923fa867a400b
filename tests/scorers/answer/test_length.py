from __future__ import annotations

import pytest

from proctor.scorers.answer.length import Length
from tests.scorers.staging import case, said
from tests.tables import table


@table(
    ("scorer", "answer", "value", "count"),
    [
        (Length(at_most=3), "one two three", 1.0, 3),
        (Length(at_most=3), "one two three four", 0.0, 4),
        (Length(at_least=1), "", 0.0, 0),
        (Length(at_least=2, at_most=2, unit="sentences"), "One. Two.", 1.0, 2),
        (Length(at_most=5, unit="characters"), "日本語です", 1.0, 5),
        (Length(at_most=4, unit="words"), "日本語です", 0.0, 5),
        (Length(at_most=1, unit="lines"), "a\n\nb", 0.0, 2),
    ],
)
async def test_units(scorer: Length, answer: str, value: float, count: int) -> None:
    score = await scorer.score(case(), said(answer))
    assert (score.value, score.measured, score.unit) == (value, count, scorer.unit)


async def test_the_reason_names_the_limit_that_was_missed() -> None:
    assert (await Length(at_most=1).score(case(), said("a b"))).reason == "2 words; at most 1"
    assert (await Length(at_least=2).score(case(), said("a"))).reason == "1 word; at least 2"
    assert (
        await Length(at_most=1, where="every").score(case(), said("a", "a b"))
    ).reason == "turn 2: 2 words; at most 1"


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [({}, "no limit"), ({"at_least": -1}, "negative"), ({"at_least": 5, "at_most": 4}, "no answer can be both")],
)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Length(**limits)  # type: ignore[arg-type]
