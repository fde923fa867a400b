"""Every place where a pattern can be configured, run alone: ``python -m tests.contracts.pattern_places NAME``.

Writes one line for each hostile pattern: what came of it, or that it was refused and why.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from proctor.core.case import Case
from proctor.core.chat import Message, Reply, Request, ToolCall
from proctor.core.errors import ProctorError, ReplyError
from proctor.core.rule import Rule
from proctor.core.trajectory import Trajectory, Turn

LOOKS_AHEAD = r"(?:(?=[a-z ]*[0-9])x|(a))*\1b"  # runs for ever in the same engine as the one before it
PATTERNS = (r"(a|a)*b", r"(a+)+$", r"(a+)+\1b", LOOKS_AHEAD, r"a.*a.*a.*b")
GLOB = "*a" * 30 + "b"  # for places that take shell patterns
PATH = "/**/a" * 12 + "/b"
TEXT = "a" * 20_000 + "!"  # the hostile patterns would need years for it, as for any longer text
CASE = Case(id="c", input="Question?")
WORDS = "I will definitely give you " + TEXT


def talk(*answers: str, tool: str = "look") -> Trajectory:
    """A conversation in which these were the answers."""
    call = ToolCall(name=tool, arguments={"a": TEXT}, result={"note": "news " + str(len(answers))})
    return Trajectory(
        turns=tuple(
            Turn(
                messages=(Message(role="user", content="Is it included?"), Message(role="assistant", content=each)),
                tool_calls=(call,),
            )
            for each in answers
        )
    )


async def gate(name: str, settings: dict[str, Any], *, tool: str = "look", value: str = "a") -> str:
    """The action of a gate on a hostile text, or on a hostile call."""
    from tests.guard.gates.staging import gate as made

    from proctor.guard.step import Step

    point: Literal["tool_call", "output"] = "tool_call" if name in ("arguments", "rate", "permissions") else "output"
    call = ToolCall(name=tool, arguments={"v": value}) if point == "tool_call" else None
    verdict = await made(name, **settings).check(Step(point=point, text="" if call else TEXT, call=call))
    return str(verdict.action)


async def score(module: str, kind: str, run: Trajectory, **settings: Any) -> str:
    """The value that a scorer gives."""
    import importlib

    from proctor.core.decode import decode
    from proctor.wiring.local_models import local_model

    made = getattr(importlib.import_module(f"proctor.scorers.{module}"), kind)
    sockets = {
        name: local_model(name) for name in ("entailer", "tagger", "wording") if name in made.__dataclass_fields__
    }
    scorer = decode(made, {**settings, **sockets}, strict=True)
    found = await scorer.score(CASE, run)
    return f"{found.status} {found.value} {found.reason[:160]}"


async def predicate(text: str) -> str:
    """Whether a predicate holds of the hostile text."""
    from proctor.text.predicates import parse

    found = parse(text).check(json.dumps(TEXT) if "json" in text else TEXT)
    return f"{found.ok} {found.reason[:160]}"


async def trace(text: str) -> str:
    """What a rule of traces comes to."""
    rule = Rule(text="A rule.", predicate=text)
    from proctor.scorers.conversation.trace_rules import TraceRules

    found = await TraceRules(rules=(rule,), light=True).score(CASE, talk(TEXT, tool=TEXT))
    return f"{found.status} {found.value} {found.reason[:160]}"


class Told:
    """A model that answers with the hostile text."""

    name = "told:m"

    async def complete(self, request: Request) -> Reply:
        """The text as JSON."""
        return Reply(text=json.dumps({"v": TEXT}))


async def structured(pattern: str) -> str:
    """A model's answer held against a schema."""
    from proctor.models.structured import Structured

    schema = {"type": "object", "properties": {"v": {"pattern": pattern}}}
    asked = Request(messages=(Message(role="user", content="?"),), schema=schema)
    try:
        return str((await Structured(Told()).complete(asked)).data)[:60]
    except ReplyError as error:  # the answer does not keep the schema
        return str(error)[:160]


async def cross_turn(pattern: str) -> str:
    """Two answers that differ, and a tool with a hostile name."""
    from proctor.scorers.conversation.cross_turn import CrossTurn
    from proctor.wiring.local_models import local_model

    entailer, embedder = local_model("entailer"), local_model("embedder")
    scorer = CrossTurn(knowledge_tools=pattern, light=True, entailer=entailer, embedder=embedder)
    found = await scorer.score(CASE, talk("Yes, lunch is included.", "No, lunch is not included.", tool=TEXT))
    return f"{found.status} {found.value}"


