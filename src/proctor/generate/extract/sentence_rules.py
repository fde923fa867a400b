"""The rules of one sentence of a prompt: what code can check of it, and the sentence itself where it asks for more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.checked_marks import denies_unread
from proctor.generate.extract.commands import is_command, pieces_of
from proctor.generate.extract.conditions import denies, is_conditional, split_condition
from proctor.generate.extract.described_fields import value_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import is_case
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.limit_subject import without_known_words
from proctor.generate.extract.predicate_text import checkable, joined, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import END, START, find_runs
from proctor.generate.extract.requests import (
    about_input,
    is_about_else,
    is_request,
    is_role,
    is_thanks,
    plain,
)
from proctor.generate.extract.spotted_checks import SpottedCheck, find_checks
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, protected
from proctor.generate.extract.tongues import TONGUES
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["closed", "list_drafts", "segment", "sentence_drafts", "words_left"]

_FILLER: Final = worded(
    """
    a an the of in to and or for with your you it its is are be must should output response answer reply please always
    only just write return respond give use keep make that this have has do not never than as all any at most least no
    more in total every each per ein eine einen einem einer der die das den dem des und oder zu mit auf in im von für
    sei nur immer bitte soll muss darf nicht kein keine le la les un une des du de et ou à au aux en dans par pour sur
    est doit ne pas el los las una unos y o con por para debe no o os as um uma e em no na com por deve não il lo gli
    long length between ask time give write say put end start begin add include
    i uno di da che con per non è deve de het een en of op van voor niet moet
    """
)
# The case that items below a line are for: ``For faulty goods:``; ``When you answer:`` is every case.
_CASE: Final = Lazy(
    r"\W*(?:for|if|when|in case of|bei|für|wenn|falls|pour|si|en cas d|quand|lorsque|para|en caso de|cuando|em caso "
    r"de|se|quando|per|in caso di|bij|voor|als|对于|如果|遇到|当)(?=\s|[一-鿿]).{2,80}[:：]\s*$|.{2,90}\b(?:if|when|"
    r"unless)(?: (?:the \w+|it|they|you))?\s*[:：]\s*$",
    re.IGNORECASE,
)
_ALWAYS: Final = Lazy(
    r"\byou (?:answer|respond|reply|write|generate|draft|create|summari[sz]e)|\b(?:answering|responding|replying|"
    r"writing)\b|\b(?:every|each|all|jede|alle|chaque|cada|todas?|todos|ogni|tutt[ei])\b|\bdu (?:antwortest|"
    r"schreibst)|\bthe (?:answer|response|output)\b|每次|回答时|回复时",
    re.IGNORECASE,
)
# A line that its items complete: ``Reject it if it contains:``, ``Write a reply that:``.
_OPEN_END: Final = Lazy(
    r"\b(?:if|when|unless)\b[^.:;]{0,60}[:：]\W*$|\b(?:that|which|who|to|should|must|shall|by|and|or|on|"
    r"with|of|includes?|contains?|"
    r"mentions?|covers?|allow|accept|include|cover|mention|consider|check|provide|use|report|flag|reject)\s*[:：]\W*$",
    re.IGNORECASE,
)
_KEY_FIRST: Final = re.compile(
    r"(?:the |la |le |el |o |das |der |die |il )?[`\"*]{0,3}(?P<key>[A-Za-z_]\w*)[`\"*]{0,3}(?: (?:field|key|"
    r"value))?\s*(?:[:：–—→=]|\s-\s|\b(?:must be|should be|is|are|must|should|has|ist|sind|est|es|é|è|moet|doit|debe|"
    r"deve)\b|[为是は]|(?<=[`\"]) )\s*",
    re.IGNORECASE,
)
_BAN: Final = re.compile(
    r"contains none (?P<texts>\"(?:[^\"\\]|\\.)*\"(?:, \"(?:[^\"\\]|\\.)*\")*)(?P<options> ignoring case.*)"
)
_LEAST_ITEMS: Final = 3
_MOST_OF: Final = 0.6
_MORE: Final = 3  # words beside its checks from which a sentence asks for more


def sentence_drafts(
    statement: Statement, scope: PromptScope, made: Sequence[str], opening: frozenset[int]
) -> Iterator[Draft]:
    """Yield the rules of a statement; ``made`` are the nouns that mean the whole answer."""
    if statement.code or statement.section in ASIDE_SECTIONS:
        return
    if completed := _completed(statement):
        yield completed
        return
    text = statement.text
    denying = denies(statement.lead) if statement.item and not re.search(NEGATION, text, re.IGNORECASE) else ""
    aside = _is_aside(statement, scope) or text.rstrip().endswith(("?", "？"))
    checks = () if aside else find_checks(text, scope, made, denying=denying)
    checks = checks or tuple(_field_checks(text, scope))
    added = list(_checked(checks, statement))
    spans = [(check.start, check.end) for check in checks]
    unread = bool(added) and (_denies_more(text, spans) or denies_unread(text, spans))
    told: list[Draft] = []
    if added or denying or is_request(statement, scope, opening):
        left = _words_to_judge(text, spans, made) if added else words_left(text, spans)
        if unread or len(left) >= (_MORE if len(added) > 1 else 2 if added else 1):
            told = list(_own(statement, scope, denying))
    more = {each.text for each in added if unread or len(_left_of(each.text, text, spans, made)) >= _MORE}
    for draft in told:  # a rule is known by its text: the sentence stays beside its check only if it asks for more
        if (unread or not _is_covered(draft, text, spans)) and (
            draft.text in more or all(each.text != draft.text for each in added)
        ):
            yield draft
    taken = {draft.text for draft in told} & more
    for each in added:
        yield each if each.text not in taken else replace(each, text=f"{each.text} ({each.predicate})")


def _denies_more(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a member of a list of bans is checked by nothing: ``no comments`` beside ``no code block``."""
    at = 0
    for piece in re.split(r"([,;，；、])", text):
        low, at = at, at + len(piece)
        checked = any(start < at and low < end for start, end in spans)
        if not checked and re.match(rf"\s*(?:and |und |et |y |e |en )?{NEGATION}", piece, re.IGNORECASE):
            return True
    return False


