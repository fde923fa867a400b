"""The audit's store: claims that expire, blind items, all or nothing, several raters at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.core.audit import (
    AuditedConversation,
    AuditItem,
    AuditRating,
    AuditSample,
    AuditStratum,
    ScorerVerdict,
    Settlement,
)
from proctor.core.chat import Message
from proctor.core.errors import InputError, NotFoundError
from proctor.core.trajectory import Intent, Trajectory, Turn
from proctor.core.verdict import Verdict
from proctor.store.audit import AuditStore

WEEK = "2026-W40"
SAMPLE = AuditSample(week=WEEK, strata=(AuditStratum(name="rest", population=50, drawn=3),), core=3)
FULL = {"correctness": 4, "completeness": 4, "tone": 5, "efficiency": None}


def item(number: int, *, week: str = WEEK, raters: int = 2) -> AuditItem:
    turn = Turn(
        messages=(Message(role="user", content=f"question {number}"), Message(role="assistant", content="answer")),
        confidence=0.31,
        intents=(Intent(name="refund", confidence=0.77),),
        verdicts=(Verdict(action="block", gate="pii"),),
    )
    about = AuditedConversation(
        id=f"talk {number}",
        first=1.0,
        last=2.0,
        customer=f"c{number}",
        intent="refund",
        confidence=0.31,
        signals=("gate/pii",),
        scores=(ScorerVerdict(name="judge", value=0.2, passed=False, version="v1"),),
    )
    return AuditItem(
        id=f"a{number}",
        week=week,
        conversation=about.id,
        stratum="rest",
        probability=3 / 50,
        is_core=True,
        raters=raters,
        place=number,
        reasons=("flagged gate/pii",),
        about=about,
        trajectory=Trajectory(id=about.id, turns=(turn,)),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AuditStore]:
    with AuditStore(tmp_path) as opened:
        opened.add_sample(SAMPLE, [item(1), item(2), item(3)])
        yield opened


def test_what_goes_in_comes_out(store: AuditStore, tmp_path: Path) -> None:
    (sample,) = store.samples()
    assert sample.strata == SAMPLE.strata
    assert sample.population == 50
    assert store.items()[0].trajectory == item(1).trajectory
    assert store.items()[0].reasons == ("flagged gate/pii",)
    assert store.scores()["a1"] == [ScorerVerdict(name="judge", value=0.2, passed=False, version="v1")]
    assert store.taken() == {"talk 1", "talk 2", "talk 3"}
    assert (tmp_path / "audit.db").stat().st_mode & 0o077 == 0


def test_a_rater_sees_neither_scores_nor_verdicts_nor_why_it_was_drawn(store: AuditStore) -> None:
    shown = store.claim("ann")
    assert shown is not None
    told = repr(shown)
    for hidden in ("flagged", "judge", "0.31", "0.77", "block", "pii", "probability", "core", "talk 1"):
        assert hidden not in told
    assert "question 1" in told


def test_claims_hold_a_conversation_and_are_given_back(store: AuditStore) -> None:
    first = store.claim("ann")
    assert first is not None
    again = store.claim("ann")
    assert again is not None
    assert again.id == first.id, "the same until it is rated"
    second, third = store.claim("bob"), store.claim("cem")
    assert second is not None
    assert third is not None
    assert second.id == first.id, "two people may rate it"
    assert third.id != first.id, "a third may not"
    store.release("bob")
    fourth = store.claim("dee")
    assert fourth is not None
    assert fourth.id == first.id


def test_claims_expire(store: AuditStore) -> None:
    one = store.claim("ann", minutes=0)
    two = store.claim("bob", minutes=0)
    three = store.claim("cem")
    assert one is not None
    assert two is not None
    assert three is not None
    assert one.id == two.id == three.id
    store.rate([AuditRating(item=one.id, rater="ann", values=FULL)])
    assert len(store.ratings()) == 1, "work is not lost though the claim was"


def test_rated_ones_come_first_and_nobody_rates_twice(store: AuditStore) -> None:
    store.rate([AuditRating(item="a3", rater="ann", values=FULL)])
    shown = store.claim("bob")
    assert shown is not None
    assert shown.id == "a3"
    for number in (1, 2):
        store.rate([AuditRating(item=f"a{number}", rater="ann", values=FULL)])
    assert store.claim("ann") is None
    assert store.left("ann") == 0
    assert store.left("bob") == 3


def test_ratings_are_all_or_nothing(store: AuditStore) -> None:
    with pytest.raises(NotFoundError, match="nosuch"):
        store.rate([AuditRating(item="a1", rater="ann", values=FULL), AuditRating(item="nosuch", rater="a", values={})])
    assert store.ratings() == []


def test_a_later_rating_replaces_the_earlier_until_it_is_settled(store: AuditStore) -> None:
    store.rate([AuditRating(item="a1", rater="ann", values=FULL)])
    store.rate([AuditRating(item="a1", rater="ann", values={**FULL, "tone": 1}, note="rude")])
    (rating,) = store.ratings()
    assert rating.values["tone"] == 1
    assert rating.values["efficiency"] is None
    assert rating.note == "rude"
    store.rate([AuditRating(item="a1", rater="bob", values={**FULL, "tone": 5})])
    store.settle(Settlement(item="a1", dimension="tone", value=2, by="cem"))
    with pytest.raises(InputError, match="settled"):
        store.rate([AuditRating(item="a1", rater="ann", values={**FULL, "tone": 4})])


def test_a_rater_does_not_settle_the_own_rating(store: AuditStore) -> None:
    store.rate([AuditRating(item="a1", rater="ann", values=FULL)])
    with pytest.raises(InputError, match="cannot decide alone"):
        store.settle(Settlement(item="a1", dimension="tone", value=2, by="ann"))
    store.settle(Settlement(item="a1", dimension="tone", value=2, by="ann"), is_consensus=True)
    assert [each.value for each in store.settlements()] == [2]
    with pytest.raises(NotFoundError, match="nobody has rated"):
        store.settle(Settlement(item="a2", dimension="tone", value=2, by="cem"))


def test_a_conversation_is_in_one_sample_and_a_week_has_one(store: AuditStore) -> None:
    other = AuditSample(week="2026-W41", strata=())
    with pytest.raises(InputError, match="in a sample already"):
        store.add_sample(other, [item(1, week="2026-W41")])
    assert [each.week for each in store.samples()] == [WEEK], "nothing of it is kept"
    with pytest.raises(InputError, match="has its sample"):
        store.add_sample(SAMPLE, [item(9)])
    store.add_sample(SAMPLE, [item(9)], replace=True)
    assert [each.id for each in store.items()] == ["a9"]
    store.rate([AuditRating(item="a9", rater="ann", values=FULL)])
    with pytest.raises(InputError, match="1 of it are rated"):
        store.add_sample(SAMPLE, [item(1)], replace=True)


def test_finding_an_item(store: AuditStore) -> None:
    assert store.find("a1").id == "a1"
    assert store.find("talk 2").id == "a2"
    with pytest.raises(NotFoundError, match="3 items begin"):
        store.find("a")
    with pytest.raises(NotFoundError, match="no audit item"):
        store.find("zzz")


def test_later_scores_are_kept_by_version(store: AuditStore) -> None:
    said = {"talk 1": [ScorerVerdict(name="judge", value=1.0, passed=True, version="v2")], "unknown": []}
    assert store.keep_scores(said) == 1
    assert [each.version for each in store.scores()["a1"]] == ["v1", "v2"]


def test_a_customer_is_forgotten_and_the_weights_stay(store: AuditStore) -> None:
    store.rate([AuditRating(item="a1", rater="ann", values=FULL, note="c1 was angry")])
    assert store.forget_customer("c1") == 1
    assert store.forget_customer("c1") == 0
    found = store.find("a1")
    assert found.trajectory.turns == ()
    assert found.about.customer is None
    assert found.probability == pytest.approx(0.06)
    assert store.ratings()[0].note == ""
    for path in store.path.parent.glob("audit.db*"):
        assert b"angry" not in path.read_bytes()
        assert b"question 1" not in path.read_bytes()
        assert b"question 2" in path.read_bytes() or path.name != "audit.db"


def test_two_processes_never_hold_the_same_place(tmp_path: Path) -> None:
    with AuditStore(tmp_path) as store:
        items = [item(number, raters=1) for number in range(30)]
        store.add_sample(AuditSample(week=WEEK, strata=(AuditStratum(name="rest", population=50, drawn=30),)), items)
    code = (
        "import sys; from pathlib import Path; from proctor.store.audit import AuditStore;"
        "from proctor.core.audit import AuditRating\n"
        "store = AuditStore(Path(sys.argv[1])); who = sys.argv[2]\n"
        "while (shown := store.claim(who)) is not None:\n"
        "    store.rate([AuditRating(item=shown.id, rater=who, values={'tone': 3})])\n"
    )
    raters = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], stderr=subprocess.PIPE)
        for name in ("ann", "bob", "cem")
    ]
    for each in raters:
        assert each.communicate(timeout=60)[1] == b""
    with AuditStore(tmp_path) as store:
        found = store.ratings()
        assert sorted(rating.item for rating in found) == sorted(each.id for each in items), "each once"


def test_times_are_kept(store: AuditStore) -> None:
    time = datetime(2026, 10, 5, 9, tzinfo=UTC)
    store.rate([AuditRating(item="a1", rater="ann", values=FULL, time=time)])
    assert store.ratings()[0].time == time
