"""The simulated texts are such that a real scorer tells right answers from wrong ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.core.case import Case, Check, Suite
from proctor.core.chat import Message
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.scenario import TrafficScenario
from proctor.monitor.simulation.traffic_topic import ATTACKS, FOLLOW_UPS, REFUSALS, WORDS
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.project import Project
from proctor.runner.grade import grade
from proctor.wiring.scorers import GraderFactory

WORLDS = (travel_desk(), manga_store())


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_topic_has_texts_in_every_language(world: TrafficScenario) -> None:
    for language in world.languages:
        assert ATTACKS[language]
        assert FOLLOW_UPS[language]
        assert REFUSALS[language]
        assert all(texts[language] for texts in WORDS.values())
        for intent in world.intents:
            for topic in intent.topics:
                assert topic.asks[language]
                assert topic.right[language] != topic.wrong[language]


def _filled(text: str, item: str) -> str:
    return text.replace("{item}", item).replace("{number}", "LT-4711")


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_a_real_scorer_passes_every_right_answer_and_fails_wrong_ones(world: TrafficScenario, tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("")
    found: dict[bool, list[str]] = {True: [], False: []}

    async def judge() -> None:
        async with Project(open_config(tmp_path)) as project:
            suite = Suite(name="texts", scorers=(Check(scorer="grounded"),))
            graders = GraderFactory(suite, project.model_pool(), trusted=True).graders(Case(id="-"))
            for topic in (topic for intent in world.intents for topic in intent.topics if topic.source):
                for language in world.languages:
                    right = _filled(topic.right[language], topic.items[0])
                    for answer in (right, _filled(topic.wrong[language], topic.items[0])):
                        said = (Message(role="user", content="?"), Message(role="assistant", content=answer))
                        turn = Turn(messages=said, sources=(Source(id=topic.source, text=right),))
                        made = await grade(Case(id="-"), Trajectory(turns=(turn,)), graders)
                        found[answer == right].append(made.outcome)

    asyncio.run(judge())
    assert set(found[True]) == {"pass"}
    least = {"manga": 0.8, "travel": 0.3}[world.name]  # in other words than the source, fewer are found
    assert found[False].count("fail") >= least * len(found[False])
