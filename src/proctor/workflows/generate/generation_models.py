"""Choose and open the models of a generation: one that writes, others for single stages, judges, groundtruth."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import content_id
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.generate.build_case import Brief
from proctor.generate.folder import read_text
from proctor.generate.generation_request import Makers
from proctor.generate.plan import GenerationPlan
from proctor.generate.stages.validate_artefacts import said_of_inputs
from proctor.project import Project
from proctor.prompts.load import load_prompt
from proctor.prompts.test_config import PromptTestConfig
from proctor.scorers.answer.metric import Metric
from proctor.store.cache import SqliteCache
from proctor.store.calls import CallLog
from proctor.store.journal import read_lines
from proctor.suites.generated import metric_name, metrics_beside
from proctor.workflows.generate.calls import Finishing, NamedModel, Shared
from proctor.workflows.generate.generation_speed import keep_speed

if TYPE_CHECKING:
    from proctor.workflows.generate.generation import GenerationJob

__all__ = ["ChosenModels", "FileMetric", "GenerationProgress", "choose_models", "named_makers", "open_makers"]

# Models of single stages in a prompt file, under the names used by other tools.
_WRITTEN = {"rulesModel": "rules", "baselineModel": "baseline"}
_TAG = "groundtruth"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMetric:
    """A metric's file, graded by these judges."""

    name: str
    text: str
    judges: tuple[Model, ...]

    @property
    def version(self) -> str:
        """The hash of its text."""
        return content_id(self.text)

    async def grade(self, brief: Brief, case: Case, output: str) -> tuple[float, str] | str:
        """Return the judges' mean score with its reason, or why there is none."""
        about = {
            "prompt": brief.prompt.text,
            "intent": brief.spec.intent,
            "inputSpec": said_of_inputs(brief.spec.inputs),
            "rules": "\n".join(f"- {rule.text}" for rule in brief.spec.enabled),
        }
        turn = Turn(messages=(Message(role="assistant", content=output),))
        scorer = Metric(prompt=self.text, about=about, judges=self.judges)
        score = await scorer.score(case, Trajectory(turns=(turn,)))
        return (score.value, score.reason) if score.value is not None else score.reason


@dataclass(slots=True, kw_only=True)
class GenerationProgress:
    """Callbacks for the progress of a generation.

    ``planned`` gets what will be asked, ``calls`` the open calls once there are models. ``stop`` finishes the calls
    that a server is answering; ``drop`` cancels them as well. ``refusals`` counts the pauses that servers asked for.
    """

    warned: Callable[[str], None] | None = None
    begun: Callable[[int], None] | None = None
    planned: Callable[[GenerationPlan], None] | None = None
    calls: Shared | None = None
    refusals: Callable[[], int] | None = None

    def warn(self, text: str) -> None:
        """Show a warning."""
        if self.warned is not None:
            self.warned(text)

    def stop(self) -> None:
        """Ask nothing more, and finish the calls that a server is answering."""
        if self.calls is not None:
            self.calls.stop()

    def drop(self) -> None:
        """Cancel the open calls."""
        if self.calls is not None:
            self.calls.drop()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModels:
    """The names of the models, by what they do; without a writer everything is made by code."""

    writer: str | None = None
    for_stage: Mapping[str, str] = field(default_factory=dict)
    judge: str | None = None
    truth: str | None = None
    truth_judges: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return every model, once."""
        named = (self.writer, *self.for_stage.values(), self.judge, self.truth, *self.truth_judges)
        return tuple(dict.fromkeys(filter(None, named)))


def choose_models(config: Config, wish: GenerationJob, said: PromptTestConfig) -> ChosenModels:
    """Return the models that the user names, or else the prompt's file, or else the project."""
    if wish.no_model:
        return ChosenModels()
    written = {stage: str(said.options[key]) for key, stage in _WRITTEN.items() if said.options.get(key)}
    for_stage = {**written, **wish.stage_models}
    # A model for one stage alone writes the others too, unless another is named.
    writer = wish.model or config.settings.model or next(iter(for_stage.values()), None)
    truth = wish.groundtruth or _named(said, "groundtruthModel")
    first = wish.judges[0] if wish.judges else None
    judge = (first or writer) if writer else (first if truth else None)
    return ChosenModels(
        writer=writer,
        for_stage={stage: model for stage, model in for_stage.items() if model != writer},
        judge=judge,
        truth=truth,
        truth_judges=(wish.judges or ((judge,) if judge else ())) if truth else (),
    )


