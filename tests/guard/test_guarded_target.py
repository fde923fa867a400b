from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from proctor.core.attack import AttackAttempt, Plant, with_attempt
from proctor.core.case import Ask, Case
from proctor.core.chat import GUARD_STOP, Message, ToolCall
from proctor.core.errors import InputError, ToolRefused
from proctor.core.sockets import Target
from proctor.core.step import POINTS
from proctor.core.trajectory import Intent, Source, Trajectory, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.core.world import twin_of, world_of
from proctor.guard.callables import guarded_call
from proctor.guard.chain import Chain, Post
from proctor.guard.current_session import current, guarded_tool, turn_of
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan, Watch
from proctor.guard.guarded_target import Guarded
from proctor.guard.session import Session
from proctor.guard.sessions import Sessions
from proctor.guard.step import Step
from proctor.guard.sync import SyncSession
from proctor.guard.vault import Vault
from proctor.targets.play_case import drive
from proctor.targets.python import PythonSettings, PythonTarget, target_of
from proctor.targets.python_callable import wants_of
from proctor.targets.twin_target import Twinned

REPLIES = {"block": "I cannot do that.", "escalate": "A colleague will call you."}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A gate for every point: it knows a few words, and masks e-mail addresses."""

    name: ClassVar[str] = "house"
    version: ClassVar[str] = "1"

    seen: list[Step] = field(default_factory=list)

    async def check(self, step: Step) -> Verdict:
        self.seen.append(step)
        text = f"{step.text} {step.call.name if step.call else ''}"
        for word, action in (("attack", "block"), ("lawyer", "escalate"), ("forbidden", "block")):
            if word in text:
                found = Finding(kind=word, detector=self.name)
                return Verdict(action=action, reason=f"it says {word}", findings=(found,))  # type: ignore[arg-type]
        if step.point == "input" and "a@b.example" in step.text:
            placeholder = step.memory.placeholders.of("email", "a@b.example")
            return Verdict(action="redact", text=step.text.replace("a@b.example", placeholder))
        if step.point in ("output", "tool_result") and "secret" in step.text:
            return Verdict(action="redact", text=step.text.replace("secret", "[…]"))
        return Verdict(action="allow")


class Gatehouse:
    """The smallest thing that opens sessions."""

    version = "v1"

    def __init__(self, mode: Any = "enforce") -> None:
        self.house, deadline = House(), Deadline(inline=True)
        posts = (Post(gate=self.house, name="house", timeout=30.0),)
        chains = {point: Chain(point=point, posts=posts, deadline=deadline) for point in POINTS}
        self.watch = Watch(Plan(chains=chains, mode=mode, replies=REPLIES))
        self.sessions = Sessions(self.watch)

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        return self.sessions.open(id, customer=customer, vault=vault)

    def end(self, session: Session | str) -> None:
        assert isinstance(session, Session)
        self.sessions.close(session)


@pytest.fixture
def gatehouse() -> Iterator[Gatehouse]:
    made = Gatehouse()
    yield made
    made.watch.door.close()


def target(agent: Callable[..., Any]) -> PythonTarget:
    return PythonTarget(
        name="desk", settings=PythonSettings(python="desk"), subject=agent, wants=wants_of(agent, "desk"), source="abc"
    )


def guarded(agent: Callable[..., Any] | Target, gatehouse: Gatehouse) -> Guarded:
    made = target(agent) if not isinstance(agent, Target) else agent
    return Guarded(target=made, guard=gatehouse, drive=drive)


def case(*asked: str, **kept: Any) -> Case:
    return Case(id="c", turns=tuple(Ask(text=text) for text in asked), **kept)


class Echo:
    """An agent that says what it was asked, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> str:
        self.asked.append(text)
        return f"You said: {text}"


async def test_it_is_a_target_like_the_one_inside(gatehouse: Gatehouse) -> None:
    made = guarded(Echo(), gatehouse)
    assert isinstance(made, Target)
    assert made.name == "desk"
    assert made.spec == {"python": "desk", "source": "abc", "guard": "v1"}
    run = await made.run(case("hello"))
    assert run.answer == "You said: hello"
    assert [verdict.gate for verdict in run.turns[0].verdicts] == ["input", "output"]
    assert len(gatehouse.sessions) == 0


