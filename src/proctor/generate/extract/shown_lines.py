"""Lines that a prompt shows as the shape of the answer: a line of placeholders, headings with nothing below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["counted_line_drafts", "shown_line_drafts"]

_FORM: Final = Lazy(
    r"\b(?:form(?:at)?|pattern|template|structure|shape|muster|schema|forme|forma|formato|modèle|modelo|modello|"
    r"vorm)\b|格式|形式|模板",
    re.IGNORECASE,
)
_MARKED: Final = r"(?:<[^<>\n]{1,40}>|\[[^\[\]\n]{1,40}\]|\{[^{}\n]{1,40}\})"
_HOLDER: Final = rf"(?:{_MARKED}|[A-ZÄÖÜÉÈÀÓÍÚÇÑ][A-ZÄÖÜÉÈÀÓÍÚÇÑ_]{{2,30}})"
_LINE: Final = re.compile(rf"{_HOLDER}(?:[^\w\n<>\[\]{{}}]{{1,5}}{_HOLDER})+")
_HEADINGS: Final = re.compile(r"(?:\s*#{1,6} [^\n]+\n?){2,}")


def shown_line_drafts(statements: Sequence[Statement]) -> Iterator[tuple[Statement, Draft]]:
    """Yield the statements that show lines of the answer, each with its rule."""
    for at, each in enumerate(statements):
        before = statements[at - 1] if at else None
        if each.section == "format" and each.code and _HEADINGS.fullmatch(each.text.strip() + "\n"):
            yield each, _headings(each, before)
        elif before is not None and _LINE.fullmatch(each.text.strip()) and _FORM.search(before.text):
            yield each, _line(each, before)


def counted_line_drafts(statements: Sequence[Statement], code: str) -> Iterator[Draft]:
    """Yield the number of lines that a lead-in names, if so many lines are shown below it: ``Exactly three lines:``."""
    for number, each in enumerate(statements):
        said = each.text.rstrip("*_ ")
        if each.code or not said.endswith((":", "：")) or is_conditional(said):
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


def _headings(shown: Statement, lead: Statement | None) -> Draft:
    lines = [line.strip() for line in shown.text.strip().split("\n") if line.strip()]
    return Draft(
        text=f"The output has these headings, in this order: {', '.join(lines)}.",
        start=lead.start if lead else shown.start,
        end=shown.end,
        kind="format",
        priority=2,
        predicate=checkable(f"fields in order {quoted([line.lstrip('# ') for line in lines])}"),
    )


def _line(shown: Statement, lead: Statement) -> Draft:
    text = shown.text.strip()
    holder = _MARKED if re.search(_MARKED, text) else _HOLDER  # beside a place in brackets, capitals mean themselves
    marks = "".join(sorted(set(re.findall(r"[^\w\s]", re.sub(holder, "", text))))) or " "
    inside = "[^" + re.sub(r"([\\\]^-])", r"\\\1", marks) + r"\n]+"
    pattern = inside.join(re.sub(r"([^\w\s;,:=-])", r"\\\1", piece) for piece in re.split(holder, text))
    alone = any(each.measure == "lines" and each.low == 1 for each in find_amounts(lead.text))
    return Draft(
        text=f"The output has the form {text}." if alone else f"A line of the output has the form {text}.",
        start=lead.start,
        end=shown.end,
        kind="format",
        priority=2,
        predicate=checkable(f"is /{pattern}/" if alone else f"matches /^{pattern}$/m"),
    )
