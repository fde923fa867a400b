"""Find the session of a request to an MCP server over HTTP."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from multidict import CIMultiDictProxy

from proctor.server.mcp.gateway import Gateway, State, new_state
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings

__all__ = ["NAMED_BY_AGENT", "SESSION", "HttpSessions"]

SESSION: Final = "Mcp-Session-Id"
NAMED_BY_AGENT: Final = "X-Proctor-Session"
_MOST: Final = 10_000
_LONGEST: Final = 1_024  # maximum characters of a session name


@dataclass(slots=True, kw_only=True)
class HttpSessions:
    """The state of each session of the server, or of each caller if the server has no sessions.

    Every request has its own gateway, because request ids are valid for one connection only.
    """

    guard: Guard
    settings: McpSettings
    _states: OrderedDict[str, State] = field(default_factory=OrderedDict)
    _endpoints: OrderedDict[str, Gateway] = field(default_factory=OrderedDict)

    def gateway(self, headers: CIMultiDictProxy[str], remote: str | None, address: str, *, begins: bool) -> Gateway:
        """Return the gateway for one request; ``begins`` means that it opens a session."""
        if (found := self._endpoints.get(address)) is not None:
            return found
        name = headers.get(SESSION)
        if name is not None:
            state = self._states.get(f"session {name[:_LONGEST]}")
        elif begins:
            state = None
        else:
            state = self._of_caller(headers, remote)
        if state is None:  # stored when the server accepts the request
            state = new_state(self.guard, self.settings)
        return Gateway(guard=self.guard, settings=self.settings, state=state)

    def accepted(self, gateway: Gateway, asked: str | None, given: str | None) -> None:
        """Store the session after the server accepted the request; ``asked`` and ``given`` are session names."""
        name = given or asked
        if name is None or f"session {name[:_LONGEST]}" in self._states:
            return
        shared = asked is None and any(state is gateway.state for state in self._states.values())
        state = new_state(self.guard, self.settings) if shared else gateway.state
        self._keep(f"session {name[:_LONGEST]}", state)

    def end(self, name: str) -> None:
        """Forget the session."""
        self._states.pop(f"session {name[:_LONGEST]}", None)

    def open_endpoint(self, address: str, gateway: Gateway) -> None:
        """Assign messages to this URL to an event stream (HTTP+SSE transport of 2024)."""
        self._endpoints[address] = gateway
        while len(self._endpoints) > _MOST:
            self._endpoints.popitem(last=False)

    def close_endpoints(self, gateway: Gateway) -> None:
        """Forget the URLs of an event stream that ended."""
        for address in [address for address, each in self._endpoints.items() if each is gateway]:
            del self._endpoints[address]

    def _of_caller(self, headers: CIMultiDictProxy[str], remote: str | None) -> State:
        """Return the state of a caller, identified by its token and address or its session name."""
        own = headers.get(NAMED_BY_AGENT, "")
        who = "\0".join((headers.get("Authorization", ""), str(remote), own[:_LONGEST]))
        name = f"caller {hashlib.blake2b(who.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
        state = self._states.get(name)
        if state is None:
            state = new_state(self.guard, self.settings)
            self._keep(name, state)
        self._states.move_to_end(name)
        return state

    def _keep(self, name: str, state: State) -> None:
        self._states[name] = state
        while len(self._states) > _MOST:
            self._states.popitem(last=False)
