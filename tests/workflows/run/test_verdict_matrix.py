from __future__ import annotations

from pathlib import Path

from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence, Score
from proctor.scorers.score_rules import part_of
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.run.verdict_matrix import every_row, verdict_matrix
from tests.store.recorded_runs import add_run, result

ONE, TWO = Rule(text="The answer is one word."), Rule(text="The answer is polite.")


def rules_score(first: str, second: str, *, aim: str = "") -> Score:
    """Return a score as the scorer of rules gives it."""
    parts = tuple(
        part_of(rule, RuleVerdict(rule=rule.id, outcome=said, reason=f"it was {said}"), "1", note=aim)  # type: ignore[arg-type]
        for rule, said in ((ONE, first), (TWO, second))
    )
    return Score(name="rules", value=0.5, threshold=1.0, parts=parts, evidence=(Evidence(quote="x"),))


def test_samples_are_counted_by_test_rule_and_model(tmp_path: Path) -> None:
    made = [
        result("t1", scores=(rules_score("ok", "na"),), target="m1"),
        result("t1", "fail", scores=(rules_score("err", "unknown"),), target="m1", sample=1),
        result("t1", scores=(rules_score("ok", "ok"),), target="m2"),
        result("t2", "unscored", scores=(rules_score("unknown", "na", aim="the test is made for it"),), target="m1"),
    ]
    with RunStore(tmp_path) as store:
        reader = RunReader(store, add_run(store, "r", made))
        matrix = verdict_matrix(reader)
        assert (matrix.total, matrix.targets) == (2, ("m1", "m2"))
        assert matrix.rules == {ONE.id: ONE.text, TWO.id: TWO.text}
        first, second = matrix.rows
        broken = first.verdicts[ONE.id, "m1"]
        assert (broken.ok, broken.err, broken.worst, broken.reason, broken.judged) == (1, 1, "err", "it was err", 2)
        assert first.verdicts[TWO.id, "m1"].worst == "unknown"
        assert first.verdicts[TWO.id, "m2"].worst == "ok"
        assert second.verdicts[TWO.id, "m1"].worst == "na"
        assert (ONE.id, "m2") not in second.verdicts
        assert second.aims == {ONE.id, TWO.id}
        assert first.text == "When may I send it back?"
        assert [row.case for row in verdict_matrix(reader, shown="broken").rows] == ["t1"]
        assert [row.case for row in verdict_matrix(reader, shown="unknown").rows] == ["t2"]
        assert [row.case for row in verdict_matrix(reader, target="m2").rows] == ["t1"]
        assert verdict_matrix(reader, limit=1, offset=1).rows == (second,)
        assert list(every_row(reader)) == [first, second]
