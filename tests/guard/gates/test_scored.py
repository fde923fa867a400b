from __future__ import annotations

from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.errors import ConfigError, MalformedError, ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Source, Trajectory
from proctor.guard.gates.scored import Scored
from tests.guard.gates.staging import done, draft, gate, memory
from tests.tables import table


class Kept:
    """A scorer that keeps what it was asked and answers what it is told."""

    name, version, primary = "kept", "1", None

    def __init__(self, score: Score, threshold: float | None = 0.5) -> None:
        self.answer, self.threshold = score, threshold
        self.asked: list[tuple[Case, Trajectory]] = []

    async def score(self, case: Case, run: Trajectory) -> Score:
        self.asked.append((case, run))
        return self.answer


def gated(scorer: Any, **settings: Any) -> Scored:
    return Scored(scorer=scorer, **settings)


async def test_a_real_scorer_stands_as_a_gate() -> None:
    length = gate("scored", scorer={"length": {"at_most": 3, "unit": "words"}})
    assert (await length.check(draft("Short and good."))).action == "allow"
    verdict = await length.check(draft("This is far too long for it."))
    assert verdict.action == "escalate"
    assert "length is" in verdict.reason
    assert verdict.extra["scorer"] == "length"


async def test_the_scorer_sees_the_customers_words_the_calls_the_sources_and_the_draft() -> None:
    scorer = Kept(Score(name="kept", value=1.0))
    old, new = Source(id="old", text="x"), Source(id="new", text="y")
    session = memory(done("get_faq", "z"), asked=["first", "When?"], sources=[old])
    step = draft("Tomorrow.", new, memory=session, intents=("faq",), section="policy")
    assert (await gated(scorer).check(step)).action == "allow"
    ((case, run),) = scorer.asked
    assert (run.turns[-1].asked, run.answer) == ("When?", "Tomorrow.")
    assert [source.id for source in run.sources] == ["old", "new"]
    assert [call.name for call in run.tool_calls] == ["get_faq"]
    assert [intent.name for intent in run.turns[-1].intents] == ["faq"]
    assert case.metadata == {"section": "policy"}
    assert run.customer == "C-1"


@table(
    ("value", "settings", "own", "action"),
    [
        (0.4, {}, 0.5, "escalate"),
        (0.5, {}, 0.5, "allow"),
        (0.4, {"threshold": 0.3}, 0.5, "allow"),
        (0.2, {"threshold": 0.3, "action": "block"}, None, "block"),
        (0.2, {"threshold": 0.3, "action": "flag"}, None, "allow"),
        (0.0, {}, None, "allow"),
    ],
)
async def test_the_threshold_decides(value: float, settings: Any, own: float | None, action: str) -> None:
    scorer = Kept(Score(name="kept", value=value), own)
    assert (await gated(scorer, **settings).check(draft("Hello there."))).action == action


async def test_evidence_becomes_findings_in_the_draft() -> None:
    evidence = (Evidence(quote="it is free", note="it is not"), Evidence(quote="nowhere"))
    verdict = await gated(Kept(Score(name="kept", value=0.0, evidence=evidence))).check(draft("I say it is free!"))
    assert [(each.start, each.end) for each in verdict.findings] == [(None, None), (6, 16), (None, None)]


async def test_a_score_that_failed_is_raised_and_one_that_was_skipped_passes() -> None:
    with pytest.raises(ProctorError, match="judge is away"):
        await gated(Kept(Score(name="kept", status="error", reason="the judge is away"))).check(draft("Hello."))
    skipped = Kept(Score(name="kept", status="skipped", reason="nothing to score"))
    assert (await gated(skipped).check(draft("Hello."))).action == "allow"


async def test_an_empty_draft_is_not_scored() -> None:
    scorer = Kept(Score(name="kept", value=0.0))
    assert (await gated(scorer).check(draft(" "))).action == "allow"
    assert scorer.asked == []


@table("settings", [{}, {"scorer": 5}, {"scorer": {"a": {}, "b": {}}}, {"scorer": ""}])
def test_a_gate_without_a_scorer_says_how_to_name_one(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="needs the scorer") as told:
        gate("scored", **settings)
    assert "scorer: relevance" in (told.value.hint or "")


def test_a_threshold_beyond_one_is_refused() -> None:
    with pytest.raises((ValueError, MalformedError), match="from 0 to 1"):
        gate("scored", scorer="latency", threshold=2)
