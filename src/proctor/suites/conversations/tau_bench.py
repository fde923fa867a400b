"""Import tau-bench and tau2-bench results: messages, calls, gold calls and the reward."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.chat import ToolCall
from proctor.suites.conversations.build_case import build_case, logged_messages, present_fields, text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.messages import LoggedMessage, WrongMessageError, call_of

__all__ = ["TAU_BENCH", "is_tau_bench", "read_tau_bench"]

_MARK = re.compile(r"### ?(STOP|TRANSFER|OUT-OF-SCOPE) ?###")
_ABOUT = ("domain", "agent", "user", "strategy", "task_id", "trial", "reward", "policy", "termination", "repo", "path")
_TASK = ("instruction", "user_scenario", "description", "user_id")


def is_tau_bench(data: Any) -> bool:
    """Whether it is a tau-bench result (`traj`), a tau2-bench file (`simulations`), or a row with task and reward."""
    if not isinstance(data, Mapping):
        return False
    if "simulations" in data or ("traj" in data and "reward" in data):
        return True
    return "task_id" in data and "messages" in data and ("reward" in data or "reward_info" in data)


def read_tau_bench(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per simulation; the gold calls and required statements are its expectation."""
    for entry in entries:
        if not isinstance(entry.data, Mapping):
            raise entry.wrong("expected a result of tau-bench: a mapping")
        if "simulations" in entry.data:
            yield from _file(entry)
        else:
            yield _case(entry, entry.data, _task(entry.data), {})


def _file(entry: Entry) -> Iterator[Case]:
    """Yield the cases of a tau2-bench results file: tasks are listed once, simulations refer to them."""
    data, runs = entry.data, entry.data["simulations"]
    if not isinstance(runs, list):
        raise entry.wrong("expected a list", "simulations")
    tasks = {str(task.get("id")): task for task in data.get("tasks") or () if isinstance(task, Mapping)}
    info = data.get("info") if isinstance(data.get("info"), Mapping) else {}
    about = _setting(info)
    for index, run in enumerate(runs):
        place = Entry(data=run, file=entry.file, path=(*entry.path, "simulations", index))
        if not isinstance(run, Mapping):
            raise place.wrong("expected a simulation: a mapping")
        yield _case(place, run, tasks.get(str(run.get("task_id")), {}), about)


def _setting(info: Any) -> dict[str, Any]:
    """Return the participants of a tau2-bench file."""
    made: dict[str, Any] = {}
    for ours, theirs in (("agent", "agent_info"), ("user", "user_info")):
        if isinstance(who := info.get(theirs), Mapping):
            made[ours] = who.get("llm")
    if isinstance(place := info.get("environment_info"), Mapping):
        made["domain"] = place.get("domain_name")
        made["policy"] = place.get("policy")
    return made


def _task(data: Mapping[str, Any]) -> Mapping[str, Any]:
    info = data.get("info")
    inside = info.get("task") if isinstance(info, Mapping) else None
    task = data.get("task", inside)
    return task if isinstance(task, Mapping) else {}


def _case(entry: Entry, data: Mapping[str, Any], task: Mapping[str, Any], about: Mapping[str, Any]) -> Case:
    where = "traj" if "traj" in data else "messages"
    said, ended_by = _without_marks(logged_messages(entry, data.get(where), where))
    told = {**about, **present_fields(data, _ABOUT), **_reward(data)}
    ended = text_at(data, "termination", "termination_reason")
    name = "-".join(
        part for part in (text_at(told, "domain"), text_at(data, "task_id"), text_at(data, "trial")) if part
    )
    return build_case(
        entry,
        said,
        name=name or text_at(data, "id"),
        expect=_checked(entry, told["reward_info"], _expected(entry, task)),
        about={
            **told,
            "termination": ended,
            "ended_by": ended_by,
            "format": "tau_bench",
            "task": present_fields(task, _TASK) or None,
        },
        id=text_at(data, "id"),
    )


def _without_marks(said: list[LoggedMessage]) -> tuple[list[LoggedMessage], str | None]:
    """Return the messages without a simulated customer's end marks; a mark alone is kept as an aside."""
    made, last = [], None
    for each in said:
        if each.aside is None and (mark := _MARK.search(each.message.content)):
            last = mark[1]
            words = _MARK.sub("", each.message.content).strip()
            kept = replace(each.message, content=words, extra={**each.message.extra, "ended": mark[1]})
            aside = None if words or kept.tool_calls else {"role": kept.role, "content": mark[0]}
            made.append(replace(each, message=kept, aside=aside))
        else:
            made.append(each)
    return made, last


def _reward(data: Mapping[str, Any]) -> dict[str, Any]:
    info = data.get("reward_info")
    reward = data.get("reward", info.get("reward") if isinstance(info, Mapping) else None)
    return {"reward": reward, "reward_info": info}


def _expected(entry: Entry, task: Mapping[str, Any]) -> Expectation:
    """Return what solves the task. ``extra.complete`` marks it as complete even if no call is expected."""
    if not task:
        return Expectation()
    wanted = task.get("evaluation_criteria")
    wanted = wanted if isinstance(wanted, Mapping) else task
    actions, outputs = wanted.get("actions"), wanted.get("communicate_info", wanted.get("outputs"))
    extra = present_fields(wanted, ("nl_assertions", "env_assertions", "reward_basis"))
    if actions is not None or outputs is not None:
        extra["complete"] = True
    calls = _calls(entry, actions or (), "task")
    return Expectation(tool_calls=calls, facts=tuple(str(each) for each in outputs or ()), extra=extra)


def _checked(entry: Entry, info: Any, expect: Expectation) -> Expectation:
    """Replace the gold by that of the reward: in some files the task belongs to another conversation."""
    if not isinstance(info, Mapping):
        return expect
    said, extra = expect.facts, {**expect.extra, **present_fields(info, ("reward_basis",)), "complete": True}
    if "db_check" in info:  # tau2-bench; null if the conversation was aborted
        actions = [each.get("action") for each in _listed(info, "action_checks")]
        said = tuple(str(each["info"]) for each in _listed(info, "communicate_checks") if "info" in each)
    elif not (actions := list(_listed(info, "actions"))):
        return expect
    return replace(expect, tool_calls=_calls(entry, actions, "reward_info"), facts=said, extra=extra)


def _listed(info: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    found = info.get(name)
    return (each for each in (found if isinstance(found, list) else ()) if isinstance(each, Mapping))


def _calls(entry: Entry, actions: Sequence[Any], where: str) -> tuple[ToolCall, ...]:
    try:
        return tuple(_gold(action, f"{where}.actions[{index}]") for index, action in enumerate(actions))
    except WrongMessageError as error:
        raise entry.wrong(error.message, error.field, error.hint) from None


def _gold(action: Any, where: str) -> ToolCall:
    call = call_of(action, where)
    beside = present_fields(action, ("requestor", "compare_args"))
    return ToolCall(name=call.name, arguments=call.arguments, extra=beside)


TAU_BENCH = Importer(title="tau-bench and tau2-bench results", fits=is_tau_bench, read=read_tau_bench, order=10)