async def path(pattern: str) -> str:
    """A hostile path at the proxy."""
    from proctor.server.proxy.routes import route_of

    return route_of("GET", "/x" + "/a" * 10_000, (pattern,))[0]


def _schema(pattern: str) -> dict[str, Any]:
    return {"properties": {"v": {"not": {"pattern": pattern}}}}


Place = Callable[[str], Awaitable[str]]
_LIGHT = {"light": True}
PLACES: dict[str, Place] = {
    "banned.patterns": lambda each: gate("banned", {"patterns": [each]}),
    "pii.codes": lambda each: gate("pii", {"codes": {"x": each}}),
    "arguments.schema": lambda each: gate("arguments", {"tools": {"look": {"schema": _schema(each)}}}, value=TEXT),
    "regex": lambda each: score("answer.regex", "Regex", talk(TEXT), value=each),
    "regex fullmatch": lambda each: score("answer.regex", "Regex", talk(TEXT), value=each, mode="fullmatch"),
    "forbidden.patterns": lambda each: score("answer.forbidden", "Forbidden", talk(TEXT), patterns=[each]),
    "fluency.formats": lambda each: score(
        "answer.fluency", "Fluency", talk(TEXT), formats={"default": {"patterns": [each]}}, **_LIGHT
    ),
    "json_schema.schema": lambda each: score(
        "answer.json_schema", "JsonSchema", talk(json.dumps({"v": TEXT})), schema=_schema(each)
    ),
    "pii_shown.codes": lambda each: score("safety.pii_shown", "PiiShown", talk(TEXT), codes={"x": each}, **_LIGHT),
    "pii_shown.public": lambda each: score("safety.pii_shown", "PiiShown", talk(TEXT), public=[each], **_LIGHT),
    "commitments.says": lambda each: score(
        "safety.commitments",
        "Commitments",
        talk(WORDS),
        registry=[{"name": "gift", "may_not": "give", "says": [each]}],
        **_LIGHT,
    ),
    "cross_turn.knowledge_tools": cross_turn,
    "predicate matches": lambda each: predicate(f"matches /{each}/"),
    "predicate is": lambda each: predicate(f"is /{each}/"),
    "predicate count": lambda each: predicate(f"count /{each}/ > 0"),
    "predicate each": lambda each: predicate(f"each /{each}/: words = 1"),
    "predicate schema": lambda each: predicate(f"json schema {json.dumps({'pattern': each})}"),
    "trace rule": lambda each: trace(f"never answer matching /{each}/"),
    "trace rule of arguments": lambda each: trace(f'never call with "a" matches /{each}/'),
    "structured answer": structured,
}
GLOBS: dict[str, Place] = {
    "arguments.tools": lambda each: gate("arguments", {"tools": {each: {"schema": {}}}}, tool=TEXT),
    "rate.tools": lambda each: gate("rate", {"session": {each: 3}, "minute": {each: 3}}, tool=TEXT),
    "trace rule of a tool": lambda each: trace(f"never `{each}`"),
    "proxy allow": path,
}


def patterns_of(name: str) -> Sequence[str]:
    """What a place is given; a pattern that only its time limit ends costs a second, so a few places get the second."""
    if name in GLOBS:
        return (PATH,) if name == "proxy allow" else (GLOB,)
    return PATTERNS if name in ("regex", "predicate matches") else [each for each in PATTERNS if each != LOOKS_AHEAD]


async def main(names: Sequence[str]) -> None:
    """Run these places and print one line per pattern: the place, the pattern, the outcome and its text."""
    from proctor.scorers.bounded_regex import first_matches

    # What would never end is stopped after one second of processor time; the limit in use only takes longer.
    first_matches.__kwdefaults__ = {**(first_matches.__kwdefaults__ or {}), "seconds": 1}
    for name in names:
        for pattern in patterns_of(name):
            sys.stdout.write(f"{name}\t{pattern}\t")
            sys.stdout.flush()  # so that the pattern that hangs is known
            try:
                told = f"done\t{await (PLACES | GLOBS)[name](pattern)}"
            except (ValueError, ProctorError) as error:
                told = f"refused\t{error} {getattr(error, 'hint', '')}"
            sys.stdout.write(told.replace("\n", " ") + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
