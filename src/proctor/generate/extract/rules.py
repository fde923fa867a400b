"""Extract the rules of a prompt from its statements by code alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Final

from proctor.core.rule import Rule, Span
from proctor.generate.extract.answer_outline import outline_of
from proctor.generate.extract.counted_products import count_drafts, counted_products
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.exempt_replies import case_values, closed_reply, excused, excused_beginnings
from proctor.generate.extract.fixed_replies import fixed_replies
from proctor.generate.extract.json_drafts import shape_drafts
from proctor.generate.extract.json_fields import JsonShape
from proctor.generate.extract.json_shape import shape_of
from proctor.generate.extract.labelled_lines import (
    announcing,
    described_runs,
    labelled_parts,
    line_drafts,
    part_drafts,
    place_drafts,
)
from proctor.generate.extract.labels import (
    LabelSet,
    asks_one_label,
    ignoring_case,
    label_of_item,
    label_sets,
    labels_in,
)
from proctor.generate.extract.made_nouns import made_nouns
from proctor.generate.extract.part_rules import with_parts
from proctor.generate.extract.possible_replies import begun_replies, find_open_reply, possible_replies
from proctor.generate.extract.predicate_doubts import has_open_case
from proctor.generate.extract.predicate_text import checkable, joined
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.repeated_drafts import one_of_a_text, without_repeats, without_weaker
from proctor.generate.extract.reply_words import NO_REPLY
from proctor.generate.extract.requests import is_request, persona_of, plain
from proctor.generate.extract.sentence_rules import closed, list_drafts, sentence_drafts
from proctor.generate.extract.settle_drafts import PredicateDoubts
from proctor.generate.extract.settle_shapes import settle_shapes
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, statements_of
from proctor.generate.extract.tentative_predicates import has_cases, is_demand
from proctor.generate.extract.tongues import tongue_of
from proctor.generate.extract.whole_sentences import as_whole_sentences
from proctor.prompts.prompt import Prompt
from proctor.text.lazy_pattern import Lazy

__all__ = ["extract_rules"]

_MOST_RULES: Final = 500
_MOST_DRAFTS: Final = 3 * _MOST_RULES  # what is found beyond them cannot be among the first rules
_OPENING: Final = 6  # sentences of the first paragraph: what the prompt is for
_SHORT_OPENING: Final = 3  # the same where the prompt has no more than one paragraph
_CODE: Final = re.compile(r"\b[A-Z][A-Z_]{3,}\b")
_HTML: Final = Lazy(r"(?<![A-Za-z])HTML(?![A-Za-z])|<(?:p|ul|li|div)>")
_STRINGS: Final = Lazy(r"\bJSON (?:array|list)\b(?! of (?:JSON )?objects)|\barray of strings\b", re.IGNORECASE)
_MISSING: Final = Lazy(
    r"\b(?:values?|fields?|keys?|information|details?|data|items?|one|it|they|anything|property|entry|"
    r"for)\b[^.\n]{0,30}?\b(?:missing|not (?:found|present|mentioned|available|given|known|stated|provided|"
    r"specified)|unknown|absent|no value)\b[^.\n]{0,80}?\b(?:use|set|write|return|put|be|to|with|as|is|leave|"
    r"fill)\b[^.\n]{0,40}?(?:(?P<null>\bnull\b|\bnone\b)|[\"“`'](?P<word>[^\"”`'\n]{1,30})[\"”`']|"
    r"(?P<empty>\bempty\b|\bblank\b))|(?<![A-Za-z\"])(?P<nil>null)(?![A-Za-z])",
    re.IGNORECASE,
)
_LOOSE_LABELS: Final = Lazy(r"\b(?:preferred|suggested|possible examples|typical|common|such as)\b", re.IGNORECASE)
_ALONE: Final = Lazy(
    r"\b(?:only|just|nothing (?:but|else)|no (?:other|extra|additional) (?:text|words)|a single|exactly one|"
    r"one)\s+(?:the\s+|a\s+|one\s+|with\s+|of\s+)*(?:\S+\s+){0,4}?(?:tag|label|category|class|word|name|intent|"
    r"sentiment|number|letter|option|value|answer|code|id)\b|(?:tag|label|category|class|intent|sentiment)(?: name)? "
    r"only\b|\bnothing else\b|\bwithout (?:any )?(?:explanation|other text|additional text)|\b(?:no|do not "
    r"(?:provide|include|add|give|write)(?: any)?|don[’']t (?:provide|include|add|give|explain)(?: any)?)\s+(?:other "
    r"|extra |additional )?(?:explanations?|text|commentary|words)\b|のみ(?:を)?(?:出力|回答|返|とし|にし)|"
    r"だけ(?:を)?(?:出力|回答|返|答え)",
    re.IGNORECASE,
)
_OF_PART: Final = Lazy(
    r"(?:(?:the|its|your|each|every)\s+)?(?P<noun>[\w-]+)\s+(?:must|should|shall|is|are|has|can|may)\b", re.IGNORECASE
)
_WHOLE: Final = Lazy(
    r"categor|label|class|tag|intent|sentiment|option|choice|value|rating|verdict|decision|article|text|"
    r"review|tweet|message|ticket|you|answer|output|response|reply|it\b",
    re.IGNORECASE,
)
_JAPANESE_LABELS: Final = Lazy(
    r"(?:カテゴリー?|ラベル|分類先?|選択肢|次のいずれか|以下のいずれか|クラス|"
    r"候補)[^：:\n。]{0,12}[：:]\s*(?P<list>[^。\n]+)|(?:^|[、。\s])(?:(?:回答|出力|答え|結果|分類|感情|"
    r"判定)は)?(?P<either>(?:[「『\"]?[^、。「」『』\"\sは]{1,15}[」』\"]?(?:、|・|か|または|"
    r"，)){1,12}[「『\"]?[^、。「」『』\"\s]{1,15}?[」』\"]?)の(?:いずれか|どれか|どちらか)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A prompt as it was read: its statements, its scope, the nouns that mean its answer, its labels and its JSON."""

    text: str
    statements: tuple[Statement, ...]
    scope: PromptScope
    made: tuple[str, ...]
    sets: tuple[LabelSet, ...]
    shape: JsonShape | None
    fixed: tuple[tuple[Statement, str], ...]
    opening: frozenset[int]


