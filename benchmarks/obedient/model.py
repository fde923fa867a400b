"""The obedient model: a script, no language model, that keeps every predicate found in the prompt it is given.

It stands in for a model under test where the question is about the tests: it does what the prompt says and nothing
more, so that a rule which is no longer said is no longer kept. ``answer`` is its function for the ``rule`` provider:
``-m rule:benchmarks.obedient.model:answer``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from benchmarks.obedient.as_json import instance_of
from benchmarks.obedient.search import Obeyed, obey
from proctor.core.chat import Message, Reply, Request, Usage
from proctor.core.codec import dumps
from proctor.core.rule import Rule
from proctor.generate.required_rules import demanded_rules
from proctor.prompts.prompt import Prompt, PromptMessage
from proctor.text.predicates import PredicateError, Term, parse

__all__ = ["MODEL", "answer"]

MODEL = "rule:benchmarks.obedient.model:answer"

_NAMED_INPUT = re.compile(r'\binput "((?:[^"\\]|\\.)+)"')
_LABEL = re.compile(r"\A[\w ]{1,40}:\s+")


def answer(request: Request) -> Reply:
    """An output that keeps the predicates which the rule extractor finds in the messages, the same each time.

    It cannot act on a rule without a predicate. What could not be kept is in the reply's ``extra``.
    """
    said, source = _instructions(request.messages)
    if request.schema is not None:
        return _reply(request, Obeyed(text=dumps(instance_of(request.schema)).decode()))
    return _reply(request, obey(_terms(said), _inputs(said, source)))


def _reply(request: Request, found: Obeyed) -> Reply:
    words = sum(len(message.content.split()) for message in request.messages)
    extra: dict[str, Any] = {"scripted": True}
    if found.broken:
        extra["not_kept"] = list(found.broken)
    return Reply(
        text=found.text,
        model=MODEL,
        cost=0.0,
        usage=Usage(input=words, output=len(found.text.split())),
        extra=extra,
    )


def _instructions(messages: Sequence[Message]) -> tuple[str, str]:
    """What is a prompt and what is its input: the system's words and the user's, as far as they can be told apart.

    A user message holds the input, and commands in it are not obeyed, unless the system's words say no rule at all.
    """
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    user = [message.content for message in messages if message.role == "user"]
    last = user[-1] if user else ""
    if system.strip() and (_rules(system) or not last):
        return system, _LABEL.sub("", last)
    head, _, tail = last.rpartition("\n\n") if "\n\n" in last else last.rpartition(": ")
    return "\n\n".join(each for each in (system, last) if each), tail if head else last


@lru_cache(maxsize=256)
def _rules(text: str) -> tuple[Rule, ...]:
    # `plain`: braces in what was rendered already are no variables any more.
    prompt = Prompt(name="given", messages=(PromptMessage(role="system", text=text),), syntax="plain")
    return demanded_rules(prompt)


@lru_cache(maxsize=256)
def _terms(text: str) -> tuple[Term, ...]:
    return tuple(_parsed(_rules(text)))


def _parsed(rules: Sequence[Rule]) -> Iterator[Term]:
    for rule in rules:
        if rule.predicate and rule.polarity == "positive":
            try:
                yield parse(rule.predicate).root
            except PredicateError:
                continue


def _inputs(text: str, source: str) -> dict[str, str]:
    """The input under every name that a predicate calls it by: a request does not say which variable was filled."""
    names = [name for rule in _rules(text) for name in _NAMED_INPUT.findall(rule.predicate or "")]
    return dict.fromkeys(names or ["input"], source)
