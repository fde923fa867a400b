"""Import AgentDojo and AgentDyn runs: the agent's actions under an injection, and whether task or attack succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.case import Case
from proctor.suites.conversations.build_case import build_case, logged_messages, present_fields, text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer

__all__ = ["AGENTDOJO", "is_agentdojo", "read_agentdojo"]

_SUITE = ("suite", "suite_name")
_PIPELINE = ("pipeline", "pipeline_name")
_TASK = ("user_task", "user_task_id")
_INJECTION = ("injection_task", "injection_task_id")
_ATTACK = ("attack", "attack_type")
_ABOUT = ("utility", "security", "injections", "path", "duration", "evaluation_timestamp")


def is_agentdojo(data: Any) -> bool:
    """Whether the data is a run with a user task and its result."""
    return isinstance(data, Mapping) and "messages" in data and "utility" in data and any(key in data for key in _TASK)


def read_agentdojo(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per run. ``metadata.security`` is true if the injected goal was reached."""
    for entry in entries:
        data = entry.data
        if not isinstance(data, Mapping):
            raise entry.wrong("expected a run of AgentDojo: a mapping")
        named = {
            "suite": text_at(data, *_SUITE),
            "pipeline": text_at(data, *_PIPELINE),
            "user_task": text_at(data, *_TASK),
            "attack": text_at(data, *_ATTACK),
            "injection_task": text_at(data, *_INJECTION),
        }
        about = {**named, **present_fields(data, _ABOUT), "format": "agentdojo"}
        error = data.get("error")
        yield build_case(
            entry,
            logged_messages(entry, data.get("messages")),
            name="/".join(part for part in named.values() if part and part != "none"),
            about={**about, "run_error": error if isinstance(error, str) else None},
        )


AGENTDOJO = Importer(title="AgentDojo and AgentDyn runs", fits=is_agentdojo, read=read_agentdojo, order=20)