def list_drafts(made: Sequence[tuple[Statement, Sequence[Draft]]], scope: PromptScope) -> Iterator[Draft]:
    """Yield the rules of the statements under one line; where most items of a list are rules, the others are too."""
    items = [drafts for each, drafts in made if each.item]
    alike = len(items) >= _LEAST_ITEMS and sum(map(bool, items)) >= _MOST_OF * len(items)
    for each, drafts in made:
        if alike and each.item and each.opens and not drafts and _goes_along(plain(each.text), scope):
            yield _under_case(_judged(each, closed(plain(each.text))), each)
        yield from drafts


def _goes_along(text: str, scope: PromptScope) -> bool:
    """Whether an item may be a rule like the others: neither a question, a lead-in nor about something else."""
    return len(text.split()) > 1 and not text.endswith((":", "：", "?")) and not is_about_else(text, scope)


def _completed(statement: Statement) -> Draft | None:
    """Return the rule of an item together with the open line above it: ``Reject it if it contains`` and ``spam``."""
    if not statement.item or not statement.opens or "{{" in statement.lead or not _OPEN_END.search(statement.lead):
        return None
    lead, said = plain(statement.lead).rstrip(":： *_"), plain(statement.text).rstrip(" .;,")
    if is_role(lead, "en") or denies(statement.lead):
        return None
    lead = lead.lower() if lead.isupper() else lead
    text = f"{lead[:1].upper()}{lead[1:]} {said if said[1:2].isupper() else said[:1].lower() + said[1:]}."
    condition = lead if re.search(r"\b(?:if|when|unless)\b", lead, re.IGNORECASE) else ""
    return replace(_judged(statement, text), condition=condition)


