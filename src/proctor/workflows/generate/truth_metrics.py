"""Grade expected outputs by the author's own metrics: those beside the prompt that have the tag `groundtruth`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import content_id
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.generate.build_case import Brief
from proctor.generate.folder import read_text
from proctor.generate.stages.validate_artefacts import said_of_inputs
from proctor.prompts.load import load_prompt
from proctor.scorers.answer.metric import Metric
from proctor.suites.generated import metric_name, metrics_beside

__all__ = ["FileMetric", "truth_metrics"]

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


def truth_metrics(prompt: Path, judges: Sequence[Model]) -> tuple[FileMetric, ...]:
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
