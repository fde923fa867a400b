from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, Settings
from proctor.core.case import Case, Check, Suite
from proctor.core.errors import InputError, MalformedError, SuiteError
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts, write_artefacts
from proctor.models.pool import Pool
from proctor.prompts.load import load_prompt
from proctor.targets.prompt import PromptTarget
from proctor.targets.twin_target import Twinned
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory
from proctor.wiring.targets import make_targets, stored
from proctor.workflows.run.prompt_suite import open_tests

SHORT = Rule(text="Short.", predicate="words <= 3")
LONG = Rule(text="Long.", polarity="negative", inverse_of=SHORT.id)
KIND = Rule(text="Kind.", kind="style", weight=3.0, locked=True, groundedness=0.5, origin="person")
OFF = Rule(text="Off.", disabled=True)


def made(folder: Path, *rules: Rule, **more: Any) -> Path:
    path = folder / "say.prompty"
    path.write_text("---\nname: say\n---\nsystem:\nBe short.\nuser:\n{{text}}\n", encoding="utf-8")
    tests = (Case(id="t-1", inputs={"text": "hi"}, metadata={"rules": [SHORT.id]}),)
    artefacts = Artefacts(intent="Say.", rules=rules or (SHORT, LONG, KIND, OFF), tests=tests, **more)
    write_artefacts(folder / "say.tests", artefacts, name="say", prompt="../say.prompty", hash=load_prompt(path).hash)
    return path


def rack_of(folder: Path, **settings: Any) -> ModelPool:
    (folder / "brain.py").write_text("def answer(request):\n    return 'x'\n")
    config = Config(settings=Settings(**settings), folder=folder, environment=Environment(values={}))
    return ModelPool(config=config, run=config.settings.run, http=Pool())


def test_the_rules_that_are_on_become_a_check_and_their_opposites_lead_to_them(tmp_path: Path) -> None:
    opened = open_tests(made(tmp_path))
    (check,) = opened.loaded.suite.scorers
    assert check.scorer == "rules"
    assert [rule["text"] for rule in check.settings["rules"]] == ["Short.", "Kind."]
    assert check.settings["rules"][1] == {"text": "Kind.", "kind": "style", "weight": 3.0}
    assert check.settings["aliases"] == {LONG.id: SHORT.id}
    assert opened.warnings == ()
    assert [case.id for case in opened.loaded.cases()] == ["t-1"]


def test_a_rule_that_was_reworded_keeps_its_tests(tmp_path: Path) -> None:
    path = made(tmp_path)
    rules = tmp_path / "say.tests" / "rules.yaml"
    rules.write_text(rules.read_text().replace("text: Short.", "text: Very short."))
    (check,) = open_tests(path).loaded.suite.scorers
    reworded = Rule(text="Very short.")
    assert check.settings["aliases"][SHORT.id] == reworded.id
    assert check.settings["aliases"][LONG.id] == reworded.id


def test_what_a_user_should_know_before_the_run_is_told(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "nice.metric.prompty").write_text("---\nname: n\n---\nuser:\n{{output}} OK?")
    told = open_tests(path, judged=False).warnings
    assert told == (
        "1 of 2 rules take a judge and stay unknown: name one with --judge, or leave them out with --light",
        "custom metrics and evaluators take a judge and stay unknown: name one with --judge",
    )
    (tmp_path / "nice.metric.prompty").unlink()
    guess = replace(SHORT, predicate="words <= 3", tentative=True)
    told = open_tests(made(tmp_path, guess), judged=False).warnings
    assert any("1 of 1 rules have a tentative predicate" in each for each in told)
    assert not any("tentative" in each for each in open_tests(path, judged=True).warnings)
    (told_of_none,) = open_tests(made(tmp_path, OFF)).warnings
    assert "no rule is enabled" in told_of_none


def test_a_metric_knows_the_prompt_its_intent_its_inputs_and_its_rules(tmp_path: Path) -> None:
    (tmp_path / "nice.metric.prompty").write_text("---\nname: n\n---\nuser:\n{{output}} OK?")
    check = open_tests(made(tmp_path)).loaded.suite.scorers[1]
    assert (check.scorer, check.name) == ("metric", "nice")
    about = check.settings["about"]
    assert about["prompt"] == "Be short.\n\n{{text}}"
    assert (about["intent"], about["rules"]) == ("Say.", "- Short.\n- Kind.")
    assert "#" not in about["inputSpec"]


