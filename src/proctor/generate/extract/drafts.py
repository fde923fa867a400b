"""Extract the rules of one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import Aspect, Scope, checkable, quoted
from proctor.generate.extract.banned_words import find_banned
from proctor.generate.extract.clause_requests import about_input, plain, requested
from proctor.generate.extract.clauses import Clause, clauses_of
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fields import described_keys, field_of, find_fields, keys_in
from proctor.generate.extract.input_guards import input_guard
from proctor.generate.extract.japanese import is_japanese, japanese_drafts
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.labels import ALTERNATIVE, names_answer, special_answer
from proctor.generate.extract.language_words import TONGUES
from proctor.generate.extract.led_items import (
    EMPTY_LEAD,
    command_after_break,
    completed_item,
    conditional_item,
    is_open_lead,
    led_item,
    noted_item,
    noted_line,
    opened_condition,
)
from proctor.generate.extract.named_shapes import find_named_shapes, find_tags
from proctor.generate.extract.other_languages import foreign_drafts
from proctor.generate.extract.scope import speaks_of_whole, with_output, without_subject
from proctor.generate.extract.sentence_roles import PERMISSION, ROLE
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.verbs import COMMANDS
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["drafts_of"]

_EMPTY: Final = worded(
    """
    a an the of in to and or for with your you it its is are be must should output response answer reply
    please always only just write return respond generate produce provide give use keep make format
    formatted valid texts text result results that this have has contain include using following schema
    below shape do not never than long length as all will shall ensure sure limit maximum max at most
    least crafted no more limited exactly total single exceed exceeding wrap begin start end beginning
    starting ending by put answers any nothing else whole unique per message each every
    """
)
_YOUR_TURN: Final = Lazy(
    r"\b(?:and|then)\s+you(?:'ll| will| should| must| are to| need to)\s+(?!be (?:given|presented|shown|asked))",
    re.IGNORECASE,
)
# ``Branches open at nine and close at five``: a plural noun and its verb.
_IDLE: Final = Lazy(
    r"(?!(?:always|please|use|address|focus|discuss|process|express)\b)(?:[A-Z][\w-]*\s+)?[\w-]{3,}[^s\W]s\s+"
    r"(?:open|take|cost|need|start|run|come|go|work|last|arrive|ship|close|live|are|have|were)\b",
)
# ``You sort tickets for a shop``: a routine.
_HABIT: Final = Lazy(
    r"you\s+(?!must|should|shall|will|may|can|need|are|have|do|never|always|only|"
    r"ought)[a-z]+\s+(?!(?:the|this|that|a|an|only|one|"
    r"your|it|all)\b)",
    re.IGNORECASE,
)
_DANGLING: Final = Lazy(r"\b(?:if|when|unless|whenever)(?:\s+(?:the \w+|it|they|you))?\s*[:：]?\s*$", re.IGNORECASE)
# ``The customer's answer is {{answer}}``: a line that introduces an input.
_INTRODUCED: Final = Lazy(r"\b(?:is|are|was)\s*[:：]?\s*[\"'`“]*\{\{[^{}]*\}\}[\"'`”.]*\s*$", re.IGNORECASE)
_INPUT_LINE: Final = Lazy(
    r"\W*(?:(?:the|user|customer|your)\s+)?(?:comments?|review|message|question|name|title|"
    r"subject|text|query|request|from|to|input|e-?mail|"
    r"reviewer|feedback|report|document|note|answer|order|list|code|link|tags?|points?|"
    r"address|date)\b[^.:：]{0,40}[:：]\s*[\"“'`<]*\{\{",
    re.IGNORECASE,
)
_SPEAKS: Final = Lazy(
    r"\b(?:you|your|output|response|answer|who|that)\b|^\W*it (?:has|contains|consists)\b", re.IGNORECASE
)
_GOES_ON: Final = Lazy(r"(?:is|are|has|have|does|do|was|were|will|can|may)\b", re.IGNORECASE)
_VACUOUS: Final = Lazy(
    r"^\W*(?:no exceptions?|focus on|avoid|include|note|important|remember|always|never)\W*$", re.IGNORECASE
)
_INSIDE: Final = Lazy(r"\b(?:inside|within|in|for|to)\s+(?:each|every)\s+<(?P<tag>[A-Za-z][\w-]*)>", re.IGNORECASE)
_PURPOSE: Final = Lazy(r"\s*\bto\s+(?P<verb>[a-z]+)\b", re.IGNORECASE)


def drafts_of(statement: Statement, scope: Scope) -> Iterator[Draft]:
    """Yield the rules of one statement, in order."""
    if is_japanese(statement.text):
        yield from japanese_drafts(statement)
        return
    if scope.language in TONGUES:
        yield from foreign_drafts(statement, scope.language)
        return
    turn = _YOUR_TURN.search(statement.text)
    whole = _whole_statement(statement, about=about_input(statement.text) and not turn)
    if whole is not None:
        yield from whole
        return
    lead = statement.lead if statement.section in ("rules", "never") else ""
    said = False
    idle = not turn and _IDLE.match(statement.text) is not None
    for clause in clauses_of(statement):
        if not said and not clause.first and (clause.borrowed or _GOES_ON.match(clause.text) or idle):
            continue  # it continues about something other than the output
        if PERMISSION.match(plain(clause.text)) or (
            not clause.first and not said and ROLE.match(plain(statement.text))
        ):
            continue
        strength = f"{lead}\n{clause.text}"
        made = list(
            _conditional(clause, statement, scope, strength)
            if clause.condition
            else _unconditional(clause, statement, scope, strength)
        )
        said = said or bool(made)
        role = (
            _HABIT.match(statement.text) is not None
            and not any(each.predicate for each in made)
            and not re.search(r"\b(?:only|just|never|always|not|no)\b", clause.text, re.IGNORECASE)
        )
        yield from (replace(each, role=role) for each in made)
    if not said:
        yield from command_after_break(statement)


def _is_subheading(statement: Statement) -> bool:
    """Whether an item is only the title of the list inside it: ``1. Direct answer:``."""
    return statement.item and statement.text.rstrip("*_ ").endswith((":", "：")) and len(statement.text.split()) <= 6


def _whole_statement(statement: Statement, *, about: bool) -> Iterator[Draft] | None:
    """Return the rules of a statement that is not read clause by clause; None if it is."""
    if (opened := opened_condition(statement)) and (under := list(conditional_item(opened, statement))):
        return iter(under)
    if found := completed_item(statement) or noted_line(statement):
        return iter([found])
    if is_open_lead(statement.text) or _INPUT_LINE.match(statement.text) or _is_subheading(statement):
        return iter(())
    if about or EMPTY_LEAD.search(statement.text):
        return iter(()) if _INTRODUCED.search(statement.text) else command_after_break(statement)
    if any(pattern.search(statement.text) for pattern in (_INTRODUCED, _VACUOUS)):
        return iter(())
    if led := led_item(statement):
        return iter([led])
    if chosen := ALTERNATIVE.search(statement.text):
        told = f"The output is {plain(statement.text[chosen.start('one') :]).rstrip('.')}."
        start, end = statement.start, statement.end
        return iter(
            [Draft(text=told, start=start, end=end, kind="content", priority=priority_of(told), condition=told)]
        )
    return iter(()) if _DANGLING.search(statement.text) else None


def _conditional(clause: Clause, statement: Statement, scope: Scope, strength: str) -> Iterator[Draft]:
    special = special_answer(clause.text)
    told = requested(clause.text, first=clause.first, barred=_barred(statement)) or (
        f"The output is {special}." if special else None
    )
    if told is None:
        return
    condition = plain(clause.condition)
    if clause.trails:
        joined = f"{told.rstrip('.')} {condition.rstrip('.')}."
    else:
        joined = f"{condition[:1].upper()}{condition[1:]}, {_continued(told)}"
    guard = input_guard(condition, scope)
    predicate = checkable(f"when {guard}: one of {quoted([special])}") if guard and special else None
    yield Draft(
        text=joined,
        start=clause.start,
        end=clause.end,
        kind=kind_of(clause.text, condition=condition, special=special is not None),
        priority=priority_of(strength),
        predicate=predicate,
        condition=condition,
    )


def _continued(told: str) -> str:
    """Return a sentence as the end of another: in lower case, unless its first word is not."""
    word = told.split(" ", 1)[0]
    return told if word != word.capitalize() and len(word) > 1 else told[:1].lower() + told[1:]


def _barred(statement: Statement) -> bool:
    """Whether a statement is an item under a line such as ``Do not:``."""
    return statement.section == "never" and statement.item


def _unconditional(clause: Clause, statement: Statement, scope: Scope, strength: str) -> Iterator[Draft]:
    told = requested(with_output(clause.text, scope), first=clause.first, barred=_barred(statement)) or _of_field(
        clause.text, scope
    )
    if told is None and not clause.first and re.match(r"(?:is|are|has|does)\b", clause.text):
        told = f"The output {plain(clause.text).rstrip('.')}."
    kept: list[Aspect] = []
    for aspect in _aspects(clause.text, statement, scope):
        same = any(other.predicate == aspect.predicate or _weaker(aspect, other) for other in kept)
        if not same and checkable(aspect.predicate):
            kept.append(aspect)
    if told is None and not kept and names_answer(clause.text, scope):
        said = plain(clause.text).rstrip(".")
        told = f"{said[:1].upper()}{said[1:]}."
    if told is None and not kept and clause.first:
        told = noted_item(statement)
    if told is None and not (kept and _stands(clause, statement, kept)):
        return
    made = [_from_aspect(aspect, clause, strength) for aspect in kept]
    left = _rest(without_subject(clause.text, scope), clause.text, kept)
    whole = {noun for noun in re.findall(r"\b(?:each|every) (\w+)", clause.text.lower()) if scope.means_output(noun)}
    rest = frozenset(left) - whole
    alone = re.search(r"\b(?:only|just|such as|including|e\.g\.)(?!\w)", clause.text, re.IGNORECASE) is not None
    if told and (not kept or len(rest) >= (1 if alone else 2)):
        purpose = _purpose(clause, kept)
        if purpose is not None:
            made.append(purpose)
        elif not (kept and (_INSIDE.search(clause.text) or ROLE.match(clause.text))):
            made.insert(0, replace(_judged(told, clause, strength), rest=rest if kept else None))
    yield from made


def _weaker(aspect: Aspect, other: Aspect) -> bool:
    """Whether one requires less than another of the same clause: any JSON, beside a JSON object."""
    return aspect.predicate == "is json" and other.predicate.startswith(("is json ", "json "))


def _of_field(text: str, scope: Scope) -> str | None:
    """Reword a statement about a field of the output: ``The score is a number``."""
    match = re.match(
        r"(?:the\s+)?[`\"“]?(?P<name>[A-Za-z_][\w-]*)[`\"”]?(?:\s+(?:field|key|value))?\s+(?:is|are|has|"
        r"have|contains?|holds?|lists?)\b",
        text,
        re.IGNORECASE,
    )
    if match is None or match.group("name").lower() not in {name.lower() for name in scope.fields}:
        return None
    return f"In the output, {text[:1].lower()}{plain(text)[1:].rstrip('.')}."


def _stands(clause: Clause, statement: Statement, kept: list[Aspect]) -> bool:
    """Whether a clause without a command is still about the output."""
    if statement.section in ("rules", "output", "format", "never"):
        return True
    if kept and kept[0].predicate.startswith(("each ", "json field")):
        return True
    return _SPEAKS.search(clause.whole) is not None


def _judged(told: str, clause: Clause, strength: str) -> Draft:
    return Draft(text=told, start=clause.start, end=clause.end, kind=kind_of(told), priority=priority_of(strength))


def _from_aspect(aspect: Aspect, clause: Clause, strength: str) -> Draft:
    return Draft(
        text=aspect.text,
        start=clause.start,
        end=clause.end,
        kind=aspect.kind,
        priority=priority_of(strength),
        predicate=checkable(aspect.predicate),
    )


def _aspects(text: str, statement: Statement, scope: Scope) -> Iterator[Aspect]:
    bare = re.sub(r"\((?:e\.g\.|for example|such as)[^)]*\)", lambda match: " " * len(match.group()), text)
    if field_of(bare, scope, item=statement.item):
        yield from find_fields(bare, scope, item=statement.item)
        return
    if keyed := keys_in(bare):
        yield keyed
        for name, said, at in described_keys(bare):
            yield from (
                replace(each, start=at, end=at + len(said)) for each in find_fields(f"{name}: {said}", scope, item=True)
            )
        return
    if inside := _INSIDE.search(bare):
        tag = inside.group("tag").lower()
        yield from (_shifted(found, tag, inside.end()) for found in find_tags(bare[inside.end() :]))
        return
    if not speaks_of_whole(bare, statement, scope):
        given = re.match(
            r"\W*(?:\w+\W+){0,2}?(?:output|return|respond|reply|answer|produce|provide|give|generate)\b",
            bare,
            re.IGNORECASE,
        )
        yield from (
            each
            for each in find_named_shapes(bare, scope)
            if "json" in each.predicate and (given or "array" not in each.predicate)
        )
        return
    if _barred(statement):
        bare = f"do not {bare}"
    yield from find_named_shapes(bare, scope)
    yield from find_banned(bare)


def _shifted(found: Aspect, tag: str, by: int) -> Aspect:
    said = found.text.removeprefix("The output has ")
    return replace(
        found,
        text=f"Each <{tag}> has {said}",
        predicate=f'tags "{tag}" >= 1 and each "{tag}": {found.predicate}',
        start=found.start + by,
        end=found.end + by,
    )


def _rest(kept_text: str, text: str, aspects: list[Aspect]) -> list[str]:
    """Return the words of a clause that no predicate covers."""
    kept = list(kept_text if len(kept_text) == len(text) else text)
    for aspect in aspects:
        kept[aspect.start : aspect.end] = " " * (aspect.end - aspect.start)
    return [word for word in re.findall(r"[^\W\d_]+", "".join(kept).lower()) if word not in _EMPTY]


def _purpose(clause: Clause, aspects: list[Aspect]) -> Draft | None:
    """Return a separate rule for the purpose of a counted thing: ``… to emphasize key words``."""
    if not aspects:
        return None
    last = max(aspect.end for aspect in aspects)
    match = _PURPOSE.match(clause.text, last)
    if match is None or match.group("verb").lower() not in COMMANDS:
        return None
    told = requested(clause.text[match.start("verb") :])
    return Draft(text=told, start=clause.start, end=clause.end, kind=kind_of(told), priority=1) if told else None
