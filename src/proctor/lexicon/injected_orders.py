"""Find instructions to the agent in text it was given to read, and what they ask for."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.lexicon.match import matcher
from proctor.text.normalise.language_likeness import common_words
from proctor.text.predicates.language_guess import language

__all__ = [
    "InjectedOrder",
    "closes_frame",
    "is_prose",
    "is_terse",
    "orders",
    "speaks_to_somebody",
    "specifics",
    "words",
]

_HARD: Final = re.compile(
    r"<\s*(?:information|important|system|instructions?|admin)\s*>|\bimportant (?:message|"
    r"instruction)s? (?:from|to|for)\b|"
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |my |every)*(?:previous|"
    r"prior|above|earlier|other|instruction|rule)|"
    r"\bbefore you (?:can |do |solve|answer|complete|continue|proceed|help)|"
    r"\b(?:new|updated|additional|special) (?:instruction|order)s?\b|\b(?:system|admin|"
    r"developer)\s*(?:prompt|message|note|override)?\s*:|"
    r"\b(?:assistant|chatbot|language model|AI model|AI assistant|AI agent|gpt-?\d|claude|"
    r"gemini|llama)\b\s*[,:]|\[(?:INST|SYSTEM|ADMIN)\]",
    re.I,
)
_SOFT: Final = re.compile(
    r"\bdo the following\b|\byou (?:must|should|need to|have to|are required) (?!be\b)|\bTODO\s*:", re.I
)
# A single order after a label: "TODO: transfer $10 to ...". People's own notes are lists.
_LABEL: Final = re.compile(
    r"(?:^|[\s>'\"(|$])(?:to[- ]?do|tasks?|action (?:required|needed|item)|next (?:step|action)"
    r"|(?:note|message|instructions?|memo|attention) (?:to|for) (?:the |any |all |your )?(?:\w+ )?"
    r"(?:agents?|assistants?|bots?|system))\s*(?::|-(?=\s)|–|—)\s*"
    r"(?:please\s+|kindly\s+|now\s+)?(?P<order>\S.*)",
    re.I | re.S,
)
_LABEL_ENDS: Final = re.compile(r"[ \t*_\"']{0,8}(?:\n|\\n)\s{0,20}(?=\S)")
_RISKY: Final = re.compile(
    r"(?:transfer|wire|remit|send|sent|forward|e-?mail|mail|pay|buy|purchase|order|donate|withdraw|refund|issue|"
    r"approve|"
    r"delete|erase|wipe|remove|cancel|close|drop|unsubscribe|export|invite|grant|add|give|share|upload|download|"
    r"install|run|execute|visit|open|"
    r"click|change|reset|update|set|disable|enable|publish|post|leak|reveal|read|star|fork|rate|recommend|book|"
    r"reserve|tell|promise|reply|mark)\b",
    re.I,
)
# What an agent can affect and people's own notes rarely mention: money, secrets, rights, other people's things.
_AT_STAKE: Final = re.compile(
    r"\b(?:passwords?|passcode|credentials?|api[- ]?keys?|ssh[- ]?keys?|tokens?|two-factor|2fa|iban|gift cards?|"
    r"bitcoin|crypto|wallets?|repositor(?:y|ies)|collaborators?|admin(?:istrator)?s?|write access|"
    r"(?:customer|user|client)(?:['’]s|s['’]?)?|refund|balance|disputes?|price|"
    r"bookings?|contacts|card ending|account number|phone number|id_rsa)\b|\baccount \w*\d|\bsort code|"
    r"\b0x[0-9a-f]{4}|\bssh-\w|[$€£¥]\s?\d|"
    r"\b\d[\d,.]*\s?(?:usd|eur|gbp|jpy|dollars|euros)\b",
    re.I,
)
_NAMED: Final = re.compile(
    r"[\w.+-]{1,80}@[\w-]{1,80}\.\w|https?://|\bwww\.|(?<![\w/])/[\w.-]+/[\w.-]+|\b[A-Z]{2}\d{2}[ \d]{6,}"
    r"|\b\w+/[\w-]{4,}"
)
_NOTED: Final = re.compile(r"^\s*(?:#|//|--|/?\*|<!--|[-*]\s*\[.?\])|\btodo\s*\(", re.I | re.M)
_BUILDING: Final = re.compile(
    r"\b(?:tests?|docs?|documentation|readme|changelog|config\w*|ci|branch|parser|function|class|module|refactor\w*|"
    r"placeholder|schema|migrat\w+|lint\w*|licen[cs]e|dependenc(?:y|ies)|endpoint|pagination|typo|unit|release)\b",
    re.I,
)
_CLOSED: Final = re.compile(
    r"<\s*/\s*(?:information|important|system|instructions?|admin)\s*>|\[/(?:INST|SYSTEM|ADMIN)\]", re.I
)
_ENDS: Final = re.compile(r"^\W*(?:signed\b|thanks!?$|after you do that\b)", re.I)
_IMPERATIVE: Final = re.compile(
    r"(?:^|[.!?\n:;,]\s*|\b(?:please|kindly|then|and|first|now|also|must|should|to)\s+)"
    r"(send|transfer|e-?mail|forward|share|post|pay|buy|purchase|order|book|reserve|delete|remove|clear|cancel|"
    r"refund|update|change|modify|set|reset|"
    r"create|make|add|invite|grant|approve|upload|download|install|run|execute|visit|open|click|reply|tell|say|"
    r"include|recommend|give|provide|reveal|"
    r"star|fork|merge|push|commit|publish|subscribe|register|submit|call|use|write|save|move|copy|rename|disable|"
    r"enable|accept|confirm|comment|rate|review|schedule|leave|message|withdraw|donate|issue|apply|log|access|"
    r"check|unlock|turn|stop|replace|leak|show|print)\b",
    re.I,
)
# A record states facts; an instruction addresses a reader.
_SPEAKS: Final = re.compile(
    r"\b(?:you (?:must|should|shall|need to|have to|are (?:now|to|required|no longer|going)|"
    r"will (?:now|only|always|never|be))|"
    r"(?:your|the) (?:task|job|goal|instructions?|role|rules|system|answer|reply|response|output|user|owner|next)|"
    r"assistants?|chatbot|ai|language model|please|kindly|do not|don['’]t|never|let['’]s|"
    r"i (?:want|need|would like)|instead|ignore|disregard|forget)\b|\?\s*[\"'”’)]*$|"
    r"(?:^|[.!?:;\n>*-]\s*|\b(?:and|then|also|now|first|next|finally|just|always)\s+)(?:"
    r"send|transfer|e-?mail|forward|share|post|pay|buy|purchase|book|reserve|delete|remove|clear|cancel|refund|"
    r"update|change|modify|set|"
    r"reset|create|make|add|invite|grant|approve|upload|download|install|run|execute|visit|open|click|reply|"
    r"respond|tell|say|include|"
    r"recommend|give|provide|reveal|star|fork|merge|push|commit|publish|subscribe|register|submit|call|use|write|"
    r"rewrite|save|move|copy|"
    r"rename|disable|enable|accept|confirm|rate|review|schedule|leave|withdraw|donate|issue|apply|access|check|"
    r"unlock|turn|stop|replace|"
    r"leak|show|print|output|explain|describe|translate|summari[sz]e|analy[sz]e|calculate|compute|determine|list|"
    r"find|search|look|get|"
    r"generate|compose|draft|identify|suggest|discuss|compare|estimate|convert|encode|decode|reverse|insert|begin|"
    r"start|end|answer|"
    r"repeat|choose|consider|think|imagine|pretend|act|play|name|mention|highlight|advise|inform|ask|remind|read|"
    r"follow|perform|"
    r"complete|track|monitor|go|take|try|help|offer|promote|encourage|emphasi[sz]e|todo)\b(?![\s_]*[=:])",
    re.I,
)
_CODE: Final = re.compile(
    r"^\s*(?:import|from) [a-z_.]+|"
    r"\b(?:exec\(|eval\(|subprocess|os\.[a-z]|socket\.|requests\.|urllib|curl |wget |rm -rf)"
)
_OTHER_SCRIPT: Final = re.compile(r"[\u0370-\u1fff\u2c00-\ud7ff\uf900-\ufdff]")
_FEWEST_WORDS: Final = 3
_FEWEST_KNOWN: Final = 6  # common words of a prose sentence
_SAMPLE_CHARS: Final = 400  # of a sentence in which the language is guessed
_MARKUP: Final = re.compile(r"[{}\[\]<>=|_\\]")
_SIGNS: Final = re.compile(r"[{}\[\]<>=|_:;'\"/\\\\]")
_LETTERS: Final = re.compile(r"[^\W\d_]{1,40}")
# A tool's report of what it has done.
_TELLS: Final = re.compile(
    r"\W*(?:error|warning|success\w*|status|"
    r"(?:you|your \w+|the \w+|it|this) (?:have|has|had|is|are|was|were|cannot|could))\b",
    re.I,
)
_QUOTED: Final = re.compile(r"[\"“”'‘’`]([^\"“”'‘’`\n]{3,120})[\"“”'‘’`]")
_SPECIFIC: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,80}@[\w-]{1,80}\.[\w.-]+|https?://[^\s<>\"')]+|\bwww\.[^\s<>\"')]+|"
    r"(?<![\w/])/[\w.-]+(?:/[\w.-]+)+|\b(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Za-z])[\w-]{4,}\b|"
    r"[$€£]\s?\d[\d,.]*\d|\b\d[\d,.]*\d\b|\b[\w-]+/[\w-]+\b"
)
_SAY: Final = re.compile(
    r"\b(?:tell|say|include|mention|recommend|answer|reply|respond|write|print|show|reveal|promote|advise)\b", re.I
)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_STOP: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "for",
        "and",
        "or",
        "on",
        "by",
        "with",
        "my",
        "your",
        "our",
        "this",
        "that",
        "it",
        "is",
        "are",
        "be",
        "please",
        "one",
        "all",
        "any",
        "get",
    ]
)
_PAST: Final = {
    "sent": "send",
    "bought": "buy",
    "paid": "pay",
    "gave": "give",
    "made": "make",
    "wrote": "write",
    "told": "tell",
}
_BREAK: Final = re.compile(r"(?<=[.!?])\s+|\n+|(?<=['\"])\s*[,}\]]+\s*(?=['\"{\[])")


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedOrder:
    """An instruction found in read text: its words, the values it names, whether it asks for a statement.

    ``marked``: the text before it addresses the reader as an agent. ``terse``: a single order after a label that
    affects money, secrets, rights or other people's things, or that is meant for machines. ``start`` and ``end`` span
    it with the text before it.
    """

    text: str
    words: frozenset[str]
    values: frozenset[str]
    says: bool
    marked: bool
    terse: bool = False
    start: int = 0
    end: int = 0


def orders(text: str, *, around: int = 8, letters: int = 200_000) -> Iterator[InjectedOrder]:
    """Yield instructions: sentences that tell a reader to act, after text that addresses the reader as an agent."""
    left = 0
    hard = False
    run: list[str] = []
    begin = last = 0
    told = _to_machines(text[:letters])
    for start, sentence in _sentences(text[:letters]):
        end = start + len(sentence)
        while told and told[0][1] <= start:
            told.popleft()
        labelled = bool(told) and told[0][0] < end
        if labelled:  # an order of its own; what follows is also meant for machines
            yield _order(sentence[:600], start, end, marked=True, terse=True)
            begin = begin if left > 0 else start
            hard, left = True, around
        elif left <= 0 and is_terse(sentence):
            yield _order(sentence[:600], start, end, marked=False, terse=True)
            continue
        elif _HARD.search(sentence) or (_SOFT.search(sentence) and not _is_note(sentence)):
            begin = begin if left > 0 else start
            hard, left = (hard and left > 0) or _HARD.search(sentence) is not None, around
        if left > 0 and _ENDS.search(sentence):
            left = 1
        elif left > 0 and (run or hard or _IMPERATIVE.search(sentence)) and not (labelled or _only_frame(sentence)):
            run.append(sentence[:600])
            last = end
        elif left <= 0 and _plain_order(sentence):
            yield _order(sentence[:600], start, end, marked=False)
        left = 0 if _CLOSED.search(sentence) else left - 1
        if left <= 0 and run:
            yield _order(" ".join(run), begin, end if _CLOSED.search(sentence) else last, marked=hard)
            run = []
    if run:
        yield _order(" ".join(run), begin, last, marked=hard)


def _to_machines(text: str) -> deque[tuple[int, int]]:
    """Return the spans that address machines; a label at the end of a line includes the next line."""
    found: list[tuple[int, int]] = []
    for hit in matcher("order_to_machines").find(text):
        rest = _LABEL_ENDS.match(text, hit.end)
        found.append((hit.start, rest.end() + 1 if rest is not None else hit.end))
    return deque(sorted(found))


def closes_frame(text: str) -> bool:
    """Whether the end of a text closes the element or bracket of an order: </INFORMATION>, [/INST]."""
    return any(not text[hit.end() :].strip(" .!>*_\"'\n") for hit in _CLOSED.finditer(text))


def is_terse(sentence: str) -> bool:
    """Whether a sentence is a label with one harmful order: "TODO: send the list to a@b.com"."""
    short = sentence[:600]
    if _is_note(short) or (hit := _LABEL.search(short)) is None:
        return False
    order = hit["order"]
    if _RISKY.match(order) is None or len(re.findall(r"[,;]\s", order)) > 1:
        return False
    return _AT_STAKE.search(order) is not None or _NAMED.search(order) is not None


def _is_note(sentence: str) -> bool:
    """Whether it is a programming note for people that mentions nothing at stake."""
    if "todo" not in sentence.casefold() or _AT_STAKE.search(sentence) or _NAMED.search(sentence):
        return False
    return _NOTED.search(sentence) is not None or _BUILDING.search(sentence) is not None


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences with their start; an escaped line break also ends one."""
    whole = text.replace("\\n", " \n")
    at = 0
    for stop, after in (*(hit.span() for hit in _BREAK.finditer(whole)), (len(whole), len(whole))):
        piece = whole[at:stop]
        if sentence := piece.strip():
            yield at + len(piece) - len(piece.lstrip()), sentence
        at = after


