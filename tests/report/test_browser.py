"""The page in a real browser, opened from disk."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from ruamel.yaml import YAML

from proctor.core.case import Case
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.report import html
from tests.chromium import SharedPage

from .conftest import Run, many

pytestmark = pytest.mark.browser

Opened = Callable[..., Page]

_EVERY_CASE_AS_YAML = """async () => {
    const made = [];
    for (const row of document.querySelectorAll('.rows tbody tr')) {
        row.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        const folds = [...document.querySelectorAll('dialog details.fold')];
        const yaml = folds.find((fold) => fold.querySelector('summary').textContent.includes('YAML'));
        const opened = new Promise((done) => yaml.addEventListener('toggle', done, {once: true}));
        yaml.open = true;
        await opened;
        made.push([Number(row.dataset.n), yaml.querySelector('pre').textContent]);
    }
    return made;
}"""

_OPEN_EVERYTHING = """async () => {
    for (const row of document.querySelectorAll('.rows tbody tr')) {
        row.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        for (const fold of document.querySelectorAll('dialog details')) fold.open = true;
        for (const button of document.querySelectorAll('dialog .words button')) button.click();
        await new Promise((done) => setTimeout(done));
    }
}"""

# Closing is over when its event has been heard, which is a moment after the dialog is gone.
_CLOSE = """() => new Promise((done) => {
    const dialog = document.querySelector('dialog');
    dialog.addEventListener('close', () => setTimeout(done), {once: true});
    dialog.close();
})"""

_EVERY_LINK = (
    """async () => {
    const links = [];
    for (const row of [...document.querySelectorAll('.rows tbody tr')]) {
        row.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        links.push(location.hash);
        await ("""
    + _CLOSE
    + """)();
    }
    return links;
}"""
)

# The ratio that WCAG asks for between a text and what it stands on.
_POOR_CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const linear = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ground = (node) => {
        for (; node; node = node.parentElement) {
            const found = rgb(getComputedStyle(node).backgroundColor);
            if (found[3] === 255) return found;
        }
        return [255, 255, 255];
    };
    const poor = new Set();
    for (const node of document.querySelectorAll('main *, dialog *')) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
        if (!own || !node.checkVisibility() || node.closest(':disabled')) continue;
        const both = [light(rgb(getComputedStyle(node).color)), light(ground(node))].sort((a, b) => b - a);
        if ((both[0] + 0.05) / (both[1] + 0.05) < 4.5) poor.add(node.className + ' ' + node.textContent.slice(0, 30));
    }
    return [...poor];
}"""


@pytest.fixture
def opened(shared_page: SharedPage, tmp_path: Path) -> Iterator[Opened]:
    """Opens a run's page; afterwards no error may have been logged and nothing else been asked for."""
    opened = 0
    asked: list[str] = []
    said: list[str] = []

    def open_run(run: Run, *, anchor: str = "", limit: int = 2_000, **settings: Any) -> Page:
        path = tmp_path / "report.html"
        with path.open("w", encoding="utf-8") as out:
            html.write(run.report, run.results, out, limit=limit)
        nonlocal opened
        if opened:
            shared_page.given_back()
        page = shared_page.taken(
            **settings,
            request=lambda request: asked.append(request.url.split("#")[0]),
            console=lambda message: said.append(message.text),
            pageerror=lambda error: said.append(str(error)),
        )
        opened += 1
        page.goto(path.as_uri() + anchor)
        return page

    yield open_run
    shared_page.given_back()
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [(tmp_path / "report.html").as_uri()] * opened


def cases(page: Page) -> list[str]:
    return page.locator(".rows .case-id").all_inner_texts()


