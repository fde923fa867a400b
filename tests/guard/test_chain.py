from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from proctor.core.chat import ToolCall
from proctor.core.sockets import Gate
from proctor.core.verdict import Action, Edit, Finding, Verdict
from proctor.guard.chain import Chain, Decision, Post
from proctor.guard.deadline import Deadline
from proctor.guard.step import Step
from proctor.guard.verdict_validation import FailAction
from tests.guard.strange_gates import Answers, Blocks, Busy, Cuts, Leaves, Raises, Sleeps, Stray
from tests.tables import table

IN_TIME = 30.0  # for gates that answer; a busy machine is no failure


@pytest.fixture
def deadline() -> Iterator[Deadline]:
    made = Deadline()
    yield made
    made.close()


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def post(gate: Any, name: str = "", **kept: Any) -> Post:
    return Post(gate=gate, name=name or gate.name, **{"timeout": IN_TIME, **kept})


def says(action: Action, **kept: Any) -> Answers:
    return Answers(answer=Verdict(action=action, **kept))


async def decided(deadline: Deadline, *posts: Post, text: str = "good morning") -> Decision:
    return await Chain(point="input", posts=posts, deadline=deadline).decide(Step(point="input", text=text))


@table(
    ("actions", "decides"),
    [
        (("allow", "redact", "escalate", "block"), "block"),
        (("escalate", "redact", "allow"), "escalate"),
        (("allow", "redact"), "redact"),
        (("allow", "allow"), "allow"),
    ],
)
async def test_the_strongest_verdict_decides(deadline: Deadline, actions: tuple[Action, ...], decides: Action) -> None:
    gates = [
        post(says(action, reason=f"because {action}", text="x" if action == "redact" else None), f"{action}{place}")
        for place, action in enumerate(actions)
    ]
    decision = await decided(deadline, *gates)
    assert decision.verdict.action == decides
    assert decision.verdict.reason == f"because {decides}"
    assert str(decision.verdict.by).startswith(decides)
    assert decision.verdict.gate == "input"
    assert [part.action for part in decision.parts] == list(actions)
    assert decision.verdict.latency is not None


async def test_an_allowed_step_names_no_gate_that_said_nothing(deadline: Deadline) -> None:
    silent, noted = post(says("allow"), "silent"), post(says("allow", findings=(Finding(kind="odd"),)), "noted")
    assert (await decided(deadline, silent, post(says("allow"), "other"))).verdict.by is None
    assert (await decided(deadline, silent, noted)).verdict.by == "noted"


async def test_every_part_has_its_name_its_version_and_its_time(deadline: Deadline) -> None:
    decision = await decided(deadline, post(says("allow"), "mine"), post(says("allow"), "yours"))
    assert [(part.gate, part.version) for part in decision.parts] == [("mine", "7"), ("yours", "7")]
    assert all(part.latency is not None and part.latency >= 0 for part in decision.parts)


async def test_all_findings_are_kept_whoever_decides(deadline: Deadline) -> None:
    one, two = Finding(kind="one", start=0, end=4), Finding(kind="two")
    decision = await decided(
        deadline, post(says("allow", findings=(one,)), "a"), post(says("block", findings=(two,)), "b")
    )
    assert decision.verdict.findings == (one, two)


async def test_edits_of_all_redacting_gates_are_put_together(deadline: Deadline) -> None:
    gates = (
        post(Cuts(word="secret", instead="[A]"), "a"),
        post(Cuts(word="number", instead="[B]", with_edits=False), "b"),
        post(says("allow"), "c"),
    )
    decision = await decided(deadline, *gates, text="my secret number is mine")
    assert decision.verdict.text == "my [A] [B] is mine"
    assert decision.parts[0].text == "my [A] number is mine"


async def test_a_gate_that_only_gives_its_text_does_not_bring_back_what_another_hides(deadline: Deadline) -> None:
    rewrites = says("redact", text="Dear Anna, 4111 is your number, as I said")
    gates = (post(rewrites, "a"), post(Cuts(word="4111", instead="[CARD]"), "b"))
    decision = await decided(deadline, *gates, text="Dear Ann, your number is 4111 as you know")
    assert decision.verdict.text is not None
    assert "4111" not in decision.verdict.text


