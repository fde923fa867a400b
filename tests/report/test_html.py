"""The page as a file: what is in it, that nothing in it can break out, and how large it grows."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.report import Result
from proctor.report import html

from .conftest import Run, many
from .hostile import HOSTILE
from .sample import report_of


class Page(HTMLParser):
    """What a browser makes of the page: its elements, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self.title = ""
        self.scripts: dict[str, str] = {}
        self._inside = ""
        self._place = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self._inside, self._place = tag, given.get("id") or str(len(self.tags))
        self.addresses += [given[name] or "" for name in ("src", "href", "action", "data") if name in given]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given.get("content") or ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[self._place] = self.scripts.get(self._place, "") + data
        if self._inside == "title":
            self.title += data

    @property
    def data(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.scripts["page-data"])
        return made

    def detail(self, row: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.scripts[f"r{row['n']}"])
        return made


def test_the_page_asks_for_nothing_outside_itself(sample: Run) -> None:
    page = Page(sample.written(html.write))
    assert [address for address in page.addresses if not address.startswith(("data:", "#"))] == []
    assert page.policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )


def test_scripts_and_styles_never_read_html_from_data() -> None:
    static = files("proctor.report").joinpath("static")
    for asset in static.iterdir():
        text = asset.read_text(encoding="utf-8")
        if asset.name.endswith(".js"):
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text)
            assert "</script" not in text
        if asset.name.endswith(".css"):
            assert not re.search(r"@import|url\(", text)


def test_every_asset_is_on_the_page(sample: Run) -> None:
    text = sample.written(html.write)
    for asset in files("proctor.report").joinpath("static").iterdir():
        if asset.name.endswith((".js", ".css")) and not asset.name.startswith(("release.", "trend.")):
            assert asset.read_text(encoding="utf-8") in text, asset.name


def test_the_dark_palette_is_the_same_in_both_places() -> None:
    text = files("proctor.report").joinpath("static", "theme.css").read_text(encoding="utf-8")
    wished, chosen = re.findall(r"color-scheme: dark;(.*?)\}", text, re.DOTALL)
    assert wished.split() == chosen.split()


def test_figures_are_those_of_the_report(sample: Run) -> None:
    data = Page(sample.written(html.write)).data
    assert data["run"]["word"] == "FAILED"
    assert data["run"]["reason"] == sample.report.reason
    assert (data["counts"]["passed"], data["counts"]["failed"], data["counts"]["unscored"]) == (48, 10, 2)
    assert data["counts"]["low"] < data["counts"]["rate"] < data["counts"]["high"]
    assert [group["name"] for group in data["groups"]["target"]] == ["agent-v1", "agent-v2"]
    facts = next(group for group in data["groups"]["scorer"] if group["name"] == "facts")
    assert sum(facts["histogram"]) == facts["n"] == 59
    assert facts["threshold"] == [0.7, 0.7]
    assert data["concurrency"][0]["points"][3] == [9.0, 11, "429"]
    assert data["spend"][1].get("cost") is None


def test_latency_is_counted_per_target(sample: Run) -> None:
    found = Page(sample.written(html.write)).data["latencies"]
    assert [row["name"] for row in found["rows"]] == ["agent-v1", "agent-v2"]
    assert [sum(row["bins"]) for row in found["rows"]] == [29, 30]
    assert len(found["edges"]) == len(found["rows"][0]["bins"]) + 1


def test_every_result_has_its_details(sample: Run) -> None:
    page = Page(sample.written(html.write))
    assert len(page.data["rows"]) == 60
    for row in page.data["rows"]:
        detail = page.detail(row)
        assert detail["case"]["id"] == row["case"]
        assert [score["name"] for score in detail["scores"]] == [score[0] for score in row["scores"]]
        assert all(score["state"] in ("pass", "fail", "info", "skipped", "error") for score in detail["scores"])


def test_hostile_text_makes_no_element_and_comes_back_whole(hostile: Run, sample: Run) -> None:
    page, plain = Page(hostile.written(html.write)), Page(sample.written(html.write))
    assert {tag for tag in page.tags if tag != "script"} == {tag for tag in plain.tags if tag != "script"}
    assert len(page.scripts) == len(HOSTILE) + 3
    assert page.title.endswith(hostile.report.name)
    by_order = sorted(page.data["rows"], key=lambda row: row["n"])
    for row, text in zip(by_order, HOSTILE.values(), strict=True):
        assert page.detail(row)["case"].get("input", "")[:20_000] == text[:20_000]


def test_the_page_is_utf8_whatever_is_in_it(hostile: Run) -> None:
    assert hostile.written(html.write).encode()


