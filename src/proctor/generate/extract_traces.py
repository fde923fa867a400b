"""Extract an agent prompt's rules for whole conversations: as step predicates if possible, else for a judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from proctor.core.rule import Rule, Span
from proctor.generate.extract import extract_rules
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.requests import plain
from proctor.generate.extract.statements import Statement, statements_of
from proctor.generate.trace_wording import Wording
from proctor.prompts.prompt import Prompt

__all__ = ["Readable", "extract_trace_rules", "tools_in"]

Readable = Callable[[str], str | None]
"""A step predicate in its canonical form; None where it cannot be read. The language is the scorers' own."""

_MOST_RULES: Final = 500
_SHORTEST: Final = 4  # words; a shorter text is a label
# Requirements on the agent that are not commands.
_ASKED: Final = re.compile(
    r"\b(?:must|should|shall|have to|has to|needs? to|required|always|never|only|cannot|can ?not|can[’']t|may not|"
    r"do not|don[’']t|not allowed|ensure|make sure|before|unless|at most|no more than)\b",
    re.IGNORECASE,
)
# An output predicate applies to every answer only if the statement is about answers.
_OF_ANSWERS: Final = re.compile(
    r"\b(?:answers?|respon(?:d|ses?)|repl(?:y|ies)|messages?|outputs?|write|say|tone|words|sentences|paragraphs?|"
    r"markdown|emojis?|language|english|greet\w*|sign off)\b",
    re.IGNORECASE,
)
_OF_LABELS: Final = re.compile(r"The output (?:names|is) one of ")
_NAME: Final = re.compile(r"`([A-Za-z_][\w.]{1,60})(?:\(\))?`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?:\(\))?")
_LONG: Final = 400
_LISTED: Final = re.compile(r"\"\s*,\s*\"")
_ARGUMENT: Final = re.compile(r"(?:_id|_ids|_number|_date|_name|_type|_code)$")


def extract_trace_rules(prompt: Prompt, *, readable: Readable, tools: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Return the rules of an agent's prompt, in order, each with its span.

    ``tools`` are the names of the agent's tools, in addition to those the prompt names. A statement that code can parse
    gets step predicates; what the output extractor can check of answers keeps its predicate; the rest is for a judge,
    in the prompt's own words.
    """
    wording = Wording(dict.fromkeys([*tools, *tools_in(prompt)]))
    outputs = extract_rules(prompt)
    rules: dict[str, Rule] = {}
    told = [piece for each in statements_of(prompt) if not each.code and not each.user for piece in _pieces(each)]
    for statement in told:
        for rule in _of_statement(statement, wording, outputs, readable):
            # Prompts often repeat a rule; a predicate is checked once.
            rules.setdefault(rule.predicate or rule.id, rule)
    return tuple({rule.id: rule for rule in rules.values()}.values())[:_MOST_RULES]


def tools_in(prompt: Prompt) -> tuple[str, ...]:
    """Return the tool names in a prompt: in its front matter, in backticks, or with underscores."""
    declared = [name for each in _listed(prompt.front.get("tools")) if (name := _name_of(each))]
    named = [found.group(1) or found.group(2) for found in _NAME.finditer(prompt.text)]
    return tuple(dict.fromkeys([*declared, *(name for name in named if "_" in name and not _ARGUMENT.search(name))]))


def _listed(tools: Any) -> Sequence[Any]:
    return tools if isinstance(tools, list) else ()


def _name_of(tool: Any) -> str:
    if isinstance(tool, str):
        return tool
    if not isinstance(tool, Mapping):
        return ""
    inner = tool.get("function")
    name = inner.get("name") if isinstance(inner, Mapping) else tool.get("name") or tool.get("id")
    return str(name or "")


def _pieces(statement: Statement) -> Iterator[Statement]:
    """Yield the statement; a list of quoted sentences that was parsed as one is split into sentences."""
    cuts = list(_LISTED.finditer(statement.text)) if len(statement.text) > _LONG else []
    start = 0
    for cut in cuts:
        yield _cut(statement, start, cut.start())
        start = cut.end()
    yield _cut(statement, start, len(statement.text))


def _cut(statement: Statement, start: int, end: int) -> Statement:
    at = statement.start
    return replace(statement, start=at + start, end=at + end, text=statement.text[start:end])


def _of_statement(
    statement: Statement, wording: Wording, outputs: Sequence[Rule], readable: Readable
) -> Iterator[Rule]:
    found = [(text, canonical) for text, said in wording.predicates(statement.text) if (canonical := readable(said))]
    if found:
        yield from (_rule(text if len(found) > 1 else "", statement, predicate) for text, predicate in found)
        return
    own = [rule for rule in outputs if _within(rule, statement)]
    checked = [rule for rule in own if rule.predicate and not _OF_LABELS.match(rule.text)]
    if checked and _OF_ANSWERS.search(statement.text):
        yield from checked
    elif _is_rule(statement, asked=any(not _OF_LABELS.match(rule.text) for rule in own)):
        yield _rule("", statement, None)


def _within(rule: Rule, statement: Statement) -> bool:
    return rule.source is not None and statement.start <= rule.source.start and rule.source.end <= statement.end


def _is_rule(statement: Statement, *, asked: bool) -> bool:
    text = statement.text.strip()
    if text.endswith((":", "：")) or statement.section in ("example", "input", "tools"):
        return False
    return asked or (len(text.split()) >= _SHORTEST and _ASKED.search(text) is not None)


def _rule(text: str, statement: Statement, predicate: str | None) -> Rule:
    said = plain(statement.text)
    return Rule(
        text=text or said,
        source=Span(start=statement.start, end=statement.end, quote=statement.text),
        kind=kind_of(said),
        predicate=predicate,
        priority=priority_of(said),
        groundedness=1.0,
        origin="extractor",
    )
