from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, RunSettings, Settings
from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import InputError, StoreError
from proctor.core.rule import Rule, Span
from proctor.generate.artefacts import Artefacts, folder_of, write_artefacts
from proctor.report.adequacy import Adequacy
from proctor.report.adequacy_sheet import adequacy_sheet
from proctor.workflows.mutate import mutation
from proctor.workflows.mutate.kept_adequacy import kept_adequacy
from proctor.workflows.mutate.mutation import MutationJob, mutation_plan, run_mutation

SAID = "Use at most 3 words. Never mention prices."
PROMPT = f"---\nname: tag\ninputs:\n  text: {{type: string}}\n---\nsystem:\n{SAID}\n\nuser:\n{{{{text}}}}\n"
# A rule-based stand-in: three words when told so, many otherwise; counts its calls in a file.
BRAIN = """\
import pathlib
def answer(request):
    here = pathlib.Path(__file__).with_name("calls.txt")
    here.write_text(here.read_text() + "x" if here.exists() else "x")
    system = request.messages[0].content
    if "at most 3 words" in system:
        return "one two three"
    return "one two three four five"
def deaf(request):
    return "one two three"
def forgetful(request):
    asked = request.messages[-1].content
    return answer(request) if "text 0" in asked else deaf(request)
def lazy(request):
    return "one two three four"
def dear(request):
    from proctor.core.chat import Reply
    return Reply(text=answer(request), cost=1.0)
def judge(request):
    bad = "four" in request.messages[-1].content
    return '{"reason": "so it is", "verdict": "err"}' if bad else '{"reason": "so it is", "verdict": "ok"}'
"""
WORDS = Rule(
    text="The output has at most 3 words.",
    predicate="words <= 3",
    source=Span(start=0, end=20, quote="Use at most 3 words."),
    kind="format",
)
PRICES = Rule(
    text="The output mentions no prices.",
    source=Span(start=21, end=42, quote="Never mention prices."),
    kind="content",
)


def _project(folder: Path, *, tests: int = 3, rules: tuple[Rule, ...] = (WORDS, PRICES)) -> tuple[Config, Path]:
    (folder / "brain.py").write_text(BRAIN)
    prompt = folder / "tag.prompty"
    prompt.write_text(PROMPT)
    cases = tuple(
        Case(
            id=f"t-{number}",
            inputs={"text": f"text {number}"},
            metadata={"rules": [rules[number % len(rules)].id], "origin": "extractor", "valid": True},
        )
        for number in range(tests)
    )
    made = Artefacts(intent="Tag.", rules=rules, tests=cases)
    write_artefacts(folder_of(prompt), made, name="tag", prompt="../tag.prompty")
    return _config(folder), prompt


def _config(folder: Path) -> Config:
    models = {name: f"rule:brain.py:{name}" for name in ("answer", "deaf", "forgetful", "lazy", "dear", "judge")}
    return Config(
        settings=decode(Settings, {"models": models}, strict=True),
        folder=folder,
        environment=Environment(values={}),
        path=folder / "proctor.yaml",
    )


def _job(prompt: Path, **more: Any) -> MutationJob:
    return MutationJob(prompt=prompt, model="answer", **more)


def _calls(folder: Path) -> int:
    path = folder / "calls.txt"
    return len(path.read_text()) if path.exists() else 0


def _fates(adequacy: Adequacy) -> dict[tuple[str, str], str]:
    return {(each.operator, rule): each.fate for each in adequacy.mutants for rule in each.rules}


async def test_a_mutant_that_changes_the_answers_is_killed_and_one_nobody_can_judge_is_kept_apart(
    tmp_path: Path,
) -> None:
    config, prompt = _project(tmp_path)
    found = await run_mutation(config, _job(prompt))
    assert set(found.passing) == {"t-0", "t-1", "t-2"}
    assert _fates(found) == {
        ("drop", WORDS.id): "killed",
        ("negate", WORDS.id): "killed",
        ("weaken", WORDS.id): "killed",
        ("drop", PRICES.id): "not judged",
        ("negate", PRICES.id): "not judged",
        ("weaken", PRICES.id): "not judged",
    }
    assert (found.score.hits, found.score.total) == (3, 3)
    killed = next(each for each in found.mutants if each.fate == "killed")
    assert killed.killed_by[0].rule == WORDS.id
    assert "5 words" in killed.killed_by[0].reason
    assert "-Use at most 3 words." in killed.diff
    assert found.control is not None
    assert found.control.failed == ()
    assert {each.kind for each in found.shams} >= {"opening", "synonyms"}
    assert all(each.tests == 3 and each.diff for each in found.shams)
    failed = {each.kind: len(each.failed) for each in found.shams}
    assert (failed["opening"], failed["synonyms"]) == (0, 3), "this model knows `at most`, not `no more than`"
    assert any("rewordings that change no rule" in note for note in found.notes)