async def test_a_gate_in_shadow_is_kept_and_does_not_act(deadline: Deadline) -> None:
    decision = await decided(deadline, post(says("block"), "new", shadow=True), post(says("allow"), "old"))
    assert decision.verdict.action == "allow"
    assert decision.parts[0].action == "block"
    assert decision.parts[0].shadow is True
    assert not decision.verdict.broken


async def test_a_gate_in_shadow_that_breaks_changes_nothing(deadline: Deadline) -> None:
    decision = await decided(deadline, post(Raises(), shadow=True), post(says("allow")))
    assert (decision.verdict.action, decision.verdict.broken) == ("allow", False)
    assert decision.parts[0].broken


async def test_borderline_is_told(deadline: Deadline) -> None:
    decision = await decided(deadline, post(says("allow", borderline=True), "a"), post(says("allow"), "b"))
    assert decision.verdict.borderline is True


async def test_a_gate_that_still_uses_extra_works_with_a_warning(deadline: Deadline) -> None:
    edit = Edit(start=0, end=5, text="Bonjour")
    old = says("redact", text="Bonjour there", extra={"edits": (edit,), "borderline": True, "by": "me", "tool": "x"})
    chain = Chain(point="input", posts=(post(old, "old"), post(Cuts(word="there"), "cuts")), deadline=deadline)
    with pytest.warns(DeprecationWarning, match="borderline, by, edits"):
        decision = await chain.decide(Step(point="input", text="hello there"))
    assert (decision.verdict.text, decision.verdict.borderline) == ("Bonjour […]", True)
    assert (decision.parts[0].edits, decision.parts[0].extra) == ((edit,), {"tool": "x"})


async def test_the_details_of_the_gate_that_stopped_a_step_are_in_the_verdict(deadline: Deadline) -> None:
    details = {"confirm": True, "tool": "pay", "found": object(), "more": {"deep": object()}}
    stopping = post(says("escalate", extra=details), "provenance")
    decision = await decided(deadline, post(says("redact", text="x", extra={"hidden": True})), stopping)
    assert decision.verdict.extra == {"confirm": True, "tool": "pay"}
    assert decision.parts[1].extra == details
    assert (await decided(deadline, post(says("allow", extra=details), "tips"))).verdict.extra == {}


async def test_an_empty_chain_allows_and_says_so() -> None:
    decision = await Chain(point="input").decide(Step(point="input", text="hello"))
    assert (decision.verdict.action, decision.verdict.reason) == ("allow", "no gate stands here")
    call = Step(point="tool_call", call=ToolCall(name="refund"))
    decision = await Chain(point="tool_call").decide(call)
    assert decision.verdict.action == "allow"
    assert "no permissions are configured" in decision.verdict.reason


def nonsense() -> list[Any]:
    huge = tuple(Finding(kind="x") for _ in range(10_001))
    edit = Edit(start=0, end=4, text="")
    wrong: list[Any] = [
        None,
        "allow",
        {"action": "allow"},
        Verdict(action="let it go"),  # type: ignore[arg-type]
        Verdict(action=None),  # type: ignore[arg-type]
        Verdict(action=["allow"]),  # type: ignore[arg-type]
        Verdict(action="redact"),
        Verdict(action="redact", text=b"x"),  # type: ignore[arg-type]
        Verdict(action="redact", edits="all"),  # type: ignore[arg-type]
        Verdict(action="redact", edits=({"start": 0},)),  # type: ignore[arg-type]
        Verdict(action="redact", edits=(Edit(start=0, end=99, text=""),)),
        Verdict(action="redact", edits=(Edit(start=3, end=2, text=""),)),
        Verdict(action="allow", reason=3),  # type: ignore[arg-type]
        Verdict(action="allow", extra=[edit]),  # type: ignore[arg-type]
        Verdict(action="allow", borderline="yes"),  # type: ignore[arg-type]
        Verdict(action="block", by=3),  # type: ignore[arg-type]
        Verdict(action="block", shadow={"action": "allow"}),  # type: ignore[arg-type]
        Verdict(action="block", personal=("4111",)),  # type: ignore[arg-type]
        Verdict(action="allow", findings=huge),
        Verdict(action="allow", findings=None),  # type: ignore[arg-type]
        Verdict(action="allow", findings=("card",)),  # type: ignore[arg-type]
        Verdict(action="allow", findings=(Finding(kind="x", start=0, end=13),)),
        Verdict(action="allow", findings=(Finding(kind="x", start=-1, end=1),)),
        Verdict(action="allow", findings=(Finding(kind="x", start=2, end=1),)),
        Verdict(action="allow", findings=(Finding(kind="x", start=2),)),
        Verdict(action="allow", findings=(Finding(kind="x", start=1.0, end=2.0),)),  # type: ignore[arg-type]
        Verdict(action="allow", findings=(Finding(kind="x", confidence=float("nan")),)),
        Verdict(action="allow", findings=(Finding(kind="x", confidence=1.5),)),
        Verdict(action="allow", findings=(Finding(kind="x", severity="dreadful"),)),  # type: ignore[arg-type]
        Verdict(action="allow", findings=(Finding(kind=3),)),  # type: ignore[arg-type]
    ]
    return wrong


