"""The report of a judge card: terminal, Markdown and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TextIO

from proctor.core.judge_card import Band, Estimate, JudgeCard
from proctor.report.number_format import moment, percent, share_text
from proctor.report.report_kind import ReportKind, iso_time, write_json
from proctor.report.report_table import ReportTable, TableColumn
from proctor.report.safe_text import one_line
from proctor.report.sheet import console_for, markdown_notes
from proctor.report.table_markdown import escaped, markdown_table

__all__ = ["JUDGE_CARD_REPORT", "card_tables"]

Row = tuple[str, str, str]
_EXAMPLE = 200  # example number of cases for the error band
# Name, figure, meaning; the columns need no heads.
_COLUMNS = (TableColumn(""), TableColumn("", figure=True), TableColumn(""))


def card_tables(card: JudgeCard) -> list[ReportTable]:
    """Return the card as tables of (name, figure, meaning)."""
    found = [
        ("Agreement with people", tuple(_agreement(card))),
        ("Error band", tuple(_bands(card))),
        ("Repeatability", tuple(_repeats(card))),
        ("Bias", tuple(_bias(card))),
        ("Abstentions", tuple(_abstentions(card))),
    ]
    return [ReportTable(title=title, columns=_COLUMNS, rows=rows) for title, rows in found if rows]


def _write_terminal(card: JudgeCard, out: TextIO | None = None) -> None:
    from rich.table import Table  # noqa: PLC0415 - rich only when drawing
    from rich.text import Text  # noqa: PLC0415

    console = console_for(out, pipe_width=160)
    console.print()
    console.print(Text.assemble(("Judge card  ", "bold"), (one_line(_title(card), 120), "bold cyan")))
    console.print(Text(one_line(_subtitle(card), 200), style="dim"))
    for table in card_tables(card):
        drawn = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for style in ("", "bold", "dim"):
            drawn.add_column(style=style, overflow="fold")
        for row in table.cells():
            drawn.add_row(*(Text(one_line(cell.text, 200)) for cell in row))
        console.print()
        console.print(Text(table.title, style="bold"))
        console.print(drawn)
    if card.notes:
        console.print()
    for note in card.notes:
        console.print(Text.assemble(("note ", "yellow"), one_line(note, 400)))
    console.print()


def _write_markdown(card: JudgeCard, out: TextIO) -> None:
    out.write(f"## Judge card: {escaped(_title(card), 120)}\n\n{escaped(_subtitle(card), 300)}\n")
    for table in card_tables(card):
        out.write(f"\n**{table.title}**\n\n{markdown_table(table, max_chars=300, short_rule=True)}")
    out.write(markdown_notes(card.notes))


JUDGE_CARD_REPORT: ReportKind[JudgeCard] = ReportKind(
    name="card",
    show=_write_terminal,
    writers={
        ".json": lambda card, out: write_json(dataclasses.asdict(card), out, time=iso_time),
        ".md": _write_markdown,
    },
)


def _title(card: JudgeCard) -> str:
    return f"{card.scorer} ({card.judge})" if card.judge and card.judge != card.scorer else card.scorer


def _subtitle(card: JudgeCard) -> str:
    facts = [f"{card.cases:,} answers with a verdict and a label"]
    facts.append(f"{card.raters} raters" if card.raters > 1 else "one rater")
    facts.append(f"pass from {_thresholds(card)}, by people from {card.people_threshold:g}")
    facts += [f"labels {card.labels}"] * bool(card.labels) + [f"run {card.run}"] * bool(card.run)
    facts += [f"version {card.revision}"] * bool(card.revision)
    facts += [moment(card.created)] * (card.created is not None)
    return " · ".join(facts)


def _thresholds(card: JudgeCard) -> str:
    if not card.thresholds:
        return f"{card.threshold:g} on"
    return f"their own thresholds on ({card.thresholds[0]:g} to {card.thresholds[-1]:g})"


def _agreement(card: JudgeCard) -> Iterator[Row]:
    found = card.agreement
    if not card.cases:
        return
    base = f"people pass {percent(found.human_pass)}, the judge {percent(found.judge_pass)}"
    yield "same verdict", share_text(found.share), base
    yield "Cohen's kappa", _figure(found.kappa), "pass or fail, beyond chance: 0 is chance, 1 is always the same"
    if found.adjusted is not None:
        yield "adjusted kappa", f"{found.adjusted:.2f}", "what kappa would be if half of the answers were good"
    if len(found.levels) > 2:
        yield (
            "weighted kappa",
            _figure(found.weighted),
            f"over {len(found.levels)} levels; a near miss counts (quadratic)",
        )
    ceiling = f"people among themselves: {card.people:.2f}" if card.people is not None else "over the scores"
    yield "Krippendorff's alpha", _figure(found.alpha), ceiling
    yield "rank correlation", _figure(found.rank), "Spearman's"
    yield "false passes", share_text(found.false_pass), "of what people failed"
    yield "false fails", share_text(found.false_fail), "of what people passed"


def _bands(card: JudgeCard) -> Iterator[Row]:
    for name, band in (("score", card.scores), ("pass rate", card.passes)):
        if band is not None:
            yield f"{name}: bias", _figure(band.bias, signed=True), _lean(band)
            yield (
                f"{name}: off by",
                f"{band.mean_error:.2f}",
                f"on the mean in one case; standard deviation {band.spread:.2f}",
            )
            shown = band.around(0.5 + (band.bias.value or 0.0), _EXAMPLE)
            if shown.low is not None and shown.high is not None:
                reach = (shown.high - shown.low) / 2
                meaning = f"around a judged mean over {_EXAMPLE} cases like these, less the bias"
                yield f"{name}: band", f"±{reach:.3f}", meaning


def _lean(band: Band) -> str:
    low, high = band.bias.low, band.bias.high
    if low is None or high is None or low <= 0 <= high:
        return "no lean seen"
    return "kinder than people" if low > 0 else "harsher than people"


def _repeats(card: JudgeCard) -> Iterator[Row]:
    found = card.repeats
    if found is None:
        return
    yield "same verdict again", percent(found.same), f"{found.cases:,} answers, asked {found.samples} times or more"
    yield "spread of a score", f"{found.within:.3f}", "standard deviation when the same is asked again"
    if found.correlation is not None:
        yield "ICC(1)", f"{found.correlation:.2f}", "share of the variance that lies between answers"


def _bias(card: JudgeCard) -> Iterator[Row]:
    place, length = card.position, card.length
    if place is not None:
        yield "same in both orders", share_text(place.consistent), f"{place.pairs:,} pairs"
        meaning = f"took the first {place.first}×, the second {place.second}× in both orders; p = {place.p:.3f}"
        yield "position", place.seen, meaning
    if length is not None:
        more = "" if length.doubling is None else f"; twice as long: {length.doubling:+.3f}".replace("-", "−")
        meaning = f"correlation {_figure(length.correlation, signed=True)} at the same human score{more}"
        yield "length", length.seen, meaning


def _abstentions(card: JudgeCard) -> Iterator[Row]:
    found = card.abstentions
    yield "no verdict", f"{found.missing:,} of {found.asked:,}", share_text(found.share) if found.missing else ""
    for reason, count in found.reasons.items():
        yield "", f"{count:,}×", reason


def _figure(found: Estimate, *, signed: bool = False) -> str:
    if found.value is None:
        return "–"
    form = "{:+.2f}" if signed else "{:.2f}"
    text = form.format(found.value)
    if found.low is not None and found.high is not None:
        text += f" ({form.format(found.low)} … {form.format(found.high)})"
    return text.replace("-", "−")
