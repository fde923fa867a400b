"""Types of a generation: the request, the models and the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from proctor.core.case import Case
from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.generate.artefacts import Artefacts
from proctor.generate.build_case import Brief
from proctor.generate.effort import Effort
from proctor.generate.spec import Scenario
from proctor.prompts.prompt import Prompt

__all__ = ["STAGES", "Changes", "Made", "Makers", "Order", "Stage", "TruthMetric"]

Stage = Literal["intent", "inputs", "rules", "inverse", "tests", "expand", "baseline", "groundtruth"]
STAGES: tuple[Stage, ...] = ("intent", "inputs", "rules", "inverse", "tests", "expand", "baseline", "groundtruth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The request to generate from a prompt.

    ``instructions`` are the author's texts for the stages. ``start`` regenerates that stage and all later ones; what a
    person locked, added or edited is kept. ``most_tests`` limits the tests at the end. ``agreement`` answers each test
    by intent and rules instead of the prompt, and judges whether the result fits the prompt. ``own_rules`` are
    those that the author states as evaluators.
    """

    prompt: Prompt
    samples: tuple[Mapping[str, Any], ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    instructions: Mapping[str, str] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    seed: int = 0
    cross_check: bool = True
    start: Stage | None = None
    most_tests: int | None = None
    agreement: bool = False
    threshold: float = 0.8
    own_rules: tuple[Rule, ...] = ()

    def regenerates(self, stage: Stage) -> bool:
        """Whether the stage must be regenerated, whatever exists."""
        return self.start is not None and STAGES.index(stage) >= STAGES.index(self.start)

    def words(self, stage: str) -> str:
        """Return the author's text for a stage."""
        return self.instructions.get(stage, "")


class TruthMetric(Protocol):
    """An author's own grading of expected outputs; ``name`` and ``version`` are for provenance."""

    @property
    def name(self) -> str:
        """The name of the metric."""
        ...

    @property
    def version(self) -> str:
        """The hash of its text."""
        ...

    async def grade(self, brief: Brief, case: Case, output: str) -> tuple[float, str] | str:
        """Return a score from 0 to 1 with its reason, or why there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Makers:
    """The models of a generation; without a ``writer`` everything is made by code.

    ``for_stage`` replaces the writer at single stages. ``judge`` checks rules and tests; ``truth`` answers the prompt
    itself, and ``truth_judges`` grade its answers, by ``truth_metrics`` if the author has written some.
    ``rehearsed`` marks stand-ins whose inputs are not checked.
    """

    writer: Model | None = None
    for_stage: Mapping[str, Model] = field(default_factory=dict)
    judge: Model | None = None
    truth: Model | None = None
    truth_judges: tuple[Model, ...] = ()
    truth_metrics: tuple[TruthMetric, ...] = ()
    rehearsed: bool = False

    def writer_of(self, stage: Stage) -> Model:
        """Return the model that writes at this stage; only if there is a writer."""
        assert self.writer is not None
        return self.for_stage.get(stage, self.writer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Added, kept and dropped rules and tests: texts of rules, ids of tests."""

    rules_added: tuple[str, ...] = ()
    rules_kept: tuple[str, ...] = ()
    rules_dropped: tuple[str, ...] = ()
    tests_added: tuple[str, ...] = ()
    tests_kept: tuple[str, ...] = ()
    tests_dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The result of a generation.

    ``invalid`` and ``repeats`` count the tests that were left out; ``uncovered`` are enabled rules without a test.
    ``only_code`` and ``only_model`` are the rules that only one of the two found. ``unusable`` counts the questions
    without a usable answer by stage and cause; ``nothing_usable`` states that no stage got one.
    """

    artefacts: Artefacts
    changes: Changes = field(default_factory=Changes)
    invalid: int = 0
    repeats: int = 0
    uncovered: tuple[Rule, ...] = ()
    only_code: tuple[Rule, ...] = ()
    only_model: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()
    unusable: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    nothing_usable: bool = False
