"""What proctor.yaml may say of the doors of the guard: the proxy, the sidecar and the gateway for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["McpSettings", "ProxySettings", "Restores", "ServeSettings"]

Restores = Literal["none", "answers", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """How the proxy passes conversations on.

    ``stream`` is how much of an answer is held back until the gates have seen it: a sentence or the whole; ``hold`` is
    how many sentences. ``escalate`` is what a hand-off comes to: the configured reply, or a header beside the answer.
    ``others`` is what becomes of paths that are not guarded. ``restore`` says where the client has the customer's own
    data back for the placeholders of the model: nowhere, in answers, or in the arguments of tool calls too.
    ``timeout`` is how many seconds the upstream may be silent, ``most_bytes`` how large a guarded request or answer.
    """

    upstream: str | None = None
    stream: Literal["sentence", "whole"] = "sentence"
    hold: int = 1
    escalate: Literal["reply", "header"] = "reply"
    others: Literal["pass", "refuse"] = "pass"
    restore: Restores = "none"
    timeout: float = 600.0
    most_bytes: int = 64_000_000

    def __post_init__(self) -> None:
        if self.hold < 1:
            raise ValueError(f"hold must be at least 1 sentence, not {self.hold}")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.most_bytes < 1:
            raise ValueError(f"most_bytes must be at least 1, not {self.most_bytes}")
        if self.upstream is not None and not self.upstream.startswith(("http://", "https://")):
            raise ValueError(f"upstream must begin with http:// or https://, not {self.upstream}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """How the sidecar answers.

    ``token_env`` names the environment variable with the token that callers must show. ``restore`` lets them have the
    values back that the placeholders of a session stand for.
    """

    token_env: str | None = None
    restore: bool = False
    most_bytes: int = 4_000_000

    def __post_init__(self) -> None:
        if self.most_bytes < 1:
            raise ValueError(f"most_bytes must be at least 1, not {self.most_bytes}")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """How the gateway for tools judges.

    ``intents`` are those that every call is made for. ``hide`` leaves out of the list of tools those that the guard
    would not let anybody call with them.
    """

    intents: tuple[str, ...] = ()
    customer: str | None = None
    hide: bool = False
