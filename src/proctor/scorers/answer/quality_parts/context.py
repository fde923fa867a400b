"""Check whether an answer uses its context: the page the user is on and the earlier turns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder
from proctor.scorers.answer.quality_parts.products import Product
from proctor.scorers.answer.quality_parts.topic import AskedTopic
from proctor.scorers.checked_answers import quoted
from proctor.scorers.model_trust import trust
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.titles import mentions

__all__ = ["NAME", "context_relevance", "page_names"]

NAME: Final = "context_relevance"
_PRODUCT_KEY = re.compile(r"(?:^|_)(?:asin|sku|isbn|product|product_id|item|item_id|id|title)$", re.IGNORECASE)
_SECTION_KEY = re.compile(r"(?:^|_)(?:section|category|genre|department|topic)$", re.IGNORECASE)
_HERE = re.compile(
    r"\b(?:this|it|its|here|these|the (?:book|manga|volume|series|product|item|page))\b|この|これ|それ|こちら|本作",
    re.IGNORECASE,
)
# Similarity bounds: below the first a text is unrelated to the answer, above the second fully related.
_FAR, _NEAR = 0.12, 0.30


def page_names(page: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids and titles of the product shown on the page."""
    found: list[str] = []
    for key, value in page.items():
        if _PRODUCT_KEY.search(str(key)) and isinstance(value, str) and value.strip():
            found.append(value)
        elif isinstance(value, Mapping):
            found += page_names(value)
    return tuple(dict.fromkeys(found))


async def context_relevance(
    asked: AskedTopic, answer: str, page: Mapping[str, Any], shown: Product | None, embedder: Embedder | None
) -> Score:
    """Return the share of the relevant context signals that the answer uses.

    The product on the page is relevant if the question refers to it; the section if the question names no other topic;
    the earlier turns if the question depends on them. Other signals are not counted.
    """
    signals: list[tuple[str, str, float]] = []  # signal, its text, degree of use
    try:
        if shown is not None and _points_at(asked, shown):
            signals.append(("the product on the page", shown.names[-1], _names(shown, answer)))
        for section in _sections(page):
            if len(content(asked.question)) <= 4 or _HERE.search(asked.question):
                signals.append(("the section of the page", section, await _reflects(section, answer, embedder)))
        if asked.follows_up:
            signals.append(("what was said before", asked.before[-1], await _goes_on(asked, answer, embedder)))
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    if not signals:
        known = "the question leans on no page and no earlier turn" if page or asked.before else "there is no context"
        return Score(name=NAME, status="skipped", reason=known)
    unused = [what for what, _, used in signals if used < 0.5]
    evidence = tuple(
        Evidence(quote=quoted(words, 120), note=f"{what}: {'used' if used >= 0.5 else 'not used'}")
        for what, words, used in signals
    )
    return Score(
        name=NAME,
        value=sum(used for _, _, used in signals) / len(signals),
        reason=f"does not use {' and '.join(unused)}" if unused else "uses the context it has",
        confidence=trust(answer, "likeness") if embedder is not None else 0.5,
        producer="local model" if embedder is not None else "rule",
        evidence=evidence,
    )


def _points_at(asked: AskedTopic, shown: Product) -> bool:
    named = any(mentions(name, asked.question, most=1) for name in shown.names)
    return named or _HERE.search(asked.question) is not None


def _names(shown: Product, answer: str) -> float:
    """Return 1 if the product is named, less if the answer only refers to it."""
    if any(mentions(name, answer, most=1) for name in shown.names):
        return 1.0
    return 0.6 if _HERE.search(answer) else 0.0


def _sections(page: Mapping[str, Any]) -> list[str]:
    return [
        value.replace("-", " ").replace("_", " ")
        for key, value in page.items()
        if _SECTION_KEY.search(str(key)) and isinstance(value, str) and value.strip()
    ]


async def _reflects(section: str, answer: str, embedder: Embedder | None) -> float:
    if content(section) & content(answer):
        return 1.0
    return await _nearest([section], answer, embedder) if embedder is not None else 0.0


async def _goes_on(asked: AskedTopic, answer: str, embedder: Embedder | None) -> float:
    """Return whether the answer shares words, or at least the topic, with the earlier turns."""
    words = content(answer)
    earlier = [text[-2000:] for text in asked.before[-6:]]
    if any(len(content(text) & words) >= 2 for text in earlier):
        return 1.0
    if any(mentions(name, answer, most=1) for name in asked.names):
        return 1.0
    return await _nearest([text[-600:] for text in earlier], answer, embedder) if embedder is not None else 0.0


async def _nearest(texts: Sequence[str], answer: str, embedder: Embedder) -> float:
    said = [each.text for each in statements(answer, most=12)] or [answer[:600]]
    vectors = await embedder.embed([*texts, *said])
    wanted, given = vectors[: len(texts)], vectors[len(texts) :]
    best = max(sum(a * b for a, b in zip(one, two, strict=True)) for one in wanted for two in given)
    return min(1.0, max(0.0, (best - _FAR) / (_NEAR - _FAR)))