async def test_a_blocked_message_never_reaches_the_agent(gatehouse: Gatehouse) -> None:
    agent = Echo()
    run = await guarded(agent, gatehouse).run(case("hello", "this is an attack", "are you there?"))
    assert agent.asked == ["hello", "are you there?"]
    assert [turn.answer for turn in run.turns] == ["You said: hello", "I cannot do that.", "You said: are you there?"]
    assert run.turns[1].asked == "this is an attack"
    assert run.turns[1].verdicts[0].action == "block"
    assert run.turns[1].escalation is None
    assert run.error is None


async def test_an_escalated_message_is_a_hand_off(gatehouse: Gatehouse) -> None:
    run = await guarded(Echo(), gatehouse).run(case("my lawyer will write"))
    (turn,) = run.turns
    assert turn.answer == "A colleague will call you."
    assert turn.escalation is not None
    assert (turn.escalation.reason, turn.escalation.category) == ("it says lawyer", "lawyer")


async def test_the_agent_sees_placeholders_and_the_customer_does_not(gatehouse: Gatehouse) -> None:
    agent = Echo()
    run = await guarded(agent, gatehouse).run(case("I am a@b.example"))
    assert agent.asked == ["I am [EMAIL]"]
    assert run.turns[0].asked == "I am a@b.example"
    assert run.answer == "You said: I am a@b.example"


async def test_an_answer_is_changed_or_held_back(gatehouse: Gatehouse) -> None:
    answers = iter(["the secret is out", "here is the forbidden thing", "ask my lawyer"])
    run = await guarded(lambda text: next(answers), gatehouse).run(case("1", "2", "3"))
    assert [turn.answer for turn in run.turns] == [
        "the […] is out",
        "I cannot do that.",
        "A colleague will call you.",
    ]
    assert run.turns[1].extra["held_back"] == "output"
    assert run.turns[2].escalation is not None


async def test_in_shadow_nothing_changes_and_all_is_told() -> None:
    gatehouse = Gatehouse("shadow")
    agent = Echo()
    run = await guarded(agent, gatehouse).run(case("an attack on a@b.example"))
    assert agent.asked == ["an attack on a@b.example"]
    assert run.answer == "You said: an attack on a@b.example"
    assert [verdict.decided.action for verdict in run.turns[0].verdicts] == ["block", "block"]


async def test_sources_intents_and_section_reach_the_gates(gatehouse: Gatehouse) -> None:
    def agent(text: str) -> Turn:
        return Turn(
            messages=(Message(role="assistant", content="see our policy"),),
            intents=(Intent(name="policy_inquiry"),),
            sources=(Source(id="p1", text="policy"),),
            tool_calls=(ToolCall(name="get_policy", arguments={"n": 1}, result="text"),),
            extra={"section": "policy"},
        )

    run = await guarded(agent, gatehouse).run(case("what is the policy?", metadata={"customer": "c-17"}))
    by_point = {step.point: step for step in gatehouse.house.seen}
    assert [source.id for source in by_point["output"].sources] == ["p1"]
    assert by_point["output"].section == "policy"
    assert by_point["tool_call"].intents == ("policy_inquiry",)
    assert by_point["input"].memory.customer == "c-17"
    assert [verdict.gate for verdict in run.turns[0].verdicts] == ["input", "tool_call", "tool_result", "output"]
    assert run.turns[0].verdicts[1].extra["after_the_fact"] is True


async def test_the_calls_that_the_guard_stopped_are_marked_also_in_the_agents_own_record(gatehouse: Gatehouse) -> None:
    @guarded_tool
    def get_faq(topic: str) -> str:
        return "a forbidden text" if topic == "bad" else "fine"

    @guarded_tool
    def forbidden_now(topic: str) -> str:
        return topic

    @guarded_tool
    def cancel(booking: str) -> str:
        raise ValueError("too late")

    def agent(text: str) -> Mapping[str, Any]:
        calls: list[dict[str, Any]] = []
        wanted: list[tuple[Callable[..., str], dict[str, str]]] = [
            (get_faq, {"topic": "good"}),
            (get_faq, {"topic": "bad"}),
            (forbidden_now, {"topic": "good"}),
            (cancel, {"booking": "1"}),
        ]
        for tool, arguments in wanted:
            call: dict[str, Any] = {"name": tool.__name__, "arguments": arguments}
            try:
                calls.append({**call, "result": tool(**arguments)})
            except (ToolRefused, ValueError) as error:
                calls.append({**call, "error": f"my own words: {type(error).__name__}"})
        return {"answer": "well", "tool_calls": calls}

    (turn,) = (await guarded(agent, gatehouse).run(case("hello"))).turns
    marks = [call.extra.get(GUARD_STOP) for call in turn.tool_calls]
    assert marks[:3] == [None, "tool_result", "tool_call"]
    assert marks[3] is None
    assert turn.tool_calls[1].error == "my own words: ToolRefused"


