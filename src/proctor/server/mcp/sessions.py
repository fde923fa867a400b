"""Which session a request to a tool server behind HTTP belongs to."""

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
_LONGEST: Final = 1_024  # characters of a session's name


@dataclass(slots=True, kw_only=True)
class HttpSessions:
    """The state of each session that the server opened, and of each caller where it opens none.

    Every request has a gateway of its own: ids of requests only count on the connection they came by.
    """

    guard: Guard
    settings: McpSettings
    _states: OrderedDict[str, State] = field(default_factory=OrderedDict)
    _endpoints: OrderedDict[str, Gateway] = field(default_factory=OrderedDict)

    def gateway(self, headers: CIMultiDictProxy[str], remote: str | None, address: str, *, begins: bool) -> Gateway:
        """The gateway for one request; ``begins`` says that it opens a session."""
        if (found := self._endpoints.get(address)) is not None:
            return found
        name = headers.get(SESSION)
        if name is not None:
            state = self._states.get(f"session {name[:_LONGEST]}")
        elif begins:
            state = None
        else:
            state = self._of_caller(headers, remote)
        if state is None:  # it is kept when the server has accepted the request
            state = new_state(self.guard, self.settings)
        return Gateway(guard=self.guard, settings=self.settings, state=state)

    def accepted(self, gateway: Gateway, asked: str | None, given: str | None) -> None:
        """The server took the request: ``asked`` is the session it named, ``given`` the one that the answer names."""
        name = given or asked
        if name is None or f"session {name[:_LONGEST]}" in self._states:
            return
        shared = asked is None and any(state is gateway.state for state in self._states.values())
        state = new_state(self.guard, self.settings) if shared else gateway.state
        self._keep(f"session {name[:_LONGEST]}", state)

    def end(self, name: str) -> None:
        """The session is over."""
        self._states.pop(f"session {name[:_LONGEST]}", None)

    def open_endpoint(self, address: str, gateway: Gateway) -> None:
        """Messages to this address belong to an event stream, as in the transport of 2024."""
        self._endpoints[address] = gateway
        while len(self._endpoints) > _MOST:
            self._endpoints.popitem(last=False)

    def close_endpoints(self, gateway: Gateway) -> None:
        """The event stream has ended."""
        for address in [address for address, each in self._endpoints.items() if each is gateway]:
            del self._endpoints[address]

    def _of_caller(self, headers: CIMultiDictProxy[str], remote: str | None) -> State:
        """Limits on calls count for a caller, by its token and address, or by the session that it names itself."""
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
