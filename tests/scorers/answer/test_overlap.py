from __future__ import annotations

import pytest

from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.scorers.answer.overlap import Overlap
from proctor.text import overlap
from tests.scorers.staging import case, said


async def test_each_metric_measures_against_the_reference() -> None:
    asked = case(reference="The cat sat on the mat.")
    for metric in ("rouge_l", "bleu", "chrf"):
        scorer = decode(Overlap, {"metric": metric}, strict=True)
        same = await scorer.score(asked, said("The cat sat on the mat."))
        assert same.value == pytest.approx(1.0)
        less = await scorer.score(asked, said("The cat lay on a mat."))
        assert less.value is not None
        assert 0 < less.value < 1
        assert (await scorer.score(asked, said("xyz"))).value == 0.0


async def test_the_setting_goes_before_the_case() -> None:
    scorer = Overlap(reference="green tea")
    score = await scorer.score(case(reference="black coffee"), said("green tea"))
    assert (score.value, score.reason) == (1.0, "ROUGE-L 1.000")
    assert [each.where for each in score.evidence] == [None, "reference"]


async def test_japanese_is_measured_by_character() -> None:
    asked = case(reference="在庫があります")
    score = await Overlap().score(asked, said("在庫はあります"))
    assert score.value == pytest.approx(6 / 7)
    by_character = await Overlap(metric="bleu", tokens="characters").score(asked, said("在庫があります"))
    assert by_character.value == pytest.approx(1.0)


async def test_what_cannot_be_measured_is_not() -> None:
    assert (await Overlap().score(case(), said("x"))).status == "skipped"
    assert (await Overlap().score(case(reference=" "), said("x"))).status == "skipped"
    assert (await Overlap().score(case(reference="!!!"), said("!!!"))).status == "error"


async def test_texts_too_long_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "MOST_CELLS", 3)
    score = await Overlap().score(case(reference="a b"), said("a b c"))
    assert score.status == "error"
    assert "too many to compare" in score.reason


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(MalformedError, match="expected one of rouge_l, bleu, chrf"):
        decode(Overlap, {"metric": "rouge"}, strict=True)
    with pytest.raises(ValueError, match="empty"):
        Overlap(reference=" ")
