"""Ask a model for an agent prompt's rules for whole conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.generate.stages.answer_size import most_rules_in
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.rules import locate
from proctor.generate.stages.schemas import list_of, object_of, text_of
from proctor.prompts.prompt import Prompt

__all__ = ["find_trace_rules"]

_LONGEST_RULE = 400
_FEWEST_WORDS = 3


async def find_trace_rules(
    model: Model,
    prompt: Prompt,
    *,
    readable: Callable[[str], str | None],
    forms: Sequence[str],
    tools: Sequence[str] = (),
    known: Sequence[Rule] = (),
) -> tuple[Rule, ...]:
    """Ask the model for the rules of an agent's prompt that are not among ``known``.

    ``forms`` are examples of step predicates. A proposed one is kept only if it parses; a rule without one needs a
    judge.

    Raises:
        ModelError: the reply has no usable rule.
    """
    question = Question(
        stage="trace_rules",
        material=[
            ("prompt under test", prompt.text),
            ("tools", "\n".join(tools)),
            ("rules known already", "\n".join(f"- {rule.text}" for rule in known)),
        ],
        schema=_SCHEMA,
        holes={"forms": "\n".join(f"- {form}" for form in forms)},
        items=most_rules_in(prompt.text, None),
    )
    return await ask(model, question, lambda data: _read(data, prompt, known, model.name, readable))


_SCHEMA: Mapping[str, Any] = list_of(
    "rules",
    object_of(
        {
            "text": text_of(),
            "quote": text_of(),
            "predicate": text_of(),
        }
    ),
)


def _read(
    data: Any, prompt: Prompt, known: Sequence[Rule], origin: str, readable: Callable[[str], str | None]
) -> ReplyReading[tuple[Rule, ...]]:
    rules: dict[str, Rule] = {}
    complaints: list[str] = []
    there = {rule.text.casefold() for rule in known}
    for said in data.get("rules", ()):
        text = " ".join(str(said.get("text") or "").split())
        if len(text.split()) < _FEWEST_WORDS or len(text) > _LONGEST_RULE:
            complaints.append(f"{text[:80]!r}: a rule is one full sentence")
            continue
        if text.casefold() in there:
            continue
        quote, written = str(said.get("quote") or ""), str(said.get("predicate") or "").strip().strip("`")
        span = locate(quote, prompt.text)
        if span is None:
            complaints.append(f"{text[:80]!r}: its quote is not in the prompt letter by letter: {quote[:80]!r}")
        predicate = readable(written) if written else None
        if written and predicate is None:
            complaints.append(f"{text[:80]!r}: its predicate is none of the forms: {written[:80]!r}")
        rule = Rule(text=text, source=span, predicate=predicate, origin=origin)
        rules.setdefault(rule.id, rule)
    if not rules and not known:
        return ReplyReading(complaints=tuple(complaints) or ("no rule is listed",))
    return ReplyReading(value=tuple(rules.values()), complaints=tuple(complaints))
