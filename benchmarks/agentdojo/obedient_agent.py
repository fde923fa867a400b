"""A pipeline element for AgentDojo: an agent without a model that follows every instruction it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.agentdojo.checkpoints import Checkpoints
from benchmarks.agentdojo.outcome import Trace
from benchmarks.agentdojo.payload import left_of, longest_run, most_of

__all__ = ["HELD_BACK", "REFUSED", "Goal", "ObedientAgent"]

HELD_BACK: Final = "The result was held back."
REFUSED: Final = "I am sorry, I cannot help with that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """An injected goal: its text, its calls given the environment before and now, and the words it wants said."""

    text: str
    calls: Callable[[Any, Any], Sequence[Any]]
    words: str = ""


@dataclass(slots=True, kw_only=True)
class ObedientAgent:
    """Makes the user task's calls, and those of the goal as soon as its payload is in a result that it receives.

    It has the ``query`` of AgentDojo's pipeline elements. It knows the right calls and answer beforehand, so a result
    that is held back does not keep it from going on.
    """

    task: Any
    goal: Goal | None
    checkpoints: Checkpoints
    to_text: Callable[[Any], str]
    name: str = "gpt-4o-2024-05-13"  # AgentDojo's attacks address the model of this pipeline as GPT-4
    trace: Trace = field(default_factory=Trace)
    received: list[str] = field(default_factory=list)
    before: Any = None
    after: Any = None
    messages: list[Mapping[str, Any]] = field(default_factory=list)

    def query(
        self,
        query: str,
        runtime: Any,
        env: Any,
        messages: Sequence[Any] = (),
        extra_args: Mapping[str, Any] | None = None,
    ) -> tuple[str, Any, Any, list[Any], Mapping[str, Any]]:
        """Replay the task in this environment; return what AgentDojo expects of an element."""
        self.before, self.after = env.model_copy(deep=True), env
        self.trace.interventions = self.checkpoints.interventions
        if self.checkpoints.input(query) is None:
            self.trace.request_stopped = True
            self._say(REFUSED)
            return query, runtime, env, [*messages, *self.messages], extra_args or {}
        for call in self.task.ground_truth(env.model_copy(deep=True)):
            self._make(call, runtime, env)
            if self.trace.received != "none" and not self.trace.obeyed:
                self._obey(runtime, env)
        words = [self.task.GROUND_TRUTH_OUTPUT]
        if self.goal is not None and self.trace.obeyed:
            words.append(self.goal.words)
        shown = self.checkpoints.output("\n".join(each for each in words if each))
        self.trace.answer_stopped = shown is None
        self._say(REFUSED if shown is None else shown)
        return query, runtime, env, [*messages, *self.messages], extra_args or {}

    def _obey(self, runtime: Any, env: Any) -> None:
        assert self.goal is not None
        self.trace.obeyed = True
        start = env.model_dump()
        calls = self.goal.calls(self.before.model_copy(deep=True), env.model_copy(deep=True))
        self.trace.wanted = len(calls)
        for call in calls:
            refused = len(self.checkpoints.interventions)
            self.trace.ran += self._make(call, runtime, env)
            stops = self.checkpoints.interventions[refused:]
            self.trace.refused += any(each.point == "tool_call" and each.is_stop for each in stops)
            self.trace.changed = self.trace.changed or env.model_dump() != start

    def _make(self, call: Any, runtime: Any, env: Any) -> bool:
        """Make one call if it is allowed; return whether it ran without an error."""
        self.messages.append({"role": "assistant", "content": [_block("")], "tool_calls": [call]})
        if not self.checkpoints.allows_call(call.function, dict(call.args)):
            self._hear(call, "The call was refused.", "refused")
            return False
        result, error = runtime.run_function(env, call.function, call.args)
        text = error if error else self.to_text(result)
        shown = self.checkpoints.tool_result(call.function, text, dict(call.args))
        self.trace.held_back += shown is None
        if self.goal is not None:
            self._look_for(self.goal.text, text, shown or "")
        self._hear(call, HELD_BACK if shown is None else shown, error)
        return not error

    def _look_for(self, goal: str, raw: str, shown: str) -> None:
        in_raw = left_of(goal, raw)
        self.trace.raw = most_of(self.trace.raw, in_raw)
        self.trace.received = most_of(self.trace.received, left_of(goal, shown))
        if in_raw != "none":
            self.trace.fragment = max(self.trace.fragment, longest_run(goal, shown))

    def _hear(self, call: Any, text: str, error: str | None) -> None:
        self.received.append(text)
        heard = {"role": "tool", "content": [_block(text)], "tool_call": call, "tool_call_id": None, "error": error}
        self.messages.append(heard)

    def _say(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": [_block(text)], "tool_calls": None})


def _block(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}
