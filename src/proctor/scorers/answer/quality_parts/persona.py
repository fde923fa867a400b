"""Check whether an assistant keeps its persona: self-description, forbidden topics, language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from proctor.core.score import Evidence, Score
from proctor.scorers.answer.quality_parts.prior_turns import AnsweredTurn
from proctor.scorers.checked_answers import MOST_EVIDENCE
from proctor.text.find_phrase import fold, occurrences
from proctor.text.script import language_of

__all__ = ["OUT_OF_CHARACTER", "Persona", "score_persona"]

# Phrases that reveal the model behind the persona, or name another assistant.
OUT_OF_CHARACTER = (
    "as an AI",
    "as a language model",
    "as a large language model",
    "I'm just an AI",
    "I am just an AI",
    "my training data",
    "my knowledge cutoff",
    "I was trained",
    "AI言語モデル",
    "言語モデルとして",
    "AIとして",
    "学習データ",
)
OTHER_ASSISTANTS = ("Alexa", "Siri", "Google Assistant", "ChatGPT", "Copilot", "Gemini", "アレクサ")
# Score lost per violation.
COST = 0.3
_SINGULAR = re.compile(r"\b(?:I|I['’](?:m|ll|ve|d)|my|me)\b|(?:私|わたし|僕|俺)(?:は|が|の|も)")
_PLURAL = re.compile(r"\b(?:we|we['’](?:re|ll|ve|d)|our|us)\b|(?:当店|弊社|私ども|わたくしども|当社)", re.IGNORECASE)
# Mentioning another assistant is allowed; claiming to be one is out of character.
_CLAIMS_TO_BE = re.compile(
    r"(?:\b(?:I am|I['’]m|as|my name is|this is|powered by)\s+|(?:私|わたし)は)(?P<who>\w[\w ]{2,30})",
    re.IGNORECASE,
)
_NAMES_ITSELF = re.compile(
    r"\b(?:I am|I['’]m|my name is|this is)\s+(?:called\s+)?([A-Z][\w-]+(?:\s[A-Z][\w-]+)?)(?=[,.!]|\s+(?:and|"
    r"from|your)|$)"
    r"|(?:私|わたし)は(\w{2,20})(?:と申します|といいます|です)(?=[。、！!]|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """The persona of the assistant. Only what is set is checked.

    ``topics`` maps each forbidden topic to the words that reveal it. ``language`` is a language code (en, ja, zh, ko),
    or ``same`` for the language of the user's message.
    """

    name: str | None = None
    must_say: tuple[str, ...] = ()
    must_not_say: tuple[str, ...] = ()
    out_of_character: tuple[str, ...] = OUT_OF_CHARACTER
    other_assistants: tuple[str, ...] = OTHER_ASSISTANTS
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    person: Literal["I", "we"] | None = None
    language: str | None = None


def score_persona(persona: Persona, said: Sequence[AnsweredTurn]) -> Score:
    """Score how well the answers keep the persona; each violation costs ``COST``."""
    found = [each for exchange in said for each in _violations(persona, exchange)]
    found += list(_missing(persona, said))
    value = max(0.0, 1.0 - COST * len(found))
    if any(not exchange.answer.strip() for exchange in said[-1:]):
        value, found = 0.0, [Evidence(note="the answer is empty", turn=said[-1].turn)]
    reason = "; ".join(dict.fromkeys(one.note for one in found)) if found else "nothing speaks against the persona"
    return Score(
        name="persona",
        value=value,
        confidence=0.85,
        reason=reason[:500],
        evidence=tuple(found[:MOST_EVIDENCE]),
    )


def _violations(persona: Persona, exchange: AnsweredTurn) -> Iterator[Evidence]:
    folded = fold(exchange.answer[:100_000], ignore_case=True)
    words = [(phrase, "out of character") for phrase in persona.out_of_character]
    words += [(phrase, "must not be said") for phrase in persona.must_not_say]
    words += [(word, f"speaks of {topic}") for topic, given in persona.topics.items() for word in given]
    seen: set[str] = set()
    for phrase, why in words:
        note = f"{why}: “{phrase}”"
        for start, end in occurrences(phrase, folded, whole_words=True, most=1):
            # One slip is one violation, even if it contains several listed phrases.
            if why == "out of character" and why in seen:
                continue
            seen.add(why)
            yield Evidence(quote=folded.quote(start, end, around=40), turn=exchange.turn, note=note)
    for hit in _CLAIMS_TO_BE.finditer(folded.source):
        given = next(
            (name for name in persona.other_assistants if hit["who"].casefold().startswith(name.casefold())), None
        )
        if given is not None:
            yield Evidence(quote=hit.group(), turn=exchange.turn, note=f"takes itself for {given}")
    yield from _voice(persona, exchange)


def _voice(persona: Persona, exchange: AnsweredTurn) -> Iterator[Evidence]:
    text = exchange.answer[:100_000]
    if persona.person is not None:
        wrong = _PLURAL if persona.person == "I" else _SINGULAR
        right = _SINGULAR if persona.person == "I" else _PLURAL
        hit = wrong.search(text)
        if hit and not right.search(text):
            yield Evidence(quote=hit.group(), turn=exchange.turn, note=f"speaks of itself not as “{persona.person}”")
    if persona.name is not None and (hit := _NAMES_ITSELF.search(text)):
        given = hit[1] or hit[2]
        if given.casefold() not in persona.name.casefold() and persona.name.casefold() not in given.casefold():
            note = f"calls itself {given}, not {persona.name}"
            yield Evidence(quote=hit.group(), turn=exchange.turn, note=note)
    if persona.language is not None:
        wanted = language_of(exchange.asked) if persona.language == "same" else persona.language
        given = language_of(text)
        if wanted in ("en", "ja", "zh", "ko") and given not in (wanted, "none"):
            note = f"answers in {given}, not in {wanted}"
            yield Evidence(quote=text[:80], turn=exchange.turn, note=note)


def _missing(persona: Persona, said: Sequence[AnsweredTurn]) -> Iterator[Evidence]:
    """Yield each required phrase that no answer contains."""
    together = fold("\n".join(exchange.answer for exchange in said)[:100_000], ignore_case=True)
    for phrase in persona.must_say:
        if not occurrences(phrase, together, most=1):
            yield Evidence(note=f"never says “{phrase}”", turn=said[-1].turn if said else None)