async def test_a_call_that_was_only_asked_for_is_refused_and_one_that_was_made_is_told_of(gatehouse: Gatehouse) -> None:
    def agent(text: str) -> Mapping[str, Any]:
        made = {"name": "forbidden_now", "arguments": {}, **({"result": "done"} if "made" in text else {})}
        return {"answer": "I did it", "tool_calls": [made, {"name": "get_faq", "arguments": {}}]}

    run = await guarded(agent, gatehouse).run(case("asked for", "made"))
    assert [turn.answer for turn in run.turns] == ["I cannot do that."] * 2
    asked_for, made = run.turns
    assert asked_for.tool_calls[0].error == "refused by the guard: it says forbidden"
    assert asked_for.tool_calls[0].extra[GUARD_STOP] == "tool_call"
    assert asked_for.tool_calls[1].error is None
    assert made.tool_calls[0].error is None
    assert "before the guard" in made.tool_calls[0].extra["guard"]


def test_outside_of_a_turn_a_guarded_tool_refuses_unless_it_is_told_otherwise() -> None:
    @guarded_tool
    def look_up(key: str) -> str:
        return key

    @guarded_tool(outside="allow")
    def look_up_anywhere(key: str) -> str:
        return key

    with pytest.raises(ToolRefused, match="outside of a guarded turn"):
        look_up("x")
    assert look_up_anywhere("x") == "x"
    assert look_up.__name__ == "look_up"
    assert current() is None


@pytest.mark.parametrize("is_async", [False, True])
async def test_guarded_tools_ask_before_they_act_and_show_what_they_answer(
    gatehouse: Gatehouse, is_async: bool
) -> None:
    made: list[tuple[str, str]] = []

    def book(who: str, *more: str, note: str = "", **rest: Any) -> dict[str, Any]:
        made.append((who, note))
        return {"booked": who, "note": "a secret"}

    async def book_later(who: str, *more: str, note: str = "", **rest: Any) -> dict[str, Any]:
        return book(who, *more, note=note, **rest)

    tool: Any = guarded_tool(name="book")(book_later if is_async else book)
    cancel: Any = guarded_tool(name="forbidden_cancel")(lambda who: made.append((who, "")))

    async def agent_later(text: str) -> str:
        try:
            cancel("[EMAIL]")
        except ToolRefused as refused:
            return f"{await tool('[EMAIL]', 'x', note='hi', seat=4)} but {refused.verdict and refused.verdict.action}"
        return "all done"

    def agent(text: str) -> str:
        try:
            cancel("[EMAIL]")
        except ToolRefused as refused:
            return f"{tool('[EMAIL]', 'x', note='hi', seat=4)} but {refused.message[-3:]}"
        return "all done"

    run = await guarded(agent_later if is_async else agent, gatehouse).run(case("book me, a@b.example"))
    assert made == [("a@b.example", "hi")]
    (turn,) = run.turns
    assert "'note': 'a […]'" in turn.answer
    assert [(call.name, bool(call.error)) for call in turn.tool_calls] == [("forbidden_cancel", True), ("book", False)]
    assert turn.tool_calls[1].arguments == {"who": "a@b.example", "more": ("x",), "note": "hi", "seat": 4}
    points = [verdict.gate for verdict in turn.verdicts]
    assert points == ["input", "tool_call", "tool_call", "tool_result", "output"]


