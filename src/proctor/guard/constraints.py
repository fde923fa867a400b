"""Constraints on the arguments of one tool, compiled before the first call."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any, Final, Literal

from proctor.core.argument_paths import ABSENT, EMPTY, UNREADABLE, FieldPath, field_path, values_at
from proctor.core.chat import ToolCall
from proctor.core.verdict import Severity
from proctor.guard.confirmation import not_named
from proctor.guard.confirmed_choice import other_choice
from proctor.guard.ownership import Owned
from proctor.guard.step import Step
from proctor.guard.tool_settings import shown
from proctor.text.assent import agrees, asks
from proctor.text.json_schemas import SchemaCheck, SchemaLimitError

__all__ = ["CallProblem", "Constraints"]

# Commas group digits before the point. "1.234,56" is rejected as ambiguous: 1234.56 or 1.23456.
_NUMBER: Final = re.compile(r"[+-]?[0-9][0-9,]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?")
_MAX_PROBLEMS: Final = 20  # per argument


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of an argument: its path if nested, and whether it is optional."""

    bare: str
    path: FieldPath
    optional: bool

    @classmethod
    def of(cls, written: str) -> _Name:
        bare = written.removesuffix("?")
        return cls(bare, field_path(bare), written.endswith("?"))


@dataclass(frozen=True, slots=True)
class _Choice:
    """The allowed values of an argument; ``texts`` are those that are strings, ``ordered`` the same as written."""

    name: _Name
    values: tuple[tuple[str, Any], ...]
    texts: frozenset[str]
    ordered: tuple[str, ...]

    @classmethod
    def of(cls, written: str, values: Sequence[Any]) -> _Choice:
        texts = tuple(each for each in values if isinstance(each, str))
        return cls(_Name.of(written), tuple(map(_told, values)), frozenset(texts), texts)


@dataclass(frozen=True, slots=True)
class _Limit:
    """The maximum of an argument; ``whole`` is the largest whole number within it."""

    name: _Name
    most: Decimal
    whole: int

    @classmethod
    def of(cls, written: str, most: float) -> _Limit:
        return cls(_Name.of(written), _exact(most), int(most))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProblem:
    """A reason why a call may not be made: its kind, its severity, and one sentence that names the argument."""

    kind: str
    reason: str
    severity: Severity = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Constraints on a tool's arguments. ``amount?`` is optional, ``amount`` is required.

    ``a.b`` is b inside a, in each entry of a list, and under the key ``a.b``: every reading is checked.

    ``limits`` are maxima per call (a number may not be below 0), ``sums`` per session. ``own`` names arguments that
    must be ids of the session's customer. ``confirm: true`` requires a yes of the customer right before the call;
    ``named`` requires a yes to a question about this action that named a value of the call, and its amount; where an
    argument has a few values, allowed or of an enum, the question may not be about another of them.
    """

    schema: Mapping[str, Any] | None = None
    allowed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    sums: Mapping[str, float] = field(default_factory=dict)
    confirm: bool | Literal["named"] = False
    owner: str | None = None
    _validator: SchemaCheck | None = field(init=False, repr=False, compare=False)
    _allowed: tuple[_Choice, ...] = field(init=False, repr=False, compare=False)
    _choices: tuple[_Choice, ...] = field(init=False, repr=False, compare=False)
    _own: tuple[_Name, ...] = field(init=False, repr=False, compare=False)
    _limits: tuple[_Limit, ...] = field(init=False, repr=False, compare=False)
    _sums: tuple[tuple[_Name, Decimal], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, most in (*self.limits.items(), *self.sums.items()):
            if not (math.isfinite(most) and most >= 0):
                raise ValueError(f"the limit of {name} is {most:g}; it must be 0 or more")
        made = {
            "_validator": None if self.schema is None else _compiled(self.schema),
            "_allowed": tuple(_Choice.of(name, values) for name, values in self.allowed.items()),
            "_choices": tuple(_Choice.of(name, values) for name, values in self._choosable()),
            "_own": tuple(map(_Name.of, self.own)),
            "_limits": tuple(_Limit.of(name, most) for name, most in self.limits.items()),
            "_sums": tuple((_Name.of(name), _exact(most)) for name, most in self.sums.items()),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def _choosable(self) -> Iterator[tuple[str, Sequence[Any]]]:
        """Yield the arguments that have a few values: those of ``allowed``, and of an enum in the schema."""
        yield from self.allowed.items()
        properties = (self.schema or {}).get("properties")
        for name, each in properties.items() if isinstance(properties, Mapping) else ():
            values = each.get("enum") if isinstance(each, Mapping) else None
            if isinstance(values, Sequence) and not isinstance(values, str) and name not in self.allowed:
                yield f"{name}?", values

    def problems(self, call: ToolCall, step: Step, owned: Owned, same_tool: Sequence[ToolCall]) -> list[CallProblem]:
        """Return every problem of the call. ``same_tool`` are the session's calls that these constraints apply to."""
        found: list[CallProblem] = []
        if self._validator is not None:
            found += _by_schema(call, self._validator)
        for choice in self._allowed:
            found += islice(_not_allowed(call, choice), _MAX_PROBLEMS)
        for name in self._own:
            found += islice(_not_own(call, name, step, owned), _MAX_PROBLEMS)
        for limit in self._limits:
            found += islice(_too_much(call, limit), _MAX_PROBLEMS)
        for name, most in self._sums:
            found += _too_much_in_all(call, name, most, same_tool, step)
        if self.confirm and not step.confirmed:
            found += _not_agreed(call, step, self._choices if self.confirm == "named" else None)
        return found


