"""A draft that is a fault after all that was said and done in the session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, Settings
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.step import POINTS
from proctor.core.talk_event import ActFault, TalkEvent
from proctor.core.trajectory import Source
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan, Watch
from proctor.guard.gates.faults import Faults
from proctor.guard.session import Session
from proctor.guard.step import Step
from proctor.wiring.guard_settings import make_plan
from tests.marked_faults import marked_faults
from tests.tables import table


def gate(**settings: Any) -> Faults:
    made: Faults = decode(Faults, {"faults": marked_faults(), **settings}, strict=True)
    return made


def draft(text: str) -> Step:
    return Step(point="output", text=text)


async def test_a_draft_that_is_likely_a_fault_goes_to_a_person() -> None:
    verdict = await gate().check(draft("You get it for nothing. !commitment"))
    assert verdict.action == "escalate"
    (found,) = verdict.findings
    assert (found.kind, found.severity) == ("commitment", "high")
    assert verdict.reason == "the draft promises what the agent may not grant (probability 0.95)"


async def test_what_is_below_the_threshold_passes() -> None:
    assert (await gate().check(draft("?commitment"))).action == "allow"
    assert (await gate(threshold=0.6).check(draft("?commitment"))).action == "escalate"
    assert (await gate().check(draft("It was sent."))).action == "allow"
    assert (await gate().check(draft("  "))).reason == "the draft is empty"


async def test_a_flag_lets_it_pass_and_a_block_stops_it() -> None:
    flagged = await gate(action="flag").check(draft("!loop"))
    assert (flagged.action, flagged.borderline, len(flagged.findings)) == ("allow", True, 1)
    assert (await gate(action="block").check(draft("!loop"))).action == "block"


class Noting:
    """Keeps what it is given, and finds nothing."""

    def __init__(self) -> None:
        self.seen: list[TalkEvent] = []

    async def faults(self, events: Sequence[TalkEvent]) -> Sequence[ActFault]:
        self.seen = list(events)
        return [ActFault(event=len(events) - 1, probability=0.1, kind="loop", share=1.0)]


async def test_the_network_reads_the_session_in_its_order_and_the_draft_as_its_last_act() -> None:
    noting, deadline = Noting(), Deadline()
    post = Post(gate=gate(faults=noting), name="faults", timeout=5.0, on_failure="block")
    plan = Plan(chains={"output": Chain(point="output", posts=(post,), version="1", deadline=deadline)})
    session = Session(Watch(plan))
    await session.input("Where is A-1?")
    await session.tool_call("find", {"id": "A-1"})
    await session.tool_result("find", {"state": "sent"}, {"id": "A-1"})
    await session.output("It was sent.")
    await session.input("Can I return it?")
    await session.output("Yes.", sources=[Source(id="rules", text="Returns within 14 days.")])
    deadline.close()
    assert [(each.who, each.text, each.result) for each in noting.seen] == [
        ("source", "Returns within 14 days.", ""),
        ("customer", "Where is A-1?", ""),
        ("call", 'find {"id": "A-1"}', '{"state": "sent"}'),
        ("agent", "It was sent.", ""),
        ("customer", "Can I return it?", ""),
        ("agent", "Yes.", ""),
    ]


def test_without_the_large_network_the_gate_is_a_mistake_of_the_configuration() -> None:
    section: dict[str, Any] = {point: [] for point in POINTS} | {"output": ["faults"]}
    config = Config(settings=Settings(guard=section), folder=Path.cwd(), environment=Environment(values={}))
    with pytest.raises(MalformedError, match="large network, which is off"):
        make_plan(config, strict=True)


@table("wrong", [{"threshold": 0}, {"threshold": 1.5}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        gate(**wrong)
