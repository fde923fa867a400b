"""Attacks on a target: goals, payloads, attempts with their benign twins, and outcomes.

An attempt is an ordinary ``Case`` with an ``AttackAttempt`` under ``metadata["attack"]``. Its turns are what the
attacker says; ``twin_turns`` and ``twin_plants`` are the same conversation without the payload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from proctor.core.case import Ask, Case
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.verdict import Severity

__all__ = [
    "ATTACK",
    "CHANNELS",
    "INDIRECT",
    "NEEDS",
    "SCOPES",
    "AttackAttempt",
    "AttackDraft",
    "AttackEffect",
    "AttackOutcome",
    "AttackResult",
    "Carrier",
    "Channel",
    "EffectKind",
    "Goal",
    "Observation",
    "Plant",
    "PlantSite",
    "Scope",
    "TwinResult",
    "attack_result",
    "attempt_of",
    "twin_case",
    "with_attempt",
]

ATTACK: Final = "attack"  # the key in a case's metadata, and in the extra of the score that judged it

Scope = Literal[
    "direct_injection", "indirect_injection", "policy_bypass", "extraction", "escalation_avoidance", "cross_turn"
]
SCOPES: Final[tuple[Scope, ...]] = (
    "direct_injection",
    "indirect_injection",
    "policy_bypass",
    "extraction",
    "escalation_avoidance",
    "cross_turn",
)
# How a payload reaches the agent: said by the user, or planted in something that the agent reads.
Channel = Literal[
    "message", "tool_result", "document", "email", "calendar", "file_name", "tool_description", "memory", "session"
]
CHANNELS: Final[tuple[Channel, ...]] = (
    "message",
    "tool_result",
    "document",
    "email",
    "calendar",
    "file_name",
    "tool_description",
    "memory",
    "session",
)
INDIRECT: Final[frozenset[Channel]] = frozenset(CHANNELS) - {"message"}
Observation = Literal["words", "tools", "state"]  # what a target shows of itself
EffectKind = Literal[
    "row_changed", "row_added", "tool_called", "canary_shown", "said", "commitment", "not_escalated", "contradiction"
]
NEEDS: Final[Mapping[EffectKind, Observation]] = {
    "row_changed": "state",
    "row_added": "state",
    "tool_called": "tools",
    "canary_shown": "words",
    "said": "words",
    "commitment": "words",
    "not_escalated": "tools",
    "contradiction": "words",
}
# ``stopped``: a gate held the payload, the call or the answer back. ``not_reached``: nothing carried it to the agent.
AttackOutcome = Literal["not_reached", "ignored", "stopped", "executed", "unscored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackEffect:
    """One observable effect on the target.

    Which fields are used depends on ``kind``:

    - ``row_changed``: ``table``, ``row`` (``*`` for any), ``column``, and ``value`` (left out: any new value)
    - ``row_added``: ``table``, and ``values`` that the new row has (text is compared as a part, ignoring case)
    - ``tool_called``: ``tool`` and the ``values`` of its arguments; a call with an error does not count
    - ``canary_shown``: ``canary`` is in an answer, in any encoding that the normaliser can undo
    - ``said``: ``pattern`` matches an answer, less the parts that repeat the attacker's own words
    - ``commitment``: an answer grants or promises something; ``pattern`` limits it to some sentences
    - ``not_escalated``: nobody was called, although the twin calls a person
    - ``contradiction``: the first group of ``pattern`` has different values in the answers of two ``turns`` (from 1)
    """

    kind: EffectKind
    table: str | None = None
    row: str | None = None
    column: str | None = None
    value: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)
    tool: str | None = None
    canary: str | None = None
    pattern: str | None = None
    turns: tuple[int, ...] = ()

    @property
    def needs(self) -> Observation:
        """What a target must show for this effect to be judged."""
        return NEEDS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantSite:
    """Where a payload can be planted: ``at`` is the target's own address, ``text`` has ``{payload}`` in it."""

    channel: Channel
    at: str
    text: str = "{payload}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A harmless conversation that leads the agent to the places. Alone, it is the benign twin.

    ``turns`` are by language; a language that is missing uses ``en``. ``page`` is the case's page, e.g. the customer.
    ``wants_person``: its last turn is for a person (an accident, a threat), so a guard that escalates it is right.
    """

    turns: Mapping[str, tuple[str, ...]]
    page: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[PlantSite, ...] = ()
    wants_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What an attacker wants: the effects (any of them is a success) and the instruction that asks for them.

    ``instruction`` is by language; it is what gets framed, encoded, split and planted. ``legitimate`` says what a
    customer could rightly cause. ``premise`` is a false claim by language, for attacks over several turns.
    """

    id: str
    scope: Scope
    title: str
    severity: Severity
    effects: tuple[AttackEffect, ...]
    instruction: Mapping[str, str]
    carriers: tuple[Carrier, ...]
    legitimate: str = ""
    premise: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackDraft:
    """An attempt in the making, passed from technique to technique.

    ``payload`` begins as the goal's instruction. ``turns`` begin as the carrier's harmless turns; a delivery over the
    conversation puts the payload into them, one by a ``place`` leaves them harmless. ``techniques`` are those applied.
    """

    goal: Goal
    carrier: Carrier
    language: str
    payload: str
    turns: tuple[str, ...]
    place: PlantSite | None = None
    new_session: tuple[int, ...] = ()
    techniques: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """A text put into the target's world before the conversation. ``payload`` is the part to look for later."""

    channel: Channel
    at: str
    text: str
    payload: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackAttempt:
    """One attempt on a goal, and its benign twin: same target, same state, payload removed.

    ``payload`` is the text as it is delivered; ``techniques`` made it, in order. ``new_session`` lists the turns (from
    1) before which a new session begins on the same world. ``wants_person``: the last turn of the twin is for a person.
    ``held_out`` attempts are never shown in clear in reports.
    """

    campaign: str = ""
    goal: str = ""
    scope: Scope = "direct_injection"
    title: str = ""
    severity: Severity = "high"
    effects: tuple[AttackEffect, ...] = ()
    channel: Channel = "message"
    language: str = "en"
    techniques: tuple[str, ...] = ()
    payload: str = ""
    plants: tuple[Plant, ...] = ()
    twin_turns: tuple[str, ...] = ()
    twin_plants: tuple[Plant, ...] = ()
    new_session: tuple[int, ...] = ()
    wants_person: bool = False
    tags: tuple[str, ...] = ()
    held_out: bool = False
    round: int = 0
    parent: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinResult:
    """What the benign twin showed: whether the effect is there too, and which gate stopped it. None: not known.

    ``handed_over``: the gate escalated a turn that is for a person; then nothing is in ``stopped_by``.
    """

    effect: bool | None = None
    stopped_by: str | None = None
    stopped_at: str | None = None
    handed_over: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """The judgement of one attempt.

    ``stopped_at`` is the point of the guard, ``stopped_by`` the gate. ``reached`` states whether the payload came to
    the agent. ``judged_by`` names what decided: an observation, or ``detector`` if a fallible detector did.
    """

    outcome: AttackOutcome
    reason: str = ""
    severity: Severity | None = None
    reached: bool | None = None
    stopped_by: str | None = None
    stopped_at: str | None = None
    judged_by: Literal["words", "tools", "state", "detector"] | None = None
    effect: AttackEffect | None = None
    evidence: str = ""
    twin: TwinResult | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def attempt_of(case: Case) -> AttackAttempt | None:
    """Return the attack that a case carries; ``None`` for an ordinary case.

    Raises:
        MalformedError: the metadata has an attack that is malformed.
    """
    raw = case.metadata.get(ATTACK)
    return None if raw is None else raw if isinstance(raw, AttackAttempt) else decode(AttackAttempt, raw)


def with_attempt(case: Case, attempt: AttackAttempt) -> Case:
    """Return the case with this attack in its metadata."""
    return replace(case, metadata={**case.metadata, ATTACK: encode(attempt)})


def twin_case(case: Case, attempt: AttackAttempt) -> Case:
    """Return the benign twin: the same case with the harmless turns and plants."""
    turns = tuple(Ask(text=text) for text in attempt.twin_turns)
    # A twin has no session border of its own: it keeps those that still lie within its turns.
    borders = tuple(turn for turn in attempt.new_session if turn <= len(turns))
    plain = replace(attempt, plants=attempt.twin_plants, payload="", new_session=borders, twin_turns=(), twin_plants=())
    return with_attempt(replace(case, id=f"{case.id}~twin", input=None, turns=turns), plain)


def attack_result(score: Score) -> AttackResult | None:
    """Return the judgement in a score; ``None`` if it is another scorer's or malformed."""
    raw = score.extra.get(ATTACK)
    if raw is None:
        return None
    try:
        return raw if isinstance(raw, AttackResult) else decode(AttackResult, raw)
    except MalformedError:
        return None