def broken_gates() -> list[tuple[str, Gate[Step]]]:
    raised = [RuntimeError("no"), SystemExit(1), KeyboardInterrupt(), StopIteration(), MemoryError(), RecursionError()]
    made: list[tuple[str, Any]] = [(f"raises {type(error).__name__}", Raises(error=error)) for error in raised]
    made += [(f"answers {number}", Answers(answer=answer)) for number, answer in enumerate(nonsense())]
    made += [("is no coroutine", Leaves()), ("is nothing", object())]
    return made


@table("action", ["block", "escalate", "allow"])
@table(("how", "gate"), broken_gates(), ids=lambda each: each if isinstance(each, str) else "")
async def test_a_broken_gate_comes_to_what_is_configured_and_is_seen(
    deadline: Deadline, how: str, gate: Gate[Step], action: FailAction
) -> None:
    decision = await decided(deadline, post(gate, "odd", on_failure=action), post(says("allow"), "sound"))
    assert decision.verdict.action == action
    assert decision.verdict.broken
    assert [found.kind for found in decision.verdict.findings] == ["gate_failed"]
    assert "the gate odd failed" in decision.verdict.reason
    assert (decision.parts[0].broken, decision.parts[1].broken) == (True, False)


@pytest.mark.parametrize("action", ["block", "escalate", "allow"])
@pytest.mark.parametrize("how", ["sleeps", "stubborn", "blocks", "busy"])
async def test_a_gate_that_hangs_comes_to_it_within_its_time(
    deadline: Deadline, over: threading.Event, how: str, action: FailAction
) -> None:
    gates: dict[str, Any] = {
        "sleeps": Sleeps(),
        "stubborn": Sleeps(stubborn=True),
        "blocks": Blocks(until=over.is_set),
        "busy": Busy(until=over.is_set),
    }
    begun = time.monotonic()
    decision = await decided(deadline, post(gates[how], "odd", timeout=0.15, on_failure=action))
    over.set()
    assert time.monotonic() - begun < 10  # it would be for ever
    assert (decision.verdict.action, decision.verdict.broken) == (action, True)
    assert decision.verdict.reason == (
        "the gate odd failed (no answer within 0.15 s): shorten the text, or raise `timeout` of odd or of the whole"
        " guard in proctor.yaml"
    )


async def test_hanging_gates_wait_together_and_not_one_after_the_other(deadline: Deadline) -> None:
    posts = [post(Sleeps(), f"s{number}", timeout=0.3) for number in range(20)]
    decision = await decided(deadline, *posts)
    assert all(part.broken for part in decision.parts)
    assert decision.verdict.latency is not None
    assert decision.verdict.latency < 0.3 * 20 / 2


async def test_a_late_gate_does_not_spoil_the_answers_of_the_others(deadline: Deadline, over: threading.Event) -> None:
    decision = await decided(
        deadline,
        post(Blocks(until=over.is_set), "stuck", timeout=0.5, on_failure="allow"),
        post(Answers(answer=Verdict(action="escalate", reason="a threat"), after=0.02), "sound"),
    )
    over.set()
    assert (decision.verdict.action, decision.verdict.reason) == ("escalate", "a threat")
    assert decision.verdict.broken


async def test_a_task_that_a_gate_leaves_behind_ends_nothing(deadline: Deadline) -> None:
    decision = await decided(deadline, post(Stray()))
    assert decision.verdict.action == "allow"
    assert (await decided(deadline, post(says("block")))).verdict.action == "block"


async def test_a_call_cannot_be_redacted(deadline: Deadline) -> None:
    chain = Chain(point="tool_call", posts=(post(says("redact", text="x")),), deadline=deadline)
    decision = await chain.decide(Step(point="tool_call", call=ToolCall(name="pay")))
    assert (decision.verdict.action, decision.verdict.broken) == ("block", True)


