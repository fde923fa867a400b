"""Find why a conversation was handed to a person: collect the evidence for five causes and pick the strongest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.handoff import CATEGORIES, Category
from proctor.core.score import Evidence
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.lexicon.customer_signs import Sign, asks_for_person, displeased, lacks_knowledge, needs_judgement, unsure
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.text.content_words import content

__all__ = ["Categorised", "Clues", "EscalationLimits", "categorise", "hand_off_turn", "question_at"]

# Tie order of equally strong causes: the customer's actions before the agent's deficits.
_ORDER: Final[tuple[Category, ...]] = (
    "explicit_request",
    "sentiment_trigger",
    "knowledge_gap",
    "policy_complexity",
    "confidence_failure",
)
_LEAST: Final = 0.35  # minimum strength of a cause
_ALSO: Final = 0.5
_PER_TURN_BACK: Final = 0.85
_CONDITION = re.compile(
    r"\b(?:if|unless|except(?:\s+(?:for|when|if))?|provided(?:\s+that)?|only\s+(?:if|when)|subject\s+to|"
    r"depending\s+on|otherwise)\b|場合|ただし|を除",
    re.IGNORECASE,
)
_WANTED_PERSON = re.compile(
    r"\b(?:customer|user|caller|guest|client|they|passenger|traveller|traveler)\b[^.\n]{0,40}\b(?:request\w*|"
    r"ask\w*|want\w*|insist\w*|demand\w*|prefer\w*|"
    r"would\s+like)\b[^.\n]{0,40}\b(?:human|person|agent|representative|supervisor|manager|operator)\b"
    r"|\b(?:explicit|customer|user)[\s_-]+request(?:ed)?\b",
    re.IGNORECASE,
)
_WORDS_OF: Final[Mapping[Category, str]] = {
    "knowledge_gap": r"knowledge[\s_-]*gap|no[\s_-]*(?:knowledge|answer|info\w*)|unknown[\s_-]*topic|not[\s_-]*found",
    "confidence_failure": r"(?:low[\s_-]*)?confidence(?:[\s_-]*failure)?|uncertain\w*",
    "policy_complexity": r"polic\w*[\s_-]*(?:complex\w*|exception)|complex\w*|approval|exception",
    "sentiment_trigger": r"sentiment(?:[\s_-]*trigger)?|frustrat\w*|angry|anger|complaint|upset",
    "explicit_request": r"explicit[\s_-]*request|(?:customer|user|human)[\s_-]*request\w*|requested[\s_-]*human",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationLimits:
    """The thresholds; the scorer documents each of them."""

    tools: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    retrieval: tuple[str, ...] = (
        "get_policy", "get_faq", "*search*", "*knowledge*", "*retrieve*", "*lookup*", "*faq*", "*kb*"
    )  # fmt: skip
    lookback: int = 2
    confidence: float = 0.6
    source_score: float | None = None
    relevance: float = 0.3
    conditions: int = 3
    judgement: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("confidence", "relevance"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name):g}")
        for name in ("lookback", "conditions"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Categorised:
    """The cause of a hand-off, or none if nothing explains it. ``also`` lists other causes with evidence."""

    turn: int
    category: Category | None
    reason: str
    confidence: float | None = None
    also: tuple[Category, ...] = ()
    strengths: Mapping[Category, float] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    declared: str = ""
    question: str = ""


@dataclass(slots=True)
class Clues:
    """The evidence found so far, by cause."""

    found: dict[Category, list[tuple[float, Evidence]]] = field(default_factory=dict)

    def add(self, category: Category, strength: float, turn: int, note: str, quote: str = "") -> None:
        """Add evidence for a cause."""
        self.found.setdefault(category, []).append((strength, Evidence(turn=turn, quote=quoted(quote), note=note)))

    def strength(self, category: Category) -> float:
        """Return the combined strength of the evidence for a cause."""
        left = 1.0
        for strength, _ in self.found.get(category, ()):
            left *= 1.0 - strength
        return min(0.99, 1.0 - left)


def hand_off_turn(run: Trajectory, settings: EscalationLimits) -> int | None:
    """Return the turn of the hand-off to a person; the last if there were several."""
    for index in range(len(run.turns) - 1, -1, -1):
        turn = run.turns[index]
        if turn.escalation is not None or any(_escalates(call, settings) for call in turn.tool_calls):
            return index
        if any(verdict.action == "escalate" for verdict in turn.verdicts):
            return index
    return None


def question_at(run: Trajectory, turn: int) -> str:
    """Return the customer's question at the hand-off: the newest message with content."""
    for index in range(turn, -1, -1):
        asked = run.turns[index].asked.strip()
        wanted = asks_for_person(asked)
        rest = asked.replace(wanted.quote, " ") if wanted else asked
        if len(content(rest)) >= 2:
            return asked
    return run.turns[turn].asked.strip()


