"""Whether an answer has parts, and whether a predicate for all of it may be meant for one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.limit_subject import names_answer, unknown_words
from proctor.generate.extract.number_words import in_digits
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.sections import section_of
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement

__all__ = ["doubt_of_part", "shown_part"]

# ``Note: <text>``, ``F: <question> | A: <answer>``, ``[Place | Hour]``, ``<the scene>``: a line of the answer, shown.
_SHOWN: Final = re.compile(
    r"(?m)^[ \t>*-]*(?:[^\W\d_][\w /&'’-]{0,28}[:：][ \t]*<[^<>\n{}]{2,60}>|<[^<>\n{}/]*\s[^<>\n{}]*>[ \t]*$|"
    r"\[[^\]\n{}]*\s[^\]\n{}]*\][ \t]*$)"
)
_BRACKETED: Final = re.compile(r"(?m)^[ \t>*-]*【[^】\n]{1,20}】[ \t]*\S")
# ``a line that begins with `PATTERN:` ``: a quoted label.
_QUOTED_LABEL: Final = re.compile(r"[\"“„«「`][^\"“”»」`\n:：]{1,30}[:：]\s?[\"“”»」`]")
# ``<verdict>...</verdict>``: a block of the answer; one with a place to fill in is the input.
_BLOCK: Final = re.compile(
    r"<(?P<tag>[^\W\d_][\w-]{1,28})>(?P<inside>(?:(?!\{\{|</?[\w-]+>).){0,4000}?)</(?P=tag)>", re.DOTALL
)
# ``each starts with its name, e.g. ## SUMMARY``, ``as headings (##)``: the sign of headings inside a sentence. A quoted
# heading, ``a heading "## News" above``, is only one.
_SIGN_OF_PART: Final = re.compile(r"(?<=[\w.,:;] )(?:[(（]?#{1,6}(?=[ )）,.\n]|$)|[`\"“«]#{1,6}[`\"”»])")
_WHOLE: Final = re.compile(
    r"(?:case is|not \(ends with|starts with|ends with|matches|one of|is \"|is yes|contains (?!none|the input)|"
    r"(?:words|characters|letters|sentences|lines|paragraphs|questions|bullets|items|numbered items|headings|number|"
    r"emoji|exclamations|links|count \S+) (?:=(?! 0)|<|>|between))"
)
_LEAST: Final = 2
_SEVERAL: Final = ("headings",)
# ``**Gap** - one sentence``, ``Gap: one sentence``: the label of a line.
_LABEL: Final = re.compile(
    r"[ \t>*+•-]*(?:\d{1,2}[.)][ \t]*)?\**(?P<label>[^\W\d_][^\n:：*.!?\"“«「`]{0,40}?)\**(?:[:：]|\s[–—-]\s)"
)
# A short section of its own: ``## Facts`` and, right below it, ``Two to four sentences.``, then the next heading.
_HEADING: Final = re.compile(r"(?m)^#{1,6} (?P<label>[^\n]{2,40})\n+$")
_FIRST_LINE: Final = re.compile(r"(?:first|last) (?:line|sentence|paragraph): \w+ (?:<|>|=|between)")
_EACH: Final = re.compile(
    r"\b(?:each|every|jede[rsnm]?|chaque|cada|ogni|elke?)\s+(?P<noun>[^\W\d_]{3,})", re.IGNORECASE
)
_FILLED: Final = re.compile(r"<([^<>\n{}]{2,60})>")


def shown_part(text: str, statements: Sequence[Statement], scope: PromptScope) -> str:
    """Return one of the parts that the prompt shows of its answer; nothing if it shows none."""
    if scope.line_labels:
        return scope.line_labels[0]
    if scope.each[0]:
        return scope.each[0]
    for pattern, least in (
        (_SHOWN, 1),
        (_BRACKETED, _LEAST),
        (_QUOTED_LABEL, _LEAST),
        (_BLOCK, _LEAST),
        (_SIGN_OF_PART, 1),
    ):
        found = [match.group().strip() for match in pattern.finditer(text)]
        if len(found) >= least:
            return found[0]
    for each in statements:
        if not each.code and each.section not in ASIDE_SECTIONS:
            for amount in find_amounts(each.text, scope.language):
                if amount.measure in _SEVERAL and amount.high > 1:
                    return text[each.start + amount.start : each.start + amount.end]
    return ""


def doubt_of_part(predicate: str, start: int, end: int, text: str, part: str, made: Sequence[str]) -> str:
    """Return why a predicate may be for a part only: there are parts, and its sentence does not name the answer.

    ``start`` and ``end`` enclose that sentence in the prompt, ``text``. A noun in a place to fill in is a part,
    whatever else it may mean.
    """
    said = text[start:end]
    if _FIRST_LINE.match(predicate) and len(re.findall("[,，、]", said)) > 1:
        return "the sentence names several parts"
    if not _WHOLE.match(predicate):
        return ""
    if (several := _EACH.search(said)) and re.search(
        rf"(?:\b\d+|\b(?:first|second|last|between|next|several|erste\w*|letzte\w*|premi\w+|derni\w+|primer\w*|"
        rf"últim\w+|"
        rf"primeir\w+|prim[ao]|ultim\w+|eerste|laatste))\s+(?:the\s+)?{re.escape(several['noun'][:-1])}\w{{0,3}}\b",
        in_digits(f"{text[:start]} {text[end:]}"),
        re.IGNORECASE,
    ):
        return f"there may be more than one {several['noun']}"
    label = None if predicate.startswith(("one of", "contains")) else _LABEL.match(text, text.rfind("\n", 0, start) + 1)
    if label and re.search(r"\d", in_digits(label["label"])):
        label = None  # ``Three paragraphs:`` is an amount
    if label and section_of(label["label"]) in ("rules", "format", "output", "never"):
        label = None
    if label and label.end() <= end and unknown_words(label["label"], made) and not names_answer(label["label"], made):
        return f"it may be for {label['label'].strip()} only"
    heading = _HEADING.search(text, max(0, start - 80), start)
    if heading and unknown_words(heading["label"], made) and not names_answer(f"{heading['label']} {said}", made):
        return f"it may be for {heading['label'].strip()} only"
    if not part:
        return ""
    parts = {word.lower() for match in _FILLED.finditer(text) for word in re.findall(r"[^\W\d_]+", match[1])}
    bare = re.sub(r"[^\W\d_]+", lambda word: " " if word.group().lower() in parts else word.group(), said)
    if names_answer(bare, made):
        return ""
    return f"the answer has parts ({part[:40]}), and it may be for one of them"
