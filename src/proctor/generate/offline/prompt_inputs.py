"""Inputs in a prompt's own words: its samples, its shown examples, its conditions and what it says it helps with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.build_case import Brief
from proctor.generate.extract.conditions import split_condition
from proctor.generate.extract.tongues import tongue_of
from proctor.generate.spec import InputSpec

__all__ = ["OwnText", "own_texts", "trigger_texts"]

# Names of inputs into which a person writes a message of his own.
_CHAT: Final = re.compile(
    r"(?:user|customer|client|visitor|guest|employee|caller|patient|student)?_?(?:message|"
    r"question|query|request|inquiry|enquiry|"
    r"input|text|prompt|msg|chat|utterance)s?",
    re.IGNORECASE,
)
_TAKES_DATA: Final = re.compile(
    r"\b(?:extract|parse|transcribe|convert|translate|summari[sz]e|classify|rate|score|review|"
    r"analy[sz]e|rewrite|proofread|"
    r"product descriptions?|structured fields|symptoms?|complaint)\b",
    re.IGNORECASE,
)
_WHO: Final = (
    r"(?:the |a |an )?(?:users?|customers?|clients?|visitors?|guests?|employees?|callers?|"
    r"patients?|students?|people|someone|anyone|"
    r"they|you are|person|tenants?|members?|buyers?|players?|readers?)"
)
_ASKS: Final = re.compile(
    rf"\b(?:if|when|whenever)\s+{_WHO}\s+(?P<verb>asks? (?:you )?(?:for|about|to|how|whether|if|why|what|when|where)|"
    r"requests?|mentions?|reports?|wants? to|wants|needs?|complains? (?:about|of|that)|"
    r"inquires? about|describes?|(?:is|are) asked about|"
    r"tells? you (?:about|that)|says? (?:that )?(?:they|he|"
    r"she))\s+(?P<what>[^.;:\n]{3,200})",
    re.IGNORECASE,
)
_HELPS: Final = re.compile(
    r"\b(?:help(?:s|ing)?|assist(?:s|ing)?|support(?:s|ing)?)\s+(?:the |"
    r"our )?(?:\w+\s+){0,2}?(?:users?|customers?|clients?|visitors?|guests?|people|"
    r"employees?|patients?|students?|tenants?|members?)\s+(?:with|on|about)\s+(?P<what>[^.;:\n]{4,200})|"
    r"\b(?:answer|answers|answering|handle|handles)\s+(?:only\s+)?(?:questions?|queries|"
    r"inquiries|requests)\s+(?:only\s+)?"
    r"(?:about|on|regarding|related to)\s+(?P<about>[^.;:\n]{4,200})|\byou can help with\s+(?P<can>[^.;:\n]{4,200})",
    re.IGNORECASE,
)
_VAGUE: Final = re.compile(
    r"\b(?:this|that|these|those|it|same|anything|something|everything|else|other|else's|"
    r"above|below|following|instructions?|prompt|rules|"
    r"topics?|questions?|vulgar|inappropriate|off-topic|outside|unrelated|again|more than once|you|your|yourself)\b",
    re.IGNORECASE,
)
_FORMS: Final[tuple[tuple[str, str], ...]] = (
    (r"asks? (?:you )?for|requests?", "I would like {what}."),
    (r"asks? (?:you )?to|wants? to", "Please {what}."),
    (r"asks? (?:you )?(?:how|whether|if|why|what|when|where)", "Can you tell me {word} {what}?"),
    (
        r"asks? (?:you )?about|inquires? about|(?:is|are) asked about|tells? you about",
        "I have a question about {what}.",
    ),
    (r"complains? (?:about|of)", "I want to complain about {what}."),
    (r"reports?", "I have to report {what}."),
    (r"needs?|wants", "I need {what}."),
    (r"mentions?|describes?", "My message is about {what}."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnText:
    """A text for an input; ``rule`` is the rule whose condition it meets, ``given`` is whether the author wrote it."""

    text: str
    why: str
    rule: str = ""
    given: bool = False


def own_texts(brief: Brief, spec: InputSpec) -> tuple[OwnText, ...]:
    """Return the texts for one input that the prompt and its samples contain or imply; none if there are none."""
    given = list(_given(brief, spec))
    implied = [each for each in _implied(brief, spec) if not (given and each.rule)]  # see trigger_texts
    found = [*given, *implied]
    return tuple({each.text: each for each in reversed(found)}.values())[::-1]


def trigger_texts(brief: Brief, spec: InputSpec, rule: Rule) -> tuple[OwnText, ...]:
    """Return messages that meet the condition of a rule: one for each thing that it names."""
    return tuple(each for each in _implied(brief, spec) if each.rule and each.rule in (rule.id, rule.inverse_of))


def _given(brief: Brief, spec: InputSpec) -> Iterator[OwnText]:
    rows = [*brief.samples, *([brief.prompt.sample] if brief.prompt.sample else [])]
    values = [row[spec.name] for row in rows if isinstance(row.get(spec.name), str)]
    values += [value for value in spec.examples if isinstance(value, str)]
    for value in dict.fromkeys(values):
        if value.strip():
            yield OwnText(text=value, why="a sample of the prompt's author", given=True)


def _implied(brief: Brief, spec: InputSpec) -> Iterator[OwnText]:
    """Yield what a person would write to be helped with what the prompt names; only where messages are written."""
    prompt = brief.prompt
    if tongue_of(prompt.text) not in ("", "en"):
        return
    others = [name for name in prompt.inputs if name != spec.name]
    if any(_CHAT.fullmatch(name) or name not in prompt.sample for name in others):
        return  # with other values that are not known, a message may not suit them
    if prompt.inputs and not _CHAT.fullmatch(spec.name):
        return
    if (
        prompt.inputs
        and _TAKES_DATA.search(prompt.text)
        and not re.fullmatch(r".*(?:message|question|query)s?", spec.name)
    ):
        return
    for rule in brief.spec.rules:
        if rule.polarity == "positive":
            condition, rest = split_condition(rule.text)
            for match in _ASKS.finditer(condition or rest):
                for text in _messages(match):
                    yield OwnText(text=text, why=f"it meets the condition: {match.group().strip(' ,')}", rule=rule.id)
    for match in _HELPS.finditer(re.sub(r"\s+", " ", prompt.text)):
        for what in _listed(match["what"] or match["about"] or match["can"]):
            yield OwnText(text=f"I have a question about {what}.", why="it is about what the prompt helps with")


def _messages(match: re.Match[str]) -> Iterator[str]:
    verb = match["verb"].lower()
    form = next((form for pattern, form in _FORMS if re.fullmatch(pattern, verb)), None)
    if form is None:
        return
    whole = "{word}" in form or form.startswith("Please")
    for what in [match["what"]] if whole else _listed(match["what"]):
        if not _VAGUE.search(what) and len(what.split()) <= 14:
            yield form.format(what=what.strip(" ,\"'"), word=verb.rsplit(" ", 1)[-1])


def _listed(text: str) -> Sequence[str]:
    """Return the members of ``order status, returns and the refund of an order``, each with its own words."""
    text = re.sub(r"\([^()]*\)", "", text)
    text = re.split(r"\b(?:related to|who|which|that|for our|of our|in our|as well as|by|using|based on)\b", text)[0]
    pieces = re.split(r"\s*,\s*(?:and |or )?|\s+(?:and|or)\s+", text)
    found = [re.sub(r"^(?:their|his|her|your|our)\s+", "my ", piece.strip(" ,.\"'")) for piece in pieces]
    return [piece for piece in found if 2 < len(piece) < 60 and len(piece.split()) <= 7 and not _VAGUE.search(piece)]
