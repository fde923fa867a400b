"""Check whether an answer is about the question, sentence by sentence, with more weight on the opening."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul
from typing import Final

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts.answer_fit import AnswerFit, answer_fit, declined
from proctor.scorers.checked_answers import last_expectation, quoted
from proctor.scorers.model_trust import trust
from proctor.text.claims import AnswerStatement, Kind, statements
from proctor.text.content_words import content
from proctor.text.facts import compare
from proctor.text.titles import mentions

__all__ = ["NAME", "AskedTopic", "asked_of", "intent_relevance"]

NAME: Final = "intent_relevance"
OPENING: Final = 1 / 3  # of the text
OPENING_WEIGHT: Final = 2.5
# Similarity of a question and a sentence: below the first bound they are unrelated, above the second related.
_FAR, _NEAR = 0.08, 0.28
# Similarity of a sentence to one that is on topic: it continues the topic.
_LOOSE, _CLOSE = 0.25, 0.50
_ON_TOPIC: Final = 0.6
_OFF_TOPIC: Final = 0.35
_PROMOTED: Final = 0.1
_OTHER_COST: Final = 0.3  # what an answer loses that is wholly about something else
_RULES_CONFIDENCE: Final = 0.35
# Minimum value of a sentence in small talk, by kind: a courtesy or a question back is a proper reply to a courtesy.
_ANSWERS: Final[Mapping[Kind, float]] = {"courtesy": 1.0, "question": 0.9, "offer": 0.9, "claim": 0.7, "heading": 0.7}

_PROMOTION = re.compile(
    r"\b(?:\d+ ?% off|on sale|sales?\b(?! ?s)|discount(?:s|ed)?|special offer|deals?|bundle"
    r"|promo(?:tion|code|s)?|coupon|limited[- ]time|don'?t miss|save (?:up to )?[$¥€£\d]|buy (?:one|two|\d)[ ,]"
    r"|free gift|flash|bargain|newsletter|sign up|campaign)\b"
    r"|割引|セール|キャンペーン|お得|特典|クーポン|オフ[!！。]|%\s?オフ|％\s?オフ|期間限定|まとめ買い|ポイント還元|メルマガ|お見逃しなく",
    re.IGNORECASE,
)
_ABOUT_OFFERS = re.compile(
    r"\b(?:sale|discount|offers?|deals?|bundle|promo\w*|coupon|code|cheap\w*|bargain|price|cost|save|saving)\b"
    r"|\b(?:campaign|points?)\b|割引|セール|キャンペーン|お得|特典|クーポン|安い|安く|値段|価格|いくら|ポイント",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"\b(?:it|its|that|this|those|these|them|they|one|ones|first|second|third|last|more|another|else|same|so|then)\b"
    r"|それ|これ|あれ|その|この|つ目|番目|もっと|他に|ほかに|同じ|じゃあ|では",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Topic:
    """How far a sentence is on topic, and whether it is an unrequested offer or has expected content."""

    value: float
    is_pushed: bool
    is_expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTopic:
    """What the last answer was asked: the question, its context and the expected content."""

    question: str
    before: tuple[str, ...]
    facts: tuple[str, ...]
    names: tuple[str, ...]
    reference: str
    intent: str | None

    @property
    def follows_up(self) -> bool:
        """Whether the question depends on earlier turns."""
        few = len(content(self.question)) <= 3
        leans = few or _FOLLOW_UP.search(self.question) is not None
        return bool(self.before) and leans and not self.courtesy

    @property
    def courtesy(self) -> bool:
        """Whether nothing was asked: a greeting, thanks, a farewell."""
        return all(each.kind == "courtesy" for each in statements(self.question, most=5))


def asked_of(case: Case, run: Trajectory, names: Sequence[str] = ()) -> AskedTopic:
    """Return what was asked; ``names`` are titles and ids that a good answer contains."""
    asks = case.asks
    question = run.turns[-1].asked if run.turns else ""
    if not question and asks:
        question = asks[min(max(len(run.turns), 1), len(asks)) - 1].text
    earlier = [turn.asked for turn in run.turns[:-1]] + [turn.answer for turn in run.turns[:-1]]
    told = [message.content for message in case.history if message.role in ("user", "assistant")]
    expects = last_expectation(case, run)
    return AskedTopic(
        question=question,
        before=tuple(text for text in (*told, *earlier) if text.strip()),
        facts=tuple(fact for expect in expects for fact in expect.facts),
        names=tuple(names),
        reference=next((expect.reference for expect in expects if expect.reference), ""),
        intent=case.intent,
    )


async def intent_relevance(
    asked: AskedTopic,
    answer: str,
    embedder: Embedder | None,
    *,
    promotes: bool,
    small_talk: bool = False,
    passages: Sequence[str] = (),
) -> Score:
    """Score how far the answer is about the question.

    The answer as a whole is compared with the question, the last turns and the ``passages`` that the agent had. Then
    each sentence is looked at: expected content raises the score, an unrequested offer or a sentence about something
    else lowers it. The first third counts more because users read it first. ``promotes`` is true if the intent allows
    offers; ``small_talk`` if the intent has no topic that an answer could miss by much. Without an embedder only words
    are compared, and the confidence is lower.
    """
    said = statements(answer, most=30)
    small_talk = small_talk or asked.courtesy
    core = [each for each in said if small_talk or each.kind in ("claim", "heading")] or said
    if not asked.question.strip():
        return Score(name=NAME, status="skipped", reason="nothing was asked")
    if not core:
        return Score(name=NAME, value=0.0, reason="the answer says nothing", confidence=0.9)
    try:
        near = await _likeness(asked, core, embedder) if embedder is not None else None
        fit = await _fit(asked, answer, passages, embedder) if embedder is not None and not small_talk else None
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    topics = _topical(asked, core, near, promotes=promotes)
    if small_talk:
        topics = [
            replace(each, value=max(each.value, _ANSWERS[one.kind])) if not each.is_pushed else each
            for one, each in zip(core, topics, strict=True)
        ]
    weights = [each.share * (OPENING_WEIGHT if each.at < OPENING else 1.0) for each in core]
    value = _by_sentences(weights, topics) if fit is None else _by_fit(fit, weights, topics)
    off = [each for each, topic in zip(core, topics, strict=True) if topic.value < _OFF_TOPIC]
    reason, evidence = _told(off, core, topics, judged=near is not None)
    refuses = fit.is_refusal if fit is not None else not small_talk and _deflects(asked, answer)
    if refuses:
        quote = next((each.text for each in core if declined(each.text)), answer)
        value = value if fit is not None else min(value, 0.3)
        reason = fit.note if fit is not None else "the answer turns the question away"
        evidence = (Evidence(quote=quoted(quote), note="no answer"),)
    elif fit is not None:
        reason = f"{reason} ({fit.note})"
    sure = trust(f"{asked.question} {answer}", "likeness") if near is not None else _RULES_CONFIDENCE
    return Score(
        name=NAME,
        value=min(1.0, max(0.0, value)),
        reason=reason,
        confidence=sure,
        producer="local model" if near is not None else "rule",
        evidence=evidence,
    )


async def _fit(asked: AskedTopic, answer: str, passages: Sequence[str], embedder: Embedder) -> AnswerFit:
    """Compare the answer as a whole; an expected refusal is right, and one where facts are expected is wrong."""
    right: bool | None = None
    if asked.reference:
        right = declined(asked.reference) or None
    if right is None and asked.facts:
        right = any(declined(fact) or compare(fact, answer).verdict == "stated" for fact in asked.facts)
    turns = " ".join([*asked.before[-3:], asked.question]) if asked.before else ""
    held = [*passages, *((asked.reference,) if asked.reference else ())]
    return await answer_fit(asked.question, turns, answer, held, embedder, refusal_is_right=right)


def _by_sentences(weights: Sequence[float], topics: Sequence[_Topic]) -> float:
    body = sum(weight * topic.value for weight, topic in zip(weights, topics, strict=True)) / sum(weights)
    return max(topic.value for topic in topics) * body


def _by_fit(fit: AnswerFit, weights: Sequence[float], topics: Sequence[_Topic]) -> float:
    """Return the fit, raised by expected content and lowered by the share of unrequested offers and other topics."""
    total = sum(weights)

    def share(kept: Sequence[bool]) -> float:
        return sum(weight for weight, is_kept in zip(weights, kept, strict=True) if is_kept) / total

    expected, pushed = share([each.is_expected for each in topics]), share([each.is_pushed for each in topics])
    other = share([each.value < _OFF_TOPIC and not each.is_pushed for each in topics])
    value = max(fit.value, 0.85 + 0.15 * expected) if expected else fit.value
    if not fit.is_refusal:
        value *= 1 - _OTHER_COST * other
    return value * (1 - pushed) + min(value, _PROMOTED) * pushed


async def _likeness(
    asked: AskedTopic, core: Sequence[AnswerStatement], embedder: Embedder
) -> list[tuple[float, list[float]]]:
    """Return for each sentence its similarity to the question and to every other sentence."""
    anchors = [asked.question]
    if asked.follows_up:
        anchors += [text[-600:] for text in asked.before[-4:]]
    anchors += [text[:600] for text in (*asked.facts[:4], asked.reference) if text]
    texts = [*anchors, *(each.text for each in core)]
    vectors = await embedder.embed(texts)
    wanted, given = vectors[: len(anchors)], vectors[len(anchors) :]
    return [(max(_dot(one, two) for two in wanted), [_dot(one, two) for two in given]) for one in given]


def _topical(
    asked: AskedTopic, core: Sequence[AnswerStatement], near: list[tuple[float, list[float]]] | None, *, promotes: bool
) -> list[_Topic]:
    words = content(asked.question)
    about_offers = promotes or _ABOUT_OFFERS.search(asked.question) is not None
    found: list[_Topic] = []
    for index, each in enumerate(core):
        expected = _expected(asked, each.text)
        shared = len(words & content(each.text))
        # Words alone cannot show that a sentence is off topic: without an embedder only offers and evasions count.
        topic = _ramp(near[index][0], _FAR, _NEAR) if near is not None else 1.0
        topic = max(topic, 1.0 if expected else 0.0, 0.85 if shared >= 2 else 0.6 if shared else 0.0)
        # An unrequested offer is off topic, whatever its words.
        pushes = not about_offers and not expected and _PROMOTION.search(each.text) is not None
        found.append(_Topic(min(topic, _PROMOTED) if pushes else topic, pushes, expected))
    return [_carried(index, found, near) for index in range(len(core))]


def _carried(index: int, found: Sequence[_Topic], near: list[tuple[float, list[float]]] | None) -> _Topic:
    """Return the topic value, raised if the sentence continues one that is on topic."""
    topic = found[index]
    if topic.is_pushed or topic.value >= 1.0 or near is None:
        return topic
    before = index > 0 and found[index - 1].value >= _ON_TOPIC and not found[index - 1].is_pushed
    # Only earlier on-topic sentences count, so the opening must be about the question itself.
    like = [near[index][1][other] for other in range(index) if found[other].value >= _ON_TOPIC]
    carried = _ramp(max(like, default=0.0), _LOOSE, _CLOSE)
    return replace(topic, value=max(topic.value, 0.95 * carried, 0.6 if before else 0.0))


def _expected(asked: AskedTopic, sentence: str) -> bool:
    if any(mentions(name, sentence, most=1) for name in asked.names):
        return True
    return any(compare(fact, sentence).verdict in ("stated", "conflict") for fact in asked.facts[:8])


def _deflects(asked: AskedTopic, answer: str) -> bool:
    """Whether the answer evades the question, by its words alone."""
    if not declined(answer) or asked.intent == "chitchat" or (asked.reference and declined(asked.reference)):
        return False
    return not any(compare(fact, answer).verdict == "stated" for fact in asked.facts)


def _told(
    off: Sequence[AnswerStatement], core: Sequence[AnswerStatement], topics: Sequence[_Topic], *, judged: bool
) -> tuple[str, tuple[Evidence, ...]]:
    evidence = tuple(
        Evidence(quote=quoted(each.text), note="opens off the question" if each.at < OPENING else "off the question")
        for each in off[:5]
    )
    if not off and not judged:
        return "no offer and no evasion; whether it is on the question was not looked at", ()
    if not off:
        best = max(range(len(core)), key=lambda index: topics[index].value)
        return "every sentence is on the question", (Evidence(quote=quoted(core[best].text), note="on the question"),)
    if any(each.at < OPENING for each in off):
        return f"the opening is off the question: {quoted(off[0].text, 80)!r}", evidence
    return f"{len(off)} of {len(core)} sentences are off the question", evidence


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _dot(one: Sequence[float], two: Sequence[float]) -> float:
    found: float = sum(map(mul, one, two))
    return found
