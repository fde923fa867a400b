"""The documents say what the program does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from tests.tables import table

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
ANCHOR = re.compile(r"\]\(((?:\w[\w./-]*\.md)?)#([\w-]+)\)")
MAX_LINES = 320  # of a page that is written by hand: about 300, with room for a sentence more


def test_the_command_line_page_is_what_help_prints() -> None:
    spec = importlib.util.spec_from_file_location("cli_reference", ROOT / "docs" / "cli_reference.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == module.page(), "run: python docs/cli_reference.py"


@table("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    titles = re.findall(r"(?m)^#{1,6} (.+)$", text)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def test_every_link_to_a_section_leads_to_a_heading() -> None:
    dead = [
        f"{page.name}: {target}#{anchor}"
        for page in PAGES
        for target, anchor in ANCHOR.findall(page.read_text(encoding="utf-8"))
        if anchor not in _headings(page.parent / target if target else page)
    ]
    assert dead == []


def test_no_page_is_longer_than_a_reader_reads() -> None:
    generated = {"cli.md", "CHANGELOG.md"}
    lines = {page.name: len(page.read_text(encoding="utf-8").splitlines()) for page in PAGES}
    assert {name: count for name, count in lines.items() if count > MAX_LINES and name not in generated} == {}


def test_the_readme_names_its_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_prometheus_scrapes_the_port_that_serve_listens_on() -> None:
    from proctor.cli.serve import verb

    port = next(option.default for option in verb.params if option.name == "port")
    scraped = re.findall(
        r'targets: \["127\.0\.0\.1:(\d+)"\]', (ROOT / "docs" / "alerts.md").read_text(encoding="utf-8")
    )
    assert scraped == [str(port)]