async def test_a_result_that_is_held_back_is_not_handed_to_the_agent(gatehouse: Gatehouse) -> None:
    @guarded_tool
    def read_mail() -> str:
        return "this is an attack"

    def agent(text: str) -> str:
        try:
            return read_mail()
        except ToolRefused as refused:
            return refused.message.replace("attack", "…")

    run = await guarded(agent, gatehouse).run(case("read my mail"))
    assert run.answer == "what read_mail answered is held back: it says …"


async def test_a_method_can_be_a_guarded_tool(gatehouse: Gatehouse) -> None:
    class Desk:
        @guarded_tool
        def find(self, text: str) -> str:
            return f"found {text}"

    desk = Desk()
    run = await guarded(desk.find, gatehouse).run(case("it"))
    assert run.answer == "found it"
    assert run.turns[0].tool_calls[0].arguments == {"text": "it"}


async def test_a_call_that_the_agent_reports_too_is_judged_once(gatehouse: Gatehouse) -> None:
    @guarded_tool
    def find(key: str) -> str:
        return "found"

    def agent(text: str) -> Mapping[str, Any]:
        return {"answer": find("a"), "tool_calls": [{"name": "find", "arguments": {"key": "a"}, "result": "found"}]}

    run = await guarded(agent, gatehouse).run(case("it"))
    assert len(run.turns[0].tool_calls) == 1
    assert [step.point for step in gatehouse.house.seen].count("tool_call") == 1


async def test_conversations_at_the_same_time_do_not_share_a_session(gatehouse: Gatehouse) -> None:
    @guarded_tool
    def who() -> str:
        session = current()
        assert session is not None
        return str(session.customer)

    async def agent(text: str) -> str:
        await asyncio.sleep(0.005)
        return await asyncio.to_thread(who)

    made = guarded(agent, gatehouse)
    runs = await asyncio.gather(*(made.run(case("hello", metadata={"customer": f"c-{n}"})) for n in range(20)))
    assert [run.answer for run in runs] == [f"c-{n}" for n in range(20)]


async def test_an_agent_that_fails_is_still_an_error_record(gatehouse: Gatehouse) -> None:
    def agent(text: str) -> str:
        raise ValueError("out of order")

    run = await guarded(agent, gatehouse).run(case("hello"))
    assert run.error is not None
    assert "out of order" in run.error
    assert len(gatehouse.sessions) == 0


@dataclass(frozen=True, slots=True)
class Whole:
    """A target that can only be run as a whole."""

    asked: list[str] = field(default_factory=list)
    name: str = "whole"

    @property
    def spec(self) -> Mapping[str, Any]:
        return {}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        self.asked.extend(ask.text for ask in case.asks)
        said = [
            Turn(
                messages=(
                    Message(role="user", content=ask.text),
                    Message(role="assistant", content=f"{ask.text}, a secret"),
                )
            )
            for ask in case.asks
        ]
        return Trajectory(turns=tuple(said), target=self.name)


async def test_a_target_without_turns_is_guarded_as_a_whole_and_says_so(gatehouse: Gatehouse) -> None:
    whole = Whole()
    run = await guarded(whole, gatehouse).run(case("I am a@b.example", "an attack", "never asked"))
    assert whole.asked == ["I am [EMAIL]"]
    assert [turn.answer for turn in run.turns] == ["I am a@b.example, a […]", "I cannot do that."]
    assert run.turns[0].asked == "I am a@b.example"
    assert all(verdict.extra["whole_run"] for turn in run.turns for verdict in turn.verdicts)
    with pytest.raises(TypeError, match="turn by turn"):
        guarded(whole, gatehouse).begin(case("x"))


async def test_a_case_with_one_input_is_guarded_as_a_whole_too(gatehouse: Gatehouse) -> None:
    whole = Whole()
    run = await guarded(whole, gatehouse).run(Case(id="c", input="I am a@b.example"))
    assert whole.asked == ["I am [EMAIL]"]
    assert run.answer == "I am a@b.example, a […]"
    run = await guarded(whole, gatehouse).run(Case(id="c", input="an attack"))
    assert (run.answer, len(whole.asked)) == ("I cannot do that.", 1)


