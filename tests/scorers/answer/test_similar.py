from __future__ import annotations

from collections.abc import Sequence

import pytest

from proctor.core.errors import TimedOutError
from proctor.scorers.answer.bertscore import BertScore
from proctor.scorers.answer.similar import Similar
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, case, said, turns
from tests.tables import table

REFERENCE = "You can send opened books back for fifteen days."
SAME = "Opened books may be returned within 15 days."
OTHER = "Our shop in Kyoto is open from nine to six."


class Silent:
    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        raise TimedOutError("too slow")


@table("kind", [Similar, BertScore])
async def test_the_same_meaning_is_nearer_than_another(kind: type[Similar | BertScore]) -> None:
    scorer = kind(embedder=local_model("embedder"))
    equal, same, other = [(await scorer.score(case(reference=REFERENCE), said(t))) for t in (REFERENCE, SAME, OTHER)]
    assert equal.value == pytest.approx(1.0, abs=1e-3)
    assert (same.value or 0) > (other.value or 0) + 0.1
    assert same.producer == "local model"
    assert [each.where for each in same.evidence] == [None, "reference"]
    assert (await scorer.score(case(reference=REFERENCE), said(""))).value == 0.0
    assert (await scorer.score(case(), said("x"))).status == "skipped"
    assert (await scorer.score(case(reference="x"), BROKEN)).status == "error"


@table("kind", [Similar, BertScore])
async def test_a_setting_goes_first_and_turns_have_their_own(kind: type[Similar | BertScore]) -> None:
    embedder = local_model("embedder")
    assert ((await kind(reference=SAME, embedder=embedder).score(case(reference=OTHER), said(SAME))).value or 0) > 0.99
    expect = case(reference=OTHER).expect
    score = await kind(embedder=embedder).score(turns(expect, None, reference=SAME), said(SAME, SAME))
    assert [part.name for part in score.parts] == ["turn 2", "turn 1"]
    assert score.value == pytest.approx(score.parts[1].value)
    with pytest.raises(ValueError, match="empty"):
        kind(reference=" ", embedder=embedder)


async def test_measures_of_bertscore_differ_for_a_longer_answer() -> None:
    embedder = local_model("embedder")
    asked, long = case(reference=SAME), said(f"{SAME} {OTHER} " * 20)
    values = {
        name: (await BertScore(measure=name, embedder=embedder).score(asked, long)).value  # type: ignore[arg-type,unused-ignore]
        for name in ("precision", "recall", "f1")
    }
    assert (values["precision"] or 0) < (values["f1"] or 0) < (values["recall"] or 0)
    japanese = "開封済みの漫画は、お届けから十五日以内であれば返品できます。" * 8
    same = await BertScore(embedder=embedder).score(case(reference=japanese), said(japanese))
    assert same.value == pytest.approx(1.0, abs=1e-3)


async def test_what_the_embedder_cannot_do_is_no_score() -> None:
    assert (await Similar(embedder=Silent()).score(case(reference="x"), said("y"))).status == "error"
    score = await BertScore(embedder=Silent()).score(case(reference="x"), said("y"))
    assert (score.status, score.reason) == ("error", "this embedder has no vectors of tokens")
    assert (await BertScore(embedder=local_model("embedder")).score(case(reference="!"), said("y"))).status == "error"