def test_two_metrics_of_one_name_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "more").mkdir()
    for folder in (tmp_path, tmp_path / "more"):
        (folder / "nice.metric.prompty").write_text("---\nname: n\n---\nuser:\n{{output}} OK?")
    with pytest.raises(InputError, match="two metrics are called 'nice'"):
        open_tests(path, metrics=[tmp_path / "more" / "nice.metric.prompty"])


def test_a_suite_of_its_own_may_have_metrics_and_has_no_baseline(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases:\n  - {id: a, input: hi}\n")
    metric = tmp_path / "nice.metric.prompty"
    metric.write_text("---\nname: n\n---\nuser:\n{{output}} OK?")
    assert [check.name for check in open_tests(suite, metrics=[metric]).loaded.suite.scorers] == ["nice"]
    with pytest.raises(InputError, match="only a prompt has baseline tests"):
        open_tests(suite, baseline=True)


def test_no_tests_yet(tmp_path: Path) -> None:
    path = tmp_path / "say.prompt.yml"
    path.write_text("messages:\n  - {role: user, content: hi}\n")
    with pytest.raises(SuiteError, match="has no tests yet") as found:
        open_tests(path)
    assert "proctor generate say.prompt.yml" in (found.value.hint or "")


async def test_a_prompt_is_put_to_each_model_under_one_kind_of_name(tmp_path: Path) -> None:
    path = made(tmp_path)
    model_pool = rack_of(tmp_path, model="rule:brain.py:answer")

    def names(*models: str) -> list[str]:
        targets = make_targets(
            (), models, config=model_pool.config, model_pool=model_pool, http=model_pool.http, prompt=path
        )
        return [target.name for target in targets]

    assert names() == ["say@rule:brain.py:answer"]
    assert names("rule:brain.py:answer") == ["say@rule:brain.py:answer"]
    bare = rack_of(tmp_path)
    with pytest.raises(InputError, match=r"no model is set to put say\.prompty to"):
        make_targets((), (), config=bare.config, model_pool=bare, http=bare.http, prompt=path)


def test_judges_come_from_the_check_then_the_flags_then_the_project(tmp_path: Path) -> None:
    models = {name: "rule:brain.py:answer" for name in ("one", "two", "own")}
    model_pool = rack_of(tmp_path, models=models, judge="own")
    suite = Suite(name="s")

    def judges(grader_factory: GraderFactory, **settings: Any) -> int:
        scorer: Any = grader_factory.grader(Check(scorer="rules", settings={"rules": ["Kind."], **settings})).scorer
        return len(scorer.judges)

    assert judges(GraderFactory(suite, model_pool)) == 1
    assert judges(GraderFactory(suite, model_pool, judges=("one", "two"))) == 2
    assert judges(GraderFactory(suite, model_pool, judges=("one", "two")), judges=["own"]) == 1
    assert judges(GraderFactory(suite, model_pool), judges=["one", "two", "default"]) == 3
    assert judges(GraderFactory(suite, rack_of(tmp_path))) == 0
    with pytest.raises(InputError, match="judges is a list of models"):
        judges(GraderFactory(suite, model_pool), judges={"a": 1})


def test_a_mistake_in_a_rule_is_told_with_its_place(tmp_path: Path) -> None:
    grader_factory = GraderFactory(Suite(name="s"), None)
    with pytest.raises(MalformedError, match="cannot be read"):
        grader_factory.grader(Check(scorer="rules", settings={"rules": [{"text": "Short.", "predicate": "words <="}]}))


def test_only_a_prompts_answers_can_be_stored(tmp_path: Path) -> None:
    path = made(tmp_path)
    model_pool = rack_of(tmp_path, model="rule:brain.py:answer")
    targets = make_targets((), (), config=model_pool.config, model_pool=model_pool, http=model_pool.http, prompt=path)
    (wrapped,) = stored(targets, "run-1")
    assert isinstance(wrapped, Twinned)
    target = wrapped.target
    assert isinstance(target, PromptTarget)
    assert target.spec == targets[0].spec
    case = Case(id="t-1", inputs={}, metadata={"scenario": "s" * 600, "rules": ["r-1", "r-2"]})
    told = target.sampling_for(case, 2).extra
    assert told["store"] is True
    assert told["metadata"]["rules"] == "r-1 r-2"
    assert (len(told["metadata"]["scenario"]), told["metadata"]["sample"]) == (512, "2")
    assert targets[0].target.sampling_for(case, 0).extra == {}  # type: ignore[attr-defined]
    (agent,) = make_targets(("command:cat",), (), config=model_pool.config, model_pool=model_pool, http=model_pool.http)
    with pytest.raises(InputError, match="cannot be stored"):
        stored([agent], "run-1")