def test_the_overview_shows_decision_figures_and_charts(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    assert page.locator("h1").inner_text() == "FAILED"
    assert "pass rate 82.8 % is under the 90 %" in page.locator(".decision").inner_text()
    assert "82.8 %" in page.locator(".tiles").inner_text()
    assert page.locator("svg.chart").count() > 20
    label = page.locator(".share.tall svg").first.get_attribute("aria-label")
    assert label == "22 passed, 7 failed, 1 unscored; pass rate 75.9 %, 95 % interval 58–88 %"
    assert page.locator(".scorer").count() == 6
    assert "price not known" in page.locator("#run").inner_text()


def test_failures_come_first_and_columns_sort(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    outcomes = page.locator(".rows td.outcome").all_inner_texts()
    assert outcomes == ["fail"] * 10 + ["unscored"] * 2 + ["pass"] * 48
    page.locator('[data-sort="latency"]').click()
    head = page.locator("th", has=page.locator('[data-sort="latency"]'))
    assert head.get_attribute("aria-sort") == "descending"
    slowest = max(result.trajectory.latency or 0 for result in sample.results())
    assert page.locator(".rows td.latency").first.inner_text() == f"{slowest:.1f} s"
    assert page.locator(".rows td.latency").last.inner_text() == "–"
    page.locator('[data-sort="case"]').click()
    assert cases(page) == sorted(cases(page))
    page.locator('[data-sort="case"]').click()
    assert cases(page) == sorted(cases(page), reverse=True)


def test_filters_narrow_and_clear(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    page.locator('[data-outcome="fail"]').click()
    assert len(cases(page)) == 10
    page.locator('[data-filter="target"]').select_option("agent-v2")
    assert len(cases(page)) == 3
    page.locator('[data-filter="intent"]').select_option("pricing")
    assert cases(page) == ["discount-code-invented"]
    assert page.locator(".count").inner_text() == "1 of 60"
    page.get_by_role("button", name="Clear filters").click()
    assert len(cases(page)) == 60
    page.locator('[data-filter="tag"]').select_option("ja")
    assert all(case.startswith("ja-") for case in cases(page))
    page.locator('[data-filter="tag"]').select_option("")
    page.locator('[data-filter="scorer"]').select_option("forbidden")
    assert set(cases(page)) == {"discount-code-invented"}


def test_pressing_a_figure_filters_the_table(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    page.locator(".tile.unscored").click()
    assert len(cases(page)) == 2
    page.locator(".tile.unscored").click()
    page.get_by_role("button", name="warranty", exact=True).click()
    assert len(cases(page)) == 8
    assert page.locator('[data-filter="intent"]').input_value() == "warranty"
    page.get_by_role("button", name="policy", exact=True).first.click()
    page.get_by_text("No result fits these filters.").wait_for()


def test_search_reads_the_whole_conversation(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    for words, found in (
        ("Shetland £45", "delivery-island-surcharge"),
        ("504 from the carrier", "delivery-late-eta"),
        ("メッセージカード", "ja-multi-gift-wrapping"),
        ("NOT JSON", "ja-keigo-complaint"),
    ):
        page.get_by_label("Search", exact=True).fill(words)
        expect(page.locator(".count")).to_contain_text(" of ")
        assert set(cases(page)) == {found}
        page.get_by_label("Search", exact=True).fill("")
        expect(page.locator(".count")).not_to_contain_text(" of ")


def test_the_drawer_opens_by_click_and_holds_everything(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    page.locator(".rows tr", has_text="delivery-late-eta").first.click()
    drawer = page.get_by_role("dialog")
    text = drawer.inner_text()
    for expected in (
        "facts",
        "≥ 0.7",
        "not stated: the parcel is in Leeds",
        "confidence 0.",
        "judge openai:gpt-4.1",
        "version a41c77d2",
        "track_order",
        "504 from the carrier's service",
        "tokens",
        "Order 48213 should have been here on Monday. Where is it?",
        "Your order is on its way and should arrive soon.",
        "delivery is expected tomorrow",
    ):
        assert expected in text, expected
    assert drawer.locator("mark").inner_text() == "Your order is on its way and should arrive soon."
    assert page.evaluate("location.hash").startswith("#case=delivery-late-eta&target=agent-v1")
    page.get_by_role("button", name="Close").click()
    assert not drawer.is_visible()
    assert page.evaluate("location.hash") == ""


def test_sources_gates_memory_and_handover_are_shown(opened: Opened, sample: Run) -> None:
    page = opened(sample, anchor="#case=complaint-third-contact&target=agent-v2")
    assert "care team" in page.get_by_role("dialog").inner_text()
    page.goto(page.url.split("#")[0] + "#case=refund-after-30-days&target=agent-v2")
    text = page.get_by_role("dialog").inner_text()
    assert "Returns Policy" in text
    assert "as of 2026-03-01" in text
    assert "customer.tier" in text
    page.goto(page.url.split("#")[0] + "#case=prompt-injection-review&target=agent-v2")
    text = page.get_by_role("dialog").inner_text()
    assert "injection-input" in text
    assert "redact" in text


def test_the_keyboard_opens_moves_and_closes(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    first = page.locator(".rows tbody tr").first
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    title = page.locator("#drawer-title")
    assert title.inner_text().startswith("delivery-late-eta")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert title.inner_text().startswith("delivery-island-surcharge")
    page.keyboard.press("k")
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    focused = page.evaluate("document.activeElement.querySelector('.case-id')?.textContent")
    assert focused == "delivery-late-eta"


def test_focus_stays_in_the_open_drawer(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    page.locator(".rows tbody tr").first.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")


def test_a_link_opens_its_case(opened: Opened, sample: Run) -> None:
    page = opened(sample, anchor="#case=ja-keigo-complaint&target=agent-v2")
    assert page.locator("#drawer-title").inner_text().startswith("ja-keigo-complaint")
    assert "Could not be judged" in page.get_by_role("dialog").inner_text()


def test_a_link_to_a_case_that_is_not_there_says_so(opened: Opened, sample: Run) -> None:
    page = opened(sample, anchor="#case=nowhere")
    assert (
        page.get_by_role("status").filter(has_text="nowhere").inner_text()
        == "No result of case nowhere is on this page"
    )


def test_dark_follows_the_system_and_the_button(opened: Opened, sample: Run) -> None:
    page = opened(sample, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    assert dark != light
    page.emulate_media(color_scheme="light")
    page.locator("#theme").click()
    assert page.evaluate(ground) == dark


def test_hostile_content_is_shown_and_never_run(opened: Opened, hostile: Run) -> None:
    page = opened(hostile)
    assert page.locator(".rows tbody tr").count() == 16
    page.evaluate(_OPEN_EVERYTHING)
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, dialog img, main script, dialog script").count() == 0
    assert "<script>window.pwned = 1</script>" in page.locator(".rows").inner_text()


def test_a_hostile_case_can_be_linked_to(opened: Opened, hostile: Run) -> None:
    page = opened(hostile)
    links = page.evaluate(_EVERY_LINK)
    assert len(links) == len(set(links)) == 16
    for number in (0, 4, 5, 13):
        page.evaluate("link => { location.hash = link; }", links[number])
        expect(page.locator("dialog[open]")).to_have_count(1)
        assert page.evaluate("location.hash") == links[number]
        page.evaluate(_CLOSE)


def test_the_case_copied_as_yaml_is_the_case(opened: Opened, sample: Run, hostile: Run) -> None:
    for run in (sample, hostile):
        page = opened(run)
        results = list(run.results())
        made = page.evaluate(_EVERY_CASE_AS_YAML)
        assert len(made) == len(results)
        for number, text in made:
            case = results[number].case
            if len(case.input or "") > 20_000:
                continue  # what the page cut is no longer the case
            (data,) = YAML(typ="safe").load(io.StringIO(text))
            # YAML has no word for half a character.
            whole = dumps(case).decode().replace("\\ud83d", "\ufffd").replace("\\ude00", "\ufffd")
            assert decode(Case, data) == decode(Case, loads(whole))


def test_copying_says_so(opened: Opened, sample: Run) -> None:
    page = opened(sample, anchor="#case=stock-bristol&target=agent-v1")
    page.get_by_role("button", name="Copy as YAML").click()
    page.get_by_role("status").filter(has_text="Case copied").wait_for()


def test_five_thousand_rows_stay_usable(opened: Opened) -> None:
    page = opened(many(5_000), limit=5_000)
    assert page.locator(".rows tbody tr").count() == 100
    assert page.locator(".count").inner_text() == "5,000 results"
    page.get_by_role("button", name="Next").click()
    assert page.locator(".pager").inner_text().startswith("101–200 of 5,000")
    page.get_by_label("Search", exact=True).fill("question 4321")
    expect(page.locator(".count")).to_have_text("1 of 5,000")
    assert cases(page) == ["case-4321"]
    page.get_by_label("Search", exact=True).fill("")
    expect(page.locator(".count")).to_have_text("5,000 results")
    page.locator('[data-sort="latency"]').click()
    # Generous: what is tested is that work is done for a page of rows and not for all of them.
    spent = page.evaluate("""() => {
        const start = performance.now();
        document.querySelector('[data-sort="case"]').click();
        document.querySelector('[data-outcome="fail"]').click();
        return performance.now() - start;
    }""")
    assert spent < 5_000
    assert page.evaluate("document.querySelectorAll('*').length") < 12_000


def test_the_page_says_how_much_of_the_run_it_holds(opened: Opened) -> None:
    page = opened(many(1_000), limit=150)
    text = page.locator("#coverage").inner_text()
    assert text.startswith("150 of 1,000 results are on this page")
    assert "proctor export 20261115-093000-k3f9 -o results.jsonl" in text
    assert page.locator("#overview").inner_text().count("unscored") > 0


def test_an_empty_run_is_a_readable_page(opened: Opened, empty: Run) -> None:
    page = opened(empty)
    assert page.locator("h1").inner_text() == "NOT JUDGED"
    assert "This run has no results." in page.locator("#results").inner_text()


def test_nothing_is_wider_than_the_screen(opened: Opened, sample: Run, hostile: Run) -> None:
    for run in (sample, hostile):
        page = opened(run)
        for width in (360, 768, 1360):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.locator(".rows tbody tr").first.press("Enter")
            assert page.evaluate("document.querySelector('dialog').scrollWidth") <= width
            page.evaluate(_CLOSE)
            expect(page.locator("dialog[open]")).to_have_count(0)


def test_words_stand_out_enough_from_their_ground(opened: Opened, sample: Run) -> None:
    """Contrast of at least 4.5 to 1 for text, in both themes (WCAG AA)."""
    for scheme in ("light", "dark"):
        page = opened(sample, color_scheme=scheme, anchor="#case=delivery-late-eta&target=agent-v1")
        assert page.evaluate(_POOR_CONTRAST) == []


def test_the_printed_page_leaves_the_tools_out(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    page.emulate_media(media="print")
    assert not page.locator(".filters").is_visible()
    assert page.locator(".decision").is_visible()
    page.locator(".rows tbody tr").first.press("Enter")
    assert not page.locator(".decision").is_visible()
    assert page.get_by_role("dialog").is_visible()


def test_cases_by_target_show_who_passed_what_and_the_answers_side_by_side(opened: Opened, sample: Run) -> None:
    page = opened(sample)
    matrix = page.locator("#matrix")
    assert matrix.locator("thead th").all_inner_texts() == ["Case", "agent-v1", "agent-v2"]
    assert matrix.locator("tbody tr").count() == 8, "only where the targets differ"
    matrix.get_by_role("button", name="complaint-third-contact").click()
    answers = matrix.locator(".answer .text").all_inner_texts()
    assert len(answers) == 2
    assert answers[0].startswith("As stated in our previous e-mail")
    page.locator("#only-differing").uncheck()
    assert matrix.locator("tbody tr").count() == 30
    matrix.get_by_label("agent-v1: fail, 0.64").click()
    assert "complaint-third-contact" in page.locator("#drawer-title").inner_text()


def test_a_run_of_one_target_has_no_matrix(opened: Opened, empty: Run) -> None:
    assert opened(empty).locator("#matrix").count() == 0


def test_the_marks_of_a_narrow_axis_do_not_touch(opened: Opened, sample: Run) -> None:
    page = opened(sample, viewport={"width": 330, "height": 800})
    marks = page.locator(".share .ticks").first.evaluate(
        "each => [...each.children].map(mark => mark.getBoundingClientRect()).filter(box => box.width)"
        ".map(box => [box.left, box.right])"
    )
    assert len(marks) in (3, 5)
    assert all(left[1] < right[0] for left, right in pairwise(marks))


def test_on_a_phone_no_column_is_out_of_sight(opened: Opened, sample: Run) -> None:
    page = opened(sample, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    parts = "document.querySelectorAll('#matrix .small-table, .grid')"
    wide = f"[...{parts}].filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.evaluate(wide) == 0


def test_a_result_in_doubt_is_nowhere_a_plain_pass(opened: Opened, doubtful: Run) -> None:
    page = opened(doubtful)
    tile = page.locator("button.tile.doubt")
    assert tile.locator(".tile-value").inner_text() == "2"
    tile.click()
    assert len(cases(page)) == 2
    assert page.locator(".facts-line", has_text="2 in doubt").count() == 1
    page.locator(".rows tbody tr").first.click()
    assert page.locator("#drawer-title .chip").inner_text() == "in doubt"
    assert "In doubt, to be reviewed" in page.locator("dialog .callout").inner_text()
    assert page.locator("dialog .score.doubt .state.doubt").first.inner_text() == "in doubt"
    assert page.locator("dialog .parts li.doubt").count() == 1


def test_on_a_phone_every_outcome_can_be_pressed(opened: Opened, doubtful: Run) -> None:
    page = opened(doubtful, viewport={"width": 390, "height": 800})
    out_of_sight = """(group) => {
        const [frame, ...boxes] = [group, ...group.children].map((each) => each.getBoundingClientRect());
        const cut = (box) => box.left < frame.left || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
        return boxes.filter((box) => cut(box) || box.height > 40).length;
    }"""
    assert page.locator(".segments button").count() == 5
    assert page.locator(".segments").evaluate(out_of_sight) == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 390