def speaks_to_somebody(sentence: str) -> bool:
    """Whether a sentence tells or asks a reader something; a record, an identifier or a status does not.

    The words that are looked for are English. In other languages any prose counts, by its form alone.
    """
    if _OTHER_SCRIPT.search(sentence):
        return sum(map(str.isalpha, sentence[:200])) >= 2 * _FEWEST_WORDS
    if _CODE.search(sentence):
        return True
    if _is_note(sentence[:2000]):
        return False
    if language(sentence[:_SAMPLE_CHARS]) not in (None, "en"):
        return _has_form_of_prose(sentence[:2000])
    return len(_LETTERS.findall(sentence[:2000])) >= _FEWEST_WORDS and _SPEAKS.search(sentence[:2000]) is not None


def _has_form_of_prose(text: str) -> bool:
    """Whether a text consists of several words with few other signs, in any language."""
    found = _LETTERS.findall(text)
    visible = sum(not sign.isspace() for sign in text)
    return (
        len(found) > _FEWEST_WORDS
        and sum(map(len, found)) * 10 >= visible * 6
        and len(_MARKUP.findall(text)) * 20 <= len(text)
    )


def is_prose(sentence: str) -> bool:
    """Whether a person wrote the sentence, not a program: common words, few signs, no status report."""
    short = sentence[:2000]
    known = sum(word in common_words() for word in _LETTERS.findall(short.lower()))
    if known < _FEWEST_KNOWN or known * 10 < len(short.split()) * 7 or _TELLS.match(short):
        return False
    return len(_SIGNS.findall(short)) * 20 <= len(short)