def _by_schema(call: ToolCall, validator: SchemaCheck) -> Iterator[CallProblem]:
    try:
        if validator.is_valid(call.arguments):
            return
        for error in list(validator.iter_errors(call.arguments))[:5]:
            place = ".".join(map(str, error.instance_path)) or "the arguments"
            reason = f"{_tool(call)}: {place}: {error.message[:200]}"
            yield CallProblem(kind="wrong_argument", reason=reason, severity="medium")
    except SchemaLimitError as error:
        yield CallProblem(kind="wrong_argument", reason=f"{_tool(call)}: {str(error)[:400]}")
    except ValueError as error:  # not JSON, or nested too deeply
        yield CallProblem(
            kind="wrong_argument", reason=f"{_tool(call)}: the arguments cannot be read: {str(error)[:200]}"
        )


def _not_allowed(call: ToolCall, choice: _Choice) -> Iterator[CallProblem]:
    name, values = choice.name, choice.values
    for value in _values(call, name):
        if type(value) is str and value in choice.texts:
            continue
        if value is ABSENT or value is UNREADABLE:
            yield _unknown(call, name, value, "only some values are allowed for it")
        elif _told(value) not in values:
            listed = ", ".join(repr(one)[:40] for _, one in values[:8])
            told = shown(value, name=name.bare)
            yield CallProblem(
                kind="value_not_allowed", reason=f"{_tool(call)}: {name.bare} is {told}; allowed: {listed}"
            )


def _not_own(call: ToolCall, name: _Name, step: Step, owned: Owned) -> Iterator[CallProblem]:
    for value in _values(call, name):
        if value is ABSENT or value is UNREADABLE:
            yield _unknown(call, name, value, "it must be the customer's own")
        elif not owned.is_own(step, value):
            whose = "this customer" if step.memory.customer else "the customer, who is not known"
            told = shown(value, name=name.bare)
            reason = f"{_tool(call)}: nothing shows that {name.bare} {told} belongs to {whose}"
            yield CallProblem(kind="not_own", reason=reason)


def _too_much(call: ToolCall, limit: _Limit) -> Iterator[CallProblem]:
    name, most = limit.name, limit.most
    for value in _values(call, name):
        if type(value) is int and 0 <= value <= limit.whole:
            continue
        if value is ABSENT or value is UNREADABLE:
            yield _unknown(call, name, value, "there is a limit to it")
        elif (amount := _number(value)) is None:
            told = shown(value, name=name.bare)
            yield CallProblem(
                kind="over_limit", reason=f"{_tool(call)}: {name.bare} {told} is no number, and has a limit"
            )
        elif not 0 <= amount <= most:
            reason = f"{_tool(call)}: {name.bare} is {amount}; it may be from 0 to {most}"
            yield CallProblem(kind="over_limit", reason=reason)


