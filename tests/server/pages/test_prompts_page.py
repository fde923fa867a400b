"""The pages of prompts: rules marked in the prompt, coverage, the verdict matrix, the mutation score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proctor.core.errors import NotFoundError
from proctor.server.pages.page import View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Chip, Link, Share, csv_lines
from proctor.server.pages.views.prompts import PAGE
from tests.server.pages.accessibility import violations
from tests.server.pages.production_store import ask
from tests.server.pages.run_project import HOSTILE, make_run_project
from tests.server.pages.served import open_desk, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ITEM = "/prompts/{name:.+}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("prompts")
    make_run_project(made)
    return made


@pytest.fixture
def desk(folder: Path) -> Iterator[PageStores]:
    with open_desk(folder) as opened:
        yield opened


def view(desk: PageStores, name: str = "word", **query: str) -> View:
    found = ask(desk, PAGE.routes, ITEM, at={"name": name}, query=query)
    assert isinstance(found, View)
    return found


def test_the_table_has_rules_coverage_and_the_mutation_score(desk: PageStores) -> None:
    found = ask(desk, PAGE.routes, "/prompts")
    assert isinstance(found, View)
    (row,) = found.tables["prompts"].rows
    assert row[0] == Link("word", "/ui/prompts/word")
    assert row[2:7] == (2, 1, 1, Share(0.5, n=2), Share(0.5, 0.1, 0.9))
    assert row[7] == Link("run-word", "/ui/runs/run-word")
    assert row[9] == Chip("pass", "up to date")


def test_rules_are_marked_where_they_stand(desk: PageStores) -> None:
    shown = view(desk)
    (message,) = shown.data["messages"]
    pieces = [(piece.text, piece.state, piece.names) for piece in message.text.pieces if piece.title]
    assert pieces == [("Answer in one word.", "fail", ("r1",)), ("Never mention prices.", "pass", ("r2",))]
    assert shown.data["uncovered"] == [(2, f"No prices. {HOSTILE}")]
    rules = shown.tables["rules"].rows
    assert [row[0] for row in rules] == [Link(f"R{number}", f"#r{number}") for number in (1, 2, 3)]
    assert rules[0][3] == "words = 1"
    assert rules[2][4] == "off"
    assert rules[0][-1] == "1/2"


def test_the_matrix_has_a_sign_for_each_test_rule_and_model(desk: PageStores) -> None:
    matrix = view(desk).data["matrix"]
    assert matrix["targets"] == ["m1", "m2"]
    assert [head["label"] for head in matrix["heads"]] == ["R1", "R2"]
    (row,) = matrix["rows"]
    assert [[sign["state"] for sign in cell["signs"]] for cell in row["cells"]] == [["ok", "err"], ["ok", "unknown"]]
    assert row["to"] == "/ui/runs/run-word/cases/t1"
    one = view(desk, target="word@m2")
    assert [cell["signs"][0]["state"] for cell in one.data["matrix"]["rows"][0]["cells"]] == ["err", "unknown"]
    assert view(desk, show="unknown").data["matrix"]["rows"] == []
    assert len(list(csv_lines(view(desk).tables["verdicts"]))) == 5
    with pytest.raises(NotFoundError):
        view(desk, "nobody")


def test_a_prompt_in_the_browser(folder: Path, browser: Browser) -> None:
    with served(folder) as site:
        page = site.page(browser, "/prompts", color_scheme="dark")
        page.get_by_role("link", name="word", exact=True).click()
        assert page.locator("mark.fail#r1").inner_text().startswith("Answer in one word.")
        assert page.locator(".matrix .v.err").count() == 1
        assert HOSTILE in page.locator("#table-rules").inner_text()
        for width in (390, 1300):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(page) == []
        page.locator("select[name=show]").select_option("broken")
        page.wait_for_url("**show=broken**")
        site.close()
        assert site.problems == []
