"""Writes the tables of forms into their pages from the program itself; a test fails when one is out of date.

Run it with ``python docs/forms.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proctor.scorers.conversation import steps
from proctor.text import predicates

__all__ = ["PAGES", "page", "table"]

# The page and the module whose vocabulary it shows.
PAGES: dict[str, Any] = {"predicates.md": predicates, "trace_rules.md": steps}
_HERE = Path(__file__).parent
_BEGIN, _END = "<!-- forms: written by docs/forms.py -->\n", "<!-- end of forms -->\n"


def table(name: str) -> str:
    """Every form of a page, by family."""
    lines: list[str] = []
    family = ""
    for entry in PAGES[name].vocabulary():
        if entry.family != family:
            family = entry.family
            title = f"### {family[0].upper()}{family[1:]}"
            lines += ["", title, "", "| form | what it says | example |", "|---|---|---|"]
        options = "".join(f" [{option}]" for option in entry.options)
        cells = (f"`{entry.form}{options}`", entry.meaning, f"`{entry.example}`")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", ""])


def page(name: str) -> str:
    """A page with its table as it should be."""
    before, _, rest = (_HERE / name).read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + table(name) + _END + after


if __name__ == "__main__":
    for each in PAGES:
        (_HERE / each).write_text(page(each), encoding="utf-8")
