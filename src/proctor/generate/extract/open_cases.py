"""What an answer must have is not checked of the short answers that a prompt may ask for in some case.

Where a case has a reply that was not read word for word, a predicate for what an answer must have holds of answers
longer than such a reply; what an answer must not have holds of them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.conditions import QUOTED, blanked
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import is_case
from proctor.generate.extract.predicate_text import checkable
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.reply_words import ONLY, REPLY
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.generate.extract.tongues import TONGUES

__all__ = ["of_long_answers", "unread_case", "without_length"]

_LONGEST_REPLY: Final = 100  # characters of a reply for some case
_LONGEST_UNSPACED: Final = 80  # the same in a script that puts no spaces between words
_UNSPACED: Final = ("ja", "zh", "th")
_MUST: Final = re.compile(
    r"\(*(?:starts with|ends with|contains (?!none)|fields in order|is table|is html|is csv|language is|has code|"
    r"matches /|(?:first|last) (?:line|sentence): (?!not |\w+ <))"
)
_AMOUNT: Final = re.compile(
    r"\(*(?P<measure>words|characters|sentences|lines|paragraphs|bullets|items|numbered items|headings) "
    r"(?:(?P<form>=|>=?) (?P<number>\d+)|between (?P<low>\d+) and \d+)"
)
_OF_LONG: Final = re.compile(r"^when [a-z ]+ > \d+: ")
_CODE: Final = re.compile(r"(?<![\w-])[^\W\d_a-z]{3,}(?![\w-])")


def without_length(predicate: str) -> str:
    """Return a predicate without the length of the answers that it holds for."""
    return _OF_LONG.sub("", predicate)


def unread_case(statements: Sequence[Statement], replies: Sequence[str], code: str) -> bool:
    """Whether some sentence may ask for another answer in some case, of which the words are not known.

    ``replies`` are those that are known, ``code`` is the language of the prompt.
    """
    understood = code in ("", "en") or TONGUES.get(code) is not None
    for each in statements:
        if each.code or each.section in ASIDE_SECTIONS or any(reply in each.text for reply in replies):
            continue
        quoted = next(find_runs(each.text), None) is not None
        asks = re.search(rf"{REPLY}|{ONLY}", each.text, re.IGNORECASE) is not None
        coded = any(word.isupper() for word in _CODE.findall(each.text))
        if is_case(blanked(QUOTED, each.text)) and (asks or quoted or coded):
            return True
        if not understood and (quoted or coded) and asks:
            return True
    return False


def of_long_answers(draft: Draft, code: str) -> Draft:
    """Return the rule with a predicate for answers that are longer than a reply for some case."""
    predicate = draft.predicate or ""
    if draft.condition or draft.end == 0:
        return draft
    if amount := _AMOUNT.match(predicate):
        number = int(amount["number"] or amount["low"])
        least = number // 2 if number > 2 else number - 1
        guard = f"{amount['measure']} > {least}" if least > 0 else ""
    elif _MUST.match(predicate):
        guard = f"characters > {_LONGEST_UNSPACED if code in _UNSPACED else _LONGEST_REPLY}"
    else:
        return draft
    return replace(draft, predicate=checkable(f"when {guard}: ({predicate})") or predicate) if guard else draft
