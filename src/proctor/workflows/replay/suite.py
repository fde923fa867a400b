"""Build a suite that repeats key questions of recorded conversations in other words."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from proctor.config import Config
from proctor.core.attack_mask import is_held_out
from proctor.core.case import Case, Check
from proctor.core.codec import content_id, dumps, encode
from proctor.core.errors import InputError, NotFoundError, StoreError
from proctor.core.sockets import Model
from proctor.core.tool_effect import StatedEffect
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.store.masked_json import masked_line
from proctor.store.private_files import open_private, private_folder
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.suites.conversations import open_conversations
from proctor.suites.jsonl import HEADER
from proctor.wiring.local_models import local_model
from proctor.workflows.replay.questions import KeyQuestion, key_questions
from proctor.workflows.replay.rewordings import Rewording, other_wordings

__all__ = ["CHECK", "ReplayJob", "ReplaySuite", "prepare_replay"]

CHECK: Final = "replay_consistency"
FOLDER: Final = "replays"
_MOST_NOTES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayJob:
    """The replay request: a run or a file, questions per conversation, rewordings per question.

    ``control`` also repeats each question unchanged, to separate unstable agents from wording effects. ``writes``
    includes questions in whose turn the agent changed something.
    """

    source: str
    format: str = "auto"
    target: str | None = None
    model: str | None = None
    questions: int = 3
    wordings: int = 2
    first: int | None = None
    control: bool = False
    writes: bool = False


@dataclass(slots=True, kw_only=True)
class ReplaySuite:
    """A suite made for a replay, with counts of what was read."""

    path: Path
    conversations: int = 0
    questions: int = 0
    cases: int = 0
    left: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def told(self) -> list[str]:
        """Return notes on what was left out or differs from the request, most frequent first."""
        lines = [f"{times} turns were not put again: {why}" for why, times in self.left.most_common(_MOST_NOTES)]
        return lines + [f"{note} ({times} ×)" for note, times in self.notes.most_common(_MOST_NOTES)]


async def prepare_replay(config: Config, wish: ReplayJob) -> ReplaySuite:
    """Choose the questions, reword them, and write the suite.

    The suite is stored next to the runs under a name derived from its content, so that an interrupted run can be
    resumed.

    Raises:
        InputError: there is no such run or file, or none of its questions can be repeated.
        StoreError: the suite cannot be written.
    """
    made = ReplaySuite(path=Path())
    folder = config.store / FOLDER
    draft = folder / f".{os.getpid()}.part"
    try:
        private_folder(folder)
        async with _asked(config, wish) as model:
            with os.fdopen(open_private(draft, os.O_WRONLY | os.O_TRUNC), "wb") as out:
                name = f"replay of {Path(wish.source).name}"
                out.write(dumps({HEADER: {"name": name, "metadata": {"replay_of": wish.source}}}) + b"\n")
                ids = []
                for conversation in islice(_conversations(config, wish, made.left), wish.first):
                    async for case in _cases(conversation, wish, model, made, config.settings.tools):
                        out.write(masked_line(_row(case)))
                        ids.append(content_id(case))
        if not made.cases:
            raise InputError(_nothing(made), file=wish.source, hint="replay conversations in which users ask something")
        made.path = folder / f"{_plain(Path(wish.source).name)}-{content_id(ids)[:8]}.jsonl"
        draft.replace(made.path)
    except OSError as error:
        raise StoreError(
            f"the replay's suite cannot be written: {error.strerror}",
            file=str(folder),
            hint="make room, or free the folder",
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    id: str
    case: Case
    recorded: Trajectory


def _conversations(config: Config, wish: ReplayJob, left: Counter[str]) -> Iterator[_Conversation]:
    """Yield the conversations of a file of that name, else those of a run; held-out attempts are left out."""
    path = Path(wish.source)
    if path.exists():
        for case in open_conversations(path, wish.format):
            if case.recorded is not None:
                yield _Conversation(id=case.id, case=case, recorded=case.recorded)
        return
    with RunStore(config.store) as store:
        try:
            run = store.find(wish.source)
        except NotFoundError as error:
            raise NotFoundError(
                f"there is no file and no run {wish.source!r}", hint="see `proctor list runs`, or name a file"
            ) from error
        reader = RunReader(store, run)
        several = len(reader.targets()) > 1 and wish.target is None
        for result in reader.results(target=wish.target):
            if is_held_out(result):  # the suite would show them in clear
                left["the attempt is held out"] += len(result.trajectory.turns)
            elif result.trajectory.error is None:
                told = f"@{result.target}" if several else ""
                told += f"~{result.sample}" if result.sample else ""
                yield _Conversation(id=f"{result.case.id}{told}", case=result.case, recorded=result.trajectory)


async def _cases(
    conversation: _Conversation,
    wish: ReplayJob,
    model: Model | None,
    made: ReplaySuite,
    tools: Mapping[str, StatedEffect],
) -> AsyncIterator[Case]:
    made.conversations += 1
    chosen, left = key_questions(
        conversation.recorded,
        conversation.case.history,
        most=wish.questions,
        writes=wish.writes,
        tool_effects=tools,
    )
    made.left += left
    embedder = local_model("embedder")
    for question in chosen:
        told = await other_wordings(question.asked, count=wish.wordings, embedder=embedder, model=model)
        made.notes.update(told.notes)
        made.questions += bool(told.found)
        if wish.control and told.found:
            made.cases += 1
            yield _case(conversation, question, None, 0)
        for number, wording in enumerate(told.found, 1):
            made.cases += 1
            yield _case(conversation, question, wording, number)


def _case(conversation: _Conversation, question: KeyQuestion, wording: Rewording | None, number: int) -> Case:
    case = conversation.case
    told: dict[str, Any] = {
        "conversation": conversation.id,
        "turn": question.turn,
        "asked": question.asked,
        "answered": question.answer,
        "wording": {"by": wording.by, "near": wording.near} if wording else {"by": "control"},
    }
    settings: dict[str, Any] = {"asked_before": question.asked, "answered_before": question.answer}
    if question.calls:
        settings["calls_before"] = [encode(call) for call in question.calls]
    which = f"wording-{number}" if wording else "control"
    return Case(
        id=f"{conversation.id}/turn-{question.turn + 1}/{which}",
        input=wording.text if wording else question.asked,
        inputs=case.inputs,
        history=question.history,
        page=case.page,
        intent=case.intent,
        checks=(Check(scorer="cross_turn", name=CHECK, settings=settings),),
        tags=(*case.tags, "replay", *(() if wording else ("control",))),
        metadata={"replay": told},
    )


def _row(case: Case) -> dict[str, Any]:
    data: dict[str, Any] = encode(case)
    return data


@asynccontextmanager
async def _asked(config: Config, wish: ReplayJob) -> AsyncIterator[Model | None]:
    """Yield the model for rewording, if one was named."""
    if wish.model is None:
        yield None
        return
    async with Project(config) as project:
        yield project.model(wish.model)


def _nothing(made: ReplaySuite) -> str:
    why = "; ".join((*made.left, *made.notes)) or "no question was found"
    if not made.conversations:
        return f"there is no conversation to replay{f': {why}' if made.left else ''}"
    return f"no question of {made.conversations} conversations can be put again: {why}"


def _plain(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name.partition(".")[0]) or "replay"
