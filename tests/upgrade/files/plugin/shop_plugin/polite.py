"""A scorer, as docs/plugins.md had it in the version before."""

from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Polite:
    """Whether the answer says please or thank you."""

    name: ClassVar[str] = "polite"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "words"
    words: tuple[str, ...] = ("please", "thank you")

    async def score(self, case: Case, run: Trajectory) -> Score:
        found = next((word for word in self.words if word in run.answer.lower()), None)
        if not run.answer:
            return Score(name=self.name, status="skipped", reason="there is no answer")
        evidence = (Evidence(quote=found),) if found else ()
        return Score(name=self.name, value=float(found is not None), evidence=evidence, version=self.version)
