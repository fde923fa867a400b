"""Generate tests from a prompt: combine the prompt, its files, the models and the call log."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.codec import content_id
from proctor.core.errors import InputError, ReplyError, StoreError
from proctor.generate.artefacts import (
    RULES,
    Artefacts,
    edited_files,
    folder_of,
    persons_files,
    read_artefacts,
    write_artefacts,
)
from proctor.generate.effort import Effort, choose_effort
from proctor.generate.generation_request import Made, Makers, Order, Stage
from proctor.generate.pipeline import generate
from proctor.generate.plan import GenerationPlan, make_plan
from proctor.generate.provenance import order_id, provenance_of
from proctor.generate.spec import Scenario
from proctor.project import Project
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.test_config import PromptTestConfig, told
from proctor.store.lock import only_one
from proctor.store.private_files import private_folder, write_private
from proctor.suites.exchange.own_evaluators import evaluator_rules
from proctor.wiring.models import check_model
from proctor.workflows.generate.calls import spend_of
from proctor.workflows.generate.generation_models import GenerationProgress, choose_models, named_makers, open_makers

__all__ = ["GenerationJob", "GenerationOutcome", "carry_out_generation", "plan_generation"]

# Generation settings in a prompt file, under the names used by other tools.
_OPTIONS = {
    "maxRules": "most_rules",
    "testsPerRule": "tests_per_rule",
    "maxRulesPerTestGeneration": "rules_per_call",
    "testGenerations": "generations",
    "testExpansions": "expansions",
}
_OTHER_NAMES = {"inverse": "opposites", "expand": "expansion"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationJob:
    """A request to generate tests. Without a model, here or in the settings, all tests are made by code.

    ``numbers`` override those of an ``Effort``; precedence: user, prompt file, preset. ``stage_models`` replace
    ``model`` at single stages. ``samples`` limits the author's samples. ``needing_model`` are the given options that
    only a model can carry out, as the user wrote them.
    """

    prompt: Path
    out: Path | None = None
    model: str | None = None
    judges: tuple[str, ...] = ()
    groundtruth: str | None = None
    stage_models: Mapping[str, str] = field(default_factory=dict)
    no_model: bool = False
    effort: str | None = None
    numbers: Mapping[str, int | None] = field(default_factory=dict)
    start: Stage | None = None
    force: bool = False
    resume: bool = False
    seed: int = 0
    budget: float | None = None
    concurrency: int = 64
    cross_check: bool = True
    most_tests: int | None = None
    agreement: bool = False
    instructions: Mapping[str, str] = field(default_factory=dict)
    samples: int | None = None
    shuffle_samples: bool = False
    cache: bool = False
    needing_model: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOutcome:
    """The result; ``made`` is ``None`` when the files were up to date."""

    folder: Path
    artefacts: Artefacts
    made: Made | None = None


async def carry_out_generation(config: Config, wish: GenerationJob, watching: GenerationProgress) -> GenerationOutcome:
    """Generate the tests and write the folder; replies from an interrupted attempt are reused.

    Raises:
        InputError: the prompt, a file of the folder or a setting is wrong; no model was called.
        ModelError: a model call failed; earlier replies are kept.
        StoreError: the files cannot be written.
    """
    folder = folder_of(wish.prompt, wish.out)
    log = config.store / "generate" / f"{content_id(str(folder.resolve()))}.calls"
    with only_one(log.with_suffix(".lock")) as mine:
        if not mine:
            hint = "wait for it to end"
            raise StoreError("tests of this prompt are being made already", file=str(folder), hint=hint)
        return await _carried_out(config, wish, watching, folder, log)


async def plan_generation(config: Config, wish: GenerationJob) -> GenerationPlan:
    """Return the calls that a generation would make, without making them.

    Raises:
        InputError: the prompt, a file of the folder or a setting is wrong.
    """
    order, said = _order(wish)
    present, edited = _present(folder_of(wish.prompt, wish.out))
    chosen = choose_models(config, wish, said)
    for name in chosen.names:
        check_model(config, name)
    makers = named_makers(chosen, wish.prompt)
    start: Stage | None = "intent" if wish.force else wish.start
    order = replace(order, start=start)
    if start is None and not edited and present.provenance.get("order") == order_id(order, makers):
        makers = Makers()  # nothing is left to do
    async with Project(config) as project:
        persons = persons_files(folder_of(wish.prompt, wish.out), present, edited)
        return await make_plan(order, makers, present, persons, priced=project.model_pool().price)


async def _carried_out(
    config: Config, wish: GenerationJob, watching: GenerationProgress, folder: Path, log: Path
) -> GenerationOutcome:
    order, said = _order(wish)
    for warning in dict.fromkeys((*order.prompt.warnings, *said.warnings)):
        watching.warn(warning)
    present, edited = _present(folder)
    persons = persons_files(folder, present, edited)
    order = replace(order, start=_begin(wish, log, present))
    chosen = choose_models(config, wish, said)
    if chosen.writer is None:
        for note in _unused_offline(order, wish.needing_model):
            watching.warn(note)
    async with open_makers(config, wish, chosen, watching, log) as makers:
        done = present.provenance.get("order") == order_id(order, makers)
        if order.start is None and not edited and done:
            _forget(log)
            return GenerationOutcome(folder=folder, artefacts=present)
        if watching.planned is not None and makers.writer is not None:
            watching.planned(await _outline(order, makers, present, persons))
        made = await generate(order, makers, present, persons)
    if made.nothing_usable:
        _forget(log)  # the next attempt asks again
        raise _nothing_usable(_writer_name(makers), made)
    provenance = provenance_of(order, makers, made, present, spend_of(log), edited=persons)
    made = replace(made, artefacts=replace(made.artefacts, provenance=provenance))
    _write(folder, made, wish, order)
    _forget(log)
    return GenerationOutcome(folder=folder, artefacts=made.artefacts, made=made)


def _writer_name(makers: Makers) -> str:
    """Return the name of the model that writes."""
    return makers.writer.name if makers.writer is not None else "the model"


def _nothing_usable(model: str, made: Made) -> ReplyError:
    causes: Counter[str] = Counter()
    for counts in made.unusable.values():
        causes.update(counts)
    listed = ", ".join(f"{cause} ({count})" for cause, count in causes.most_common())
    return ReplyError(
        f"{model} gave nothing usable at any stage: {listed}; nothing was written",
        hint="name another model with -m, or make the tests by code with --no-model",
    )


async def _outline(order: Order, makers: Makers, present: Artefacts, edited: tuple[str, ...]) -> GenerationPlan:
    """Return what the generation is about to ask, for progress and the time that is left."""
    return await make_plan(order, makers, present, edited, priced=lambda name, usage: None)


def _write(folder: Path, made: Made, wish: GenerationJob, order: Order) -> None:
    seen_from = Path(os.path.relpath(wish.prompt.resolve(), folder.resolve())).as_posix()
    name = folder.name.removesuffix(".tests") or order.prompt.name
    write_artefacts(folder, made.artefacts, name=name, prompt=seen_from, hash=order.prompt.hash)


def _order(wish: GenerationJob) -> tuple[Order, PromptTestConfig]:
    prompt: Prompt = load_prompt(wish.prompt)
    said = told(prompt)
    scenarios = tuple(_scenario(each) for each in said.scenarios)
    words = dict(said.instructions)
    for stage, text in wish.instructions.items():
        words[_OTHER_NAMES.get(stage, stage)] = text
    order = Order(
        prompt=prompt,
        samples=_chosen_samples(wish, said),
        scenarios=scenarios,
        instructions=words,
        effort=_effort(wish, said),
        seed=wish.seed,
        cross_check=wish.cross_check,
        most_tests=wish.most_tests,
        agreement=wish.agreement,
        own_rules=evaluator_rules(prompt),
    )
    return order, said


def _chosen_samples(wish: GenerationJob, said: PromptTestConfig) -> tuple[Mapping[str, Any], ...]:
    """Return the author's samples, shuffled and limited as the user or the prompt's file wants."""
    samples = list(said.samples)
    if wish.shuffle_samples or said.options.get("testSamplesShuffle") is True:
        random.Random(wish.seed).shuffle(samples)  # noqa: S311 - the order of samples is no secret
    written = said.options.get("testSamplesCount")
    count = wish.samples if wish.samples is not None else written if type(written) is int and written >= 0 else None
    return tuple(samples if count is None else samples[:count])


def _effort(wish: GenerationJob, said: PromptTestConfig) -> Effort:
    """Return the preset with the overrides of the prompt file, then those of the user."""
    written = {_OPTIONS[key]: value for key, value in said.options.items() if key in _OPTIONS and type(value) is int}
    named = wish.effort or said.options.get("effort")
    given = {key: value for key, value in wish.numbers.items() if value is not None}
    return choose_effort(str(named) if named else None, **{**written, **given})


def _scenario(data: Mapping[str, Any]) -> Scenario:
    known = ("name", "instructions", "parameters")
    return Scenario(
        name=str(data.get("name") or ""),
        instructions=str(data.get("instructions") or ""),
        parameters=data.get("parameters") or {},
        extra={key: value for key, value in data.items() if key not in known},
    )


def _present(folder: Path) -> tuple[Artefacts, tuple[str, ...]]:
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file", file=str(folder), hint="name another folder with --out")
    present = read_artefacts(folder)
    return present, edited_files(folder, present.provenance)


def _begin(wish: GenerationJob, log: Path, present: Artefacts) -> Stage | None:
    """Return the first stage to run; an interrupted stage is continued even without the flag."""
    if wish.resume and not log.exists() and not present.provenance:
        hint = "leave --resume out: the tests are made from the beginning"
        raise InputError("nothing was begun that could go on", file=str(wish.prompt), hint=hint)
    note = log.with_suffix(".order")
    if wish.force:
        _forget(log)
    start: Stage | None = "intent" if wish.force else wish.start
    if start is None and present.provenance and not (folder_of(wish.prompt, wish.out) / RULES).exists():
        start = "rules"  # a deleted file is made again; a rule deleted from the file is not
    if start is None and log.exists():
        with suppress(OSError, ValueError):
            start = json.loads(note.read_text("utf-8")).get("start")
    if start is not None:
        try:
            private_folder(note.parent)
            write_private(note, json.dumps({"start": start}).encode())
        except OSError as error:
            raise StoreError(f"cannot be written: {error.strerror}", file=str(note)) from None
    return start


def _forget(log: Path) -> None:
    """Delete the call log, because its replies are in the files now."""
    for path in (log, log.with_suffix(".order")):
        path.unlink(missing_ok=True)


def _unused_offline(order: Order, flags: Sequence[str]) -> tuple[str, ...]:
    """Return what the user or the prompt's file asks for and only a model can do, in words.

    ``flags`` are the options given on the command line that need a model.
    """
    asked = list(flags)
    with_words = [scenario.name for scenario in order.scenarios if scenario.instructions]
    if with_words:
        asked.append(f"the instructions of the scenario{'s' * (len(with_words) > 1)} {', '.join(with_words)}")
    if order.instructions:
        asked.append(f"`instructions:` for {', '.join(sorted(order.instructions))}")
    return tuple(f"without a model, {what} has no effect: use -m" for what in asked)
