"""One prompt: its text with the rules marked in it, the rules with their figures, verdicts, and mutants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from proctor.core.compliance import RuleCompliance
from proctor.core.rule import Rule
from proctor.report.adequacy import Adequacy
from proctor.report.adequacy_sheet import adequacy_sheet, noticed_text
from proctor.report.evidence_marks import MarkState, Quotation, mark_text
from proctor.server.pages.page import PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Column, Link, Share, Table, number_columns, text_columns
from proctor.server.pages.views.marked_turns import MarkedText, ShownPiece
from proctor.server.pages.views.run_cells import case_address, run_address
from proctor.store.run_reader import RunReader
from proctor.store.run_search import runs_of_suite
from proctor.store.runs import RunRecord
from proctor.workflows.run.overview import with_overview
from proctor.workflows.run.verdict_matrix import MatrixRow, VerdictMatrix, every_row, verdict_matrix

if TYPE_CHECKING:
    from proctor.prompts.prompt import Prompt
    from proctor.workflows.generate.prompt_files import PromptRules

__all__ = ["MarkedMessage", "show_prompt"]

_RUNS: Final = 50
_SHOWN: Final = ("all", "broken", "unknown")
_SIGNS: Final = {
    "ok": ("✓", "kept"), "err": ("✗", "broken"), "unknown": ("?", "not judged"), "na": ("·", "does not apply"),
}  # fmt: skip
_OPERATORS: Final = ("drop", "negate", "weaken", "swap")
_MUTANTS: Final = 200
_COUNTS: Final = ("Kept", "Broken", "Does not apply", "Not judged", "Why")


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """One message of a prompt: its role and its text in pieces."""

    role: str
    text: MarkedText


def show_prompt(stores: PageStores, request: PageRequest) -> Reply:
    """Show one prompt."""
    # The server starts without what reads prompts.
    from proctor.workflows.generate.prompt_files import open_prompt_rules, prompt_named, suite_names  # noqa: PLC0415
    from proctor.workflows.mutate.kept_adequacy import kept_adequacy  # noqa: PLC0415

    file = prompt_named(stores.config, request.path["name"])
    read = open_prompt_rules(file)
    runs = runs_of_suite(stores.runs, suite_names(stores.config, file), limit=_RUNS)
    run = _chosen(stores, request, runs)
    adequacy = kept_adequacy(stores.config, file.path)
    figures: Sequence[RuleCompliance] = ()
    matrix, targets, target = None, tuple[str, ...](), ""
    shown: Literal["all", "broken", "unknown"] = request.choice("show", _SHOWN, "all")  # type: ignore[assignment]
    if run is not None:
        reader = RunReader(stores.runs, run)
        targets = reader.targets()
        target = request.choice("target", targets)
        overview = with_overview(reader, reader.report()).overview
        figures = [row for row in overview.rules if not target or row.target == target] if overview else ()
        matrix = verdict_matrix(
            reader, target=target, shown=shown, limit=PER_PAGE, offset=(request.page - 1) * PER_PAGE
        )
    numbers = {rule.id: number for number, rule in enumerate(read.rules, 1)}
    tables = {"rules": _rules(read, figures, adequacy, numbers)}
    if adequacy is not None:
        tables |= _mutants(adequacy, numbers)
    data: dict[str, Any] = {
        "file": file,
        "read": read,
        "messages": _marked_prompt(read, numbers, {rule: _state(rule, read, figures) for rule in numbers}),
        "tiles": _tiles(read, adequacy, figures),
        "uncovered": [(numbers[rule.id], rule.text) for rule in read.enabled if not read.covered.get(rule.id)],
        "runs": runs,
        "run": run,
        "run_to": run_address(run.id) if run else "",
        "targets": targets,
        "target": target,
        "adequacy": adequacy,
        "headline": adequacy_sheet(adequacy).headline if adequacy else "",
        "is_stale": adequacy is not None and adequacy.prompt_hash != read.prompt.hash,
        "shown": shown,
    }
    if matrix is not None and run is not None:
        data["matrix"] = _grid(matrix, run, numbers, request)
        tables["verdicts"] = _verdicts(stores, run, matrix, numbers, target, shown)
    return View(template="prompt.html", title=file.name, data={"matrix": None, **data}, tables=tables)


def _chosen(stores: PageStores, request: PageRequest, runs: Sequence[RunRecord]) -> RunRecord | None:
    named = request.text("run")
    return stores.runs.find(named) if named else next(iter(runs), None)


def _state(rule: str, read: PromptRules, figures: Sequence[RuleCompliance]) -> MarkState:
    """Return how a rule stands in the chosen run: broken, kept, or without a verdict."""
    mine = [row for row in figures if row.rule == rule]
    if any(row.kept.err for row in mine):
        return "fail"
    if any(row.kept.ok for row in mine):
        return "pass"
    return "info" if read.covered.get(rule) else "error"


def _tiles(
    read: PromptRules, adequacy: Adequacy | None, figures: Sequence[RuleCompliance]
) -> list[tuple[str, str, str, str, str]]:
    rules = read.enabled
    by_code = sum(rule.is_checked for rule in rules)
    covered = sum(bool(read.covered.get(rule.id)) for rule in rules)
    off = len(read.rules) - len(rules)
    made = [
        ("Rules", f"{len(rules)}", "#rules-head", f"{by_code} checked by code" + (f", {off} off" if off else ""), ""),
        ("Tests", f"{len(read.artefacts.tests)}", "#verdicts-head", f"{len(read.artefacts.baseline)} baseline", ""),
        ("Rules with a test", f"{covered} of {len(rules)}", "#rules-head", "", "fail" if covered < len(rules) else ""),
    ]
    broken = len({row.rule for row in figures if row.kept.err})
    judged = len({row.rule for row in figures if row.executed})
    if figures:
        made.append(
            ("Rules broken", f"{broken} of {judged}", "#verdicts-head", "in the chosen run", "fail" if broken else "")
        )
    if adequacy is not None and adequacy.score.value is not None:
        score = adequacy.score
        more = f"{score.hits} of {score.total} mutants noticed"
        made.append(("Mutation score", f"{100 * (score.value or 0.0):.0f} %", "#mutants-head", more, ""))
    else:
        made.append(("Mutation score", "–", "#mutants-head", "not measured yet", ""))
    return made


def _rules(
    read: PromptRules, figures: Sequence[RuleCompliance], adequacy: Adequacy | None, numbers: Mapping[str, int]
) -> Table:
    targets = list(dict.fromkeys(row.target for row in figures))
    at = {(row.rule, row.target): row for row in figures}

    def row(rule: Rule) -> Sequence[Cell]:
        kept = [at.get((rule.id, target)) for target in targets]
        return (
            Link(f"R{numbers[rule.id]}", f"#r{numbers[rule.id]}"),
            rule.text,
            rule.kind,
            f"{rule.predicate} (tentative)" if rule.tentative else rule.predicate or "a judge",
            "off" if rule.disabled else "locked" if rule.locked else rule.origin or None,
            read.covered.get(rule.id, 0),
            *(Share(each.kept.rate, each.kept.low, each.kept.high) if each else None for each in kept),
            noticed_text(each for each in adequacy.mutants if rule.id in each.rules) if adequacy else None,
        )

    heads = [Column("#"), Column("Rule", "long"), *text_columns("Kind", "Checked by", "From")]
    heads += [Column("Tests", "number")]
    heads += [Column(f"Kept by {_short(target)}" if len(targets) > 1 else "Kept", "number") for target in targets]
    empty = f"No rules yet. `proctor generate {read.file.place}` reads them from the prompt."
    return Table(columns=[*heads, Column("Mutants", "number")], rows=[row(rule) for rule in read.rules], empty=empty)


def _short(target: str) -> str:
    return target.partition("@")[2] or target


def _mutants(adequacy: Adequacy, numbers: Mapping[str, int]) -> dict[str, Table]:
    def named(rules: Sequence[str]) -> str:
        return ", ".join(f"R{numbers[rule]}" if rule in numbers else rule for rule in rules)

    by_rule = []
    for rule in adequacy.rules:
        mine = [each for each in adequacy.mutants if rule.id in each.rules]
        cells = [noticed_text(each for each in mine if each.operator == name) for name in _OPERATORS]
        by_rule.append((named([rule.id]), rule.text, *cells, noticed_text(mine)))
    survived = [each for each in adequacy.mutants if each.fate == "survived"]
    rows = [
        (named(each.rules), each.operator, each.before, each.after or "(nothing)", each.missing or None)
        for each in survived
    ]
    heads = (*text_columns("Rule", "Change"), *(Column(name, "long") for name in ("Said", "Says now", "Missing test")))
    return {
        "mutants": Table(
            columns=(Column("#"), Column("Rule", "long"), *number_columns(*_OPERATORS, "all")),
            rows=by_rule,
        ),
        "survivors": Table(
            columns=heads, rows=rows[:_MUTANTS], every=lambda: rows, empty="Every judged mutant was noticed."
        ),
    }


def _grid(matrix: VerdictMatrix, run: RunRecord, numbers: Mapping[str, int], request: PageRequest) -> dict[str, Any]:
    """Return the matrix for the template: a cell has a sign for each model."""
    rules = sorted(matrix.rules, key=lambda rule: numbers.get(rule, len(numbers) + 1))
    rows = []
    for row in matrix.rows:
        cells = [
            {"signs": [_sign(row, rule, target) for target in matrix.targets], "is_aim": rule in row.aims}
            for rule in rules
        ]
        to = case_address(run.id, row.case)
        rows.append({"case": row.case, "about": row.strategy, "text": row.text[:80], "to": to, "cells": cells})
    page, pages = request.page, max(1, -(-matrix.total // PER_PAGE))
    heads = [
        {"label": f"R{numbers[rule]}" if rule in numbers else rule, "text": matrix.rules[rule],
         "to": f"#r{numbers[rule]}" if rule in numbers else ""}
        for rule in rules
    ]  # fmt: skip
    return {
        "heads": heads, "rows": rows, "targets": [_short(each) for each in matrix.targets], "total": matrix.total,
        "page": page, "pages": pages,
    }  # fmt: skip


def _sign(row: MatrixRow, rule: str, target: str) -> dict[str, str]:
    found = row.verdicts.get((rule, target))
    if found is None or not found.worst:
        return {"state": "none", "sign": "–", "words": f"{_short(target)}: no verdict"}
    sign, word = _SIGNS[found.worst]
    many = f" ({found.ok} of {found.judged} kept)" if found.judged > 1 and found.err else ""
    reason = f": {found.reason[:200]}" if found.worst in ("err", "unknown") and found.reason else ""
    return {"state": found.worst, "sign": sign, "words": f"{_short(target)}: {word}{many}{reason}"}


def _verdicts(
    stores: PageStores,
    run: RunRecord,
    matrix: VerdictMatrix,
    numbers: Mapping[str, int],
    target: str,
    shown: Literal["all", "broken", "unknown"],
) -> Table:
    """Return the matrix as a list, for its file."""

    def rows(found: Sequence[MatrixRow] | Iterator[MatrixRow]) -> Iterator[Sequence[Cell]]:
        for row in found:
            for (rule, model), count in row.verdicts.items():
                name = f"R{numbers[rule]}" if rule in numbers else rule
                aim = "yes" if rule in row.aims else "no"
                yield (
                    row.case,
                    row.text,
                    name,
                    rule,
                    model,
                    aim,
                    count.ok,
                    count.err,
                    count.na,
                    count.unknown,
                    count.reason,
                )

    names = (
        "Test",
        "Input",
        "Rule",
        "Rule id",
        "Model",
        "Aims at it",
        "Kept",
        "Broken",
        "Does not apply",
        "Not judged",
        "Why",
    )
    return Table(
        columns=[Column(name) for name in names],
        rows=list(rows(matrix.rows)),
        every=lambda: rows(every_row(RunReader(stores.runs, run), target=target, shown=shown)),
    )


def _marked_prompt(
    read: PromptRules, numbers: Mapping[str, int], states: Mapping[str, MarkState]
) -> list[MarkedMessage]:
    """Return the messages of a prompt; a piece belongs to the rules that were read from it."""
    rules = {numbers[rule.id]: rule for rule in read.rules}
    spans = []
    for number, rule in rules.items():
        if (place := _place_of_rule(read.prompt, rule)) is not None:
            spans.append((*place, Quotation(number=number, score=rule.text, state=states[rule.id], text="")))
    made, start = [], 0
    for message in read.prompt.messages:
        end = start + len(message.text)
        inside = [
            (max(first, start) - start, min(last, end) - start, mark)
            for first, last, mark in spans
            if first < end and last > start
        ]
        made.append(MarkedMessage(message.role, MarkedText(_pieces(message.text, inside, rules))))
        start = end + len("\n\n")
    return made


def _place_of_rule(prompt: Prompt, rule: Rule) -> tuple[int, int] | None:
    """Return where a rule stands in the prompt's text now; its quotation is looked for if the text has moved."""
    source = rule.source
    if source is None:
        return None
    text = prompt.text
    if source.quote and text[source.start : source.end] != source.quote:
        at = text.find(source.quote)
        return None if at < 0 else (at, at + len(source.quote))
    return (source.start, min(source.end, len(text))) if source.start < min(source.end, len(text)) else None


def _pieces(text: str, spans: Sequence[tuple[int, int, Quotation]], rules: Mapping[int, Rule]) -> list[ShownPiece]:
    made = []
    for piece in mark_text(text, spans):
        title = "; ".join(f"R{number}: {rules[number].text}" for number in piece.marks)
        made.append(ShownPiece(piece.text, piece.state, title[:400], tuple(f"r{number}" for number in piece.begins)))
    return made