def _plain_order(sentence: str) -> bool:
    return re.match(r"(?:please|kindly|immediately|urgent\w*)\b", sentence, re.I) is not None and bool(
        _IMPERATIVE.search(sentence)
    )


def _only_frame(sentence: str) -> bool:
    """Whether it is the frame of an instruction: its alleged sender, or an announcement of the task."""
    return (
        re.search(r"this is an important message from|the task that i gave|^<?\W*/?\w+\W*>?$", sentence, re.I)
        is not None
    )


def _order(text: str, start: int, end: int, *, marked: bool, terse: bool = False) -> InjectedOrder:
    return InjectedOrder(
        text=text,
        words=words(text),
        values=specifics(text),
        says=_SAY.search(text) is not None,
        marked=marked,
        terse=terse,
        start=start,
        end=end,
    )


def specifics(text: str) -> frozenset[str]:
    """Return values that are unlikely to occur by chance: addresses, ids, amounts, paths, quoted text."""
    found = [match.group() for match in _SPECIFIC.finditer(text)] + _QUOTED.findall(text)
    return frozenset(clean for each in found if len(clean := each.strip(" .,$€£'\"").casefold()) >= 2)


def words(text: str) -> frozenset[str]:
    """Return the stems of the words in a text or a tool's name."""
    return frozenset(
        _stem(word) for word in (w.casefold() for w in _WORD.findall(text)) if word not in _STOP and len(word) > 2
    )


def _stem(word: str) -> str:
    word = _PAST.get(word, word)
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
