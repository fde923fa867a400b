"""Draw the audit sample of a week: a uniform core and a targeted part, with the probability of every conversation."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from proctor.core.audit import REST, AuditedConversation, AuditSample, AuditSettings, AuditStratum
from proctor.core.codec import content_id

__all__ = ["DrawnConversation", "draw_sample", "hash_of", "last_week", "reasons_for", "week_bounds", "week_of"]

_WEEK = re.compile(r"(\d{4})-W(\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnConversation:
    """A conversation of the sample, its stratum, its chance to be drawn, and its place in the order of rating."""

    id: str
    about: AuditedConversation
    stratum: str
    probability: float
    is_core: bool
    raters: int
    place: int
    reasons: tuple[str, ...]


def draw_sample(
    conversations: Sequence[AuditedConversation],
    week: str,
    settings: AuditSettings,
    *,
    taken: Collection[str] = (),
) -> tuple[AuditSample, list[DrawnConversation]]:
    """Draw from the conversations that began in the week and are in no other sample.

    Conversations are ordered by a hash of the week and their id, which anyone can repeat. The first ``core`` are a
    uniform sample; each stratum's sample is its first ones, the more the higher its quota. Given how many of a stratum
    were drawn, each of its conversations had the same chance: that number over the stratum's size.
    """
    start, end = (each.timestamp() for each in week_bounds(week))
    frame = [each for each in conversations if start <= each.first < end and each.id not in taken]
    frame.sort(key=lambda each: (hash_of(week, each.id), each.id))
    names = (*settings.targets, REST)
    members: dict[str, list[AuditedConversation]] = {name: [] for name in names}
    stratum_of: dict[str, tuple[str, tuple[str, ...]]] = {}
    core = {each.id for each in frame[: settings.core]}
    for each in frame:
        reasons = reasons_for(each, settings)
        name = next((name for name in settings.targets if any(why.partition(" ")[0] == name for why in reasons)), REST)
        stratum_of[each.id] = name, reasons
        members[name].append(each)
    in_core = {name: sum(each.id in core for each in members[name]) for name in names}
    quotas = _quotas({name: len(members[name]) - in_core[name] for name in names}, settings.size - len(core))
    drawn = {name: members[name][: in_core[name] + quotas[name]] for name in names}
    chosen = sorted(
        (each for name in names for each in drawn[name]), key=lambda each: hash_of(f"{week} place", each.id)
    )
    strata = tuple(
        AuditStratum(name=name, population=len(members[name]), drawn=len(drawn[name]))
        for name in names
        if members[name]
    )
    chance = {each.name: each.probability for each in strata}
    picks = [
        DrawnConversation(
            id="a" + content_id(["audit", week, each.id], length=9),  # not to be taken for a number by a spreadsheet
            about=each,
            stratum=stratum_of[each.id][0],
            probability=chance[stratum_of[each.id][0]],
            is_core=each.id in core,
            raters=settings.raters if hash_of(f"{week} double", each.id) < settings.double else 1,
            place=place,
            reasons=stratum_of[each.id][1],
        )
        for place, each in enumerate(chosen)
    ]
    return AuditSample(week=week, strata=strata, core=len(core), scale=settings.scale), picks


def reasons_for(about: AuditedConversation, settings: AuditSettings) -> tuple[str, ...]:
    """Return what points at a conversation, each beginning with the name of its target."""
    found = [
        f"flagged {signal}"
        for signal in about.signals
        if any(signal == name or signal.startswith(f"{name}/") for name in settings.flagged)
    ]
    if about.is_repeat:
        found.append("repeat_contact")
    if about.least_confidence is not None and about.least_confidence < settings.low_confidence:
        found.append(f"low_confidence {about.least_confidence:.2f}")
    return tuple(found)


def hash_of(salt: str, conversation: str) -> float:
    """Return a number in [0, 1) from a salt and a conversation's id, the same on every machine."""
    digest = hashlib.sha256(f"{salt}\n{conversation}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7]) / 2**56


def week_bounds(week: str) -> tuple[datetime, datetime]:
    """Return the first moment of an ISO week and that after its last, in UTC.

    Raises:
        ValueError: it is no week.
    """
    match = _WEEK.fullmatch(week)
    if match is None:
        raise ValueError(f"expected a week like 2026-W46, not {week!r}")
    try:
        start = datetime.fromisocalendar(int(match[1]), int(match[2]), 1).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"there is no week {week}") from None
    return start, start + timedelta(days=7)


def week_of(time: datetime) -> str:
    """Return the ISO week of a time, in UTC."""
    year, week, _ = time.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02d}"


def last_week(now: datetime) -> str:
    """Return the last week that is over."""
    return week_of(now - timedelta(days=7))


def _quotas(room: dict[str, int], wanted: int) -> dict[str, int]:
    """Spread a number evenly over the targets as far as they have room; what is left goes to the rest."""
    quotas = dict.fromkeys(room, 0)
    targets = [name for name in room if name != REST]
    while wanted > 0:
        open_ = [name for name in targets if quotas[name] < room[name]] or [
            name for name in (REST,) if quotas[name] < room[name]
        ]
        if not open_:
            break
        for name in open_[:wanted]:
            quotas[name] += 1
            wanted -= 1
    return quotas
