"""The settings of proctor.yaml for the proxy, the sidecar and the MCP gateway."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["Expose", "McpSettings", "ProxySettings", "Restores", "ServeSettings"]

Restores = Literal["none", "answers", "all"]
Expose = Literal["none", "action", "full"]

_ALLOWED: Final = re.compile(r"(?:[A-Z]+ )?/[^\s?#]*")
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s]+")
_HOST: Final = re.compile(r"[^\s/@]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """How the proxy forwards conversations.

    ``stream`` sets how much of an answer is held back until the gates have checked it: a sentence or all of it;
    ``hold`` is the number of sentences. ``escalate`` is the effect of an escalation: the configured reply, or a header
    on the answer. ``others`` sets what happens to paths that are not guarded; paths in ``allow`` and a few known ones
    always pass. ``restore`` sets where placeholders in the model's output are replaced by the customer's own data:
    nowhere, in answers, or also in the arguments of tool calls. ``timeout`` is how many seconds the upstream may be
    silent, ``most_bytes`` the maximum size of a guarded request or answer. ``token_env`` names the environment variable
    with the token that clients must send, ``hosts`` and ``origins`` the host names and web origins that requests may
    use. ``expose`` sets how much of a verdict clients see: nothing, the action, or also gates and reasons. ``auto`` is
    ``full`` where the proxy listens on localhost only, else ``none``: an attacker who sees which gate fired can search
    for a way around it.
    """

    upstream: str | None = None
    stream: Literal["sentence", "whole"] = "sentence"
    hold: int = 1
    escalate: Literal["reply", "header"] = "reply"
    others: Literal["pass", "refuse"] = "refuse"
    allow: tuple[str, ...] = ()
    restore: Restores = "none"
    expose: Literal["auto", "none", "action", "full"] = "auto"
    timeout: float = 600.0
    most_bytes: int = 64_000_000
    token_env: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.hold < 1:
            raise ValueError(f"hold must be at least 1 sentence, not {self.hold}")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.most_bytes < 1:
            raise ValueError(f"most_bytes must be at least 1, not {self.most_bytes}")
        if self.upstream is not None and not self.upstream.startswith(("http://", "https://")):
            raise ValueError("upstream must begin with http:// or https://")  # not quoted: may contain a password
        for entry in self.allow:
            if not _ALLOWED.fullmatch(entry):
                raise ValueError(f"allow takes paths such as `POST /v1/rerank` or `GET /v1/files/*`, not {entry!r}")
        _check_doors(self.hosts, self.origins)

    def exposed(self, *, local: bool) -> Expose:
        """Return how much of a verdict clients see; an escalation reported by a header must be visible."""
        chosen: Expose = self.expose if self.expose != "auto" else "full" if local else "none"
        return "action" if chosen == "none" and self.escalate == "header" else chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """How the sidecar answers.

    ``token_env`` names the environment variable with the token that callers must send, ``hosts`` and ``origins`` the
    host names and web origins that requests may use. ``restore`` lets callers read the values behind the placeholders
    of a session.
    """

    token_env: str | None = None
    restore: bool = False
    most_bytes: int = 4_000_000
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.most_bytes < 1:
            raise ValueError(f"most_bytes must be at least 1, not {self.most_bytes}")
        _check_doors(self.hosts, self.origins)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """How the MCP gateway checks tool calls.

    ``intents`` apply to every call. ``hide`` removes from the list of tools those that the guard would always refuse
    with these intents. ``token_env``, ``hosts`` and ``origins`` are as for the sidecar; they apply where the gateway
    listens on a port.
    """

    intents: tuple[str, ...] = ()
    customer: str | None = None
    hide: bool = False
    token_env: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_doors(self.hosts, self.origins)


def _check_doors(hosts: Sequence[str], origins: Sequence[str]) -> None:
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise ValueError(f"hosts takes names such as guard.example.com, not {host!r}")
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"origins takes addresses such as https://desk.example.com, not {origin!r}")
