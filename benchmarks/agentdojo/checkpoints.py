"""The four points of the guard as the agent meets them, and the same points without a guard."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from proctor import Guard
from proctor.core.verdict import STOPS, Verdict
from proctor.guard.sync import SyncSession
from proctor.guard.vault import Vault

__all__ = ["Checkpoints", "GuardedSession", "Intervention", "Unguarded", "default_guard", "guarded_session"]

_GATE_SECONDS: Final = 30  # as in `proctor run`: what is measured is what the gates decide, not how busy the machine is


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """A verdict that was not a plain ``allow``: where, by which gate, and what it did."""

    point: str
    gate: str
    action: str
    broken: bool = False

    @property
    def is_stop(self) -> bool:
        """Whether the step did not go on."""
        return self.action in STOPS


class Checkpoints(Protocol):
    """What stands between the user, the agent and its tools. A text of ``None`` was stopped."""

    interventions: list[Intervention]

    def input(self, text: str) -> str | None:
        """Return the request as the agent receives it."""
        ...

    def allows_call(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether the call may be made."""
        ...

    def tool_result(self, name: str, text: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the result as the agent receives it."""
        ...

    def output(self, text: str) -> str | None:
        """Return the answer as the user receives it."""
        ...


@dataclass(slots=True)
class Unguarded:
    """Everything passes."""

    interventions: list[Intervention] = field(default_factory=list)

    def input(self, text: str) -> str | None:
        """Return the request."""
        return text

    def allows_call(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return true."""
        return True

    def tool_result(self, name: str, text: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the result."""
        return text

    def output(self, text: str) -> str | None:
        """Return the answer."""
        return text


@dataclass(slots=True)
class GuardedSession:
    """One session of the guard; the user gets his own values back where they were masked."""

    session: SyncSession
    vault: Vault
    interventions: list[Intervention] = field(default_factory=list)

    def input(self, text: str) -> str | None:
        """Return the request as the gates leave it."""
        return self._text("input", self.session.input(text), text)

    def allows_call(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether the gates allow the call."""
        return self._text("tool_call", self.session.tool_call(name, arguments), "") is not None

    def tool_result(self, name: str, text: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the result as the gates leave it."""
        return self._text("tool_result", self.session.tool_result(name, text, arguments), text)

    def output(self, text: str) -> str | None:
        """Return the answer as the gates leave it, with the user's own values."""
        shown = self._text("output", self.session.output(text), text)
        return None if shown is None else self.vault.restore(shown)

    def _text(self, point: str, verdict: Verdict, text: str) -> str | None:
        if verdict.action != "allow":
            gate, broken = verdict.by or verdict.gate, verdict.broken or verdict.busy
            self.interventions.append(Intervention(point=point, gate=gate, action=verdict.action, broken=broken))
        if verdict.action in STOPS:
            return None
        return text if verdict.text is None else verdict.text


@contextmanager
def default_guard() -> Iterator[Guard]:
    """Yield a guard with the default gates, warm; nothing is recorded and no proctor.yaml is searched for.

    Raises:
        RuntimeError: a gate is missing or fails, as in an environment without the package's entry points.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proctor.yaml"
        path.write_text(f"guard: {{timeout: {_GATE_SECONDS}}}\n", encoding="utf-8")
        guard = Guard.from_config(path, record=False, reload=False)
        try:
            guard.sync.warm()
            probe = guarded_session(guard)
            probe.input("Where is my parcel, please?")
            probe.tool_result("get_parcel", "It is on its way.", {})
            probe.output("It is on its way.")
            if any(each.broken for each in probe.interventions):
                raise RuntimeError("a gate fails on a plain message: install proctor into this environment")
            yield guard
        finally:
            guard.close()


def guarded_session(guard: Guard) -> GuardedSession:
    """Return the checkpoints of a new conversation."""
    vault = Vault()
    return GuardedSession(guard.sync.session(vault=vault), vault)
