"""The mutation report: the score, per rule and operator, surviving mutants, and detected damage."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

from proctor.core.share import Share
from proctor.report.adequacy import Adequacy, MutantOutcome
from proctor.report.number_format import moment, share_text, total_spend
from proctor.report.report_kind import iso_time, sheet_kind
from proctor.report.report_table import ReportTable, TextBlock, columns, figures
from proctor.report.sheet import Sheet
from proctor.stats.interval import wilson

__all__ = ["MUTATION_REPORT", "adequacy_sheet", "noticed_text"]

_OPERATORS = ("drop", "negate", "weaken", "swap")


def adequacy_sheet(adequacy: Adequacy) -> Sheet:
    """Return the result as a sheet."""
    tables = [
        _per_rule(adequacy),
        _survivors(adequacy),
        _not_judged(adequacy),
        _damage(adequacy),
        _left_out(adequacy),
        _killed(adequacy),
    ]
    mostly_open = 2 * adequacy.judged < len(adequacy.mutants)
    state = "fail" if adequacy.count("survived") else "unscored" if mostly_open or not adequacy.judged else "pass"
    return Sheet(
        title=f"Mutation of {adequacy.prompt}",
        headline=_headline(adequacy),
        state=state,  # type: ignore[arg-type]
        facts=_facts(adequacy),
        tables=[table for table in tables if table.rows or table.blocks],
        notes=adequacy.notes,
    )


def _headline(adequacy: Adequacy) -> str:
    if adequacy.score.value is None:
        return "no mutant could be judged"
    judged, total = adequacy.judged, len(adequacy.mutants)
    noticed = f"{adequacy.score.hits} of {adequacy.score.total} noticed: {share_text(adequacy.score)}"
    if judged == total:
        return f"all {total} mutants judged; {noticed}"
    share = share_text(Share.of(judged, total, wilson(judged, total)))
    return f"{judged} of {total} mutants judged: {share}; of these {noticed}"


def _facts(adequacy: Adequacy) -> list[tuple[str, str]]:
    facts = [
        ("model", adequacy.model),
        ("judges", ", ".join(adequacy.judges) or "none: predicates only"),
        ("samples", str(adequacy.samples)),
        ("tests", f"{adequacy.tests}: {len(adequacy.passing)} pass, {len(adequacy.failing)} fail,"
         f" {len(adequacy.unjudged)} not judged under the prompt as it is"),
        ("oracle", f"{share_text(adequacy.oracle)} of damaged outputs noticed"),
    ]  # fmt: skip
    if adequacy.control:
        facts.append(("control", f"{len(adequacy.control.failed)} of {adequacy.control.tests} fail when put again"))
    if adequacy.shams:
        noticed = sum(bool(each.failed) for each in adequacy.shams)
        runs, failed = (sum(each.tests for each in adequacy.shams), sum(len(each.failed) for each in adequacy.shams))
        facts.append(
            (
                "sham",
                f"{noticed} of {len(adequacy.shams)} harmless rewordings noticed; {failed} of {runs} tests changed",
            )
        )
    facts += [("spend", total_spend(adequacy.spend))] * bool(adequacy.spend)
    return facts + [("made", moment(adequacy.created))] * (adequacy.created is not None)


def _text_of(adequacy: Adequacy, ids: Iterable[str]) -> str:
    texts = {rule.id: rule.text for rule in adequacy.rules}
    return " / ".join(texts.get(each, each) for each in ids)


def _per_rule(adequacy: Adequacy) -> ReportTable:
    """Return noticed of judged mutants per rule and operator; a mutant of two rules counts for both."""
    rows = []
    for rule in adequacy.rules:
        mine = [each for each in adequacy.mutants if rule.id in each.rules]
        cells = [noticed_text(each for each in mine if each.operator == operator) for operator in _OPERATORS]
        by = "predicate" if rule.is_checked else "judge" if adequacy.judges else "nobody"
        by = "tentative predicate" if rule.tentative and not adequacy.judges else by
        rows.append((rule.id, rule.text, by, *cells, noticed_text(mine)))
    heads = (*columns("rule", "text", "checked by"), *figures(*_OPERATORS, "all"))
    return ReportTable(title="Rules", columns=heads, rows=rows, hint="noticed / judged; ? not judged")


def noticed_text(mutants: Iterable[MutantOutcome]) -> str:
    """Return noticed of judged mutants, and how many were not judged; a dash if there are none."""
    fates = Counter(each.fate for each in mutants)
    if not fates:
        return "–"
    judged = fates["killed"] + fates["survived"]
    open_ones = fates["not judged"] + fates["not run"]
    return " ".join([f"{fates['killed']}/{judged}"] * bool(judged) + [f"{open_ones}?"] * bool(open_ones))


def _survivors(adequacy: Adequacy) -> ReportTable:
    found = [each for each in adequacy.mutants if each.fate == "survived"]
    rows = [
        (each.id, each.operator, _text_of(adequacy, each.rules), each.before, each.after or "(nothing)", each.missing)
        for each in found
    ]
    return ReportTable(
        title="Survived",
        columns=columns("mutant", "operator", "rule", "said", "says now", "missing test"),
        rows=rows,
        hint=f"{len(found)}: no test noticed",
        blocks=[TextBlock(f"{each.id} {each.operator}", each.diff) for each in found],
    )


def _not_judged(adequacy: Adequacy) -> ReportTable:
    found = [each for each in adequacy.mutants if each.fate in ("not judged", "not run")]
    rows = [(each.id, each.operator, _text_of(adequacy, each.rules), each.fate, each.reason) for each in found]
    heads = columns("mutant", "operator", "rule", "fate", "why")
    return ReportTable(title="Not judged", columns=heads, rows=rows, hint="in no figure above")


def _damage(adequacy: Adequacy) -> ReportTable:
    counts: dict[str, Counter[bool | None]] = {}
    for each in adequacy.damages:
        counts.setdefault(each.damage, Counter())[each.noticed] += 1
    rows = [(name, str(found[True]), str(found[False]), str(found[None])) for name, found in counts.items()]
    return ReportTable(
        title="Damaged outputs",
        columns=(*columns("damage"), *figures("noticed", "not noticed", "not judged")),
        rows=rows,
        hint="whether any rule notices; damage that is never noticed may need a rule of its own",
    )


def _left_out(adequacy: Adequacy) -> ReportTable:
    kept = [each for each in adequacy.left_out if not str(each["reason"]).startswith("nothing in its words")]
    rows = [(str(each["operator"] or "all"), _text_of(adequacy, [each["rule"]]), str(each["reason"])) for each in kept]
    return ReportTable(
        title="Left out", columns=columns("operator", "rule", "why"), rows=rows, hint="no test could tell"
    )


def _killed(adequacy: Adequacy) -> ReportTable:
    found = [each for each in adequacy.mutants if each.fate == "killed"]
    rows = [
        (
            each.id,
            each.operator,
            _text_of(adequacy, each.rules),
            each.killed_by[0].test,
            _text_of(adequacy, [each.killed_by[0].rule]),
            each.killed_by[0].reason,
        )
        for each in found
    ]
    heads = columns("mutant", "operator", "rule", "noticed by", "by the rule", "because")
    return ReportTable(title="Noticed", columns=heads, rows=rows, hint=f"{len(found)} mutants")


def _data(adequacy: Adequacy) -> dict[str, Any]:
    data = dataclasses.asdict(adequacy)
    for name in ("score", "oracle"):
        data[name]["value"] = data[name].pop("value")  # it is the last key in the file
    data["rules"] = [{**rule, "id": noun.id} for rule, noun in zip(data["rules"], adequacy.rules, strict=True)]
    return data


MUTATION_REPORT = sheet_kind("mutation", adequacy_sheet, data=_data, time=iso_time)
