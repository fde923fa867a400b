"""Check whether an answer is about the question, sentence by sentence, with more weight on the opening."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder
from proctor.core.trajectory import Trajectory
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
_DEFLECTION = re.compile(
    r"\b(?:i (?:can(?:not|'t)|am (?:not able|unable) to) (?:help|answer|assist|discuss|say)"
    r"|i (?:do not|don't) (?:know|have (?:any )?information)|i'?m not sure|no idea|as an ai)\b"
    r"|お答えできません|分かりかねます|わかりません|分かりません|お手伝いできません",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"\b(?:it|its|that|this|those|these|them|they|one|ones|first|second|third|last|more|another|else|same|so|then)\b"
    r"|それ|これ|あれ|その|この|つ目|番目|もっと|他に|ほかに|同じ|じゃあ|では",
    re.IGNORECASE,
)


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
    asked: AskedTopic, answer: str, embedder: Embedder | None, *, promotes: bool, small_talk: bool = False
) -> Score:
    """Score how far the answer is about the question.

    Each sentence is rated by similarity to the question, by shared words and by the expected content. The first third
    counts more because users read it first. ``promotes`` is true if the intent allows offers; ``small_talk`` if the
    intent has no topic that an answer could miss by much. Without an embedder only words are compared, and the
    confidence is lower.
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
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    topical = _topical(asked, core, near, promotes=promotes)
    if small_talk:
        topical = [
            max(topic, _ANSWERS[each.kind]) if topic > _PROMOTED else topic
            for each, topic in zip(core, topical, strict=True)
        ]
    weights = [each.share * (OPENING_WEIGHT if each.at < OPENING else 1.0) for each in core]
    body = sum(weight * topic for weight, topic in zip(weights, topical, strict=True)) / sum(weights)
    value = max(topical) * body
    off = [each for each, topic in zip(core, topical, strict=True) if topic < _OFF_TOPIC]
    reason, evidence = _told(off, core, topical, judged=near is not None)
    if (deflects := _deflection(asked, core)) is not None:
        value = min(value, 0.3)
        reason, evidence = "the answer turns the question away", (Evidence(quote=quoted(deflects), note="no answer"),)
    sure = trust(f"{asked.question} {answer}", "likeness") if near is not None else _RULES_CONFIDENCE
    return Score(
        name=NAME,
        value=min(1.0, max(0.0, value)),
        reason=reason,
        confidence=sure,
        producer="local model" if near is not None else "rule",
        evidence=evidence,
    )


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
) -> list[float]:
    words = content(asked.question)
    about_offers = promotes or _ABOUT_OFFERS.search(asked.question) is not None
    found: list[float] = []
    pushed: list[bool] = []
    for index, each in enumerate(core):
        expected = _expected(asked, each.text)
        shared = len(words & content(each.text))
        # Words alone cannot show that a sentence is off topic: without an embedder only offers and evasions count.
        topic = _ramp(near[index][0], _FAR, _NEAR) if near is not None else 1.0
        topic = max(topic, 1.0 if expected else 0.0, 0.85 if shared >= 2 else 0.6 if shared else 0.0)
        # An unrequested offer is off topic, whatever its words.
        pushes = not about_offers and not expected and _PROMOTION.search(each.text) is not None
        pushed.append(pushes)
        found.append(min(topic, _PROMOTED) if pushes else topic)
    return [_carried(index, found, pushed, near) for index in range(len(core))]


def _carried(
    index: int, found: Sequence[float], pushed: Sequence[bool], near: list[tuple[float, list[float]]] | None
) -> float:
    """Return the topic value, raised if the sentence continues one that is on topic."""
    topic = found[index]
    if pushed[index] or topic >= 1.0:
        return topic
    if near is None:
        return topic
    before = index > 0 and found[index - 1] >= _ON_TOPIC and not pushed[index - 1]
    # Only earlier on-topic sentences count, so the opening must be about the question itself.
    like = [near[index][1][other] for other in range(index) if found[other] >= _ON_TOPIC]
    carried = _ramp(max(like, default=0.0), _LOOSE, _CLOSE)
    return max(topic, 0.95 * carried, 0.6 if before else 0.0)


def _expected(asked: AskedTopic, sentence: str) -> bool:
    if any(mentions(name, sentence, most=1) for name in asked.names):
        return True
    return any(compare(fact, sentence).verdict in ("stated", "conflict") for fact in asked.facts[:8])


def _deflection(asked: AskedTopic, core: Sequence[AnswerStatement]) -> str | None:
    """Return the sentence that evades the question if the answer has little else."""
    if asked.reference and _DEFLECTION.search(asked.reference):
        return None
    hits = [each for each in core if _DEFLECTION.search(each.text)]
    rest = sum(each.share for each in core if each not in hits)
    stated = any(compare(fact, hit.text).verdict == "stated" for hit in hits for fact in asked.facts)
    return hits[0].text if hits and rest < 0.4 and not stated and asked.intent != "chitchat" else None


def _told(
    off: Sequence[AnswerStatement], core: Sequence[AnswerStatement], topical: Sequence[float], *, judged: bool
) -> tuple[str, tuple[Evidence, ...]]:
    evidence = tuple(
        Evidence(quote=quoted(each.text), note="opens off the question" if each.at < OPENING else "off the question")
        for each in off[:5]
    )
    if not off and not judged:
        return "no offer and no evasion; whether it is on the question was not looked at", ()
    if not off:
        best = max(range(len(core)), key=lambda index: topical[index])
        return "every sentence is on the question", (Evidence(quote=quoted(core[best].text), note="on the question"),)
    if any(each.at < OPENING for each in off):
        return f"the opening is off the question: {quoted(off[0].text, 80)!r}", evidence
    return f"{len(off)} of {len(core)} sentences are off the question", evidence


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _dot(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
