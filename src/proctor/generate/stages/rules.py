"""Ask a model for the rules of a prompt, and for the opposite of each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from proctor.core.rule import Rule, Span
from proctor.core.sockets import Model
from proctor.generate.extract import invert
from proctor.generate.stages.answer_size import most_rules_in
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.schemas import list_of, object_of, text_of
from proctor.prompts.prompt import Prompt
from proctor.text.predicates import PredicateError, parse, vocabulary

__all__ = ["find_opposites", "find_rules", "labelled", "locate"]

Kind = Literal["format", "content", "refusal", "style", "safety"]
_KINDS = ("format", "content", "refusal", "style", "safety")
_LONGEST_RULE = 400
_ABOUT_THE_INPUT = re.compile(
    r"^(?:the|an?|any|every|each)?\s*(?:user'?s?\s+)?(?:input|user|prompt|question|request|message)s?\b"
    r"(?!\s+(?:text\s+)?(?:is|are)\s+(?:not\s+)?(?:answered|translated|rewritten|quoted|repeated|kept|preserved))"
    r"[^.]{0,40}\b(?:must|should|shall|has to|have to|needs? to|can|may|is|are|contains?)\b",
    re.IGNORECASE,
)


async def find_rules(
    model: Model,
    prompt: Prompt,
    *,
    known: Sequence[Rule] = (),
    most: int | None = None,
    keep_all: bool = False,
    instructions: str = "",
    sample: int = 0,
) -> tuple[Rule, ...]:
    """Ask the model for the rules of the prompt; those in ``known`` are left out.

    ``keep_all`` returns also those beyond ``most``, for a caller that compares them before it cuts.

    A proposed predicate is kept only if it parses and is about the output; a rule without one needs a judge.

    Raises:
        ModelError: the reply has no usable rule.
    """
    items = most_rules_in(prompt.text, most)
    question = Question(
        stage="rules",
        material=[("prompt under test", prompt.text), ("rules known already", _bullets(known))],
        schema=_rules_schema(2 * items),
        holes={"vocabulary": _vocabulary(), "limit": _limit(most), "known": _known(known)},
        instructions=instructions,
        sample=sample,
        items=items,
    )
    found = await ask(model, question, lambda data: _read_rules(data, prompt, known, model.name))
    return found if most is None or keep_all else found[:most]


async def find_opposites(
    model: Model, rules: Sequence[Rule], *, instructions: str = "", sample: int = 0
) -> tuple[Rule, ...]:
    """Ask the model for the opposite of each rule: exactly one for each, linked to it.

    A missing opposite is made by code, as its ``origin`` shows.

    Raises:
        ModelError: the reply has no usable opposite.
    """
    if not rules:
        return ()
    names = labelled(rules)
    question = Question(
        stage="opposites",
        material=[("rules", "\n".join(f"{name}: {rule.text}" for name, rule in names.items()))],
        schema=_opposites_schema(list(names)),
        holes={"count": str(len(rules)), "names": ", ".join(names)},
        instructions=instructions,
        sample=sample,
        items=len(rules),
    )
    said = await ask(model, question, lambda data: _read_opposites(data, names, model.name))
    return tuple(said.get(name) or invert(rule) for name, rule in names.items())


def labelled(rules: Sequence[Rule]) -> dict[str, Rule]:
    """Return rules under short names that a small model can copy: R1, R2 and so on."""
    return {f"R{number}": rule for number, rule in enumerate(rules, 1)}


def locate(quote: str, text: str) -> Span | None:
    """Find a quote in a text, regardless of spaces, quotation marks and case."""
    words = quote.strip().strip("\"'“”‘’`…").split()
    if not words or len(words) > 400:
        return None
    loose = r"\s+".join(_loose(word) for word in words)
    match = re.search(loose, text) or re.search(loose, text, re.IGNORECASE)
    return Span(start=match.start(), end=match.end(), quote=match.group()) if match else None


def _loose(word: str) -> str:
    return re.sub(r"(?:\\?[\"'“”‘’`])", lambda _: "[\"'“”‘’`]", re.escape(word))


def _bullets(rules: Sequence[Rule]) -> str:
    return "\n".join(f"- {rule.text}" for rule in rules)


def _limit(most: int | None) -> str:
    return f"\nList at most {most} rules, the most important first.\n" if most is not None else ""


def _known(known: Sequence[Rule]) -> str:
    return '\nDo not repeat what stands under "rules known already"; list what is missing there.\n' if known else ""


def _vocabulary() -> str:
    """Return one example of every form, by family: meanings would be too long for small models."""
    families: defaultdict[str, list[str]] = defaultdict(list)
    for entry in vocabulary():
        families[entry.family].append(entry.example)
    return "\n".join(f"- {family}: {' | '.join(examples)}" for family, examples in families.items())


def _rules_schema(most: int) -> Mapping[str, Any]:
    item = object_of(
        {
            "text": text_of(),
            "quote": text_of(),
            "kind": {"type": "string", "enum": list(_KINDS)},
            "predicate": text_of(),
        }
    )
    return list_of("rules", item, most=most)


def _opposites_schema(names: Sequence[str]) -> Mapping[str, Any]:
    item = object_of({"rule": {"type": "string", "enum": list(names)}, "text": text_of()})
    return list_of("opposites", item, most=2 * len(names))


def _read_rules(data: Any, prompt: Prompt, known: Sequence[Rule], origin: str) -> ReplyReading[tuple[Rule, ...]]:
    rules: dict[str, Rule] = {}
    complaints: list[str] = []
    there = {_plain(rule.text) for rule in known}
    for said in data.get("rules", ()):
        text = " ".join(str(said.get("text") or "").split())
        if wrong := _wrong_with(text):
            complaints.append(f"{text[:80]!r}: {wrong}")
            continue
        if _plain(text) in there:
            continue
        there.add(_plain(text))
        quote = str(said.get("quote") or "")
        span = locate(quote, prompt.text)
        if span is None:
            complaints.append(f"{text[:80]!r}: its quote is not in the prompt letter by letter: {quote[:80]!r}")
        kind = said.get("kind")
        rule = Rule(
            text=text,
            source=span,
            kind=cast(Kind, kind) if kind in _KINDS else None,
            predicate=_predicate(str(said.get("predicate") or "")),
            origin=origin,
        )
        rules.setdefault(rule.id, rule)
    if not rules and not known:
        return ReplyReading(complaints=tuple(complaints) or ("no rule is listed",))
    return ReplyReading(value=tuple(rules.values()), complaints=tuple(complaints))


def _wrong_with(text: str) -> str:
    if len(text.split()) < 3:
        return "a rule is a full sentence"
    if _is_unwritten(text):
        return "it is not written out"
    if len(text) > _LONGEST_RULE:
        return f"a rule says one thing; this one has {len(text)} letters"
    if _ABOUT_THE_INPUT.search(text):
        return "it is about the input; a rule is about the answer"
    return ""


def _is_unwritten(text: str) -> bool:
    """Whether a text breaks off: small models copy the example of the question."""
    return text.endswith(("...", "…"))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def _predicate(text: str) -> str | None:
    """Return the predicate in canonical form; ``None`` if it does not parse or is not about the output."""
    text = text.strip().strip("`")
    if not text or re.match(r"(?:not\s*\(?\s*)*input\b", text):
        return None
    try:
        return parse(text).text
    except PredicateError:
        return None


def _read_opposites(data: Any, names: Mapping[str, Rule], origin: str) -> ReplyReading[dict[str, Rule]]:
    found: dict[str, Rule] = {}
    complaints: list[str] = []
    for said in data.get("opposites", ()):
        name, text = str(said.get("rule")), " ".join(str(said.get("text") or "").split())
        rule = names.get(name)
        if rule is None:
            complaints.append(f"there is no rule {name}")
        elif name in found:
            complaints.append(f"{name} has more than one opposite")
        elif len(text.split()) < 3 or _is_unwritten(text):
            complaints.append(f"the opposite of {name} is no sentence")
        elif _plain(text) == _plain(rule.text):
            complaints.append(f"the opposite of {name} says the same as the rule")
        else:
            found[name] = Rule(text=text, polarity="negative", inverse_of=rule.id, kind=rule.kind, origin=origin)
    complaints += [f"{name} has no opposite" for name in names if name not in found]
    return ReplyReading(value=found or None, complaints=tuple(complaints))
