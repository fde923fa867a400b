from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest

from proctor.cli.triggers import jobs_of, trigger_of, worst
from proctor.config import Config, Environment, Settings, Trigger
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.store.runs import RunStore
from tests.cli.in_process import call
from tests.store.recorded_runs import add_run
from tests.tables import table


def _config(**settings: Any) -> Config:
    return Config(settings=decode(Settings, settings), folder=Path("."), environment=Environment(values={}))


REFRESH = {"suites": ["a", "b"], "intents": ["faq"], "scorers": ["exact"], "sample": 10, "repeat": 3, "light": True}


def test_a_trigger_fills_what_no_flag_says() -> None:
    config = _config(triggers={"knowledge_refresh": REFRESH})
    jobs = jobs_of(config, {"trigger": "knowledge_refresh"})
    assert [job.suite for job in jobs] == ["a", "b"]
    assert jobs[0].intents == ("faq",)
    assert jobs[0].scorers == ("exact",)
    assert (jobs[0].sample, jobs[0].run.repeat, jobs[0].light) == (10, 3, True)
    assert jobs[0].trigger == "knowledge_refresh"


def test_a_flag_goes_before_the_trigger() -> None:
    config = _config(triggers={"knowledge_refresh": REFRESH})
    flags = {"trigger": "knowledge_refresh", "suite": "c", "intents": ("chitchat",), "repeat": 1, "sample": 5}
    (job,) = jobs_of(config, flags)
    assert (job.suite, job.intents, job.run.repeat, job.sample) == ("c", ("chitchat",), 1, 5)


def test_a_known_trigger_that_says_nothing_selects_nothing() -> None:
    config = _config(suites={"only": "x.yaml"})
    assert trigger_of(config, "model_upgrade") == Trigger()
    (job,) = jobs_of(config, {"trigger": "model_upgrade"})
    assert (job.suite, job.partial) == ("only", False)
    with pytest.raises(click.UsageError, match="name a SUITE"):
        jobs_of(_config(), {"trigger": "manual"})


@table(
    ("flags", "partial"),
    [
        ({}, False),
        ({"intents": ("faq",)}, False),
        ({"sample": 3}, False),
        ({"cases": ("a",)}, True),
        ({"tags": ("a",)}, True),
        ({"first": 1}, True),
        ({"only_failing": "last"}, True),
        ({"light": True}, True),
        ({"scorers": ("exact",)}, True),
    ],
)
def test_which_runs_speak_for_the_suite(flags: dict[str, Any], partial: bool) -> None:
    (job,) = jobs_of(_config(), {"trigger": "manual", "suite": "s", **flags})
    assert job.partial is partial


@table(
    ("every", "seconds"),
    [("30 min", 1800), ("12h", 43_200), ("1 day", 86_400), ("1.5 days", 129_600), ("2 weeks", 1_209_600), (None, None)],
)
def test_lengths_of_time(every: str | None, seconds: float | None) -> None:
    assert Trigger(every=every).seconds == seconds


@table("wrong", [{"every": "soon"}, {"every": "0 days"}, {"sample": 0}, {"repeat": 0}, {"suits": []}])
def test_a_wrong_trigger_is_refused_where_it_stands(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedError) as caught:
        decode(Settings, {"triggers": {"schedule": wrong}}, strict=True)
    assert caught.value.problems[0].where.startswith("triggers.schedule")


@table(("ahead", "is_due"), [(timedelta(days=400), True), (timedelta(minutes=2), False), (timedelta(days=-9), True)])
def test_a_run_that_began_in_the_future_delays_no_trigger(tmp_path: Path, ahead: timedelta, is_due: bool) -> None:
    (tmp_path / "proctor.yaml").write_text("triggers: {nightly: {suites: [first], every: 1 week}}\n")
    with RunStore(tmp_path / ".proctor") as store:
        add_run(store, "r1", [], trigger="nightly")
        begun = (datetime.now(UTC) + ahead).isoformat()
        store.database.execute("UPDATE runs SET started = ?", (begun,))
        store.database.commit()
    done = call(["schedule", "list", "--json"], folder=tmp_path, env=os.environ)  # noqa: TID251 - of this process
    nightly = next(json.loads(line) for line in done.stdout.splitlines() if '"nightly"' in line)
    assert (nightly["due"] == "now") is is_due


@table(("codes", "code"), [((), 0), ((0, 0), 0), ((0, 3), 3), ((3, 1), 1), ((1, 2), 2), ((2, 130), 130)])
def test_the_worst_of_several(codes: tuple[int, ...], code: int) -> None:
    assert worst(codes) == code