def extract_rules(prompt: Prompt) -> tuple[Rule, ...]:
    """Return the rules in the statements of a prompt, in order.

    Each has its span in the prompt; those that code can check have a predicate.
    """
    read = _read(prompt)
    scope, statements = read.scope, read.statements
    replies = () if scope.structured else possible_replies(statements, prompt.text)
    open_case = has_open_case(statements, read.made, (*scope.special, *replies)) or find_open_reply(statements)
    drafts = [*_schema(prompt), *islice(_drafts(read), _MOST_DRAFTS)]
    outline = outline_of(prompt.text, statements, read.shape, scope.line_labels, html=scope.html)
    doubts = PredicateDoubts(
        text=prompt.text,
        statements=statements,
        made=read.made,
        scope=scope,
        replies=replies,
        open_case=open_case,
        outline=outline,
    )
    drafts = list(as_whole_sentences([doubts.settle(draft) for draft in drafts], statements))
    values = case_values(statements)
    parts = {part.name for part in outline}
    special = tuple(dict.fromkeys(reply for reply in (*scope.special, *replies) if reply not in parts))
    drafts = list(with_parts(drafts, statements, outline, scope, read.made, values, special, prompt.text))
    drafts = list(settle_shapes(drafts, statements, scope.fields))
    drafts = [_closed_case(excused(draft, special, values), read, special) for draft in drafts]
    beginnings = () if scope.structured else begun_replies(statements)
    drafts = [excused_beginnings(draft, beginnings) for draft in drafts]
    kept = one_of_a_text(without_repeats(without_weaker(sorted(drafts, key=lambda draft: draft.start))))
    cases = has_cases(statements, read.shape.names if read.shape else ())
    return tuple(_rule(draft, prompt.text, cases=cases) for draft in kept[:_MOST_RULES])


def _read(prompt: Prompt) -> _Reading:
    statements = statements_of(prompt)
    language = tongue_of(prompt.text)
    shape = shape_of(prompt.text, statements)
    structured = shape is not None
    products = counted_products(statements, language)
    labels = () if structured else tuple(_labels_of_lines(prompt.text, statements))
    fields = shape.names if shape else ()
    nested = shape.nested if shape else ()
    fixed = tuple(fixed_replies(statements, prompt.text, (*fields, *(name for name, _ in nested))))
    blank = _blank_values(statements) if structured else ()
    fixed = tuple(each for each in fixed if each[1] not in blank)
    if shape is not None:  # a value of a field is no reply
        fixed = tuple(each for each in fixed if not any(each[1] in field.said for field in shape.fields))
    scope = PromptScope(
        language=language,
        inputs=tuple(prompt.inputs),
        fields=fields,
        nested=nested,
        structured=structured,
        array=shape.array if shape else any(_STRINGS.search(each.text) for each in statements if not each.code),
        blank=blank,
        special=tuple(dict.fromkeys(reply for _, reply in fixed)),
        html=any(_HTML.search(each.text) for each in statements),
        each=(products.noun, products.each) if products else ("", ""),
        line_labels=labels,
        persona=persona_of(prompt.text),
    )
    sets = () if structured else tuple(_label_sets(prompt.text, statements, scope))
    labelled = [label for each in sets for label in each.labels]
    scope = replace(scope, labels=tuple(dict.fromkeys([*labelled, *_codes(statements)])))
    return _Reading(
        text=prompt.text,
        statements=statements,
        scope=scope,
        made=(*made_nouns(statements, language), *([scope.persona.lower()] if scope.persona else [])),
        sets=sets,
        shape=shape,
        fixed=fixed,
        opening=_opening(prompt.text, statements, scope),
    )