def categorise(
    run: Trajectory, settings: EscalationLimits, *, turn: int, relevance: float | None = None
) -> Categorised:
    """Return the cause of the hand-off at a turn.

    ``relevance`` is the similarity of the nearest retrieved passage to the question, if known.
    """
    clues = Clues()
    first = max(0, turn - settings.lookback)
    said = _declared(run.turns[turn], settings)
    _from_customer(run, first, turn, clues)
    found = _from_retrieval(run, first, turn, settings, relevance, clues)
    _from_reason(said, turn, clues, there=found is not False)
    _from_confidence(run.turns[turn], turn, settings, found, clues)
    _from_policies(run, first, turn, settings, clues)
    strengths = {name: clues.strength(name) for name in CATEGORIES if name in clues.found}
    question = question_at(run, turn)
    ranked = sorted(strengths, key=lambda name: (-round(strengths[name], 3), _ORDER.index(name)))
    if not ranked or strengths[ranked[0]] < _LEAST:
        reason = "nothing in the conversation says why it was handed over"
        return Categorised(turn=turn, category=None, reason=reason, declared=said, question=question)
    best = ranked[0]
    second = strengths[ranked[1]] if len(ranked) > 1 else 0.0
    evidence = sorted(clues.found[best], key=lambda each: -each[0])
    more = [each for name in ranked[1:] for each in sorted(clues.found[name], key=lambda each: -each[0])]
    return Categorised(
        turn=turn,
        category=best,
        reason="; ".join(dict.fromkeys(each.note for _, each in evidence[:3])),
        confidence=strengths[best] * (1.0 - 0.5 * second / strengths[best]),
        also=tuple(name for name in ranked[1:] if strengths[name] >= _ALSO),
        strengths=strengths,
        evidence=tuple(each for _, each in (*evidence, *more))[:MOST_EVIDENCE],
        declared=said,
        question=question,
    )


def _from_customer(run: Trajectory, first: int, last: int, clues: Clues) -> None:
    for index in range(first, last + 1):
        faded = _PER_TURN_BACK ** (last - index)
        asked = run.turns[index].asked
        if (sign := asks_for_person(asked)) is not None:
            clues.add("explicit_request", sign.strength * faded, index, "the customer asked for a person", sign.quote)
        if (sign := displeased(asked)) is not None:
            clues.add("sentiment_trigger", sign.strength * faded, index, "the customer is displeased", sign.quote)


def _from_reason(said: str, turn: int, clues: Clues, *, there: bool) -> None:
    """Add the agent's stated reason as evidence. Doubt does not count if the information was not ``there``."""
    if not said:
        return
    readers: tuple[tuple[Category, Sign | None], ...] = (
        ("knowledge_gap", lacks_knowledge(said)),
        ("confidence_failure", unsure(said)),
        ("policy_complexity", needs_judgement(said)),
        ("sentiment_trigger", displeased(said)),
        ("explicit_request", _asked_by_report(said)),
    )
    told = {name for name, sign in readers if sign is not None}
    for name, sign in readers:
        if sign is not None:
            weight = 0.6 if there or name != "confidence_failure" else 0.25
            clues.add(name, weight, turn, "the agent's own reason", sign.quote)
    for name, words in _WORDS_OF.items():
        if name not in told and (found := re.search(rf"(?<![a-z])(?:{words})(?![a-z])", said, re.IGNORECASE)):
            clues.add(name, 0.5, turn, "the agent's own reason", found.group())


def _asked_by_report(said: str) -> Sign | None:
    found = _WANTED_PERSON.search(said)
    return Sign(quote=found.group(), strength=0.6) if found else None


def _from_retrieval(
    run: Trajectory, first: int, last: int, settings: EscalationLimits, relevance: float | None, clues: Clues
) -> bool | None:
    """Return whether the information was found; ``None`` if nothing was looked up."""
    turns = [(index, run.turns[index]) for index in range(last, first - 1, -1)]
    looked = [(index, call) for index, turn in turns for call in _lookups(turn, settings)]
    sources = [source for _, turn in turns for source in turn.sources]
    empty = [(index, call) for index, call in looked if _is_empty(call.result) and call.error is None]
    found: bool | None = None
    if sources:
        found = _near_enough(sources, settings, relevance)
        if found is False:
            best = "" if relevance is None else f" (nearest {relevance:.2f})"
            clues.add("knowledge_gap", 0.65, last, f"nothing that was retrieved is about the question{best}")
    elif looked and len(empty) == len(looked):
        found = False
    elif looked:
        found = relevance is None or relevance >= settings.relevance
    for index, call in empty[:3] if found is not True else ():
        clues.add("knowledge_gap", 0.7, index, f"{call.name} found nothing", _arguments(call))
    if found is None and not looked and any("sources" in turn.extra for _, turn in turns):
        clues.add("knowledge_gap", 0.7, last, "nothing was retrieved")
        found = False
    answer = run.turns[last].answer
    if (sign := lacks_knowledge(answer)) is not None:
        clues.add("knowledge_gap", 0.3 if found else 0.55, last, "the agent said that it does not know", sign.quote)
    return found