def _field_checks(text: str, scope: PromptScope) -> Iterator[SpottedCheck]:
    """Yield what a sentence that begins with a key of the JSON says of its value: ``qty is a whole number, 1 to 9``."""
    names = {name: "" for name in scope.fields} | {
        key: parent for key, parent in scope.nested if key not in scope.fields
    }
    match = _KEY_FIRST.match(text) if scope.structured and not scope.array else None
    if match is None or match["key"] not in names or is_conditional(text):
        return
    parent = names[match["key"]]
    path = f"json field {quoted([parent])} each json item: " if parent else ""
    for asked in value_checks(text[match.end() :].strip().rstrip("."), scope):
        if found := checkable(f"{path}json field {quoted([match['key']])} {asked}"):
            yield SpottedCheck(predicate=found, start=match.start("key"), end=len(text))


def _is_case(lead: str) -> bool:
    """Whether the items below a line are for one case."""
    return _CASE.match(lead) is not None and _ALWAYS.search(lead) is None


def _under_case(draft: Draft, statement: Statement) -> Draft:
    """Return the rule of an item with the case that the line above it names."""
    if not statement.item or not _is_case(statement.lead):
        return draft
    lead = plain(statement.lead).rstrip(":： ")
    if lead.lower() in draft.text.lower():
        return draft
    text = f"{lead[:1].upper()}{lead[1:]}: {draft.text[:1].lower()}{draft.text[1:]}"
    return replace(draft, text=text, predicate=None, condition=lead)


def _is_aside(statement: Statement, scope: PromptScope) -> bool:
    """Whether a sentence is about the input, a role or a case, and not about every answer."""
    text = plain(statement.text)
    if (statement.item and _is_case(statement.lead)) or "{{" in text or is_thanks(text):
        return True
    tongue = TONGUES.get(scope.language)
    if tongue is not None:
        return tongue.given.match(text) is not None
    return about_input(text)


def _own(statement: Statement, scope: PromptScope, denying: str = "") -> Iterator[Draft]:
    """Yield the sentence, or the commands that it strings together, as rules for a judge.

    ``denying`` is the negation of the line above it.
    """
    text = statement.text
    safe = protected(text)
    cuts = [
        match for match in re.finditer(r"[;；]\s*", text) if not any(low <= match.start() < high for low, high in safe)
    ]
    parts = list(zip([0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)], strict=True))
    if not all(is_command(text[low:high]) or split_condition(text[low:high])[0] for low, high in parts):
        parts = [(0, len(text))]  # a part needs the words before it
    spans = [span for low, high in parts for span in _commands_in(text, low, high, scope)]
    for low, high in spans:
        said = closed(plain(text[low:high]))
        if denying:  # ``Do not:`` and ``give advice``
            lead = plain(statement.lead).rstrip(":： *_#")
            lead = lead.capitalize() if lead.isupper() else lead
            said = closed(f"{lead[:1].upper()}{lead[1:]}: {said[:1].lower()}{said[1:]}")
        draft = _judged(statement, said)
        if len(spans) > 1:
            draft = replace(draft, start=statement.start + low, end=statement.start + high)
        yield _under_case(draft, statement)


def _commands_in(text: str, low: int, high: int, scope: PromptScope) -> Iterator[tuple[int, int]]:
    """Yield the spans of the commands in a part of a sentence; all of it where it is not English, or is one."""
    said = text[low:high]
    spans = pieces_of(said, protected(said)) if scope.language in ("", "en") else [(0, len(said))]
    yield from ((low + start, low + end) for start, end in spans if any(map(str.isalnum, said[start:end])))


def _judged(statement: Statement, text: str) -> Draft:
    condition = split_condition(text)[0] or (text if is_case(text) else "")
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind=kind_of(text, condition=condition),
        priority=priority_of(text),
        condition=condition,
    )


