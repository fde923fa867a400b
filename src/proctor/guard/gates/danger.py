"""Detect messages that need a person: threats of legal action or publicity, danger to somebody, self-harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import Classifier, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Severity, Verdict
from proctor.guard.skip_noise import spared
from proctor.guard.step import Step
from proctor.guard.step_readings import Reading, hidden_in, quote, readings
from proctor.guard.threshold_levels import Level, check_level, cut
from proctor.lexicon.danger import DANGERS, dangers, without_set_phrases
from proctor.text.normalise.language_likeness import mixes_scripts

__all__ = ["Danger"]

_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "self_harm": "the customer may be about to harm themselves",
    "safety_incident": "somebody may be hurt or in danger",
    "legal_threat": "the customer threatens with the law",
    "media_complaint": "the customer threatens with the press or the public",
}
_SEVERITY: Final[Mapping[str, Severity]] = {"self_harm": "critical", "safety_incident": "critical"}
_RULE_SCORE: Final = 0.9
_LEAST_RISK: Final = 0.15  # of a message with words of danger; half of the false alarms of the words had less
_MAX_JUDGED_CHARS: Final = 600  # of a message that the model judges as a whole
_MAX_READ_CHARS: Final = 3_000  # of one reading that the model sees, from both ends
_MIN_HIDDEN_CHARS: Final = (
    400  # minimum of hidden characters that it sees; for a longer message as many as the message has
)
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Escalates threats of legal action or publicity, accidents and self-harm to a person at once."""

    name: ClassVar[str] = "danger"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("input",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "kinds"

    kinds: tuple[str, ...] = DANGERS
    escalate: Level = 0.5
    rules: bool = True
    action: Literal["escalate", "block"] = "escalate"
    intents: Classifier = socket()

    def __post_init__(self) -> None:
        check_level("escalate", self.escalate)
        if unknown := sorted(set(self.kinds) - set(DANGERS)):
            raise ValueError(f"unknown kinds {', '.join(unknown)}; known are {', '.join(DANGERS)}")

    async def check(self, step: Step) -> Verdict:
        """Search for words of danger, and use the classifier for other wordings."""
        read = [reading for reading in readings(step) if reading.text.strip()]
        found = await self._by_rule(read) if self.rules else []
        some = _within(read)
        if not found and some:
            found = await self._by_model(some)
        if not found:
            left = (self._unread(len(read) - len(some)),) if len(some) < len(read) else ()
            return _made(action="allow", gate=self.name, version=self.version, findings=left, borderline=bool(left))
        found.sort(key=lambda each: DANGERS.index(each.kind))
        return Verdict(
            action=self.action,
            gate=self.name,
            reason=found[0].reason,
            findings=tuple(found),
            version=self.version,
            borderline=not found[0].detector.endswith("rules"),
        )

    async def _by_rule(self, read: list[Reading]) -> list[Finding]:
        """Return the words of danger; in a message that the model takes for harmless they are used in another sense."""
        found: list[Finding] = []
        for reading in read:
            hits = [hit for hit in dangers(reading.text) if hit.kind in self.kinds]
            if hits and await self._is_harmless(reading):
                continue
            found += [self._finding(hit.kind, _RULE_SCORE, reading, hit.start, hit.end, "rules") for hit in hits]
        return found

    async def _is_harmless(self, reading: Reading) -> bool:
        if reading.kinds or len(reading.text) > _MAX_JUDGED_CHARS:
            return False
        (row,) = await self.intents.classify([reading.text])
        return self._risk(row)[1] < _LEAST_RISK

    async def _by_model(self, read: list[Reading]) -> list[Finding]:
        """Return what the classifier is sure of: the summed risk of the selected kinds must reach the level."""
        least = cut(self.escalate, self.intents)
        rows = await self.intents.classify([_shortened(reading.text) for reading in read])
        found: list[Finding] = []
        for reading, row in zip(read, rows, strict=True):
            kind, share = self._risk(row)
            if share >= least and await self._holds(reading, least):
                found.append(self._finding(kind, share, reading, 0, len(reading.text), "model"))
        return found

    def _risk(self, row: Mapping[str, float]) -> tuple[str, float]:
        shares = {kind: row.get(kind, 0.0) for kind in self.kinds}
        return max(shares, key=shares.__getitem__), sum(shares.values())

    async def _holds(self, reading: Reading, least: float) -> bool:
        """Return whether the risk remains without set phrases (a phone that died, an advert on TV)."""
        rest = without_set_phrases(reading.text)
        if rest == reading.text:
            return True
        if not any(map(str.isalpha, rest)):
            return False
        (row,) = await self.intents.classify([_shortened(rest)])
        return self._risk(row)[1] >= least

    def _unread(self, many: int) -> Finding:
        searched = "only searched for words of danger" if self.rules else "not read"
        reason = f"{many} more hidden texts were {searched}"
        return Finding(kind="unread", detector=self.name, confidence=1.0, severity="low", reason=reason)

    def _finding(self, kind: str, share: float, reading: Reading, start: int, end: int, part: str) -> Finding:
        first, last = reading.span(start, end)
        return Finding(
            kind=kind,
            detector=f"{self.name}/{part}",
            text=quote(reading.text, start, end),
            start=first,
            end=last,
            confidence=round(min(1.0, share), 4),
            severity=_SEVERITY.get(kind, "high"),
            reason=_DESCRIPTIONS[kind] + hidden_in(reading.kinds),
            extra={"hidden": reading.kinds} if reading.kinds else {},
        )


def _within(read: list[Reading]) -> list[Reading]:
    """Return the readings for the model: the plain text, and hidden ones as far as they fit.

    Hidden text that is not a sentence of any language is left out.
    """
    room = max(_MIN_HIDDEN_CHARS, len(read[0].text)) if read else 0
    some: list[Reading] = []
    for reading in read:
        needed = min(len(reading.text), _MAX_READ_CHARS) if reading.kinds else 0
        if needed > room or (reading.kinds and mixes_scripts(reading.text)):
            continue
        room -= needed
        some.append(reading)
    return some


def _shortened(text: str) -> str:
    """Return the input of the network: both ends of a long text, without tokens that are no words."""
    return spared(
        text if len(text) <= _MAX_READ_CHARS else f"{text[: _MAX_READ_CHARS // 2]}\n{text[-_MAX_READ_CHARS // 2 :]}"
    )