def _near_enough(sources: Sequence[Source], settings: EscalationLimits, relevance: float | None) -> bool | None:
    scores = [source.score for source in sources if source.score is not None]
    if settings.source_score is not None and scores:
        return max(scores) >= settings.source_score
    return None if relevance is None else relevance >= settings.relevance


def _from_confidence(turn: Turn, index: int, settings: EscalationLimits, found: bool | None, clues: Clues) -> None:
    there = found is not False
    if turn.confidence is not None and turn.confidence < settings.confidence:
        note = f"confidence {turn.confidence:.2f} is under {settings.confidence:g}"
        note += ", and the information was there" if found else ""
        clues.add("confidence_failure", 0.75 if found else 0.6 if there else 0.3, index, note)
    for verdict in turn.verdicts:
        if verdict.action in ("escalate", "block") and there:
            kinds = ", ".join(dict.fromkeys(each.kind for each in verdict.findings)) or verdict.reason
            grounds = re.search(r"ground|halluc|entail|support|confiden|nli|claim", f"{verdict.gate} {kinds}", re.I)
            if grounds:
                clues.add(
                    "confidence_failure", 0.7, index, f"the draft failed the gate {verdict.gate or ''}".strip(), kinds
                )


def _from_policies(run: Trajectory, first: int, last: int, settings: EscalationLimits, clues: Clues) -> None:
    question = question_at(run, last)
    for words in settings.judgement:
        if words.casefold() in question.casefold():
            clues.add("policy_complexity", 0.75, last, f"{words!r} calls for a person's judgement", question)
    answer = run.turns[last].answer
    if (sign := needs_judgement(answer)) is not None:
        clues.add("policy_complexity", 0.5, last, "the agent said that a person must decide", sign.quote)
    if (sign := needs_judgement(question)) is not None:
        clues.add("policy_complexity", 0.35, last, "the customer speaks of a dispute or an exception", sign.quote)
    if not settings.conditions:
        return
    turns = run.turns[first : last + 1]
    policies = {text for turn in turns for text in _policies(turn, settings)}
    asked = content(question)
    near = [text for text in policies if not asked or asked & content(text)]
    conditions = sum(len(_CONDITION.findall(text)) for text in near)
    if conditions >= settings.conditions:
        several = f"{len(near)} policies" if len(near) > 1 else "a policy"
        strength = min(0.6, 0.3 + 0.1 * (conditions - settings.conditions) + 0.1 * (len(near) > 1))
        clues.add("policy_complexity", strength, last, f"{several} with {conditions} conditions", near[0])


def _policies(turn: Turn, settings: EscalationLimits) -> Iterator[str]:
    for source in turn.sources:
        yield source.text[:4000]
    for call in _lookups(turn, settings):
        if not _is_empty(call.result):
            yield str(call.result)[:4000]


def _lookups(turn: Turn, settings: EscalationLimits) -> list[ToolCall]:
    return [
        call for call in turn.tool_calls if _matches(call.name, settings.retrieval) and not _escalates(call, settings)
    ]


def _escalates(call: ToolCall, settings: EscalationLimits) -> bool:
    if call.error is not None:
        return False
    if settings.tools:
        return _matches(call.name, settings.tools)
    return tool_effect(call.name, settings.tool_effects) == "hands_off"


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in patterns)


def _is_empty(result: Any) -> bool:
    """Whether a lookup returned nothing, in any of the ways tools express it."""
    if result is None or result in ("", [], {}, (), "[]", "{}", "null", "None"):
        return True
    if isinstance(result, Mapping):
        for key in (
            "results",
            "result",
            "documents",
            "articles",
            "passages",
            "hits",
            "items",
            "sources",
            "answer",
            "policy",
        ):
            if key in result:
                return _is_empty(result[key])
        return bool(result.get("error")) or result.get("found") is False
    return isinstance(result, str) and len(result) < 200 and lacks_knowledge(result) is not None


def _arguments(call: ToolCall) -> str:
    return ", ".join(f"{key}: {value}" for key, value in call.arguments.items())


def _declared(turn: Turn, settings: EscalationLimits) -> str:
    """Return the agent's stated reason, from the hand-off or from the arguments of its tool call."""
    parts = []
    if turn.escalation is not None:
        parts += [turn.escalation.category or "", turn.escalation.reason]
    for call in turn.tool_calls:
        if _escalates(call, settings):
            parts += [str(value) for value in call.arguments.values() if isinstance(value, str)]
    parts += [verdict.reason for verdict in turn.verdicts if verdict.action == "escalate"]
    return quoted("; ".join(dict.fromkeys(part.strip() for part in parts if part.strip())), 1000)
