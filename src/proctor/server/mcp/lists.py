"""Lists that a tool server gives: entries that the gates stop are left out, and calls of dropped tools are refused."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.guard.step import Step
from proctor.server.mcp.scan import Scanner
from proctor.server.mcp.texts import Place
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings

__all__ = ["DroppedTools", "Lists"]

_LISTS: Final = ("tools", "prompts", "resources", "resourceTemplates", "tasks")
_MOST_DROPPED: Final = 10_000


@dataclass(slots=True)
class DroppedTools:
    """The names of tools that were left out of the last list they stood in."""

    _names: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def keep(self, dropped: set[str], passed: set[str]) -> None:
        """Remember what became of the tools of one list."""
        for name in passed - dropped:
            self._names.pop(name, None)
        for name in dropped:
            self._names[name] = None
        while len(self._names) > _MOST_DROPPED:
            self._names.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Reads the parts of a result that can be left out one by one."""

    guard: Guard
    settings: McpSettings
    scanner: Scanner
    dropped: DroppedTools

    async def read(self, result: dict[str, Any]) -> set[Place]:
        """Leave out of the result what the gates stop; gives back where the parts stand that were read."""
        done: set[Place] = set()
        for key in _LISTS:
            if isinstance(result.get(key), list):
                result[key] = await self._kept(key, result[key])
                done.add((id(result), key))
        if isinstance(result.get("instructions"), str):
            holder = {"instructions": result["instructions"]}
            if await self.scanner.scan(holder, "instructions"):
                result.update(holder)
                done.add((id(result), "instructions"))
            else:
                del result["instructions"]
        return done

    async def _kept(self, key: str, entries: list[Any]) -> list[Any]:
        """The entries that may be read: each is judged by itself, so that one does not take the others along."""
        kept: list[Any] = []
        stopped: set[str] = set()
        read = await self.scanner.names_pass(entries, f"{key}/list")
        for each in entries:
            name = each.get("name") if isinstance(each, dict) else None
            name = name if isinstance(name, str) else None  # what it is called before anything is cut
            if isinstance(each, dict) and await self.scanner.scan(each, f"{key}/list", names_read=read):
                kept.append(each)
            elif name is not None:
                stopped.add(name)
        if key != "tools":
            return kept
        self.dropped.keep(stopped, {str(each.get("name")) for each in kept})
        return [each for each in kept if not self.settings.hide or await self._may_call(str(each.get("name")))]

    async def _may_call(self, name: str) -> bool:
        chain = self.guard.plan.chains.get("tool_call")
        memory = self.scanner.session.memory
        step = Step(point="tool_call", call=ToolCall(name=name), intents=self.settings.intents, memory=memory)
        gates = [post.gate for post in (chain.posts if chain else ()) if post.gate.name == "permissions"]
        return all([(await gate.check(step)).action == "allow" for gate in gates])
