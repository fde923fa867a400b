"""Whether the sentence of a predicate may speak of a part: each of several things, or what was named before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.limit_subject import names_answer
from proctor.generate.extract.quoted_literals import END, find_runs
from proctor.generate.extract.statements import Statement

__all__ = ["doubt_of_evidence"]

_AMOUNT: Final = re.compile(
    r"\(*(?:words|characters|sentences|lines|paragraphs|bullets|items|numbered items|headings) "
    r"(?:[<>]=? \d|= [1-9]|between)"
)
_PRONOUN: Final = re.compile(r"\W*(?:it|they|elle|elles|ella|ela|essa)\s", re.IGNORECASE)
# ``一件を60字以内``, ``1つにつき``: a counter names each of the things.
_COUNTER: Final = re.compile(r"(?:一|1|１)(?:件|つ|個|人|行|文|項目|枚|点|カ所|か所)(?:につき|あたり|ごと|を|は|で|に)")
# ``Conclude with a "Recommendation" section``
_PART_NOUN: Final = re.compile(
    r"\W*(?:section|heading|paragraph|part|block|list|table|label|tag|field|column|abschnitt|überschrift|rubrique|sección|"
    r"seção|sezione)\b",
    re.IGNORECASE,
)


def doubt_of_evidence(predicate: str, said: str, statements: Sequence[Statement], made: Sequence[str]) -> str:
    """Return why a sentence may not say this of the whole answer; nothing where it does or nothing is checked."""
    if predicate.startswith(("ends with", "starts with")):
        quotes = (run.end for run in find_runs(said))
        named = any(_PART_NOUN.match(said, end) for end in quotes) and END.search(said)
        return "the text names a part of the answer" if named else ""
    if not _AMOUNT.match(predicate):
        return ""
    if _PRONOUN.match(said) and not _speaks_of_answer(statements, said, made):
        return "what it is for is named in the sentence before"
    return "it may be for each of several things" if _COUNTER.search(said) else ""


def _speaks_of_answer(statements: Sequence[Statement], said: str, made: Sequence[str]) -> bool:
    """Whether the sentence before names the answer, or there is none before."""
    at = next((at for at, each in enumerate(statements) if said in each.text or each.text in said), 0)
    return at == 0 or names_answer(statements[at - 1].text, made)
