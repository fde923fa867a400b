"""The audit page: blind rating by two people, agreement beside it, disagreements, files."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from proctor.core.audit import AuditRating, Settlement
from proctor.core.errors import InputError
from proctor.report.audit_sheet import estimate_text
from proctor.server.pages.page import Download, Missing, Redirect, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.views.audit import download_audit, draw_sample, show_audit
from proctor.server.pages.views.audit_rating import (
    rate_item,
    rate_next,
    release_item,
    settle_item,
    show_split,
    skip_item,
    store_rating,
)
from proctor.store.audit_progress import complete_items, held_by
from proctor.workflows.monitor.audit import audit_settings, kappas_of
from tests.server.pages.accessibility import violations
from tests.server.pages.served import ServedDashboard, asked

GOOD = {"d0": "5", "d1": "4", "d2": "4", "d3": "?"}


def _ask(item: str = "", *, name: str = "dan", **more: Any) -> Any:
    return asked("/audit", name=name, role="auditor", path={"item": item}, **more)


def _item(found: Any) -> str:
    assert isinstance(found, Redirect)
    return found.to.partition("?")[0].rpartition("/")[2]


def _next(desk: PageStores, name: str = "dan", **query: str) -> str:
    return _item(rate_next(desk, _ask(name=name, query=query)))


def _view(found: Any) -> View:
    assert isinstance(found, View)
    return found


def _week(desk: PageStores) -> str:
    return desk.audit.samples()[-1].week


def test_kappa_on_the_page_is_that_of_scikit_learn(desk: PageStores) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    week, settings = _week(desk), audit_settings(desk.config)
    by_item: dict[str, dict[str, AuditRating]] = {}
    for said_by in desk.audit.ratings([week]):
        by_item.setdefault(said_by.item, {})[said_by.rater] = said_by
    pairs = [(said["ben"].values, said["cleo"].values) for said in by_item.values() if len(said) == 2]
    shown = _view(rate_item(desk, _ask(_next(desk)))).tables["agreement"].rows
    full = _view(show_audit(desk, _ask())).tables["agreement"].rows
    kappas = kappas_of(desk.audit, settings, [week])
    assert [each.dimension for each in kappas] == list(settings.dimensions)
    for place, each in enumerate(kappas):
        one, other = zip(*((a[each.dimension], b[each.dimension]) for a, b in pairs), strict=True)
        assert each.kappa.value == pytest.approx(metrics.cohen_kappa_score(one, other, labels=settings.levels))
        assert shown[place][:2] == (each.dimension, estimate_text(each.kappa))
        assert full[place][3] == estimate_text(each.kappa)
        assert each.kappa.low is not None
        assert each.kappa.high is not None
        assert each.kappa.low <= metrics.cohen_kappa_score(one, other, labels=settings.levels) <= each.kappa.high


def test_the_figures_follow_each_rating(desk: PageStores) -> None:
    def figures() -> list[Any]:
        return [row[6] for row in _view(show_audit(desk, _ask())).tables["quality"].rows]

    before = figures()
    assert figures() == before
    store_rating(desk, _ask(_next(desk), form={**GOOD, "d3": "5"}))
    assert _view(show_audit(desk, _ask())).tables["quality"].rows[0][4] == 11


def test_a_rater_sees_nothing_but_the_conversation(desk: PageStores) -> None:
    name = _next(desk)
    view = _view(rate_item(desk, _ask(name)))
    item = desk.audit.find(name)
    assert set(view.data["item"].__slots__) == {"id", "week", "intent", "trajectory", "expires"}
    told = repr(view.data["item"])
    assert item.conversation not in told
    for card in view.data["cards"]:
        assert card.turn.verdicts == ()
        assert card.turn.confidence is None
        assert not card.gates
        assert not card.scores
    assert view.data["item"].expires > datetime.now(UTC) + timedelta(minutes=14)


def test_two_people_get_conversations_until_nothing_is_left(desk: PageStores) -> None:
    for name in ("dan", "eve"):
        while (item := _next(desk, name)) != "audit":
            found = store_rating(desk, _ask(item, name=name, form=GOOD))
            assert isinstance(found, Redirect)
            assert found.said.startswith("Stored.")
    assert len(complete_items(desk.audit)) == 20
    assert desk.audit.left("fay") == 0
    again = rate_next(desk, _ask(name="fay"))
    assert isinstance(again, Redirect)
    assert again.said == "Nothing is left for you to rate."
    rated = next(each for each in desk.audit.ratings() if each.rater == "dan")
    assert rated.values == {"correctness": 5, "completeness": 4, "tone": 4, "efficiency": None}


def test_a_claim_that_expires_makes_room_for_another(desk: PageStores) -> None:
    assert len({_next(desk, f"rater {number}") for number in range(20)}) == 10  # each has two places
    assert _next(desk, "late") == "audit"
    item = _next(desk, "rater 0")
    desk.audit.database.execute("UPDATE claims SET expires = ? WHERE rater = 'rater 0'", ("2000-01-01",))
    assert _next(desk, "late") == item
    moved = rate_item(desk, _ask(item, name="rater 0"))
    assert isinstance(moved, Redirect)
    assert moved.said.startswith("Somebody else rates")
    assert isinstance(store_rating(desk, _ask(item, name="rater 0", form=GOOD)), Redirect)  # no work is lost


def test_skipped_conversations_come_last_and_stopping_frees(desk: PageStores) -> None:
    first = _next(desk)
    skipped = skip_item(desk, _ask(first))
    assert isinstance(skipped, Redirect)
    assert skipped.to.endswith(f"?skip={first}")
    second = _item(skipped)
    assert second != first
    assert held_by(desk.audit) == {"dan": 1}
    release_item(desk, _ask(second))
    assert held_by(desk.audit) == {}
    every = ",".join(each.id for each in desk.audit.items())
    nothing = rate_next(desk, _ask(query={"skip": every}))
    assert isinstance(nothing, Redirect)
    assert "skipped" in nothing.said


@pytest.mark.parametrize(
    "form", [{}, {**GOOD, "d0": "6"}, {**GOOD, "d2": "x"}, {**GOOD, "d3": ""}, {**GOOD, "d1": "-1"}]
)
def test_a_rating_must_be_whole_and_on_the_scale(desk: PageStores, form: dict[str, str]) -> None:
    with pytest.raises(InputError):
        store_rating(desk, _ask(_next(desk), form=form))


def test_a_rating_can_be_changed_until_the_others_have_rated(desk: PageStores) -> None:
    item = _next(desk)
    stored = store_rating(desk, _ask(item, form=GOOD))
    assert isinstance(stored, Redirect)
    assert stored.to.endswith(f"?last={item}")
    assert _view(rate_item(desk, _ask(_item(stored), query={"last": item}))).data["last"] == item
    assert _view(rate_item(desk, _ask(_item(stored), query={"last": "nothing"}))).data["last"] == ""
    assert _view(rate_item(desk, _ask(item))).data["own"]["correctness"] == 5
    store_rating(desk, _ask(item, form={**GOOD, "d0": "1"}))
    desk.audit.rate(
        [AuditRating(item=item, rater="eve", values=dict.fromkeys(audit_settings(desk.config).dimensions, 4))]
    )
    assert isinstance(rate_item(desk, _ask(item)), Redirect)
    with pytest.raises(InputError, match="your rating stands"):
        store_rating(desk, _ask(item, form=GOOD))


def test_disagreements_are_shown_and_settled_when_all_have_rated(desk: PageStores) -> None:
    item = _next(desk)
    store_rating(desk, _ask(item, form=GOOD))
    assert isinstance(show_split(desk, _ask(item)), Missing)
    with pytest.raises(InputError):
        settle_item(desk, _ask(item, name="zoe", form={"d0": "3"}))
    store_rating(desk, _ask(item, name="eve", form={**GOOD, "d0": "1"}))
    view = _view(show_split(desk, _ask(item, name="zoe")))
    (row,) = view.data["rows"]
    assert (row["name"], sorted(row["ratings"])) == ("correctness", [1, 5])
    assert not view.data["has_rated"]
    with pytest.raises(InputError, match="cannot decide alone"):
        settle_item(desk, _ask(item, form={"d0": "3"}))
    with pytest.raises(InputError, match="no final rating"):
        settle_item(desk, _ask(item, name="zoe", form={}))
    done = settle_item(desk, _ask(item, name="zoe", form={"d0": "3", "note": "half right"}))
    assert isinstance(done, Redirect)
    assert desk.audit.settlements()[-1].value == 3
    rows = _view(show_audit(desk, _ask())).tables["disagreements"].rows
    assert "correctness" in str(next(row for row in rows if getattr(row[0], "text", "") == item)[2])


def test_raters_may_settle_together(desk: PageStores) -> None:
    item = _next(desk)
    store_rating(desk, _ask(item, form=GOOD))
    store_rating(desk, _ask(item, name="eve", form={**GOOD, "d0": "1"}))
    settle_item(desk, _ask(item, form={"d0": "?", "consensus": "1"}))
    assert desk.audit.settlements()[-1] == Settlement(
        item=item, dimension="correctness", value=None, by="dan", time=desk.audit.settlements()[-1].time
    )


def _rows(found: Any) -> list[dict[str, str]]:
    assert isinstance(found, Download)
    return list(csv.DictReader(io.StringIO(bytes(found.body).decode())))  # type: ignore[arg-type]


def test_files_tell_nothing_of_what_is_still_to_be_rated(desk: PageStores) -> None:
    store_rating(desk, _ask(item := _next(desk), form=GOOD))
    ratings = _rows(download_audit(desk, _ask()))
    assert len(ratings) == 20
    assert item not in {each["item"] for each in ratings}
    assert len(_rows(download_audit(desk, _ask(query={"what": "items"})))) == 10
    sheet = _rows(download_audit(desk, _ask(query={"what": "sheet"})))
    assert item not in {each["item"] for each in sheet}
    assert all(not each["correctness"] for each in sheet)
    lines = download_audit(desk, _ask(query={"as": "jsonl"}))
    assert isinstance(lines, Download)
    assert len(bytes(lines.body).splitlines()) == 20  # type: ignore[arg-type]


def test_the_last_weeks_together_and_a_week_that_is_not_there(desk: PageStores) -> None:
    assert _view(show_audit(desk, _ask(query={"week": "last"}))).data["chosen"] == "last"
    with pytest.raises(InputError):
        show_audit(desk, _ask(query={"week": "1999-W01"}))


def test_a_week_has_one_sample(desk: PageStores) -> None:
    with pytest.raises(InputError, match="has its sample already"):
        draw_sample(desk, _ask())


def _press(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press({"\n": "Enter", "<": "Backspace"}.get(key, key))


def test_two_people_rate_by_keyboard_and_a_third_settles(browser: Browser, dashboard: ServedDashboard) -> None:
    rated = []
    for name, keys in (("dan", "5444\n"), ("eve", "23<1444\n")):
        assert len(keys) <= 8
        page = dashboard.page(browser, "/audit", name=name, role="auditor")
        page.get_by_role("link", name="Rate the next conversation").click()
        expect(page.locator("#table-agreement tbody tr")).to_have_count(4)
        rated.append(page.url.partition("?")[0].rpartition("/")[2])
        _press(page, keys)
        expect(page.locator("p.said")).to_contain_text("Stored.")
    assert rated[0] == rated[1]  # what one has rated comes first for the other
    page = dashboard.page(browser, "/audit", name="zoe", role="auditor")
    page.goto(f"{dashboard.url}/ui/audit/settle/{rated[0]}")
    expect(page.get_by_text("correctness: rated")).to_be_visible()
    page.get_by_role("group", name="correctness").get_by_label("3").check(force=True)
    page.get_by_role("button", name="Settle").click()
    expect(page.locator("p.said")).to_contain_text("is settled: correctness 3")
    viewer = dashboard.page(browser, "/audit", name="vic", role="viewer")
    expect(viewer.get_by_role("link", name="Rate the next conversation")).to_have_count(0)
    answer = viewer.goto(f"{dashboard.url}/ui/audit/file")
    assert answer is not None
    assert answer.status == 403
    dashboard.problems[:] = [each for each in dashboard.problems if "403" not in each]


def test_keys_skip_note_and_ask_for_every_dimension(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/audit/rate", name="dan", role="auditor")
    first = page.url
    _press(page, "54\n")
    expect(page.locator("#told")).to_contain_text("Rate every dimension first.")
    _press(page, "n")
    page.keyboard.type("s5 is typed")
    page.keyboard.press("Escape")
    _press(page, "s")
    page.wait_for_url("**skip=**")
    assert page.url != first


def test_an_empty_project_says_what_to_do(browser: Browser, empty_dashboard: ServedDashboard) -> None:
    page = empty_dashboard.page(browser, "/audit")
    expect(page.get_by_text("proctor audit sample")).to_be_visible()
    page.get_by_role("link", name="Conversations").click()
    expect(page.get_by_text("proctor history add FILE")).to_be_visible()


def test_pages_of_one_conversation_are_accessible(
    browser: Browser, dashboard: ServedDashboard, desk: PageStores
) -> None:
    item = next(iter(sorted(complete_items(desk.audit))))
    page = dashboard.page(browser, "/audit/rate", name="dan", role="auditor")
    session = desk.audit.find(item).conversation
    for path in ("", "/ui/audit", f"/ui/audit/settle/{item}", f"/ui/conversations/{session}"):
        if path:
            page.goto(f"{dashboard.url}{path}")
        assert violations(page, only_grave=False) == [], path or "rate"
