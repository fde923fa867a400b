"""The number of lines of an answer, where a prompt names it and shows as many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.predicate_text import checkable
from proctor.generate.extract.quoted_literals import END
from proctor.generate.extract.statements import Statement

__all__ = ["counted_line_drafts"]


def counted_line_drafts(statements: Sequence[Statement], code: str) -> Iterator[Draft]:
    """Yield the number of lines that a lead-in names, if so many lines are shown below it: ``Exactly three lines:``."""
    for number, each in enumerate(statements):
        said = each.text.rstrip("*_ ")
        if each.code or not said.endswith((":", "：")) or is_conditional(said) or END.search(said):
            continue
        amounts = find_amounts(each.text, code)
        asked = [one for one in amounts if one.measure == "lines" and one.form == "=" and one.low > 1]
        below = statements[number + 1 :]
        if below and below[0].code:
            shown = len([line for line in below[0].text.split("\n") if line.strip() and not line.startswith("```")])
        else:
            leads = [one.lead.rstrip("*_ ") for one in below]
            shown = next((at for at, lead in enumerate(leads) if not lead or not said.endswith(lead)), len(leads))
        if len(asked) == 1 and asked[0].low == shown:
            yield Draft(
                text=" ".join(said.split()).rstrip(":： ") + ".",
                start=each.start,
                end=each.end,
                kind="format",
                priority=2,
                predicate=checkable(f"lines = {shown}"),
                counted=True,
            )
