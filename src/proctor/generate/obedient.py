"""The obedient model: a script, no language model, that keeps every predicate found in the prompt it is given.

It stands in for a model under test where the question is about the tests: it does what the prompt says and nothing
more, so that a rule which is no longer said is no longer kept. Reports show it by its name, ``obedient:scripted``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from proctor.core.chat import Message, Reply, Request, Usage
from proctor.core.decoding import decode
from proctor.core.rule import Rule
from proctor.core.sockets import Kit, Model
from proctor.generate.extract import extract_rules
from proctor.generate.obeying.as_json import instance_of
from proctor.generate.obeying.search import Obeyed, obey
from proctor.prompts.prompt import Prompt, PromptMessage
from proctor.text.predicates import PredicateError, Term, parse

__all__ = ["Obedient", "demands", "obedient"]

_NAMED_INPUT = re.compile(r'\binput "((?:[^"\\]|\\.)+)"')
# What is only allowed or preferred is no demand, whatever the extractor makes of the rest of the sentence.
_ALLOWED = re.compile(
    r"\b(?:may(?! not\b)|usually|mainly|roughly|preferably|rarely|hop(?:e|ing)|try not to|for example one of)\b", re.I
)
# What stands in a condition allows nothing: `answer YES if it may be shown`.
_CONDITION = re.compile(r"\b(?:if|when|whether|unless)\b[^,.;:]*", re.I)
_LABEL = re.compile(r"\A[\w ]{1,40}:\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obedient:
    """Reads its instructions with the rule extractor and builds an output that keeps the predicates found there.

    A rule without a predicate it cannot act on. What could not be kept is in the reply's ``extra``.
    """

    name: str = "obedient:scripted"

    @property
    def spec(self) -> Mapping[str, Any]:
        """What decides its answers: nothing but its version."""
        return {"provider": "obedient", "version": "1"}

    async def complete(self, request: Request) -> Reply:
        """An output that keeps what the messages demand, the same each time."""
        said, source = _instructions(request.messages)
        if request.schema is not None:
            from proctor.core.codec import dumps  # noqa: PLC0415 - rarely asked for

            text = dumps(instance_of(request.schema)).decode()
            return _reply(self.name, request, Obeyed(text=text))
        found = obey(_terms(said), _inputs(said, source))
        return _reply(self.name, request, found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    model: Literal["scripted"] = "scripted"


def demands(prompt: Prompt) -> tuple[Rule, ...]:
    """The rules of a prompt that the scripted model obeys: what the extractor finds, less what is only allowed."""
    found = extract_rules(prompt)
    return tuple(
        rule for rule in found if rule.source is None or not _ALLOWED.search(_CONDITION.sub("", rule.source.quote))
    )


def obedient(kit: Kit) -> Model:
    """A scripted fake that keeps every predicate it finds in the prompt: for measuring tests, not models."""
    decode(_Settings, kit.settings, strict=True)
    return Obedient()


def _reply(name: str, request: Request, found: Obeyed) -> Reply:
    words = sum(len(message.content.split()) for message in request.messages)
    extra: dict[str, Any] = {"scripted": True}
    if found.broken:
        extra["not_kept"] = list(found.broken)
    return Reply(
        text=found.text,
        model=name,
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
    return demands(prompt)


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
