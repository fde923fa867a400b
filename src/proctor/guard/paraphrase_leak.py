"""Whether a draft tells another text again, in other words or another language: by vectors, sentence for sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.sockets import Embedder
from proctor.text.split import sentences

__all__ = ["Retold", "hinted", "parts", "retold"]

_ALIKE: Final = 0.45  # of two vectors: below it sentences have only their subject in common
_FEWEST: Final = 3  # sentences told again; one or two of them any honest answer has that keeps to the rules
_FEWEST_UNTOLD: Final = 4  # the same where the draft does not speak of its instructions
_SHARE_UNTOLD: Final = 0.55  # of the known sentences
_MOST: Final = 48  # sentences that are read of either text
_SHORTEST: Final = 12  # bytes
_LONGEST: Final = 400  # letters of one that are read
_LEAD: Final = re.compile(
    r"^\s*(?:#{1,6}\s+|>\s?|(?:[-*•・]|\(?\d{1,2}[.)、])\s*)+|^\s*(?:system|user|assistant):\s*$", re.I
)
_TELLS: Final = re.compile(
    r"\b(?:my|system|initial|hidden|secret|internal|own)\s+(?:\w+\s+)?"
    r"(?:prompts?|instructions?|guidelines|directives|rules|briefing|setup|constraints)\b|\bthe (?:system )?prompt\b"
    r"|\bi(?:['’]m| am| was|['’]ve been| have been)\s+(?:not\s+)?"
    r"(?:told|instructed|programmed|configured|asked|supposed|set up|allowed|meant)\b"
    r"|\bhow i (?:was|am) (?:set up|configured|built)\b|\brule (?:one|1|number)\b"
    r"|\b(?:meine|mein|folgende)[nr]? (?:\w+ )?(?:anweisung|regel|vorgabe|systemprompt|instruktion)\w*"
    r"|\b(?:mes|mon|ma|voici les) (?:\w+ )?(?:consigne|instruction|directive|règle|prompt|invite)\w*"
    r"|\b(?:mis|estas son) (?:\w+ ){0,2}(?:instruccion|regla|directri|indicacion)\w*"
    r"|\b(?:mie|queste sono le) (?:\w+ )?(?:istruzion|regol|direttiv)\w*"
    r"|\b(?:minhas|meu|estas são as) (?:\w+ )?(?:instruç|regra|diretri|prompt)\w*"
    r"|\bmijn (?:\w+ )?(?:instructie|regel|opdracht|richtlijn)\w*"
    r"|\b(?:мои|моя|мой) (?:\w+ )?(?:инструкц|правил|промпт)\w*"
    r"|(?:我的?|系统)(?:系统)?(?:提示|指令|指示|规则|设定|要求)"
    r"|(?:私|わたし|自分|システム)(?:の|への|に与えられた)?(?:指示|ルール|設定|プロンプト|規則)"
    r"|(?:내|제|저의|시스템) ?(?:지시|규칙|지침|프롬프트)"
    r"|मेर[ेी] (?:\S+ )?(?:निर्देश|नियम|हिदायत)|تعليماتي|قواعدي",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """How many sentences of a text a draft tells again, of how many; ``first`` is the likest of them."""

    told: int
    of: int
    first: str = ""


def parts(text: str) -> tuple[str, ...]:
    """The sentences of a text, without the marks of lists; what is too short to mean much is left out."""
    found = (each for line in text.splitlines() for each in sentences(_LEAD.sub("", line)))
    return tuple([each[:_LONGEST] for each in found if len(each.encode("utf-8", "replace")) >= _SHORTEST][:_MOST])


def hinted(draft: str, said: Sequence[str], known: Sequence[str]) -> int | None:
    """How many sentences would have to be told again; ``None`` when nothing hints at it and no vector is needed."""
    untold = max(_FEWEST_UNTOLD, math.ceil(_SHARE_UNTOLD * len(known)))
    least = untold if _TELLS.search(draft) is None else _FEWEST
    return least if least <= min(len(said), len(known)) else None


async def retold(
    said: Sequence[str], known: Sequence[str], free: Sequence[str], embedder: Embedder, least: int = 1
) -> Retold:
    """Pair the sentences of a draft with those of a text, each once, the likest first.

    What ``free`` sentences say as well as the text is not counted; they are read only where ``least`` are told again.
    """
    rows = await embedder.embed([*said, *known])
    pairs = sorted(
        (
            (alike, i, j)
            for i, a in enumerate(rows[: len(said)])
            for j, b in enumerate(rows[len(said) :])
            if (alike := _dot(a, b)) >= _ALIKE
        ),
        reverse=True,
    )
    found = _paired(pairs)
    if len(found) >= least and free:
        others = await embedder.embed(free[:_MOST])
        freely = {i: max(_dot(rows[i], b) for b in others) for i in {i for _, i, _ in pairs}}
        found = _paired([pair for pair in pairs if freely[pair[1]] < pair[0]])
    return Retold(told=len(found), of=len(known), first=said[found[0]] if found else "")


def _paired(pairs: Sequence[tuple[float, int, int]]) -> list[int]:
    """Which sentences of the draft have one of the text to themselves, the likest first."""
    mine, theirs = set[int](), set[int]()
    found: list[int] = []
    for _, i, j in pairs:
        if i not in mine and j not in theirs:
            mine.add(i)
            theirs.add(j)
            found.append(i)
    return found


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(map(float.__mul__, a, b))
