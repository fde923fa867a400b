"""Score an answer with a Python function of the user's own."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.errors import ConfigError
from proctor.core.record import dataclass
from proctor.core.score import Evidence, Score
from proctor.core.sockets import socket
from proctor.core.trajectory import Trajectory

__all__ = ["PythonFunction", "check_parameters"]

OFFERS = (
    "answer",
    "question",
    "case",
    "run",
    "expect",
    "sources",
    "tool_calls",
    "messages",
    "inputs",
    "page",
    "settings",
)
_MOST_REASON = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFunction:
    """A Python function of your own judges the answer."""

    name: ClassVar[str] = "python"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "function"

    function: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    call: Any = socket(optional=True)  # a function; the decoder knows no callables

    @property
    def shown_name(self) -> str:
        """The name in reports if the suite gives none: that of the function."""
        return self.function.rpartition(":")[2] or self.name

    @property
    def revision(self) -> str:
        """The version and a hash of the function's file: another file is another scorer."""
        try:
            file = inspect.getsourcefile(inspect.unwrap(self.call)) if self.call else None
            code = Path(file).read_bytes() if file else b""
        except (OSError, TypeError):
            code = b""
        return f"{self.version} {self.function} {hashlib.sha256(code).hexdigest()[:12]}" if code else self.version

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Call the function with what its parameters are named for, and read what it returns."""
        if run.error is not None or not any(turn.messages or turn.tool_calls for turn in run.turns):
            return self._error(f"no answer: {run.error or 'the conversation is empty'}")
        if run.turns[-1].error is not None:
            return self._error(f"no answer: {run.turns[-1].error}")
        if self.call is None:
            return self._error(f"{self.function} was not loaded")
        given = _offers(case, run, self.settings)
        arguments = {name: given[offer] for name, offer in check_parameters(self.call, self.function).items()}
        if inspect.iscoroutinefunction(self.call):
            value = await self.call(**arguments)
        else:  # in a thread: a function that waits must not stop the other cases
            value = await asyncio.to_thread(self.call, **arguments)
            value = await value if inspect.isawaitable(value) else value
        return self._read(value)

    def _read(self, value: Any) -> Score:
        if isinstance(value, Score):
            return dataclasses.replace(value, name=self.name, version=value.version or self.version, threshold=None)
        reason: Any = ""
        evidence: tuple[Evidence, ...] = ()
        if isinstance(value, tuple) and len(value) == 2:
            value, reason = value
        elif isinstance(value, Mapping):
            unknown = sorted(set(map(str, value)) - {"value", "reason", "evidence"})
            if unknown or "value" not in value:
                told = f"unknown: {', '.join(unknown)}" if unknown else "there is no `value`"
                return self._error(f"{self.function} returned a mapping that is not understood ({told})")
            quotes = value.get("evidence") or ()
            evidence = tuple(
                Evidence(quote=str(each)[:_MOST_REASON])
                for each in ([quotes] if isinstance(quotes, str) else list(quotes))[:20]
            )
            value, reason = value["value"], value.get("reason") or ""
        if value is None:
            told = str(reason)[:_MOST_REASON] or "nothing to judge"
            return Score(name=self.name, status="skipped", reason=told, version=self.version)
        if not isinstance(value, (bool, int, float)) or not 0.0 <= value <= 1.0:
            return self._error(f"{self.function} returned {value!r:.80}, not true, false or a number from 0 to 1")
        word = str(value).lower() if isinstance(value, bool) else f"{value:g}"
        return Score(
            name=self.name,
            value=float(value),
            reason=str(reason)[:_MOST_REASON] or f"{self.shown_name} returned {word}",
            evidence=evidence,
            version=self.version,
        )

    def _error(self, reason: str) -> Score:
        return Score(name=self.name, status="error", reason=reason[:_MOST_REASON], version=self.version)


def check_parameters(call: Callable[..., Any], shown: str) -> dict[str, str]:
    """Return what each parameter of a function is given; the first may have any name and gets the answer.

    Raises:
        ConfigError: it needs something that a scorer is not given.
    """
    wanted: dict[str, str] = {}
    for place, each in enumerate(inspect.signature(call).parameters.values()):
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        if each.name in OFFERS:
            wanted[each.name] = each.name
        elif each.default is each.empty and place == 0:
            wanted[each.name] = "answer"
        elif each.default is each.empty:
            hint = f"give it a default, or name it one of: {', '.join(OFFERS)}"
            raise ConfigError(f"{shown} wants {each.name!r}, which a scorer is not given", hint=hint)
    return wanted


def _offers(case: Case, run: Trajectory, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "answer": run.answer,
        "question": case.asks[-1].text if case.asks else "",
        "case": case,
        "run": run,
        "expect": case.expect,
        "sources": list(run.sources),
        "tool_calls": list(run.tool_calls),
        "messages": [_said(message) for message in (*case.history, *run.messages)],
        "inputs": dict(case.inputs),
        "page": dict(case.page),
        "settings": dict(settings),
    }


def _said(message: Message) -> dict[str, str]:
    return {"role": message.role, "content": message.content}
