"""A project with runs to compare, one that is running, one of a campaign, and a prompt with its tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proctor.config import Config, open_config
from proctor.core.attack import AttackAttempt, with_attempt
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Score
from proctor.core.share import Share
from proctor.report.adequacy import Adequacy, Killing, MutantOutcome
from proctor.scorers.score_rules import part_of
from proctor.store.decisions import keep_decision
from proctor.store.runs import RunStore
from proctor.workflows.mutate.kept_adequacy import keep_adequacy
from tests.store.recorded_runs import add_run, result

__all__ = ["HOSTILE", "make_run_project"]

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'</textarea>{{7*7}} [x](http://evil.example)"
ONE, TWO = Rule(text="The answer is one word."), Rule(text=f"No prices. {HOSTILE}")
_RULES = """
rules:
  - text: The answer is one word.
    kind: format
    predicate: words = 1
    source: {start: 0, end: 19, quote: Answer in one word.}
  - text: "%s"
    source: {start: 20, end: 41, quote: Never mention prices.}
  - text: The answer is in French.
    disabled: true
"""
_TESTS = "name: word\ncases:\n  - {id: t1, input: Hi, metadata: {rules: [%s]}}\n"


def make_run_project(folder: Path) -> Config:
    """Make the project in a folder that exists."""
    (folder / "proctor.yaml").write_text("{}\n", encoding="utf-8")
    config = open_config(folder)
    names = [f"case-{number:03}" for number in range(60)]
    with RunStore(config.store) as store:
        add_run(store, "run-a", [result(name, intent=_intent(name)) for name in names])
        worse = [result(name, "fail" if name < "case-012" else "pass", intent=_intent(name)) for name in names]
        add_run(store, "run-b", worse, decision="failed")
        keep_decision(
            store, run="run-b", suite="shop", target="assistant", baseline="run-a", decision="hold", reasons=["12 fell"]
        )
        odd = result(
            f"odd {HOSTILE}", "fail", question=HOSTILE, answer=f"日本語 العربية {HOSTILE}", source=f"source {HOSTILE}",
            reason=HOSTILE, intent=HOSTILE, tags=(HOSTILE,), target=f"t {HOSTILE}",
        )  # fmt: skip
        add_run(store, "run-odd", [odd, replace(odd, case=replace(odd.case, id="path/with/slashes"))], name=HOSTILE)
        secret = result("held", "fail", answer="the secret attack", reason="the secret attack")
        secret = replace(secret, case=with_attempt(secret.case, AttackAttempt(campaign="c", held_out=True)))
        add_run(store, "run-attack", [secret], trigger="redteam")
        verdicts = [
            result("t1", scores=(_judged("ok", "ok"),), target="word@m1"),
            result("t1", "fail", scores=(_judged("err", "unknown"),), target="word@m2"),
        ]
        add_run(store, "run-word", verdicts, name="word", job={"suite": "word.md"})
    _add_prompt(config)
    return config


def _intent(name: str) -> str:
    return "faq" if int(name[-3:]) % 2 else "returns"


def _judged(first: str, second: str) -> Score:
    parts = tuple(
        part_of(rule, RuleVerdict(rule=rule.id, outcome=said, reason=f"it was {said}"), "1")  # type: ignore[arg-type]
        for rule, said in ((ONE, first), (TWO, second))
    )
    return Score(name="rules", value=1.0 if first == "ok" else 0.0, threshold=1.0, parts=parts)


def _add_prompt(config: Config) -> None:
    path = config.folder / "word.md"
    path.write_text("Answer in one word.\nNever mention prices.\n", encoding="utf-8")
    tests = config.folder / "word.tests"
    tests.mkdir()
    text = TWO.text.replace("\\", "\\\\").replace('"', '\\"')
    (tests / "rules.yaml").write_text(_RULES % text, encoding="utf-8")
    (tests / "tests.yaml").write_text(_TESTS % ONE.id, encoding="utf-8")
    mutant = MutantOutcome(
        id="m",
        operator="drop",
        rules=(ONE.id,),
        fate="survived",
        before="Answer in one word.",
        missing="a long question",
    )
    noticed = replace(mutant, id="n", operator="negate", fate="killed", killed_by=(Killing(test="t1", rule=ONE.id),))
    score = Share(hits=1, total=2, value=0.5, low=0.1, high=0.9)
    adequacy = Adequacy(
        prompt="word", model="m1", rules=(ONE,), mutants=(mutant, noticed), score=score, notes=(HOSTILE,)
    )
    keep_adequacy(config, path, adequacy)