def test_a_case_of_variables_alone_shows_them(sample: Run) -> None:
    first = next(iter(sample.results()))
    results = [replace(first, case=Case(id="c", inputs={"city": "Kyoto", "nights": 3}))]
    (row,) = Page(Run(report=report_of(results), results=lambda: results).written(html.write)).data["rows"]
    assert row["question"] == "city: Kyoto / nights: 3"


def test_a_long_text_is_cut_with_a_note(hostile: Run) -> None:
    page = Page(hostile.written(html.write))
    row = next(row for row in page.data["rows"] if row["case"].startswith("long"))
    message = page.detail(row)["trajectory"]["turns"][0]["messages"][0]["content"]
    assert len(message) < 20_100
    assert message.endswith(f"{len(HOSTILE['long']) - 20_000:,} more characters; the JSON file has them all]")


def test_what_did_not_pass_is_shown_first_and_the_rest_is_counted() -> None:
    run, out = many(500), io.StringIO()
    html.write(run.report, run.results, out, limit=80)
    data = Page(out.getvalue()).data
    outcomes = [row["outcome"] for row in data["rows"]]
    assert len(outcomes) == 80
    assert data["total"] == 500
    assert outcomes.index("pass") == 60
    assert set(outcomes[60:]) == {"pass"}
    assert [row["n"] for row in data["rows"][60:]] == [
        1,
        2,
        3,
        4,
        5,
        6,
        8,
        9,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        21,
        22,
        23,
    ]


def test_the_limit_holds_among_failures_too() -> None:
    run, out = many(500), io.StringIO()
    html.write(run.report, run.results, out, limit=10)
    assert [row["outcome"] for row in Page(out.getvalue()).data["rows"]].count("pass") == 0
    assert out.getvalue().count('type="application/json" id="r') == 10


def test_a_run_of_heavy_results_stays_a_page_that_opens(hostile: Run) -> None:
    heavy = next(each for each in hostile.results() if each.case.id.startswith("long"))
    deep: Any = "x" * 19_000
    for _ in range(100):
        deep = {"inner": deep, "list": ["y" * 19_000] * 300}
    heavy = replace(heavy, case=replace(heavy.case, metadata={"deep": deep}))
    results = [replace(heavy, sample=number) for number in range(60)]
    run = Run(report=report_of(results), results=lambda: results)
    page = Page(run.written(html.write))
    assert len(page.data["rows"]) == 60
    assert all(len(page.scripts[f"r{number}"]) <= 500_000 for number in range(60))


def test_an_empty_run_is_a_page(empty: Run) -> None:
    data = Page(empty.written(html.write)).data
    assert data["rows"] == []
    assert data["counts"]["rate"] is None
    assert data["latencies"] is None


@pytest.mark.parametrize(
    "history",
    [
        [{"model": "m", "history": []}],
        [{"model": "m", "history": [[0.0, 4, "start"]]}],
        [{"other": 1}],
        [{"model": "m", "history": ["x", [1], [None, 2], [float("nan"), 1, ""]]}],
    ],
)
def test_a_concurrency_history_with_nothing_to_draw(sample: Run, history: list[dict[str, Any]]) -> None:
    report = replace(sample.report, concurrency=tuple(history))
    assert Page(Run(report=report, results=sample.results).written(html.write)).data["concurrency"] == []


def test_a_resumed_run_continues_its_concurrency_history(sample: Run) -> None:
    part = {"model": "m", "history": [[0.0, 4, "start"], [5.0, 8, "more"]]}
    report = replace(sample.report, concurrency=(part, part))
    (series,) = Page(Run(report=report, results=sample.results).written(html.write)).data["concurrency"]
    assert [point[0] for point in series["points"]] == [0.0, 5.0, 5.0, 10.0]


def test_the_time_of_the_first_words_is_on_the_page_where_a_target_streams(sample: Run) -> None:
    def streamed() -> Iterator[Result]:
        for result in sample.results():
            turns = tuple(replace(turn, first_token=0.25) for turn in result.trajectory.turns)
            streams = result.target == "agent-v2"
            yield replace(result, trajectory=replace(result.trajectory, turns=turns)) if streams else result

    text = Run(report=sample.report, results=streamed).written(html.write)
    data = json.loads(text.partition('id="page-data">')[2].partition("</script>")[0])
    first = {row["name"]: row["first"] for row in data["latencies"]["rows"]}
    assert first["agent-v1"] is None
    assert first["agent-v2"] == pytest.approx(0.25, rel=0.05)
