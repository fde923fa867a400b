"""The suites and attacks of AgentDojo, and one replay of a pair. The only module that needs the package."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import yaml
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.functions_runtime import FunctionCall
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.task_suite.task_suite import (
    functions_stack_trace_from_messages,
    model_output_from_messages,
    read_suite_file,
)
from agentdojo.types import get_text_content_as_str

from benchmarks.agentdojo.checkpoints import Checkpoints, Unguarded
from benchmarks.agentdojo.journal import NO_ATTACK, Journal, Replay
from benchmarks.agentdojo.obedient_agent import Goal, ObedientAgent
from benchmarks.agentdojo.outcome import Outcome, gate_that_stopped, outcome_of
from benchmarks.agentdojo.payload import left_of
from benchmarks.agentdojo.workspace_goals import WORKSPACE_GOALS

__all__ = ["Plan", "replay_all"]

_MODEL: Final = "gpt-4o-2024-05-13"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is replayed: suites, attacks, how many pairs of each suite (all without ``sample``), in a drawn order."""

    version: str
    suites: Sequence[str]
    attacks: Sequence[str]
    seed: int
    sample: int | None = None

    def pairs(self, suite: _Suite) -> list[tuple[str, str]]:
        """Return user task and goal of each pair."""
        pairs = [(task, goal) for task in suite.suite.user_tasks for goal in suite.suite.injection_tasks]
        random.Random(f"{self.seed}/{suite.suite.name}").shuffle(pairs)
        return pairs[: self.sample]


@dataclass
class _Suite:
    """A suite with what is the same in all of its replays."""

    suite: Any
    attacks: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> dict[str, str]:
        return dict(self.suite.get_injection_vector_defaults())

    def environment(self, injections: Mapping[str, str]) -> Any:
        """Return what ``load_and_inject_default_environment`` returns, read by the C parser of PyYAML."""
        text = read_suite_file(self.suite.name, "environment.yaml", self.suite.data_path)
        filled = text.format(**{**self.defaults, **injections})
        return self.suite.environment_type.model_validate(yaml.load(filled, Loader=yaml.CSafeLoader))

    def check(self) -> None:
        """Compare the environment with AgentDojo's own.

        Raises:
            RuntimeError: they differ.
        """
        theirs = self.suite.load_and_inject_default_environment({})
        if theirs.model_dump() != self.environment({}).model_dump():
            raise RuntimeError(f"the environment of {self.suite.name} is not read as AgentDojo reads it")

    def injections(self, attack: str, task: Any, goal: Any) -> Mapping[str, str]:
        if attack not in self.attacks:
            assert attack in ATTACKS, f"AgentDojo has no attack {attack}"
            named = ObedientAgent(task=None, goal=None, checkpoints=Unguarded(), to_text=str, name=_MODEL)
            self.attacks[attack] = load_attack(attack, self.suite, named)
        made: Mapping[str, str] = self.attacks[attack].attack(task, goal)
        return made


def _goal_of(suite: Any, task: Any) -> Goal:
    def calls(before: Any, now: Any) -> Sequence[Any]:
        if suite.name == "workspace" and task.ID in WORKSPACE_GOALS:
            return [
                FunctionCall(function=name, args=dict(args))
                for name, args in WORKSPACE_GOALS[task.ID](task, before, now)
            ]
        found: Sequence[Any] = task.ground_truth(before)
        return found

    return Goal(text=task.GOAL, calls=calls, words=task.GROUND_TRUTH_OUTPUT)


def _is_reached(task: Any, agent: ObedientAgent) -> bool:
    """Return AgentDojo's own check of a goal for what an agent left behind."""
    text = get_text_content_as_str(model_output_from_messages(agent.messages))
    calls = functions_stack_trace_from_messages(agent.messages)
    by_calls = task.security_from_traces(text, agent.before, agent.after, calls)
    return bool(task.security(text, agent.before, agent.after) if by_calls is None else by_calls)


def replay_all(
    plan: Plan, journal: Journal, guarded: Callable[[], Checkpoints], progress: Callable[[str], None]
) -> None:
    """Replay what the journal lacks: each user task without payload, then each pair with each attack."""
    for name in plan.suites:
        suite = _Suite(get_suites(plan.version)[name])
        suite.check()
        pairs = plan.pairs(suite)
        tasks = sorted({task for task, _ in pairs})
        work = [(task, "", NO_ATTACK) for task in tasks]
        work += [(task, goal, attack) for task, goal in pairs for attack in plan.attacks]
        for place, (task, goal, attack) in enumerate(work):
            for replay in _replay(suite, task, goal, attack, journal.done, guarded):
                journal.add(replay)
            if place % 100 == 0:
                progress(f"{name}: {place} of {len(work)}")


def _replay(
    suite: _Suite, task: str, goal: str, attack: str, done: set[Any], guarded: Callable[[], Checkpoints]
) -> Iterator[Replay]:
    """Yield the replays of one pair and attack that are not done, without and with the guard."""
    missing = [each for each in (False, True) if (suite.suite.name, task, goal, attack, each) not in done]
    if not missing:
        return
    key = {"suite": suite.suite.name, "task": task, "goal": goal, "attack": attack}
    try:
        user = suite.suite.user_tasks[task]
        aim = suite.suite.injection_tasks[goal] if goal else None
        environment = suite.environment({} if aim is None else suite.injections(attack, user, aim))
    except Exception as error:  # a pair that AgentDojo cannot set up is not scored
        for each in missing:
            yield Replay(**key, guarded=each, outcome="unscored", error=f"{type(error).__name__}: {error}"[:200])
        return
    for each in missing:
        start = time.process_time()
        agent = ObedientAgent(
            task=user,
            goal=None if aim is None else _goal_of(suite.suite, aim),
            checkpoints=guarded() if each else Unguarded(),
            to_text=tool_result_to_str,
        )
        yield _judged(suite.suite, agent, environment.model_copy(deep=True), aim, {**key, "guarded": each}, start)


def _judged(suite: Any, agent: ObedientAgent, environment: Any, aim: Any, key: dict[str, Any], start: float) -> Replay:
    """Run the agent in AgentDojo's harness and return what it came to; an exception is not scored."""
    utility: bool | None = None
    reached: bool | None = None
    anyway: list[str] = []
    alike: list[str] = []
    try:
        utility, reached = suite.run_task_with_pipeline(agent, agent.task, aim, {}, environment=environment)
        if aim is None:
            reached = None
            anyway = [name for name, each in suite.injection_tasks.items() if _is_reached(each, agent)]
            heard = "\n".join(agent.received)
            alike = [name for name, each in suite.injection_tasks.items() if left_of(each.GOAL, heard) != "none"]
    except Exception as error:  # an error is never a success, and never a failure
        agent.trace.error = f"{type(error).__name__}: {error}"[:200]
        utility = None
    trace = agent.trace
    outcome: Outcome = outcome_of(trace, bool(reached))
    return Replay(
        **key,
        outcome=outcome,
        utility=utility,
        goal_reached=reached,
        raw=trace.raw,
        received=trace.received,
        fragment=round(trace.fragment, 3),
        stopped_by=gate_that_stopped(outcome, trace.interventions),
        held_back=trace.held_back,
        interventions=tuple((each.point, each.gate, each.action) for each in trace.interventions),
        reached_anyway=tuple(anyway),
        looks_like=tuple(alike),
        error=trace.error,
        cpu_ms=round(1000 * (time.process_time() - start), 1),
    )
