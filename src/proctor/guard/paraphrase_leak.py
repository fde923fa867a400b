"""Detect drafts that paraphrase or translate another text, by embeddings of sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.sockets import Embedder
from proctor.text.split import sentences

__all__ = ["Retold", "hinted", "parts", "retold"]

_MIN_SIMILARITY: Final = 0.45  # below it sentences share only their subject
_MIN_MATCHES: Final = 3  # an honest answer that follows the rules has one or two
_MIN_UNHINTED_MATCHES: Final = 4  # if the draft does not mention its instructions
_MIN_UNHINTED_SHARE: Final = 0.55  # of the known sentences
_MAX_SENTENCES: Final = 48  # of either text
_MIN_SENTENCE_BYTES: Final = 12
_MAX_SENTENCE_CHARS: Final = 400
_LEAD: Final = re.compile(
    r"^\s*(?:#{1,6}\s+|>\s?|(?:[-*•・]|\(?\d{1,2}[.)、])\s*)+|^\s*(?:system|user|assistant):\s*$", re.I
)
_MENTIONS_PROMPT: Final = re.compile(
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
    """How many sentences of a text a draft repeats, of how many; ``first`` is the most similar one."""

    told: int
    of: int
    first: str = ""


def parts(text: str) -> tuple[str, ...]:
    """Split a text into sentences, without list marks; sentences that are too short are dropped."""
    found = (each for line in text.splitlines() for each in sentences(_LEAD.sub("", line)))
    return tuple(
        [each[:_MAX_SENTENCE_CHARS] for each in found if len(each.encode("utf-8", "replace")) >= _MIN_SENTENCE_BYTES][
            :_MAX_SENTENCES
        ]
    )


def hinted(draft: str, said: Sequence[str], known: Sequence[str]) -> int | None:
    """Return how many repeated sentences are a leak; ``None`` if nothing hints at one, so no embedding is needed."""
    untold = max(_MIN_UNHINTED_MATCHES, math.ceil(_MIN_UNHINTED_SHARE * len(known)))
    least = untold if _MENTIONS_PROMPT.search(draft) is None else _MIN_MATCHES
    return least if least <= min(len(said), len(known)) else None


async def retold(
    said: Sequence[str], known: Sequence[str], free: Sequence[str], embedder: Embedder, least: int = 1
) -> Retold:
    """Pair the sentences of a draft with those of a text, each once, the most similar first.

    A sentence that matches a ``free`` sentence as well as the text is not counted; ``free`` is embedded only if at
    least ``least`` sentences match.
    """
    rows = await embedder.embed([*said, *known])
    pairs = sorted(
        (
            (alike, i, j)
            for i, a in enumerate(rows[: len(said)])
            for j, b in enumerate(rows[len(said) :])
            if (alike := _dot(a, b)) >= _MIN_SIMILARITY
        ),
        reverse=True,
    )
    found = _paired(pairs)
    if len(found) >= least and free:
        others = await embedder.embed(free[:_MAX_SENTENCES])
        freely = {i: max(_dot(rows[i], b) for b in others) for i in {i for _, i, _ in pairs}}
        found = _paired([pair for pair in pairs if freely[pair[1]] < pair[0]])
    return Retold(told=len(found), of=len(known), first=said[found[0]] if found else "")


def _paired(pairs: Sequence[tuple[float, int, int]]) -> list[int]:
    """Return the sentences of the draft that have a partner in the text, the most similar first."""
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