def _too_much_in_all(
    call: ToolCall, name: _Name, most: Decimal, same_tool: Sequence[ToolCall], step: Step
) -> Iterator[CallProblem]:
    bare = name.bare
    if sum(step.memory.made[tool] for tool in {each.name for each in same_tool} | {call.name}) > len(same_tool):
        yield CallProblem(
            kind="over_limit",
            reason=f"{_tool(call)}: more calls were made than are remembered, so their sum is not known",
        )
        return
    total = Decimal(0)
    for each in (*same_tool, call):
        for value in _values(each, name):
            amount = Decimal(0) if value is ABSENT else _number(value)
            if amount is None or amount < 0:
                told = "" if value is UNREADABLE else f" {shown(value, name=bare)}"
                yield CallProblem(kind="over_limit", reason=f"{_tool(call)}: {bare}{told} cannot be added up")
                return
            total += amount
    if total > most:
        yield CallProblem(
            kind="over_limit", reason=f"{_tool(call)}: {bare} would come to {total} in this session; the most is {most}"
        )


def _not_agreed(call: ToolCall, step: Step, choices: Sequence[_Choice] | None) -> Iterator[CallProblem]:
    """Report a call without consent: the customer's last message must agree to the agent's question about this call.

    With ``choices``, the arguments that have a few allowed values, the question must name what the call does.
    """
    named = choices is not None
    asked, said = step.memory.asked, step.memory.said
    wanted = "a question that names what is done" if named else "the question"
    reason = f"{_tool(call)} needs the customer's yes to {wanted} right before it"
    if not asked or not said or not asks(said[-1][-2000:]) or not agrees(asked[-1][:2000], said[-1][-2000:]):
        yield CallProblem(kind="not_confirmed", reason=reason)
    elif choices is not None and (why := _unnamed(call, said[-1][-2000:], choices)) is not None:
        yield CallProblem(kind="not_confirmed", reason=f"{reason}: {why}")


def _unnamed(call: ToolCall, question: str, choices: Sequence[_Choice]) -> str | None:
    """Return what the question leaves open about the call, or says of another choice; None if a yes covers it."""
    if (why := not_named(call, question)) is not None:
        return why
    plain = unicodedata.normalize("NFKC", question)
    for choice in choices:
        for value in _values(call, choice.name):
            if isinstance(value, str) and (why := other_choice(plain, choice.name.bare, value, choice.ordered)):
                return why
    return None


def _values(call: ToolCall, name: _Name) -> list[Any]:
    """Return every reading of an argument, each entry of a list; ``ABSENT`` if a required one is missing.

    An empty list counts as absent even for an optional argument, since some tools read it as "all".
    """
    found = values_at(call.arguments, name.path)
    if name.optional:
        found = [value for value in found if value is not ABSENT]
    return [ABSENT if value is EMPTY else value for value in found]


def _exact(limit: float) -> Decimal:
    return Decimal(int(limit) if limit == int(limit) else str(limit))


def _number(value: Any) -> Decimal | None:
    """Return the number that a value or its text is; None for true, null and ambiguous notations."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, int) and value.bit_length() > 128:
        return None
    if len(written := str(value)) > 40:
        return None
    text = unicodedata.normalize("NFKC", written).strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.replace(",", ""))
    return number if number.is_finite() else None


def _told(value: Any) -> tuple[str, Any]:
    """Return a value with its kind, so that true does not equal 1."""
    if isinstance(value, bool) or value is None:
        return "constant", value
    if isinstance(value, (int, float)):
        return "number", value
    return (
        ("text", value) if isinstance(value, str) else ("data", json.dumps(value, sort_keys=True, default=str)[:4000])
    )


def _unknown(call: ToolCall, name: _Name, value: object, why: str) -> CallProblem:
    if value is UNREADABLE:
        reason = f"{_tool(call)}: {name.bare} cannot be read (too deep, too many values, or no JSON), and {why}"
        return CallProblem(kind="wrong_argument", reason=reason)
    return CallProblem(kind="missing_argument", reason=f"{_tool(call)}: {name.bare} is not given, and {why}")


def _tool(call: ToolCall) -> str:
    return call.name[:80]


def _compiled(schema: Mapping[str, Any]) -> SchemaCheck:
    try:
        return SchemaCheck(json.dumps(schema, default=dict))
    except ValueError as error:
        raise ValueError(f"the schema is not a usable JSON schema: {error}") from None