async def test_a_judge_makes_the_rest_judged_and_a_deaf_model_lets_all_survive(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path)
    found = await run_mutation(config, replace(_job(prompt), model="deaf", judges=("judge",)))
    assert set(_fates(found).values()) == {"survived"}
    assert found.score.value == 0.0
    assert found.score.high is not None
    assert found.score.high < 0.5
    assert all(each.missing for each in found.mutants)
    assert "tempts" in next(each.missing for each in found.mutants if each.operator == "drop")


async def test_without_a_passing_test_nothing_is_judged(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path)
    found = await run_mutation(config, replace(_job(prompt), model="lazy"))
    assert len(found.failing) == 3
    assert found.score.value is None
    assert {each.reason for each in found.mutants} == {"no test passes under the prompt as it is"}


async def test_a_test_that_aims_at_the_rule_goes_first_and_the_rest_is_saved(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path, tests=20)
    found = await run_mutation(config, _job(prompt, control=False))
    killed = [each for each in found.mutants if each.fate == "killed"]
    assert all(each.tests == 4 for each in killed)
    assert all(int(each.killed_by[0].test.removeprefix("t-")) % 2 == 0 for each in killed)  # the even ones aim at it
    every = await run_mutation(config, _job(prompt, control=False, every_test=True))
    assert all(each.tests == 20 for each in every.mutants if each.fate == "killed")
    plan = mutation_plan(config, _job(prompt, control=False))
    assert _calls(tmp_path) <= 2 * plan.calls["model"]


async def test_damage_is_noticed_by_the_rule_it_breaks(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path)
    found = await run_mutation(config, _job(prompt))
    noticed = {each.damage: (each.noticed, each.rule) for each in found.damages}
    assert noticed["preamble"] == (True, WORDS.id)
    assert noticed["words shuffled"] == (False, "")
    hits = sum(each.noticed is True for each in found.damages)
    assert (found.oracle.hits, found.oracle.total) == (hits, len(found.damages))
    assert not (await run_mutation(config, _job(prompt, damage=False))).damages


async def test_what_may_break_a_tentative_predicate_is_not_judged_and_never_counts_as_kept(tmp_path: Path) -> None:
    short = Rule(text="The output is short.", predicate="characters <= 2000", kind="format")
    config, prompt = _project(tmp_path, rules=(replace(WORDS, tentative=True), short))
    found = await run_mutation(config, replace(_job(prompt), model="forgetful"))
    assert set(found.passing) == {"t-0", "t-1", "t-2"}
    assert _fates(found)["drop", WORDS.id] == "not judged"
    assert "5 words" in next(each.reason for each in found.mutants)
    noticed = {each.damage: each.noticed for each in found.damages}
    assert (noticed["preamble"], noticed["words shuffled"]) == (None, False)
    checked_by = {
        row[0]: row[2] for row in next(each for each in adequacy_sheet(found).tables if each.title == "Rules").rows
    }
    assert checked_by[WORDS.id] == "tentative predicate"
    config, prompt = _project(tmp_path, rules=(WORDS, short))
    confirmed = await run_mutation(config, replace(_job(prompt), model="forgetful"))
    assert _fates(confirmed)["drop", WORDS.id] == "killed"