async def test_a_recording_is_scored_as_it_is_with_what_the_guard_would_have_said(gatehouse: Gatehouse) -> None:
    recorded = Trajectory(
        turns=(
            Turn(
                messages=(
                    Message(role="user", content="this is an attack"),
                    Message(role="assistant", content="the secret is 7"),
                ),
                tool_calls=(ToolCall(name="forbidden_now", result="done"),),
            ),
        )
    )
    agent = Echo()
    run = await guarded(agent, gatehouse).run(Case(id="c", recorded=recorded))
    assert agent.asked == []
    assert run.answer == "the secret is 7"
    assert [(verdict.gate, verdict.action) for verdict in run.turns[0].verdicts] == [
        ("input", "block"),
        ("tool_call", "block"),
        ("tool_result", "block"),
        ("output", "redact"),
    ]
    assert all(verdict.shadow for verdict in run.turns[0].verdicts)
    made = Guarded(target=target(agent), guard=gatehouse, drive=drive, recorded="leave")
    assert await made.run(Case(id="c", recorded=recorded)) == recorded


def test_a_plain_function_can_be_guarded(gatehouse: Gatehouse) -> None:
    @guarded_tool
    def find() -> str:
        return "a secret"

    def agent(text: str, loud: bool = False) -> str:
        return f"{text} {find()}{'!' if loud else ''}"

    made = guarded_call(agent, gatehouse)
    assert made("I am a@b.example", loud=True) == "I am a@b.example a […]!"
    assert made("an attack") == "I cannot do that."
    assert made.__name__ == "agent"


async def test_an_async_function_can_be_guarded(gatehouse: Gatehouse) -> None:
    async def agent(text: str) -> str:
        return f"{text}, and a lawyer"

    made = guarded_call(agent, gatehouse)
    assert await made("hello") == "A colleague will call you."

    class Callable:
        async def __call__(self, text: str) -> str:
            return f"called {text}"

    assert await guarded_call(Callable(), gatehouse)("it") == "called it"


def test_calls_of_a_function_are_apart_unless_they_are_given_a_session(gatehouse: Gatehouse) -> None:
    made = guarded_call(lambda text: "ok", gatehouse)
    made("one")
    made("two")
    assert [step.memory.turns for step in gatehouse.house.seen if step.point == "input"] == [1, 1]
    vault = Vault()
    session = gatehouse.session(vault=vault)
    made("one", session=session, vault=vault)
    made("two", session=session, vault=vault)
    assert list(session.memory.asked) == ["one", "two"]


def test_a_session_can_be_named_once_for_all_calls(gatehouse: Gatehouse) -> None:
    session = gatehouse.session(customer="c-17")  # begun without a vault: the customer still reads their own data
    made = guarded_call(lambda text: "It is [EMAIL].", gatehouse, session=session)
    assert made("I am a@b.example") == "It is a@b.example."
    assert made("which is it?") == "It is a@b.example."
    assert list(session.memory.asked) == ["I am a@b.example", "which is it?"]
    assert {step.memory.customer for step in gatehouse.house.seen} == {"c-17"}
    other = gatehouse.session(customer="c-18")
    assert made("which is it?", session=SyncSession(other, gatehouse.watch.door)) == "It is [EMAIL]."
    assert list(other.memory.asked) == ["which is it?"]


async def test_an_async_function_may_have_one_session_too(gatehouse: Gatehouse) -> None:
    async def agent(text: str) -> str:
        return f"{text}?"

    session = gatehouse.session()
    made = guarded_call(agent, gatehouse, session=session, customer="c-17")
    assert [await made("one"), await made("two")] == ["one?", "two?"]
    assert (list(session.memory.asked), session.customer) == (["one", "two"], "c-17")
    with pytest.raises(InputError, match="another customer"):
        guarded_call(agent, gatehouse, session=session, customer="c-18")


async def test_a_customer_alone_leaves_the_conversations_apart(gatehouse: Gatehouse) -> None:
    made = guarded_call(lambda text: "ok", gatehouse, customer="c-17")
    await asyncio.to_thread(made, "one")
    await asyncio.to_thread(made, "two")
    wrapped = Guarded(target=target(Echo()), guard=gatehouse, drive=drive, customer="c-18")
    await wrapped.run(case("three"))
    await wrapped.run(case("four", metadata={"customer": "c-19"}))
    asked = [step.memory for step in gatehouse.house.seen if step.point == "input"]
    assert [memory.customer for memory in asked] == ["c-17", "c-17", "c-18", "c-19"]
    assert len({memory.session for memory in asked}) == 4
    assert len(gatehouse.sessions) == 0