async def test_many_findings_are_shortened_and_too_many_are_no_findings(deadline: Deadline) -> None:
    many = tuple(Finding(kind="x") for _ in range(600))
    decision = await decided(deadline, post(says("allow", findings=many)))
    assert len(decision.verdict.findings) == 500
    assert decision.parts[0].extra["findings_left_out"] == 100


async def test_the_cause_of_a_failure_shows_no_key(deadline: Deadline) -> None:
    decision = await decided(deadline, post(Raises(error=RuntimeError("401 for sk-abcdef0123456789abcdef"))))
    assert "sk-abcdef" not in decision.verdict.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claims:
    """Says that it is pure; takes as long as it is told to."""

    name: ClassVar[str] = "claims"
    version: ClassVar[str] = "1"
    pure: ClassVar[bool] = True
    seconds: float = 0.0

    async def check(self, step: Step) -> Verdict:
        time.sleep(self.seconds)  # noqa: ASYNC251 - it holds its thread
        return Verdict(action="allow", reason=threading.current_thread().name)


async def test_a_third_party_gate_that_is_pure_is_asked_on_the_callers_thread(deadline: Deadline) -> None:
    decision = await decided(deadline, post(_Claims()))
    assert decision.parts[0].reason == threading.current_thread().name


async def test_a_pure_gate_that_took_longer_than_its_time_gets_a_thread_from_then_on(deadline: Deadline) -> None:
    slow = Post(gate=_Claims(seconds=0.02), name="claims", timeout=0.01)
    chain = Chain(point="input", posts=(slow, post(_Claims())), deadline=deadline)
    first = await chain.decide(Step(point="input", text="hello"))
    assert [part.reason for part in first.parts] == [threading.current_thread().name] * 2
    second = await chain.decide(Step(point="input", text="hello"))
    assert second.parts[0].reason != threading.current_thread().name
    assert second.parts[1].reason == threading.current_thread().name


async def test_our_own_pure_gates_are_asked_here_and_now() -> None:
    from proctor.guard.gates.rate import Rate

    deadline = Deadline()
    chain = Chain(point="tool_call", posts=(post(Rate()),), deadline=deadline)
    before = threading.active_count()
    decision = await chain.decide(Step(point="tool_call", call=ToolCall(name="get_faq")))
    assert decision.verdict.action == "allow"
    assert threading.active_count() == before


async def test_a_pure_gate_that_was_made_to_hang_is_found_out(
    deadline: Deadline, monkeypatch: pytest.MonkeyPatch, over: threading.Event
) -> None:
    from proctor.guard.gates.rate import Rate

    monkeypatch.setattr(Rate, "check", Sleeps.check)
    decision = await Chain(
        point="tool_call", posts=(Post(gate=Rate(), name="rate", timeout=0.1),), deadline=deadline
    ).decide(Step(point="tool_call", call=ToolCall(name="get_faq")))
    assert (decision.verdict.action, decision.verdict.broken) == ("block", True)


async def test_a_long_step_holds_up_no_short_one(deadline: Deadline, over: threading.Event) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Waits:
        name: ClassVar[str] = "waits"
        version: ClassVar[str] = "1"

        async def check(self, step: Step) -> Verdict:
            if len(step.text) > 100:
                over.wait()
            return Verdict(action="allow", gate=self.name)

    long = asyncio.create_task(decided(deadline, post(Waits()), text="where is my order? " * 2_000))
    await asyncio.sleep(0)
    short = await decided(deadline, post(Waits()), text="where is my order?")
    assert not over.is_set()
    assert (short.verdict.action, short.verdict.broken, deadline.replaced) == ("allow", False, 0)
    over.set()
    assert (await long).verdict.action == "allow"


async def test_our_own_pure_gates_read_a_long_step_beside_the_callers_thread() -> None:
    from proctor.guard.gates.premises import PremisesGate

    deadline = Deadline()
    before = threading.active_count()
    assert (await decided(deadline, post(PremisesGate()))).verdict.action == "allow"
    assert threading.active_count() == before
    assert (await decided(deadline, post(PremisesGate()), text="good morning " * 5_000)).verdict.action == "allow"
    assert threading.active_count() == before + 1
    deadline.close()
    assert threading.active_count() == before
