"""Which tools an intent permits: used by scorers for recordings and by gates for live calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, Literal

from proctor.core.argument_paths import field_path, values_at
from proctor.core.chat import ToolCall

__all__ = ["DEFAULT_ROW", "NO_INTENT", "TRIALS", "PermissionMatrix", "intent_key"]

TRIALS: Final = ("dry_run", "check_only", "preview", "simulate", "validate_only", "read_only")
_PLAIN: Final = re.compile(r"[^*?\[]*$")
_TRUE: Final = (True, "true", "True", 1)
NO_INTENT: Final = "no intent was known when it was called"
DEFAULT_ROW: Final = "default"
_MAX_CACHED_CHARS: Final = 100  # keys of longer intents are not cached


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The tools that one intent permits, including those of the rows it adds."""

    tools: tuple[str, ...]
    only_checks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionMatrix:
    """Tools by intent. ``+policy_inquiry`` in a row adds that row; names may be patterns (``get_*``).

    A tool under ``read_only`` may be called only with one of the arguments ``checks`` set. With several intents only
    what all of them permit may be called, unless ``several`` is ``union``. ``always`` needs no intent.

    ``default`` is the row for calls without any intent; the matrix may also contain it under that name. An intent
    that has no row is not "no intent": such a call is not permitted.

    Raises:
        ValueError: a row adds itself or one that does not exist, there are two default rows, or ``read_only`` names an
            intent without a row.
    """

    matrix: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: tuple[str, ...] = TRIALS
    several: Literal["intersection", "union"] = "intersection"
    always: tuple[str, ...] = ()
    default: tuple[str, ...] | None = None
    _rows: Mapping[str, _Row] = field(init=False, repr=False, compare=False)
    _everywhere: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        matrix = dict(self.matrix)
        if self.default is not None:
            if any(intent_key(intent) == DEFAULT_ROW for intent in matrix):
                raise ValueError("there is a row `default` in the matrix and a `default:` beside it; keep one of them")
            matrix[DEFAULT_ROW] = self.default
        known = {intent_key(intent): tuple(tools) for intent, tools in matrix.items()}
        checking: dict[str, list[str]] = {}
        for intent, tools in self.read_only.items():
            if intent_key(intent) not in known:
                raise ValueError(f"read_only names the intent {intent!r}, which is none of {', '.join(matrix)}")
            checking.setdefault(intent_key(intent), []).extend(tools)
        rows = {}
        for intent in matrix:
            within = list(_closure(intent, known))
            rows[intent_key(intent)] = _Row(
                tools=tuple(tool for each in within for tool in known[each] if not tool.startswith("+")),
                only_checks=tuple(tool for each in within for tool in checking.get(each, ())),
            )
        object.__setattr__(self, "_rows", rows)
        everywhere = {tool for row in rows.values() for tool in (*row.tools, *row.only_checks)}
        object.__setattr__(self, "_everywhere", tuple(sorted(everywhere)))

    def against(self, call: ToolCall, intents: Sequence[str]) -> str | None:
        """Return why the call is not permitted under these intents; ``None`` if it is."""
        if _any(call.name, self.always):
            return None
        if not intents:
            if not self.has_default:
                return NO_INTENT
            intents = (DEFAULT_ROW,)
        rows = [(intent, self._rows.get(intent_key(intent))) for intent in intents]
        denied = []
        for intent, row in rows:
            if row is None:
                return f"the intent {intent[:60]!r} is not in the matrix"
            if (why := self._by_intent(call, intent, row)) is not None:
                denied.append(why)
        if not denied or (self.several == "union" and len(denied) < len(rows)):
            return None
        if len(denied) < len(rows):
            return f"{denied[0]}; of several intents only what all of them permit may be called"
        return denied[0]

    @property
    def has_default(self) -> bool:
        """Whether there is a row for calls without any intent."""
        return DEFAULT_ROW in self._rows

    def permitted(self, tools: Collection[str], intents: Sequence[str]) -> tuple[str, ...]:
        """Return those of the tools that may be called under these intents, even if only to check."""
        trial = {name: True for name in self.checks}
        return tuple(tool for tool in tools if self.against(ToolCall(name=tool, arguments=trial), intents) is None)

    def _by_intent(self, call: ToolCall, intent: str, row: _Row) -> str | None:
        if _any(call.name, row.only_checks):
            if any(_is_set(call, name) for name in self.checks):
                return None
            return f"under {intent!r} it may only check ({' or '.join(self.checks[:2])}), not change"
        if _any(call.name, row.tools):
            return None
        if not _any(call.name, self._everywhere):
            return "the tool is not in the matrix"
        return f"{intent!r} does not permit it"


def intent_key(intent: str) -> str:
    """Normalise an intent: Policy inquiry, policy-inquiry and policy_inquiry are the same."""
    return _short_key(intent) if len(intent) <= _MAX_CACHED_CHARS else _key(intent)


@lru_cache(maxsize=1024)
def _short_key(intent: str) -> str:
    return _key(intent)


def _key(intent: str) -> str:
    return "_".join(re.findall(r"\w+", intent.casefold().replace("_", " ")))


def _closure(intent: str, known: Mapping[str, tuple[str, ...]], within: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the intent and those that its row adds, recursively."""
    key = intent_key(intent)
    if key in within:
        raise ValueError(f"the row of {intent!r} adds itself")
    yield key
    for tool in known[key]:
        if not tool.startswith("+"):
            continue
        if intent_key(tool[1:]) not in known:
            raise ValueError(f"the row of {intent!r} adds {tool[1:]!r}, which is no row of the matrix")
        yield from _closure(tool[1:], known, (*within, key))


def _is_set(call: ToolCall, name: str) -> bool:
    """Return whether every reading of an argument is true: ``Dry_Run`` beside ``dry_run`` must be too."""
    return all(
        isinstance(each, (bool, int, str)) and each in _TRUE for each in values_at(call.arguments, field_path(name))
    )


def _any(tool: str, patterns: Sequence[str]) -> bool:
    return tool in patterns or any(fnmatchcase(tool, each) for each in _wild(tuple(patterns)))


@lru_cache(maxsize=1024)
def _wild(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns that contain wildcards."""
    return tuple(each for each in patterns if not _PLAIN.match(each))