def test_a_function_that_answers_with_no_text_is_a_mistake(gatehouse: Gatehouse) -> None:
    with pytest.raises(TypeError, match="answers with text"):
        guarded_call(lambda text: None, gatehouse)("hello")  # type: ignore[arg-type,return-value]


async def test_plain_tools_and_async_steps_of_one_session_may_meet(gatehouse: Gatehouse) -> None:
    session = gatehouse.session()

    @guarded_tool
    def find(n: int) -> int:
        return n

    with turn_of(session):
        calls = [asyncio.to_thread(find, n) for n in range(20)]
        verdicts, found = await asyncio.gather(
            asyncio.gather(*(session.tool_call("find", {"n": n}) for n in range(20))), asyncio.gather(*calls)
        )
    assert found == list(range(20))
    assert all(verdict.action == "allow" for verdict in verdicts)
    assert session.memory.made["find"] == 40


def test_the_door_does_not_wait_for_itself(gatehouse: Gatehouse) -> None:
    door = gatehouse.watch.door

    async def inside() -> None:
        door.run(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="use the async form"):
        door.run(inside())
    names = [thread.name for thread in threading.enumerate()]
    assert "proctor-guard-door" in names
    door.close()
    assert door.run(asyncio.sleep(0, "again")) == "again"


class Noted:
    """An agent with a note, a table and sessions."""

    shows = ("words", "state")

    def __init__(self) -> None:
        self.note, self.sessions = "", 1

    def plant(self, plants: list[dict[str, str]]) -> None:
        self.note = plants[0]["text"]

    def snapshot(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {"desk": {"1": {"sessions": self.sessions}}}

    def new_session(self) -> None:
        self.sessions += 1

    def say(self, text: str) -> str:
        return f"{self.note} {self.sessions}"


def attack(*asked: str, **given: Any) -> Case:
    return with_attempt(case(*asked, page={"customer": "C-1"}), AttackAttempt(**given))


async def test_the_twin_of_an_attack_has_a_session_of_its_own_in_the_guard(gatehouse: Gatehouse) -> None:
    made = Twinned(target=guarded(target_of(Noted, "desk"), gatehouse))
    plants = (Plant(channel="tool_result", at="note", text="an attack"),)
    run = await made.run(attack("show it", plants=plants, twin_turns=("show it",), twin_plants=()))
    twin, world = twin_of(run), world_of(run)
    assert twin
    assert world
    assert (run.answer, twin.answer) == (REPLIES["block"], " 1")
    assert (world.shows, world.planted, world.changes) == (("words", "state"), ("note",), ())
    inputs = [step for step in gatehouse.house.seen if step.point == "input"]
    assert len({step.memory.session for step in inputs}) == 2
    assert {step.memory.customer for step in inputs} == {"C-1"}
    assert len(gatehouse.sessions) == 0


async def test_a_new_session_of_a_guarded_target_is_one_of_the_guard_too(gatehouse: Gatehouse) -> None:
    made = Twinned(target=guarded(target_of(Noted, "desk"), gatehouse))
    run = await made.run(attack("one", "two", new_session=(2,)))
    assert [turn.answer for turn in run.turns] == [" 1", " 2"]
    inputs = [step for step in gatehouse.house.seen if step.point == "input"]
    assert len({step.memory.session for step in inputs}) == 2
    assert {step.memory.customer for step in inputs} == {"C-1"}
    assert len(gatehouse.sessions) == 0


async def test_a_guarded_target_without_turns_takes_no_plants(gatehouse: Gatehouse) -> None:
    class Whole:
        name = "whole"
        spec: ClassVar[Mapping[str, Any]] = {}

        async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
            return Trajectory(turns=(Turn(messages=(Message(role="assistant", content="hello"),)),))

    made = Twinned(target=guarded(Whole(), gatehouse))
    assert made.shows == ("words",)
    assert (await made.run(attack("one", twin_turns=("one",)))).error is None
    plants = (Plant(channel="document", at="note", text="x"),)
    refused = await made.run(attack("one", plants=plants))
    assert refused.turns == ()
    assert "'note'" in str(refused.error)