def _named(said: PromptTestConfig, key: str) -> str | None:
    value = said.options.get(key)
    return value if isinstance(value, str) and value else None


def named_makers(chosen: ChosenModels, prompt: Path) -> Makers:
    """Return stand-ins with these names, for plans."""
    judges = tuple(NamedModel(name) for name in chosen.truth_judges)
    return Makers(
        writer=NamedModel(chosen.writer) if chosen.writer else None,
        for_stage={stage: NamedModel(name) for stage, name in chosen.for_stage.items()},
        judge=NamedModel(chosen.judge) if chosen.judge and chosen.writer else None,
        truth=NamedModel(chosen.truth) if chosen.truth else None,
        truth_judges=judges,
        truth_metrics=_truth_metrics(prompt, judges) if chosen.truth else (),
    )


@asynccontextmanager
async def open_makers(
    config: Config, wish: GenerationJob, chosen: ChosenModels, watching: GenerationProgress, log: Path
) -> AsyncIterator[Makers]:
    """Open the models; their replies are logged, so that an interrupted generation repeats none."""
    if chosen.writer is None and chosen.truth is None:
        yield Makers()
        return
    run = replace(
        config.settings.run, concurrency=wish.concurrency, budget=wish.budget, cache="on" if wish.cache else "off"
    )
    async with Project(config) as project:
        with ExitStack() as stack:
            calls = stack.enter_context(closing(CallLog(log)))
            cache = stack.enter_context(closing(SqliteCache(config.store / "cache.db"))) if wish.cache else None
            for damage in calls.skipped:
                watching.warn(f"{log.name}: {damage}; it was skipped, and its call is made again")
            if watching.begun is not None:
                watching.begun(sum(1 for _ in read_lines(log, damaged=lambda _: None)))
            shared = Shared(concurrency=wish.concurrency)
            model_pool = project.model_pool(run, log=calls, resumed=True, cache=cache, switch=shared.switch)
            watching.calls = shared
            watching.refusals = lambda: sum(
                "429" in str(step[2]) for each in model_pool.concurrency() for step in each["history"]
            )

            def get(name: str, role: str) -> Model:
                return Finishing(model_pool.get(name, role=role), shared, wish.seed)

            judges = tuple(get(name, "judge") for name in chosen.truth_judges)
            try:
                yield Makers(
                    writer=get(chosen.writer, "generator") if chosen.writer else None,
                    for_stage={stage: get(name, "generator") for stage, name in chosen.for_stage.items()},
                    judge=get(chosen.judge, "judge") if chosen.judge and chosen.writer else None,
                    truth=get(chosen.truth, "groundtruth") if chosen.truth else None,
                    truth_judges=judges,
                    truth_metrics=_truth_metrics(wish.prompt, judges) if chosen.truth else (),
                )
            finally:
                await shared.finish()
                keep_speed(config.store, shared)
                for note in model_pool.notes():
                    watching.warn(note)


def _truth_metrics(prompt: Path, judges: Sequence[Model]) -> tuple[FileMetric, ...]:
    """Return the metrics beside the prompt that grade expected outputs.

    Raises:
        PromptError: a metric cannot be read.
    """
    found = [path for path in metrics_beside(prompt) if _has_tag(path)]
    return tuple(
        FileMetric(name=metric_name(path), text=read_text(path, there=True), judges=tuple(judges)) for path in found
    )


def _has_tag(path: Path) -> bool:
    tags = load_prompt(path).front.get("tags")
    return isinstance(tags, list) and _TAG in map(str, tags)
