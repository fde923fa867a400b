"""Run mutation testing: a prompt's tests on its mutants, and its rules on damaged outputs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config, RunSettings
from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.errors import ConfigError, InputError, StoreError, SuiteError
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.core.share import Share
from proctor.generate.artefacts import Artefacts, folder_of, read_artefacts
from proctor.generate.equivalent_rewrites import Sham, make_shams
from proctor.generate.mutate import OPERATORS, Mutant, Mutants, choose_mutants, make_mutants
from proctor.generate.required_rules import demanded_rules
from proctor.generate.select_tests import choose
from proctor.project import Project
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.report.adequacy import Adequacy, Control, DamageOutcome, MutantOutcome, ShamOutcome
from proctor.stats.interval import wilson
from proctor.store.calls import CallLog
from proctor.store.lock import only_one
from proctor.wiring.models import ModelPool, check_model
from proctor.workflows.mutate.kept_adequacy import keep_adequacy
from proctor.workflows.mutate.mutant_runs import Examiner, Tried, has_err, is_pass
from proctor.workflows.mutate.outcomes import JUDGED_DAMAGES, damaged, mutant_outcome

__all__ = ["MutationJob", "MutationPlan", "mutation_plan", "run_mutation"]

_CONTROL_SAMPLES_FROM = 100_000  # the control needs new samples, not those of the first round


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationJob:
    """The request: prompt, model, judges and limits."""

    prompt: Path
    out: Path | None = None
    model: str | None = None
    judges: tuple[str, ...] = ()
    run: RunSettings = field(default_factory=RunSettings)
    operators: tuple[str, ...] = OPERATORS
    most: int | None = None
    tests: int | None = None
    every_test: bool = False
    damage: bool = True
    control: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationPlan:
    """The planned work, before any call. ``calls`` is a maximum: a mutant stops when it is killed."""

    prompt: Prompt
    artefacts: Artefacts
    tests: tuple[Case, ...]
    mutants: tuple[Mutant, ...]
    all: Mutants
    model: str
    judges: tuple[str, ...]
    calls: Mapping[str, int]
    shams: tuple[Sham, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The enabled rules."""
        return self.artefacts.specification.enabled


def mutation_plan(config: Config, job: MutationJob) -> MutationPlan:
    """Read the prompt and its tests, create the mutants, and count the calls.

    Raises:
        InputError: the prompt has no tests or no rules, a file of them is wrong, or a model is not set or unknown.
    """
    prompt = load_prompt(job.prompt)
    model = job.model or config.settings.model
    folder = folder_of(job.prompt, job.out)
    artefacts = read_artefacts(folder)
    hint = f"`proctor generate {job.prompt.name}` makes them"
    if artefacts.provenance and not (artefacts.tests and artefacts.specification.enabled):
        hint = f"add samples or rules, then `proctor generate {job.prompt.name}`, or generate with -m"
    if not artefacts.tests:
        raise SuiteError(f"{job.prompt.name} has no tests yet", file=str(folder), hint=hint)
    if not artefacts.specification.enabled:
        raise InputError(f"{job.prompt.name} has no enabled rule", file=str(folder / "rules.yaml"), hint=hint)
    if model is None:
        hint = "give --model (e.g. -m local:smollm2 or -m openai:gpt-5-mini), or set `model:` in proctor.yaml"
        raise ConfigError(f"no model is set to put the tests of {job.prompt.name} to", hint=hint)
    for each in (model, *job.judges):
        check_model(config, each)
    usable = [case for case in artefacts.tests if GeneratedTest.of(case).is_usable]
    tests = choose(usable, most=job.tests, seed=job.run.seed)
    found = make_mutants(prompt, artefacts.specification, extract=demanded_rules)
    wanted = [each for each in found.made if each.operator in job.operators]
    mutants = choose_mutants(wanted, most=job.most, seed=job.run.seed)
    notes = []
    if len(usable) < len(artefacts.tests):
        notes.append(f"{len(artefacts.tests) - len(usable)} tests with an invalid input are left out")
    if len(mutants) < len(wanted):
        notes.append(f"{len(mutants)} of {len(wanted)} mutants, chosen evenly over rules and operators")
    shams = make_shams(prompt) if job.control else ()
    calls = _calls(job, len(tests), len(mutants) + len(shams), artefacts.specification.enabled, len(job.judges))
    return MutationPlan(
        prompt=prompt,
        artefacts=artefacts,
        tests=tests,
        mutants=mutants,
        all=found,
        model=model,
        judges=job.judges,
        calls=calls,
        shams=shams,
        notes=tuple(notes),
    )


def _calls(job: MutationJob, tests: int, mutants: int, rules: Sequence[Rule], judges: int) -> dict[str, int]:
    rounds = 1 + job.control + mutants
    put = tests * job.run.repeat * rounds
    judged = sum(not rule.is_checked for rule in rules) * judges
    return {"model": put, "judge": (put + JUDGED_DAMAGES * job.damage) * judged}


