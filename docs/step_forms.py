"""Writes the table of step predicates into docs/trace_rules.md from the program itself; a test fails when it is old.

Run it with ``python docs/step_forms.py``.
"""

from __future__ import annotations

from pathlib import Path

from proctor.scorers.conversation.steps import vocabulary

__all__ = ["PAGE", "page", "table"]

PAGE = Path(__file__).with_name("trace_rules.md")
_BEGIN, _END = "<!-- forms: written by docs/step_forms.py -->\n", "<!-- end of forms -->\n"


def table() -> str:
    """Every form, by family."""
    lines: list[str] = []
    family = ""
    for entry in vocabulary():
        if entry.family != family:
            family = entry.family
            lines += ["", f"### {family.capitalize()}", "", "| form | what it says | example |", "|---|---|---|"]
        options = "".join(f" [{option}]" for option in entry.options)
        cells = (f"`{entry.form}{options}`", entry.meaning, f"`{entry.example}`")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", ""])


def page(text: str) -> str:
    """The page with its table as it should be."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + table() + _END + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