def _checked(checks: Sequence[SpottedCheck], statement: Statement) -> Iterator[Draft]:
    """Yield the rules of the checks, each in the words of its part of the sentence."""
    parts: dict[str, list[SpottedCheck]] = {}
    for check in checks:
        parts.setdefault(segment(statement.text, check.start, check.end), []).append(check)
    bans = [check for check in checks if _BAN.fullmatch(check.predicate)]
    banned = [match for check in bans if (match := _BAN.fullmatch(check.predicate))]
    if len({match["options"] for match in banned}) == 1 < len(banned):
        low, high = min(check.start for check in bans), max(check.end for check in bans)
        texts = ", ".join(match["texts"] for match in banned)
        whole = f"contains none {texts}{banned[0]['options']}"
        yield _rule_of(segment(statement.text, low, high), whole, statement)
        parts = {text: left for text, each in parts.items() if (left := [one for one in each if one not in bans])}
    for text, found in parts.items():
        fixed = [check for check in found if check.predicate.startswith(("starts with", "ends with"))]
        rest = [check for check in found if check not in fixed]
        for check in fixed if len(found) > 1 else ():  # two may fix the beginning, so each is a rule of its own
            yield _rule_of(closed(plain(statement.text[check.start : check.end])), check.predicate, statement)
        if rest or len(found) == 1:
            predicate = joined(check.predicate for check in (rest or found))
            yield _rule_of(_with_field(text, predicate), predicate, statement)


def _with_field(text: str, predicate: str) -> str:
    """Return a part of a sentence with the field that it is of, if its words do not name it."""
    field = re.match(r'\(?(?:each json item: )?json field "([^"]+)"', predicate)
    if field is None or field[1].lower() in text.lower():
        return text
    return f"{field[1]}: {text[:1].lower()}{text[1:]}"


def _rule_of(text: str, predicate: str, statement: Statement) -> Draft:
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind="format",
        priority=priority_of(statement.text),
        predicate=checkable(predicate),
    )


def segment(text: str, start: int, end: int) -> str:
    """Return the words from the mark before a check to the mark after it, outside quotes, their lists and brackets."""
    safe = [*protected(text), *((run.start, run.end) for run in find_runs(text))]
    marks = [
        match.start()
        for match in re.finditer(r"[,;:，；：、。.!](?=\s|$|[一-鿿ぁ-ヿ])|\s[–—-]\s", text)
        if not any(low <= match.start() < high for low, high in safe)
    ]
    low = max((mark + 1 for mark in marks if mark < start), default=0)
    high = min((mark for mark in marks if mark >= end), default=len(text))
    said = plain(text[low:high]).strip(" -–—,;:，；：、")
    return closed(said or plain(text))


def _is_covered(draft: Draft, text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a judged rule has no word that a check of the sentence does not have."""
    if draft.condition or not spans:
        return False
    checked = set(re.findall(r"[^\W\d_]+", " ".join(text[low:high] for low, high in spans).lower()))
    return not [word for word in words_left(draft.text, ()) if word not in checked]


def _left_of(said: str, text: str, spans: Sequence[tuple[int, int]], made: Sequence[str]) -> list[str]:
    """Return the words of a part of the sentence that no check covers."""
    at = text.lower().find(said.rstrip(".。").lower())
    if at < 0:
        return _words_to_judge(text, spans, made)
    end = at + len(said)
    return _words_to_judge(text, [*spans, (0, at), (end, len(text))], made)


def _words_to_judge(text: str, spans: Sequence[tuple[int, int]], made: Sequence[str]) -> list[str]:
    """Return the words that no check covers; none if all of them only put a check: the answer, verbs of limits."""
    bare = without_known_words(text, made)
    for pattern in (START, END):
        bare = pattern.sub(lambda found: " " * len(found.group()), bare)
    unread = any(not any(low < run.end and run.start < high for low, high in spans) for run in find_runs(text))
    return words_left(text, spans) if unread or words_left(bare, spans) else []


def words_left(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the words of a sentence that no check covers."""
    kept = list(text)
    for low, high in spans:
        kept[low:high] = " " * (high - low)
    bare = "".join(kept)
    words = [word for word in re.findall(r"[^\W\d_一-鿿ぁ-ヿ]+", bare.lower()) if word not in _FILLER]
    return words + re.findall(r"[一-鿿ぁ-ヿ]{2}", bare)


def closed(text: str) -> str:
    """Return a text as a sentence: its first letter a capital, a full stop at its end."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(":;,：，； ")
    text = text[:1].upper() + text[1:]
    han = re.search(r"[一-鿿ぁ-ヿ]", text) is not None
    return text if re.search(r"[.!?。！？][\"”“»」』)'’]?$", text) else text + ("。" if han else ".")