def _opening(text: str, statements: Sequence[Statement], scope: PromptScope) -> frozenset[int]:
    """Return where the sentences of the first paragraph begin: they say who answers, and what for."""
    for most in (_OPENING, _SHORT_OPENING):
        found: list[Statement] = []
        for each in statements[:most]:
            if each.code or each.item or (found and "\n\n" in text[found[-1].end : each.start]):
                break
            found.append(each)
        starts = frozenset(each.start for each in found)
        if any(each not in found and is_request(each, scope, starts) for each in statements if not each.code):
            return starts
    return frozenset()  # they are all that is asked


def _labels_of_lines(text: str, statements: Sequence[Statement]) -> Iterator[str]:
    yield from (part.name for part in labelled_parts(text))
    for run in described_runs(statements):
        yield from (each.text.split(":")[0].strip("*- ") for each in run)


def _codes(statements: Sequence[Statement]) -> Iterator[str]:
    """Yield the words in capitals that more than one sentence has: what something is called."""
    found = Counter(code for each in statements for code in set(_CODE.findall(each.text)))
    yield from (code for code, count in found.items() if count > 1 and code not in NO_REPLY)


def _blank_values(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return what a prompt about JSON requires for a missing value: ``null``, a word, or nothing."""
    found = [match for each in statements if not each.code and (match := _MISSING.search(each.text))]
    return tuple(dict.fromkeys("" if each["empty"] else (each["word"] or "null") for each in found))


def _rule(draft: Draft, text: str, *, cases: bool) -> Rule:
    return Rule(
        text=draft.text,
        source=Span(start=draft.start, end=draft.end, quote=text[draft.start : draft.end]),
        kind=draft.kind,
        predicate=draft.predicate,
        tentative=_is_tentative(draft, cases=cases) or None,
        priority=draft.priority,
        groundedness=1.0,
        origin="extractor",
        extra={"note": draft.note} if draft.note else {},
    )


def _is_tentative(draft: Draft, *, cases: bool) -> bool:
    of_file = draft.start == draft.end  # the schema of the file itself is for every answer
    return cases and not of_file and draft.predicate is not None and is_demand(draft.predicate)


def _schema(prompt: Prompt) -> Iterator[Draft]:
    """Yield the rule of the file's own schema; it is in the front matter, so its span is empty."""
    if prompt.schema == {"type": "object"}:
        yield Draft(
            text="The output is a JSON object.", start=0, end=0, kind="format", priority=2, predicate="is json object"
        )
    elif prompt.schema:
        predicate = checkable(f"json schema {json.dumps(prompt.schema, ensure_ascii=False)}")
        text = "The output is JSON that fits the schema of the prompt file."
        yield Draft(text=text, start=0, end=0, kind="format", priority=2, predicate=predicate)


def _label_sets(text: str, statements: Sequence[Statement], scope: PromptScope) -> Iterator[LabelSet]:
    found = list(label_sets(text, statements))
    yield from found
    for statement in () if found else statements:
        if (
            statement.code
            or statement.section in ASIDE_SECTIONS
            or (statement.section in ("labels", "fields") and statement.item)
        ):
            continue
        part = _OF_PART.match(statement.text)
        if scope.language == "ja" and (names := _japanese_labels(statement.text)):
            yield LabelSet(labels=names, start=statement.start, end=statement.end)
        elif (
            scope.language in ("", "en")
            and (one := labels_in(statement))
            and (not part or _WHOLE.match(part["noun"]) or part["noun"].lower() in ("here", "this", "there"))
        ):
            yield one
    for (section, lead), group in groupby(statements, key=lambda each: (each.section, each.lead)):
        items = [each for each in group if each.item]
        labels = [label for each in items if (label := label_of_item(each.text))]
        listed = section == "labels" and len(labels) >= 2 and len(labels) == len(items)
        if listed and not found and not _LOOSE_LABELS.search(lead):
            yield LabelSet(labels=tuple(dict.fromkeys(labels)), start=items[0].start, end=items[-1].end)


def _japanese_labels(text: str) -> tuple[str, ...]:
    match = _JAPANESE_LABELS.search(text)
    if match is None:
        return ()
    pieces = re.split(r"[、，,・/／|]|または|(?<=[」』])か|(?<=[」』])(?=[「『])", match["list"] or match["either"])
    labels = [label for piece in pieces if (label := piece.strip(" 　「」『』\"'"))]
    whole = all(len(label) <= 15 and label.count("（") == label.count("）") for label in labels)
    return tuple(dict.fromkeys(labels)) if len(labels) >= 2 and whole else ()


def _drafts(read: _Reading) -> Iterator[Draft]:
    scope, statements = read.scope, read.statements
    for labels in read.sets:
        yield from _from_labels(labels, read)
    if products := counted_products(statements, scope.language):
        yield from count_drafts(products, statements)
    made: list[tuple[Draft, Statement | None]] = []
    if read.shape is not None:
        made += shape_drafts(read.shape, statements, read.text, scope)
    else:
        made += part_drafts(labelled_parts(read.text), statements, read.text, scope)
        made += place_drafts(statements, scope)
        for run in described_runs(statements):
            lead, count = next(announcing(run, statements, scope.language), (None, 0))
            lines = line_drafts(run, scope, lead)
            made += [(draft, each) for draft, each in zip(lines, (run[0], *run), strict=True)]
            if lead is not None and count:
                yield _counted(lead, count)
    yield from (draft for draft, _ in made)
    taken = {each.start for _, each in made if each is not None}
    spans = [(each.start, each.end) for each in read.shape.fields if not each.shown] if read.shape else []
    listed = [(each.start, each.end) for each in read.sets]
    left = [
        each
        for each in statements
        if not (each.section == "labels" and each.item and any(low <= each.start < high for low, high in listed))
        and each.start not in taken
        and not any(low < each.end and each.start < high for low, high in spans)
    ]
    for _, group in groupby(left, key=lambda each: (each.section, each.lead)):
        yield from list_drafts(
            [(each, list(sentence_drafts(each, scope, read.made, read.opening))) for each in group], scope
        )


def _counted(lead: Statement, count: int) -> Draft:
    return Draft(
        text=closed(plain(lead.text)),
        start=lead.start,
        end=lead.end,
        kind="format",
        priority=2,
        predicate=checkable(f"lines = {count}"),
        counted=True,
    )


def _from_labels(found: LabelSet, read: _Reading) -> Iterator[Draft]:
    """Yield the rule of a set of labels; one that a sentence only mentions is none."""
    alone = found.alone or any(
        _ALONE.search(each.text) or asks_one_label(each.text) for each in read.statements if not each.code
    )
    special = read.scope.special
    every = tuple(dict.fromkeys((*found.labels, *special)))
    if found.yes_no and not special:
        predicate = "is yes or no"
    else:
        predicate = found.predicate(special, alone=alone, ignoring_case=ignoring_case(found.labels))
    listed = ", ".join(every[:-1]) + f" or {every[-1]}"
    own = next((each for each in read.statements if each.start <= found.start < each.end), None)
    if not alone and own is not None and not own.item and not is_request(own, read.scope, read.opening):
        return
    yield Draft(
        text=_own_words(found, read, alone=alone)
        or (f"The output is one of {listed}." if alone else f"The output names one of {listed}."),
        start=found.start,
        end=found.end,
        kind="format",
        priority=2 if alone else 1,
        predicate=checkable(predicate),
    )


def _own_words(found: LabelSet, read: _Reading, *, alone: bool) -> str:
    """Return the sentence that lists the labels; nothing in English, where the rule says that they are all."""
    if read.scope.language in ("", "en") and alone:
        return ""
    said = [each.text for each in read.statements if each.start <= found.start < each.end]
    return closed(plain(said[0])) if said and all(label in said[0] for label in found.labels) else ""


def _closed_case(draft: Draft, read: _Reading, replies: Sequence[str]) -> Draft:
    """Return the rule of a case with a fixed reply: nothing stands beside the reply."""
    if draft.predicate:
        return draft
    said = draft.text if draft.end == draft.start else read.text[draft.start : draft.end]
    for statement, reply in read.fixed if draft.condition else ():
        near = draft.start < statement.end and statement.start < draft.end
        if near and reply[:20] in draft.text and not _is_described(reply, read.text):
            return replace(draft, predicate=closed_reply(reply, statement.text, read.scope.labels))
    held = [reply for reply in replies if reply in said and reply[:20] in draft.text]
    held = [reply for reply in held if not _is_described(reply, read.text)]  # reads the whole prompt
    own = read.text[draft.start :].split("\n\n", 1)[0]
    asked = [found for reply in held if (found := closed_reply(reply, own, read.scope.labels))]
    return replace(draft, predicate=joined(asked)) if asked else draft


def _is_described(reply: str, text: str) -> bool:
    """Whether a line begins with a reply and says what it means: it is a value, and others may stand beside it."""
    return re.search(rf"(?m)^\W*{re.escape(reply)}\s*(?:\s[-–—]\s|[|=])", text) is not None
