"""The audit on SQLite and on PostgreSQL, with the same cases, and people's labels."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

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
from proctor.core.errors import InputError, NotFoundError
from proctor.core.event import Label
from proctor.store.audit import AuditStore
from proctor.store.labels import PROCTOR, LabelPlace, find_subject, keep_labels, labels_of, people_said
from proctor.store.postgres_monitor import PostgresAuditStore
from proctor.store.runs import RunStore

BOTH = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


@pytest.fixture
def open_audit(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[], AuditStore]]:
    """Open the same audit as often as a test likes."""
    url = request.getfixturevalue("postgres").url() if kind == "postgres" else ""
    opened: list[AuditStore] = []

    def again() -> AuditStore:
        opened.append(PostgresAuditStore(url) if url else AuditStore(tmp_path))
        return opened[-1]

    yield again
    for each in opened:
        with suppress(sqlite3.ProgrammingError):  # one of another thread, which has closed it
            each.close()


@pytest.fixture
def labels(tmp_path: Path) -> Iterator[LabelPlace]:
    with RunStore(tmp_path) as made:
        yield made


def item(number: int, **more: Any) -> AuditItem:
    about = AuditedConversation(id=f"s{number}", first=1.0, last=2.0, customer=f"k{number % 2}", **more)
    return AuditItem(
        id=f"i{number}",
        week="2026-W46",
        conversation=f"s{number}",
        stratum="all",
        probability=0.5,
        place=number,
        about=about,
        is_core=number == 0,
    )


def sampled(store: AuditStore, count: int = 3) -> None:
    sample = AuditSample(week="2026-W46", strata=(AuditStratum(name="all", population=9, drawn=count),))
    store.add_sample(
        sample, [item(n, scores=(ScorerVerdict(name="tone", value=0.5, passed=True),)) for n in range(count)]
    )


def rating(number: int, rater: str, value: int = 4) -> AuditRating:
    return AuditRating(item=f"i{number}", rater=rater, values={"overall": value}, note="日本語")


@BOTH
def test_a_sample_is_kept_and_drawn_again_only_while_nothing_is_rated(open_audit: Callable[[], AuditStore]) -> None:
    store = open_audit()
    sampled(store)
    (found,) = store.samples()
    assert found.strata[0].population == 9
    assert [each.is_core for each in store.items(["2026-W46"])] == [True, False, False]
    assert store.taken() == {"s0", "s1", "s2"}
    assert store.find("i1").conversation == "s1"
    assert store.find("s2").id == "i2"
    with pytest.raises(NotFoundError, match="3 items begin with"):
        store.find("i")
    with pytest.raises(InputError, match="has its sample already"):
        sampled(store)
    sample = AuditSample(week="2026-W47", strata=())
    with pytest.raises(InputError, match="is in a sample already"):
        store.add_sample(sample, [item(0)])
    assert len(store.samples()) == 1  # undone as a whole
    assert {each.name for each in store.scores()["i0"]} == {"tone"}


@BOTH
def test_raters_share_a_queue_and_each_rates_a_conversation_once(open_audit: Callable[[], AuditStore]) -> None:
    one, other = open_audit(), open_audit()
    sampled(one)
    first, second = one.claim("ann"), other.claim("ben")
    assert first is not None
    assert second is not None
    again = one.claim("ann")
    assert again is not None
    assert again.id == first.id
    assert one.rate([rating(0, "ann"), rating(0, "ann", 5)]) == 2
    assert [each.values for each in other.ratings()] == [{"overall": 5}]
    third = other.claim("ben", skip=["i0"])
    assert third is not None
    assert third.id != "i0"
    assert (one.left("ann"), one.left("ben", week="2026-W46"), one.left("ann", week="2026-W01")) == (2, 3, 0)
    one.release("ben")
    one.release("ann", "i1")
    with pytest.raises(NotFoundError):
        one.rate([rating(9, "ann")])
    assert one.claim("cat", week="2026-W01") is None


@BOTH
def test_two_raters_at_once_get_what_is_free(open_audit: Callable[[], AuditStore]) -> None:
    sampled(open_audit(), 6)
    got: list[str] = []

    def rate(rater: str) -> None:
        store = open_audit()
        while (held := store.claim(rater)) is not None:
            store.rate([AuditRating(item=held.id, rater=rater, values={"overall": 3})])
            got.append(f"{rater} {held.id}")
        store.close()

    threads = [threading.Thread(target=rate, args=(name,)) for name in ("ann", "ben", "cat")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == len(set(got)) == 12  # two raters for each of six


@BOTH
def test_a_split_is_settled_by_someone_else_and_a_customer_forgotten(open_audit: Callable[[], AuditStore]) -> None:
    store = open_audit()
    sampled(store)
    store.rate([rating(0, "ann", 1), rating(0, "ben", 5)])
    with pytest.raises(InputError, match="cannot decide alone"):
        store.settle(Settlement(item="i0", dimension="overall", value=3, by="ann"))
    store.settle(Settlement(item="i0", dimension="overall", value=3, by="cat"))
    assert [(each.value, each.by) for each in store.settlements()] == [(3, "cat")]
    with pytest.raises(InputError, match="is settled"):
        store.rate([rating(0, "ann", 2)])
    assert store.keep_scores({"s1": [ScorerVerdict(name="tone", value=0.1, passed=False)]}) == 1
    assert store.scores()["i1"][0].passed is False
    assert store.forget_customer("k0") == 2
    assert store.find("i0").about.customer is None


def test_labels_are_of_people_by_dimension(labels: LabelPlace) -> None:
    def label(subject: str, value: str | float, by: str = "kim") -> Label:
        return Label(subject=subject, dimension="escalation", value=value, by=by)

    keep_labels(labels, [label("talk-1", "gap", PROCTOR), label("talk-1", "gap"), label("talk-12", 0.5)])
    keep_labels(labels, [label("talk-1", "request")])
    assert [each.value for each in labels_of(labels, "escalation", subject="talk-1")] == ["gap", "request"]
    assert [each.by for each in people_said(labels, "escalation")["talk-1"]] == ["kim"]
    assert find_subject(labels, "escalation", "talk-1") == "talk-1"
    with pytest.raises(NotFoundError, match="2 names begin with"):
        find_subject(labels, "escalation", "talk")
