"""Merge many model calls, each of which repeats the earlier messages, into one conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from proctor.core.chat import Usage
from proctor.core.codec import dumps
from proctor.suites.conversations.messages import LoggedMessage

__all__ = ["CallMerger"]

_Key = tuple[Any, ...]


class CallMerger:
    """Merges calls in the order they were made; repeated messages are added once."""

    def __init__(self) -> None:
        self.said: list[LoggedMessage] = []
        self._keys: list[_Key] = []

    def add(self, said: Sequence[LoggedMessage]) -> None:
        """Add the messages of one call: what it was sent and its reply."""
        keys = [_key(each) for each in said]
        known = self._overlap(keys)
        for each, key in zip(said[known:], keys[known:], strict=True):
            if key[0] == "system" and key in self._keys:
                continue
            self.said.append(each)
            self._keys.append(key)

    def _overlap(self, keys: list[_Key]) -> int:
        """Return how many of the new messages repeat the conversation's beginning or its end."""
        shared = 0
        for ours, theirs in zip(self._keys, keys, strict=False):
            if ours != theirs:
                break
            shared += 1
        if shared == len(self._keys):
            return shared
        own = [key for key in keys if key[0] != "system"]
        head = len(keys) - len(own)
        for size in range(min(len(own), len(self._keys)), 0, -1):
            if self._keys[-size:] == own[:size] and not any(key[0] == "system" for key in keys[head:]):
                return head + size if all(key in self._keys for key in keys[:head]) else 0
        return 0

    @staticmethod
    def measured(
        said: Sequence[LoggedMessage], *, usage: Usage | None = None, cost: float | None = None
    ) -> list[LoggedMessage]:
        """Return the same messages, with the call's usage and cost on the first one so that it is counted once."""
        made = list(said)
        if made and (usage or cost is not None):
            made[0] = replace(made[0], usage=usage or made[0].usage, cost=made[0].cost if cost is None else cost)
        return made


def _key(said: LoggedMessage) -> _Key:
    if said.aside is not None:
        return ("aside", dumps(dict(said.aside)))
    message = said.message
    calls = tuple((call.name, dumps(dict(call.arguments))) for call in message.tool_calls)
    return (message.role, message.content.strip(), calls)