async def test_a_plan_spends_nothing_and_says_the_most_it_could(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path)
    job = _job(prompt, judges=("judge",), run=RunSettings(repeat=2))
    plan = mutation_plan(config, job)
    versions = 1 + 1 + 6 + len(plan.shams)  # the prompt, its control, its mutants and its rewordings
    assert len(plan.shams) == 3
    assert plan.calls == {"model": 3 * 2 * versions, "judge": 3 * 2 * versions + 3 * 8}
    assert mutation_plan(config, replace(job, damage=False)).calls["judge"] == 3 * 2 * versions
    assert _calls(tmp_path) == 0
    few = mutation_plan(config, replace(job, most=2, operators=("drop", "negate")))
    assert len(few.mutants) == 2
    assert len({rule for each in few.mutants for rule in each.rules}) == 2
    assert any("chosen evenly" in note for note in few.notes)


async def test_the_same_question_after_a_stop_repeats_no_call(tmp_path: Path) -> None:
    """The process is killed within its calls; the second leg asks only for what is missing and finds the same."""
    config, prompt = _project(tmp_path, tests=8)
    job = _job(prompt, run=RunSettings(concurrency=1))
    whole = await run_mutation(config, job)
    total = _calls(tmp_path)
    (tmp_path / "calls.txt").unlink()
    dying = (
        (tmp_path / "brain.py")
        .read_text()
        .replace("    system =", "    import os\n    if len(here.read_text()) == 12: os._exit(9)\n    system =", 1)
    )
    (tmp_path / "brain.py").write_text(dying)
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from tests.workflows.mutate.test_mutation import _config, _job\nfrom proctor.config import RunSettings\n"
        "from proctor.workflows.mutate.mutation import run_mutation\nfolder = Path(sys.argv[1])\n"
        "job = _job(folder / 'tag.prompty', run=RunSettings(concurrency=1))\n"
        "asyncio.run(run_mutation(_config(folder), job))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}  # noqa: TID251 - a process of its own
    died = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(tmp_path), env=environment)
    assert await died.wait() == 9
    (tmp_path / "brain.py").write_text(BRAIN)
    again = await run_mutation(config, job)
    assert _calls(tmp_path) == total + 1  # the call that was in flight is asked once more
    assert replace(again, created=None, spend=()) == replace(whole, created=None, spend=())
    assert not list((config.store / "mutation").glob("*.ndjson"))


async def test_a_result_that_the_disk_refused_is_made_again_without_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, prompt = _project(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(mutation, "keep_adequacy", full)
        first = await run_mutation(config, _job(prompt))
    assert any("not kept in the store" in note for note in first.notes)
    asked = _calls(tmp_path)
    again = await run_mutation(config, _job(prompt))
    assert _calls(tmp_path) == asked
    assert again.score == first.score
    assert kept_adequacy(config, prompt) == again


async def test_a_prompt_without_tests_or_rules_is_told_what_to_do(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path, tests=0)
    with pytest.raises(InputError, match="has no tests yet") as raised:
        mutation_plan(config, _job(prompt))
    assert "proctor generate" in str(raised.value.hint)
    config, prompt = _project(tmp_path, rules=(replace(WORDS, disabled=True),))
    with pytest.raises(InputError, match="no enabled rule"):
        mutation_plan(config, _job(prompt))


def test_without_a_model_the_error_says_how_to_give_one(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path, rules=(WORDS,))
    with pytest.raises(InputError, match="no model is set to put the tests of tag") as raised:
        mutation_plan(config, replace(_job(prompt), model=None))
    assert "--model" in str(raised.value.hint)


async def test_what_a_budget_cuts_short_is_not_run_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path, rules=(WORDS,))
    job = replace(_job(prompt, control=False, run=RunSettings(concurrency=1, budget=5.0)), model="dear")
    short = await run_mutation(config, job)
    assert 0 < short.count("not run") <= 3
    assert not short.complete
    asked = _calls(tmp_path)
    whole = await run_mutation(config, replace(job, run=replace(job.run, budget=None)))
    assert whole.complete
    assert whole.count("killed") == 3
    (tmp_path / "calls.txt").unlink()
    fresh = await run_mutation(config, replace(job, run=replace(job.run, budget=None)))
    assert replace(fresh, created=None, spend=()) == replace(whole, created=None, spend=())
    assert 0 < asked < _calls(tmp_path)


async def test_two_at_once_do_not_share_a_log(tmp_path: Path) -> None:
    config, prompt = _project(tmp_path)
    found = await asyncio.gather(*(run_mutation(config, _job(prompt)) for _ in range(2)), return_exceptions=True)
    assert sum(isinstance(each, StoreError) for each in found) == 1
