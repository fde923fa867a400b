"""Generate tests from a prompt: combine the prompt, its files, the models and the call log."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.codec import content_id
from proctor.core.errors import InputError, StoreError
from proctor.core.sockets import Model
from proctor.generate.artefacts import RULES, Artefacts, edited_files, folder_of, read_artefacts, write_artefacts
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
from proctor.store.calls import CallLog
from proctor.store.journal import read_lines
from proctor.store.lock import only_one
from proctor.store.private_files import private_folder, write_private
from proctor.workflows.generate.calls import Finishing, NamedModel, Shared, spend_of

__all__ = ["GenerationJob", "GenerationOutcome", "GenerationProgress", "carry_out_generation", "plan_generation"]

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

    ``numbers`` override those of an ``Effort``; precedence: user, prompt file, preset.
    """

    prompt: Path
    out: Path | None = None
    model: str | None = None
    judges: tuple[str, ...] = ()
    groundtruth: str | None = None
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


@dataclass(slots=True, kw_only=True)
class GenerationProgress:
    """Callbacks for the progress of a generation; ``drop`` cancels open calls after a request to stop."""

    warned: Callable[[str], None] | None = None
    begun: Callable[[int], None] | None = None
    answered: Callable[[int, int], None] | None = None
    drop: Callable[[], None] | None = None

    def warn(self, text: str) -> None:
        """Show a warning."""
        if self.warned is not None:
            self.warned(text)


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
    order, _ = _order(wish)
    present, edited = _present(folder_of(wish.prompt, wish.out))
    named = _named(config, wish)
    makers = Makers(
        writer=NamedModel(named["writer"]) if named["writer"] else None,
        judge=NamedModel(named["judge"]) if named["judge"] else None,
        truth=NamedModel(named["truth"]) if named["truth"] else None,
        truth_judges=tuple(NamedModel(name) for name in _truth_judges(wish, named)),
    )
    start: Stage | None = "intent" if wish.force else wish.start
    order = replace(order, start=start)
    if start is None and not edited and present.provenance.get("order") == order_id(order, makers):
        makers = Makers()  # nothing is left to do
    async with Project(config) as project:
        return await make_plan(order, makers, present, edited, priced=project.rack().price)


async def _carried_out(
    config: Config, wish: GenerationJob, watching: GenerationProgress, folder: Path, log: Path
) -> GenerationOutcome:
    order, said = _order(wish)
    for warning in dict.fromkeys((*order.prompt.warnings, *said.warnings)):
        watching.warn(warning)
    present, edited = _present(folder)
    order = replace(order, start=_begin(wish, log, present))
    async with _makers(config, wish, watching, log) as makers:
        done = present.provenance.get("order") == order_id(order, makers)
        if order.start is None and not edited and done:
            _forget(log)
            return GenerationOutcome(folder=folder, artefacts=present)
        made = await generate(order, makers, present, edited)
    provenance = provenance_of(order, makers, made, present, spend_of(log))
    made = replace(made, artefacts=replace(made.artefacts, provenance=provenance))
    _write(folder, made, wish, order)
    _forget(log)
    return GenerationOutcome(folder=folder, artefacts=made.artefacts, made=made)


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
        samples=said.samples,
        scenarios=scenarios,
        instructions=words,
        effort=_effort(wish, said),
        seed=wish.seed,
        cross_check=wish.cross_check,
        most_tests=wish.most_tests,
        agreement=wish.agreement,
    )
    return order, said


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


def _named(config: Config, wish: GenerationJob) -> dict[str, str | None]:
    writer = None if wish.no_model else wish.model or config.settings.model
    first = wish.judges[0] if wish.judges else None
    judge = (first or writer) if writer else None
    truth = None if wish.no_model else wish.groundtruth
    return {"writer": writer, "judge": judge or (first if truth else None), "truth": truth}


def _truth_judges(wish: GenerationJob, named: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the judges of the expected outputs: all named judges, or the one that checks rules and tests."""
    if not named["truth"]:
        return ()
    return wish.judges or ((named["judge"],) if named["judge"] else ())


@asynccontextmanager
async def _makers(
    config: Config, wish: GenerationJob, watching: GenerationProgress, log: Path
) -> AsyncIterator[Makers]:
    named = _named(config, wish)
    if not any(named.values()):
        yield Makers()
        return
    run = replace(config.settings.run, concurrency=wish.concurrency, budget=wish.budget)
    async with Project(config) as project:
        with closing(CallLog(log)) as calls:
            if watching.begun is not None:
                watching.begun(sum(1 for _ in read_lines(log)))
            rack = project.rack(run, log=calls, resumed=True)
            shared = Shared(concurrency=wish.concurrency, heard=watching.answered)
            watching.drop = shared.drop

            def get(name: str, kind: str) -> Model:
                return Finishing(rack.get(name, role=kind), shared, wish.seed)

            def find(role: str, kind: str) -> Model | None:
                name = named[role]
                return get(name, kind) if name else None

            judge = find("judge", "judge")
            try:
                yield Makers(
                    writer=find("writer", "generator"),
                    judge=judge if named["writer"] else None,
                    truth=find("truth", "groundtruth"),
                    truth_judges=tuple(get(name, "judge") for name in _truth_judges(wish, named)),
                )
            finally:
                await shared.finish()
                for note in rack.notes():
                    watching.warn(note)
