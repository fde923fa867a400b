"""How far an audit is."""

from __future__ import annotations

from pathlib import Path

from proctor.core.audit import AuditedConversation, AuditItem, AuditRating, AuditSample, AuditStratum, Settlement
from proctor.store.audit import AuditStore
from proctor.store.audit_progress import complete_items, held_by, rating_stamp, week_progress


def _filled(folder: Path) -> AuditStore:
    store = AuditStore(folder)
    for week in ("2026-W45", "2026-W46"):
        items = [
            AuditItem(
                id=f"{week}-{number}",
                week=week,
                conversation=f"{week} talk {number}",
                stratum="rest",
                probability=0.1,
                place=number,
                raters=1 if number == 3 else 2,
                about=AuditedConversation(id=f"{week} talk {number}", first=0.0, last=1.0),
            )
            for number in range(4)
        ]
        strata = (AuditStratum(name="rest", population=40, drawn=4),)
        store.add_sample(AuditSample(week=week, strata=strata), items)
    return store


def test_progress_counts_what_is_complete_and_who_rated(tmp_path: Path) -> None:
    with _filled(tmp_path) as store:
        for item, rater in [("0", "ann"), ("0", "bob"), ("1", "ann"), ("3", "bob")]:
            store.rate([AuditRating(item=f"2026-W46-{item}", rater=rater, values={"tone": 4, "efficiency": None})])
        before, now = week_progress(store)
        assert (before.week, before.sampled, before.wanted, before.complete, before.people) == ("2026-W45", 4, 7, 0, {})
        assert (now.population, now.complete, now.ratings) == (40, 2, 4)
        assert now.people == {"ann": 2, "bob": 2}
        assert complete_items(store) == complete_items(store, ["2026-W46"]) == {"2026-W46-0", "2026-W46-3"}
        assert complete_items(store, ["2026-W45"]) == set()


def test_only_claims_that_hold_are_counted(tmp_path: Path) -> None:
    with _filled(tmp_path) as store:
        first = store.claim("ann")
        assert first is not None
        assert first.expires is not None
        store.claim("bob", minutes=-1)
        assert held_by(store) == {"ann": 1}


def test_a_person_can_claim_a_certain_item_unless_others_have_it(tmp_path: Path) -> None:
    with _filled(tmp_path) as store:
        found = store.claim("ann", item="2026-W46-3")
        assert found is not None
        assert found.id == "2026-W46-3"
        assert store.claim("bob", item="2026-W46-3") is None  # one rater is enough, and ann holds it
        store.release("ann")
        assert store.claim("bob", item="2026-W46-3") is not None
        assert store.claim("bob", item="nothing") is None


def test_items_and_ratings_of_some_weeks(tmp_path: Path) -> None:
    with _filled(tmp_path) as store:
        store.rate([AuditRating(item="2026-W45-0", rater="ann", values={"tone": 4})])
        assert {each.week for each in store.items(["2026-W45"], texts=False)} == {"2026-W45"}
        assert len(store.ratings(["2026-W45"])) == len(store.ratings()) == 1
        assert store.ratings(["2026-W46"]) == store.ratings([]) == []


def test_the_stamp_changes_with_every_rating(tmp_path: Path) -> None:
    with _filled(tmp_path) as store:
        stamps = [rating_stamp(store)]
        for value in (4, 5):
            store.rate([AuditRating(item="2026-W45-0", rater="ann", values={"tone": value})])
            stamps.append(rating_stamp(store))
        store.settle(Settlement(item="2026-W45-0", dimension="tone", value=3, by="bob"))
        stamps.append(rating_stamp(store))
        assert len(set(stamps)) == len(stamps) == 4
        assert rating_stamp(store) == stamps[-1]
