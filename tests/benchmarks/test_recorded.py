"""The replay of a recorded run counts as its definitions say, on a small run made here."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.recorded import CLAIMS, OTHERS, average, counted, noncompliance, read, shown, tallies

from proctor.text.predicates import parse
from tests.tables import table


def row(prompt: str, output: str = "", compliance: str = "ok", **more: Any) -> dict[str, Any]:
    known = {"model": "m", "input": "x", "reported": True, "baseline": False, "inverse": False, "id": output}
    return {"prompt": prompt, "output": output, "compliance": compliance, "validity": "ok", **known, **more}


def test_rates_round_half_up_before_the_mean_and_unknown_is_not_a_pass() -> None:
    rows = [
        *(row("a", compliance=verdict) for verdict in ("ok", "ok", "ok", "ok", "ok", "ok", "ok", "err")),  # 87.5 % ok
        *(row("b", compliance=verdict) for verdict in ("ok", "unknown", "err")),
    ]
    assert noncompliance(rows, rounded=True) == {"m": {"a": 12, "b": 67}}
    assert noncompliance(rows, rounded=False) == {"m": {"a": Fraction(25, 2), "b": Fraction(200, 3)}}
    assert average(noncompliance(rows, rounded=True)["m"]) == Fraction(79, 2)


@table(
    ("value", "digits", "text"),
    [(Fraction(825, 100), 1, "8.3"), (Fraction(13), 1, "13.0"), (Fraction(1, 3), 3, "0.333"), (Fraction(5, 2), 0, "3")],
)
def test_figures_are_shown_with_halves_up(value: Fraction, digits: int, text: str) -> None:
    assert shown(value, digits) == text


def test_what_breaks_a_predicate_is_counted_beside_the_verdicts() -> None:
    rows = [
        row("a", "one two", "ok"),
        row("a", "one two three", "ok"),
        row("a", "one two three four", "err"),
        row("a", "", "ok"),
        row("b", "one two three four five", "ok"),
    ]
    found = counted(rows, "a", "when not (is empty): words <= 2")
    assert (found.outputs, found.applies, found.broken, found.passed) == (4, 3, 2, 1)


def test_the_fitted_definition_of_a_paragraph_is_the_one_on_record() -> None:
    fitted = parse(next(claim.predicate for claim in CLAIMS if claim.broken == 228))
    good = "<p><strong>a</strong><em>b</em><em>c</em></p>"
    assert fitted.check(good * 3).ok is True
    assert fitted.check(good * 2 + "<p>d</p>").ok is False
    assert fitted.check(good * 2).ok is None  # fewer than three
    assert fitted.check(good * 2 + "<p class='x'>d</p>").ok is True  # attributes are not looked at
    assert fitted.check("<p>a<p>b<p>c").ok is None  # no paragraph is closed
    assert fitted.check(good * 3 + "<p>\n</p>").ok is False


@table("claim", [*CLAIMS, *OTHERS], ids=lambda claim: f"{claim.prompt}: {claim.rule}")
def test_every_predicate_of_the_comparison_can_be_broken(claim: Any) -> None:
    outputs = ["<p>x</p> " * 100, "one\n\ntwo"]
    assert any(parse(claim.predicate).check(output).ok is False for output in outputs)


def test_the_files_are_read_and_tallied(tmp_path: Path) -> None:
    folder = tmp_path / "promptpex" / "recorded"
    folder.mkdir(parents=True)
    rows = [row("elements", "1"), row("elements", "2", "unknown", reported=False), row("a", "3", validity="err")]
    (folder / "v1.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    (folder / "specs_v1.jsonl").write_text(json.dumps({"grounded": [{"grounded": "ok"}, {"grounded": "err"}]}))
    read_rows, specs = read(tmp_path)
    assert read_rows == rows
    found = {name: figure for name, figure, _ in tallies(read_rows, specs)}
    assert found["outputs"] == "3"
    assert found["in the published tables"] == "2"
    assert found["left out: elements, classify-input-text, extract-names"] == "1 / 0 / 0"
    assert found["without a verdict"] == "1"
    assert found["valid tests"] == "1 of 2"
    assert found["grounded rules"] == "1 of 2"