async def run_mutation(
    config: Config,
    job: MutationJob,
    *,
    plan: MutationPlan | None = None,
    heard: Callable[[int, int], None] | None = None,
) -> Adequacy:
    """Run the tests on the prompt, then on each mutant until one fails; damage passed outputs and judge them.

    Every reply is kept in a call log in the store until the end, so that repeating the command after a kill repeats no
    call.

    Raises:
        InputError: the prompt, its tests, a model or a judge is invalid; no call was made.
        StoreError: the call log cannot be written, or another process runs the same job.
    """
    plan = plan or mutation_plan(config, job)
    log_path = config.store / "mutation" / f"{_key(plan, job)}.ndjson"
    async with AsyncExitStack() as stack:
        if not stack.enter_context(only_one(log_path.with_suffix(".lock"))):
            hint = "wait for it to end"
            raise StoreError("the same mutants are being put already", file=str(job.prompt), hint=hint)
        project = await stack.enter_async_context(Project(config))
        resumed = log_path.is_file() and log_path.stat().st_size > 0
        log = stack.enter_context(closing(CallLog(log_path)))
        model_pool = project.model_pool(job.run, log=log, resumed=resumed)
        examiner = Examiner(
            model=model_pool.get(plan.model),
            judges=tuple(model_pool.get(name, role="judge") for name in plan.judges),
            rules=plan.rules,
            samples=job.run.repeat,
            slots=asyncio.Semaphore(job.run.concurrency),
            timeout=job.run.timeout,
        )
        found = await _examined(plan, job, examiner, heard or (lambda done, total: None))
        adequacy = _reported(plan, job, found, examiner, model_pool)
        log.close()
        try:
            keep_adequacy(config, job.prompt, adequacy)
        except OSError as error:  # what was paid for is reported all the same, and its replies stay
            adequacy = replace(
                adequacy, notes=(*adequacy.notes, f"the result is not kept in the store: {error.strerror}")
            )
        else:
            if adequacy.complete:
                log_path.unlink(missing_ok=True)
    return adequacy


def _key(plan: MutationPlan, job: MutationJob) -> str:
    tests = [content_id(case) for case in plan.tests]
    rules = [[rule.id, rule.predicate, rule.tentative] for rule in plan.rules]
    return content_id([plan.prompt.hash, tests, rules, plan.model, plan.judges, job.run.repeat, job.run.seed])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    base: Mapping[str, tuple[Tried, ...]]
    control: Control | None
    shams: tuple[ShamOutcome, ...]
    mutants: tuple[MutantOutcome, ...]
    damages: tuple[DamageOutcome, ...]


async def _examined(
    plan: MutationPlan, job: MutationJob, examiner: Examiner, heard: Callable[[int, int], None]
) -> _Found:
    steps = 1 + bool(job.control) + len(plan.shams) + len(plan.mutants)
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        heard(done, steps)

    base = await examiner.round(plan.prompt, plan.tests)
    one_more()
    passing = [case for case in plan.tests if is_pass(base[case.id])]
    control = None
    if job.control and passing:
        again = await examiner.round(plan.prompt, passing, samples_from=_CONTROL_SAMPLES_FROM)
        control = Control(tests=len(passing), failed=tuple(case.id for case in passing if has_err(again[case.id])))
        one_more()

    async def sham(each: Sham) -> ShamOutcome:
        tried = await examiner.round(each.prompt, passing)
        one_more()
        failed = tuple(case.id for case in passing if has_err(tried[case.id]))
        return ShamOutcome(kind=each.kind, tests=len(passing), failed=failed, diff=each.diff(plan.prompt))

    async def fate(mutant: Mutant) -> MutantOutcome:
        outcome = await mutant_outcome(plan.prompt, mutant, examiner, passing, base, every_test=job.every_test)
        one_more()
        return outcome

    shams = await asyncio.gather(*(sham(each) for each in (plan.shams if passing else ())))
    outcomes = await asyncio.gather(*(fate(mutant) for mutant in plan.mutants))
    hurt = await damaged(examiner, passing, base) if job.damage else ()
    return _Found(base=base, control=control, shams=tuple(shams), mutants=tuple(outcomes), damages=hurt)


def _reported(
    plan: MutationPlan, job: MutationJob, found: _Found, examiner: Examiner, model_pool: ModelPool
) -> Adequacy:
    killed = sum(each.fate == "killed" for each in found.mutants)
    judged = killed + sum(each.fate == "survived" for each in found.mutants)
    judged_damages = [each for each in found.damages if each.noticed is not None]
    notes = [*plan.notes, *model_pool.notes()]
    if found.control and found.control.failed:
        share = len(found.control.failed) / found.control.tests
        notes.append(
            f"{len(found.control.failed)} of {found.control.tests} passing tests fail when the same prompt is put again"
            f" ({share:.0%}): chance alone may seem to kill a mutant; more samples (-k) leave fewer such tests"
        )
    if changed := [each for each in found.shams if each.failed]:
        notes.append(
            f"{len(changed)} of {len(found.shams)} rewordings that change no rule make a test fail"
            f" ({', '.join(each.kind for each in changed)}): that many mutants may be noticed for their wording alone"
        )
    named = {"passing": is_pass, "failing": has_err}
    by = {name: tuple(case.id for case in plan.tests if test(found.base[case.id])) for name, test in named.items()}
    return Adequacy(
        prompt=plan.prompt.name,
        prompt_hash=plan.prompt.hash,
        model=examiner.model.name,
        judges=tuple(judge.name for judge in examiner.judges),
        samples=job.run.repeat,
        created=datetime.now(UTC),
        tests=len(plan.tests),
        passing=by["passing"],
        failing=by["failing"],
        unjudged=tuple(case.id for case in plan.tests if case.id not in {*by["passing"], *by["failing"]}),
        rules=plan.rules,
        mutants=found.mutants,
        damages=found.damages,
        left_out=tuple(
            {"rule": each.rule, "operator": each.operator, "reason": each.reason} for each in plan.all.left_out
        ),
        control=found.control,
        shams=found.shams,
        score=_share(killed, judged),
        oracle=_share(sum(bool(each.noticed) for each in judged_damages), len(judged_damages)),
        spend=model_pool.spend(),
        notes=tuple(notes),
    )


def _share(hits: int, total: int) -> Share:
    return Share.of(hits, total, wilson(hits, total))
