"""Which predicates are tentative: those that ask for something, in a prompt with cases.

What an answer must not have can be told from a sentence. What it must have is often meant for one case or one part of
the answer, which the sentence does not say. The two are told apart by checking ordinary prose: a ban holds there by
itself, a demand does not. A part (a field, a labelled line) is not in such prose, so what is asked of it is checked
alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.statements import Statement
from proctor.text.predicates import Predicate, parse

__all__ = ["has_cases", "is_demand"]

_NOT_ANSWERS: Final = ("example", "tools")  # sections whose sentences are not about the answer
_ENGLISH: Final = (
    "The shop opens at nine and closes at six. On most days there are few people in the morning, so a visit is quiet "
    "then. Whoever comes by train walks for ten minutes from the station, along the river and past the old mill. The "
    "owner has run it for twenty years and knows where each thing lies. In winter the stove is lit, and there is tea "
    "for those who wait."
)
_GERMAN: Final = (
    "Das Geschäft öffnet um neun und schließt um sechs. An den meisten Tagen sind am Morgen nur wenige Leute da, "
    "deshalb ist ein Besuch dann ruhig. Wer mit dem Zug kommt, geht zehn Minuten am Fluss entlang."
)
_JAPANESE: Final = (
    "店は九時に開き、六時に閉まります。たいていの日は朝の客が少ないので、そのころに行くと静かです。電車で来る人は駅から"
    "川に沿って十分ほど歩きます。店の主人は二十年この店を続けています。"
)
_RUSSIAN: Final = (
    "Магазин открывается в девять и закрывается в шесть. Утром там обычно мало людей, поэтому в это время спокойно."
)
# Nothing, a word, a sentence, and plain prose, short and long, in four scripts and on several lines.
_ORDINARY: Final = (
    "",
    "Yes.",
    "No, it is not.",
    _ENGLISH,
    f"{_ENGLISH}\n\n" * 4,
    _GERMAN,
    _JAPANESE,
    f"{_JAPANESE}\n" * 5,
    _RUSSIAN,
)


@lru_cache(maxsize=4096)
def is_demand(predicate: str) -> bool:
    """Whether a predicate asks for something: some ordinary text breaks it, or what it asks of a part of the answer."""
    check = parse(predicate)
    of_parts = (parse(inner.text) for term in check.terms() if term.form.endswith("PRED") for inner in term.inner)
    return _breaks(check) or any(_breaks(each) for each in of_parts)


def _breaks(check: Predicate) -> bool:
    return any(check.check(text, inputs={}).ok is False for text in _ORDINARY)


def has_cases(statements: Sequence[Statement], fields: Sequence[str] = ()) -> bool:
    """Whether some sentence of a prompt holds in some cases only, so that answers may differ in kind.

    A sentence that names one of the ``fields`` of the answer is about the value of this field in an answer of the same
    kind: ``If it threatens legal action, set "urgent" to true``.
    """
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, fields))})(?!\w)") if fields else None
    return any(
        is_conditional(each.text)
        for each in statements
        if not each.code and each.section not in _NOT_ANSWERS and not (named and named.search(each.text))
    )
