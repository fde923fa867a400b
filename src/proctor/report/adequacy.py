"""Adequacy to read: the mutation score, per rule and operator, what survived, and what damage was noticed."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from proctor.core.adequacy import Adequacy, MutantOutcome, WilsonShare
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.number_format import moment, percent, total_spend
from proctor.report.sheet import Section, Sheet, TextBlock, write_html, write_markdown, write_terminal

__all__ = ["ENDINGS", "adequacy_sheet", "check_name", "save_adequacy", "write"]

_OPERATORS = ("drop", "negate", "weaken", "swap")


def write(adequacy: Adequacy, out: TextIO | None = None) -> None:
    """Print it."""
    write_terminal(adequacy_sheet(adequacy), out)


def adequacy_sheet(adequacy: Adequacy) -> Sheet:
    """The finding as a sheet."""
    sections = [
        _per_rule(adequacy),
        _survivors(adequacy),
        _not_judged(adequacy),
        _damage(adequacy),
        _left_out(adequacy),
        _killed(adequacy),
    ]
    state = "unscored" if adequacy.score.value is None else "fail" if adequacy.count("survived") else "pass"
    return Sheet(
        title=f"Mutation of {adequacy.prompt}",
        headline=_headline(adequacy),
        state=state,  # type: ignore[arg-type]
        facts=_facts(adequacy),
        sections=[section for section in sections if section.rows or section.blocks],
        notes=adequacy.notes,
    )


def _headline(adequacy: Adequacy) -> str:
    if adequacy.score.value is None:
        return "no mutant could be judged"
    said = f"{adequacy.score.hits} of {adequacy.score.total} mutants noticed: {share_text(adequacy.score)}"
    apart = [f"{adequacy.count(fate)} {fate}" for fate in ("not judged", "not run") if adequacy.count(fate)]
    return said + (f"; {' and '.join(apart)}, in no figure" if apart else "")


def share_text(share: WilsonShare) -> str:
    """A share with its Wilson interval."""
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return f"{percent(share.value)} ({share.low * 100:.0f}–{share.high * 100:.0f} %)"


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


def _per_rule(adequacy: Adequacy) -> Section:
    """Noticed of judged for each rule and operator; a mutant of two rules counts for both."""
    rows = []
    for rule in adequacy.rules:
        mine = [each for each in adequacy.mutants if rule.id in each.rules]
        cells = [_cell(each for each in mine if each.operator == operator) for operator in _OPERATORS]
        by = "predicate" if rule.predicate else "judge" if adequacy.judges else "nobody"
        rows.append((rule.id, rule.text, by, *cells, _cell(mine)))
    columns = ("rule", "text", "checked by", *_OPERATORS, "all")
    hint = "noticed / judged; ? not judged"
    return Section(title="Rules", columns=columns, rows=rows, figures=frozenset((*_OPERATORS, "all")), hint=hint)


def _cell(mutants: Iterable[MutantOutcome]) -> str:
    fates = Counter(each.fate for each in mutants)
    if not fates:
        return "–"
    judged = fates["killed"] + fates["survived"]
    open_ones = fates["not judged"] + fates["not run"]
    return " ".join([f"{fates['killed']}/{judged}"] * bool(judged) + [f"{open_ones}?"] * bool(open_ones))


def _survivors(adequacy: Adequacy) -> Section:
    found = [each for each in adequacy.mutants if each.fate == "survived"]
    rows = [
        (each.id, each.operator, _text_of(adequacy, each.rules), each.before, each.after or "(nothing)", each.missing)
        for each in found
    ]
    return Section(
        title="Survived",
        columns=("mutant", "operator", "rule", "said", "says now", "missing test"),
        rows=rows,
        hint=f"{len(found)}: no test noticed",
        blocks=[TextBlock(title=f"{each.id} {each.operator}", text=each.diff) for each in found],
    )


def _not_judged(adequacy: Adequacy) -> Section:
    found = [each for each in adequacy.mutants if each.fate in ("not judged", "not run")]
    rows = [(each.id, each.operator, _text_of(adequacy, each.rules), each.fate, each.reason) for each in found]
    columns = ("mutant", "operator", "rule", "fate", "why")
    return Section(title="Not judged", columns=columns, rows=rows, hint="in no figure above")


def _damage(adequacy: Adequacy) -> Section:
    counts: dict[str, Counter[bool | None]] = {}
    for each in adequacy.damages:
        counts.setdefault(each.damage, Counter())[each.noticed] += 1
    rows = [(name, str(found[True]), str(found[False]), str(found[None])) for name, found in counts.items()]
    return Section(
        title="Damaged outputs",
        columns=("damage", "noticed", "not noticed", "not judged"),
        rows=rows,
        figures=frozenset(("noticed", "not noticed", "not judged")),
        hint="whether any rule notices; damage that is never noticed may need a rule of its own",
    )


def _left_out(adequacy: Adequacy) -> Section:
    kept = [each for each in adequacy.left_out if not str(each["reason"]).startswith("nothing in its words")]
    rows = [(str(each["operator"] or "all"), _text_of(adequacy, [each["rule"]]), str(each["reason"])) for each in kept]
    return Section(title="Left out", columns=("operator", "rule", "why"), rows=rows, hint="no test could tell")


def _killed(adequacy: Adequacy) -> Section:
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
    columns = ("mutant", "operator", "rule", "noticed by", "by the rule", "because")
    return Section(title="Noticed", columns=columns, rows=rows, hint=f"{len(found)} mutants")


def _write_json(adequacy: Adequacy, out: TextIO) -> None:
    data = dataclasses.asdict(adequacy)
    for name in ("score", "oracle"):
        data[name]["value"] = getattr(adequacy, name).value
    data["rules"] = [{**rule, "id": noun.id} for rule, noun in zip(data["rules"], adequacy.rules, strict=True)]
    json.dump(data, out, ensure_ascii=False, indent=1, default=_plain)
    out.write("\n")


def _plain(value: object) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_WRITERS = {
    ".json": _write_json,
    ".md": lambda adequacy, out: write_markdown(adequacy_sheet(adequacy), out),
    ".html": lambda adequacy, out: write_html(adequacy_sheet(adequacy), out),
}
ENDINGS = tuple(_WRITERS)


def check_name(path: Path) -> None:
    """Say before anything is spent whether it can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("mutation", path, ENDINGS)


def save_adequacy(adequacy: Adequacy, path: Path) -> None:
    """Write it in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("mutation", adequacy, path, _WRITERS)
