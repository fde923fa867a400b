"""The scenes of conversations/scenes.yaml: what was said, what is weak, and what must find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ruamel.yaml import YAML

from proctor.core.decode import decode
from proctor.core.trajectory import Trajectory
from proctor.guard.guarded_target import Opens

from .conversing import Lines, converse

__all__ = ["RECORDED", "SCENES", "Scene", "perform", "read_scenes"]

FOLDER = Path(__file__).parent.parent / "conversations"
SCENES = FOLDER / "scenes.yaml"
RECORDED = {name: FOLDER / f"{name}.jsonl" for name in ("failing", "clean", "handed_over")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One conversation to be played.

    ``caught`` names the scores that must fail, each with the turn, counted from 1; none where something is missing from
    the whole conversation. ``then_says`` is what the customer says instead where nothing is wrong: who is helped does
    not ask again.
    """

    id: str
    origin: str
    customer: str
    says: tuple[str, ...]
    weaknesses: tuple[str, ...] = ()
    caught: Mapping[str, int | None] = field(default_factory=dict)
    outcome: str | None = None
    escalation: str | None = None
    facts: tuple[str, ...] = ()
    then_says: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Whether it shows a failure or a hand-over."""
        return "handed_over" if self.escalation else "failing"


def read_scenes() -> list[Scene]:
    """Every scene, in the order of the file."""
    rows = YAML(typ="safe").load(SCENES.read_text(encoding="utf-8"))
    return [decode(Scene, row, strict=True, file=str(SCENES)) for row in rows]


async def perform(scene: Scene, *, weak: bool = True, guard: Opens | None = None) -> Trajectory:
    """Really play a scene: with its weaknesses, or with none; behind a guard where one is given."""
    weaknesses = list(scene.weaknesses) if weak else []
    says = scene.says if weak or not scene.then_says else scene.then_says
    made = await converse(
        Lines(scene.customer, says),
        session=scene.id if weak else f"{scene.id}-clean",
        settings={"weaknesses": weaknesses},
        metadata={"scene": scene.id, "origin": scene.origin, "weaknesses": weaknesses},
        guard=guard,
    )
    # Beside the turns stand who was logged in and what is known of the right answer, as `proctor score` reads them.
    known = {"expect": {"facts": list(scene.facts)}} if scene.facts else {}
    return replace(made, extra={"page": {"customer": scene.customer}, **known})
