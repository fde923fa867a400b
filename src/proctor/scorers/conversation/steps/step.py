"""A conversation as the steps that predicates speak of: requests, answers, remarks, calls and hand-offs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.call_matching import shown
from proctor.scorers.conversation import story
from proctor.scorers.passages import quoted, turn_label
from proctor.text.assent import agrees, asks
from proctor.text.find import Folded, fold

__all__ = ["Kind", "Step", "View", "view_of"]

Kind = Literal["request", "answer", "remark", "call", "hand-off"]
_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was said or done; ``index`` is its place, ``turn`` its turn, both counted from nought.

    A ``remark`` is what the agent says in the same message as a call; an ``answer`` stands by itself.
    ``message`` tells the calls of one message from those of the next; ``None`` where no message holds the call.
    """

    kind: Kind
    turn: int
    index: int = 0
    text: str = ""
    call: ToolCall | None = None
    message: int | None = None
    agrees: bool = False

    @property
    def said(self) -> str:
        """The step as a report shows it."""
        if self.call is not None:
            return quoted(shown(self.call), _SHOWN)
        return quoted(" ".join(self.text.split()), _SHOWN)

    @property
    def place(self) -> str:
        """The step and its turn, for a reason."""
        name = self.call.name if self.call is not None else f"the {self.kind} “{self.said}”" if self.text else self.kind
        return f"{name} in {turn_label(self.turn)}"

    @property
    def written(self) -> str:
        """What an output predicate looks at: the words, or the arguments of a call as JSON."""
        if self.call is None:
            return self.text
        return json.dumps(dict(self.call.arguments), ensure_ascii=False, default=str)

    @property
    def asks(self) -> bool:
        """Whether the agent asks the customer something in it."""
        return self.kind in ("answer", "remark") and asks(self.text)

    @property
    def result(self) -> Any:
        """What a call gave, as data where it is data."""
        if self.call is None:
            return None
        return story.loosely(self.call.result) if isinstance(self.call.result, str) else self.call.result


@dataclass(frozen=True)
class View:
    """The steps of one conversation, and which tools change something."""

    steps: tuple[Step, ...]
    turns: int = 0
    writes: frozenset[str] = field(default_factory=frozenset)
    reads: frozenset[str] = field(default_factory=frozenset)

    def changes(self, name: str) -> bool:
        """Whether a tool of this name changes something: as it was said, else by the verb it begins with."""
        if name in self.writes or name in self.reads:
            return name in self.writes
        return not story.reads_only(name) and not story.hands_off(name)

    @cached_property
    def calls_placed(self) -> bool:
        """Whether it is known which calls were made in one message."""
        return all(step.message is not None for step in self.steps if step.call is not None)

    @cached_property
    def given(self) -> tuple[Folded | None, ...]:
        """For each step what the customer or a tool gave in it, ready to be searched."""
        return tuple(fold(text, ignore_case=True) if (text := _given(step)) else None for step in self.steps)


def _given(step: Step) -> str:
    if step.call is not None:
        return story.result_text(step.call)
    return step.text if step.kind == "request" else ""


def view_of(run: Trajectory, *, writes: Iterable[str] = (), reads: Iterable[str] = ()) -> View:
    """The conversation as steps; ``writes`` and ``reads`` say of tools what their names do not."""
    found: list[Step] = []
    asked = ""
    for step in _told(run):
        one = replace(step, index=len(found))
        if one.kind == "request":
            one = replace(one, agrees=agrees(one.text, asked))
        elif one.kind in ("answer", "remark"):
            asked = one.text
        found.append(one)
    return View(tuple(found), turns=len(run.turns), writes=frozenset(writes), reads=frozenset(reads))


def _told(run: Trajectory) -> Iterator[Step]:
    by_turn: dict[int, list[story.Step]] = {}
    for step in story.steps(run):
        by_turn.setdefault(step.turn, []).append(step)
    for index, turn in enumerate(run.turns):
        yield from _of_turn(index, turn, by_turn.get(index, ()))
        if turn.escalation is not None:
            yield Step(kind="hand-off", turn=index, text=turn.escalation.reason)


def _of_turn(index: int, turn: Turn, steps: Sequence[story.Step]) -> Iterator[Step]:
    """The steps in their order, each with the message it stands in: the story keeps the order of the messages."""
    speaking = iter([n for n, m in enumerate(turn.messages) if m.role in ("user", "assistant") and m.content])
    calling = iter([n for n, m in enumerate(turn.messages) for _ in m.tool_calls])
    placed = any(message.tool_calls for message in turn.messages)
    for step in steps:
        if step.call is None:
            message = turn.messages[next(speaking)]
            spoken: Kind = "remark" if message.tool_calls else "answer"
            yield Step(kind="request" if step.kind == "user" else spoken, turn=index, text=step.text)
            continue
        # Calls that only the turn tells of come after those of its messages, or there are no others.
        message_at = next(calling, None) if placed else None
        if not step.by_user:  # what the customer does on their own device is no step of the agent
            yield Step(kind="call", turn=index, call=step.call, message=message_at)
