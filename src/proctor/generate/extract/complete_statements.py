"""Complete the rules of one statement, whatever its language: what code can check, and the sentence itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.answer_parts import part_at
from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.aspects import Scope, checkable, quoted
from proctor.generate.extract.clause_requests import about_input, plain
from proctor.generate.extract.conditions import denies, is_conditional
from proctor.generate.extract.described_fields import bounded_count, value_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.labels import names_answer
from proctor.generate.extract.language_words import TONGUES
from proctor.generate.extract.limit_subject import is_of_whole
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.sentence_roles import PERMISSION, ROLE
from proctor.generate.extract.spotted_checks import SpottedCheck, find_checks
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, protected
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["complete", "complete_list"]

_IDLE_SECTIONS: Final = ("example", "input", "tools", "labels", "fields")
_BOUND: Final = Lazy(
    r"\b(?:must|should|shall|only|always|has to|have to|needs? to|never|required|forbidden|allowed|"
    r"muss|müssen|soll\w*|darf|dürfen|immer|nur|stets|doit|doivent|toujours|uniquement|seulement|il faut|"
    r"debe\w*|siempre|solo|sólo|únicamente|hay que|tiene que|deve\w*|sempre|apenas|somente|só|devono|soltanto|"
    r"bisogna|"
    r"allowed|permitted|erlaubt|zulässig\w*|autorisé\w*|permitid\w*|ammess\w*|toegestaan|va(?:nno)? \w+t[aeio]|"
    r"se \w+(?:rá|rán)|"
    r"moet\w*|mag|mogen|altijd|alleen|dient|должн\w*|нужно|всегда|только|musi\w*|powinn\w*|zawsze|tylko|meli|malı)\b|"
    r"必须|务必|只能|应当|应该|始终|须|必ず|のみ|だけ|ください|こと[。．]?$|ます[。．]?$",
    re.IGNORECASE,
)
_SECOND: Final = Lazy(
    r"\b(?:you|your|du|dir|dich|dein\w*|tu|te|toi|ton|ta|vous|votre|vos|tú|ti|usted|você|lei|tuo|tua|je|jij|jouw|"
    r"u|uw|ты|вы|"
    r"twój|sen|siz)\b|你|您",
    re.IGNORECASE,
)
_WE: Final = Lazy(r"\b(?:wir|nous|nosotros|nós|noi|wij)\b|\b\w{3,}(?:amos|emos|imos|iamo)\b|我们|私たち", re.IGNORECASE)
_THANKS: Final = Lazy(
    r"\W*(?:thank(?:s| you)|danke|vielen dank|merci|gracias|obrigad[oa]|grazie|dank je|bedankt|спасибо|谢谢|"
    r"ありがとう|"
    r"let['’]?s (?:play|go|start|begin)|hello|hi|hallo|bonjour|hola|olá|ciao|good luck|viel erfolg|"
    r"bonne chance)\b[^.]{0,40}$",
    re.IGNORECASE,
)
_LEAD_IN: Final = Lazy(
    r"(?:keep|bear) (?:the following|these|this) in mind|\b(?:follow(?:ing)?|these|below)\b[^.]{0,30}$|"
    r"\bin mind$|(?:beachte|bitte beachten|merke)[^.]{0,30}$",
    re.IGNORECASE,
)
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
_ALWAYS: Final = Lazy(
    r"\byou (?:answer|respond|reply|write|generate|draft|create|summari[sz]e)|\b(?:answering|responding|replying|"
    r"writing)\b|"
    r"\b(?:every|each|all|jede|alle|chaque|cada|todas?|todos|ogni|tutt[ei])\b|\bdu (?:antwortest|schreibst)|"
    r"\bthe (?:answer|response|output)\b|"
    r"每次|回答时|回复时",
    re.IGNORECASE,
)
_OF_PROSE: Final = re.compile(r"(?:language is|case is|words|characters|sentences|lines|paragraphs)\b")
_OF_ANSWER: Final = Lazy(
    r"\b(?:outputs?|answers?|responses?|repl(?:y|ies)|everything|text values|all values|antwort\w*|ausgabe|"
    r"réponse|respuesta|"
    r"resposta|risposta)\b|回答|输出|全部|出力",
    re.IGNORECASE,
)
_ONE_WORD: Final = re.compile(r"[A-Za-zÀ-ÿ]+[.!]?")
_KEY_FIRST: Final = re.compile(
    r"[`\"*]{0,3}(?P<key>[A-Za-z_]\w*)[`\"*]{0,3}\s*(?:[:：–—]|\s-\s|\b(?:is|are|must be|should be|has|ist|"
    r"sind|est|es|é|è|moet)\b)\s*"
)
_SHORTEST: Final = 8  # characters of a sentence
_LEAST_ITEMS: Final = 3
_MOST_OF: Final = 0.6
_MORE: Final = 3  # words beside its checks from which a sentence asks for more
# It leads to what is listed below it, and asks nothing itself.
_POINTS_ON: Final = Lazy(
    r"\b(?:these|following|below|diese[nrms]?|folgend\w*|ces|suivant\w*|ci-dessous|estas?|estos|siguientes?|"
    r"est[ae]s|seguintes?|"
    r"quest[eio]|seguent[ei]|deze|volgende)\b|以下|如下|次の",
    re.IGNORECASE,
)
_ENDS_IN_VERB: Final = Lazy(r"[るくすうむぶぐつ][。．]?$|ない[。．]?$|ます[。．]?$|です[。．]?$|禁止[。．]?$")
# The case that items below a line are for: ``For faulty goods:``.
_CASE: Final = Lazy(
    r"\W*(?:for|if|when|in case of|bei|für|wenn|falls|pour|si|en cas d|quand|lorsque|para|en caso de|cuando|"
    r"em caso de|se|"
    r"quando|per|in caso di|bij|voor|als|对于|如果|遇到|当)(?=\s|[一-鿿]).{2,80}[:：]\s*$",
    re.IGNORECASE,
)


def complete(statement: Statement, drafts: Sequence[Draft], scope: Scope, made: Sequence[str]) -> Iterator[Draft]:
    """Yield the drafts of a statement, corrected and completed.

    A predicate for the whole answer is dropped where the sentence speaks of a part of it. Checks that were found in no
    other way are added, and the sentence itself where its words ask for more than they cover.
    """
    if statement.code or (
        statement.section in _IDLE_SECTIONS and (statement.item or statement.section in ASIDE_SECTIONS)
    ):
        yield from drafts
        return
    text = statement.text
    if _THANKS.match(plain(text)) or (text.rstrip().endswith((":", "：")) and _LEAD_IN.search(text.rstrip(" :："))):
        drafts = []
    told = [_of_whole(draft, statement, scope, made) for draft in drafts]
    told = [_under_case(draft, statement) for draft in told if draft.predicate or not _ONE_WORD.fullmatch(draft.text)]
    denying = denies(statement.lead) if statement.item and not re.search(NEGATION, text, re.IGNORECASE) else ""
    if denying:  # the items are what must not be, in whatever words
        told = [replace(draft, predicate=None) for draft in told]
    checks = () if _is_aside(statement, scope) else find_checks(text, scope, made, denying=denying)
    known = {draft.predicate for draft in told}
    checks = checks or tuple(() if any(known) else named_field_checks(text, scope))
    new = [check for check in checks if not _is_known(check.predicate, known)]
    if any("json" in (predicate or "") for predicate in known):  # ``and nothing else`` closes its keys
        new = [check for check in new if check.predicate != "no extra text"]
    added = list(_checked(new, statement))
    if not told and (added or _requires(statement, scope)):
        left = _left(text, [(check.start, check.end) for check in checks])
        if len(left) >= (2 if checks else 1):
            told = [_under_case(_own(statement), statement)]
    elif told and added and not any(draft.predicate is None for draft in told):
        left = _left(text, [(check.start, check.end) for check in checks])
        if len(left) >= 3:
            told = [_own(statement), *told]
    spans = [(check.start, check.end) for check in checks]
    more = {each.text for each in added if len(_left_of(each.text, text, spans)) >= _MORE}
    told = [draft for draft in told if not _is_covered(draft, text, spans)]
    for draft in told:  # a rule is known by its text: the sentence stays beside its check only if it asks for more
        if draft.text in more or all(each.text != draft.text for each in added):
            yield draft
    taken = {draft.text for draft in told} & more
    for each in added:
        yield each if each.text not in taken else replace(each, text=f"{each.text} ({each.predicate})")


def named_field_checks(text: str, scope: Scope) -> Iterator[SpottedCheck]:
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


def complete_list(made: Sequence[tuple[Statement, Sequence[Draft]]]) -> Iterator[Draft]:
    """Yield the rules of the statements under one line; where most items of a list are rules, the others are too."""
    items = [drafts for each, drafts in made if each.item]
    alike = len(items) >= _LEAST_ITEMS and sum(map(bool, items)) >= _MOST_OF * len(items)
    for each, drafts in made:
        if alike and each.item and not drafts and _goes_along(plain(each.text)):
            yield _under_case(_own(each), each)
        yield from drafts


def _goes_along(text: str) -> bool:
    """Whether an item may be a rule like the others: neither a question, a lead-in, a permission nor an input."""
    return (
        len(text.split()) > 1
        and not text.endswith((":", "：", "?"))
        and "{{" not in text
        and not PERMISSION.match(text)
    )


def _is_known(predicate: str, known: set[str | None]) -> bool:
    same = {
        "exclamations = 0": 'count "!" = 0',
        "exclamations <= 1": 'count "!" <= 1',
        'not (ends with ".", "。")': 'not (ends with ".")',
    }
    if any(predicate in (each or "").split(" and ") for each in known) or (
        predicate in same and same[predicate] in known
    ):
        return True
    literals = set(re.findall(r'"((?:[^"\\]|\\.)+)"', predicate))  # the same texts, asked for in another form
    return any(literals & set(re.findall(r'"((?:[^"\\]|\\.)+)"', each or "")) for each in known)


def _of_whole(draft: Draft, statement: Statement, scope: Scope, made: Sequence[str]) -> Draft:
    """Return the draft without its predicate if that is for the whole answer and the sentence is about a part of it."""
    text = statement.text
    if scope.structured and scope.fields and _OF_PROSE.match(draft.predicate or "") and not _OF_ANSWER.search(text):
        return _own(statement)
    limit = re.match(
        r"(words|characters|sentences|lines|paragraphs) (?:<=|<|>=|>|=|between) (\d+)", draft.predicate or ""
    )
    if limit is None:
        return draft
    for each in find_amounts(text, scope.language):
        if each.measure == limit[1] and each.low == int(limit[2]):
            whole = part_at(text, each.start, made).form == "" and is_of_whole(text, each.start, each.end, made)
            return draft if whole else _own(statement)
    return _own(statement) if scope.language in TONGUES else draft


def _is_case(lead: str) -> bool:
    """Whether the items below a line are for one case; ``When you answer:`` is every case."""
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


def _is_aside(statement: Statement, scope: Scope) -> bool:
    """Whether a sentence is about the input, a role, a permission or a case, and not about every answer."""
    text = plain(statement.text)
    if statement.item and _is_case(statement.lead):
        return True
    if "{{" in text or _THANKS.match(text):
        return True
    tongue = TONGUES.get(scope.language)
    if tongue is not None:
        return tongue.given.match(text) is not None
    return about_input(text) or PERMISSION.match(text) is not None


def _requires_in_english(text: str, statement: Statement, scope: Scope) -> bool:
    named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in scope.fields)
    listed = statement.item and (
        statement.section in ("rules", "output", "format", "never")
        or statement.lead.rstrip("*_ ").endswith((":", "："))
    )
    return listed or (named and " " in text) or names_answer(text, scope)


def _requires(statement: Statement, scope: Scope) -> bool:
    """Whether a sentence that no pattern knows still asks something of the answer, by its place and its words."""
    text = plain(statement.text)
    if _is_aside(statement, scope) and not _is_case(statement.lead):
        return False
    leads = text.endswith((":", "：")) and (_POINTS_ON.search(text) or not _BOUND.search(text))
    if leads or text.endswith(("?", "？")) or text.startswith("|") or _is_role(text) or _LEAD_IN.search(text):
        return False
    bound = _BOUND.search(text) is not None or re.search(NEGATION, text, re.IGNORECASE) is not None
    bound = bound or bounded_count(text) != ""
    if scope.language in ("", "en"):
        return _requires_in_english(text, statement, scope)
    tongue = TONGUES.get(scope.language)
    # ``Ты помощник аптеки``: without a table of its words, who the model is or what it does is known by its place
    unbound = tongue is None and not bound and not statement.item and _SECOND.match(text) is not None
    if unbound or (tongue is not None and tongue.role.match(text)):
        return False
    if statement.item:
        led = statement.lead.rstrip("*_ ").endswith((":", "：")) and not _given(statement.lead, scope)
        placed = statement.section in ("rules", "output", "format", "never", "include")
        return placed or led or bound or is_conditional(text) or _ENDS_IN_VERB.search(text) is not None
    if _WE.search(text) and not _SECOND.search(text) and not _BOUND.search(text):
        return False  # what a company does, or does not do
    if tongue is None and statement.start > 0 and len(text) > _SHORTEST:
        return True  # no words of this language are known, so a sentence is a rule by its place
    return bound or _SECOND.search(text) is not None or is_conditional(text)


def _is_role(text: str) -> bool:
    return (
        ROLE.match(text) is not None
        or re.match(r"(?:あなた|君|당신)は?.{0,60}(?:です|である)[。．]?$", text) is not None
    )


def _given(lead: str, scope: Scope) -> bool:
    tongue = TONGUES.get(scope.language)
    return tongue is not None and tongue.given.match(lead) is not None


def _checked(checks: Sequence[SpottedCheck], statement: Statement) -> Iterator[Draft]:
    """Yield the rules of the checks, each in the words of its part of the sentence."""
    parts: dict[str, list[SpottedCheck]] = {}
    for check in checks:
        parts.setdefault(_segment(statement.text, check.start, check.end), []).append(check)
    for text, found in parts.items():
        fixed = [check for check in found if check.predicate.startswith(("starts with", "ends with"))]
        rest = [check for check in found if check not in fixed]
        for check in fixed if len(found) > 1 else ():  # two may fix the beginning, so each is a rule of its own
            yield _rule_of(_closed(plain(statement.text[check.start : check.end])), check.predicate, statement)
        if rest or len(found) == 1:
            joined = [check.predicate for check in (rest or found)]
            whole = " and ".join(f"({each})" for each in joined) if len(joined) > 1 else joined[0]
            yield _rule_of(text, whole, statement)


def _rule_of(text: str, predicate: str, statement: Statement) -> Draft:
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind="format",
        priority=priority_of(statement.text),
        predicate=checkable(predicate),
    )


def _own(statement: Statement) -> Draft:
    text = _closed(plain(statement.text))
    condition = text if is_conditional(text) else ""
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind=kind_of(text, condition=condition),
        priority=priority_of(text),
        condition=condition,
    )


def _segment(text: str, start: int, end: int) -> str:
    """Return the words from the mark before a check to the mark after it, outside quotes and brackets."""
    safe = protected(text)
    marks = [
        match.start()
        for match in re.finditer(r"[,;:，；：、。.!](?=\s|$|[一-鿿ぁ-ヿ])|\s[–—-]\s", text)
        if not any(low <= match.start() < high for low, high in safe)
    ]
    low = max((mark + 1 for mark in marks if mark < start), default=0)
    high = min((mark for mark in marks if mark >= end), default=len(text))
    said = plain(text[low:high]).strip(" -–—,;:，；：、")
    return _closed(said or plain(text))


def _is_covered(draft: Draft, text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a judged rule has no word that a check of the sentence does not have."""
    if draft.predicate or draft.condition or not spans:
        return False
    checked = set(re.findall(r"[^\W\d_]+", " ".join(text[low:high] for low, high in spans).lower()))
    return not [word for word in _left(draft.text, ()) if word not in checked]


def _left_of(said: str, text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the words of a part of the sentence that no check covers."""
    at = text.lower().find(said.rstrip(".。").lower())
    if at < 0:
        return _left(text, spans)
    end = at + len(said)
    return _left(text, [*spans, (0, at), (end, len(text))])


def _left(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the words of a sentence that no check covers."""
    kept = list(text)
    for low, high in spans:
        kept[low:high] = " " * (high - low)
    bare = "".join(kept)
    words = [word for word in re.findall(r"[^\W\d_一-鿿ぁ-ヿ]+", bare.lower()) if word not in _FILLER]
    return words + re.findall(r"[一-鿿ぁ-ヿ]{2}", bare)


def _closed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip().rstrip(";,，； ")
    text = text[:1].upper() + text[1:]
    han = re.search(r"[一-鿿ぁ-ヿ]", text) is not None
    return text if re.search(r"[.!?。！？][\"”“»」』)]?$", text) else text + ("。" if han else ".")
