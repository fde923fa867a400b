"""Detect attempts to take over the agent, by a customer or by a text that the agent reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import Classifier, socket
from proctor.core.step import Point
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.documents import Cut, look_through
from proctor.guard.edits import apply
from proctor.guard.passages import sentences
from proctor.guard.step import Step
from proctor.guard.step_readings import Reading, hidden_in, quote, readings
from proctor.guard.threshold_levels import Level, check_level, check_order, cut
from proctor.lexicon.danger import dangers
from proctor.lexicon.takeover_phrases import attempts
from proctor.text.normalise import DEFAULT_LIMITS, MAX_CLASSIFIED_CHARS, Searched
from proctor.text.record_codes import without_codes

__all__ = ["Injection"]

_DESCRIPTIONS: Final = {
    "override": "tries to set the agent's instructions aside",
    "hijack": "claims an authority over the agent that no customer has",
    "smuggling": "hides an instruction to the agent",
    "extraction": "asks for the agent's own instructions",
    "jailbreak": "tries to free the agent from its rules",
    "indirect": "carries an instruction to the agent",
}
_REMOVED: Final = "[removed: an instruction in a document]"
_RULE_SCORE: Final = 0.95
_MAX_PARTS: Final = 8
_MAX_HITS: Final = 16
_MAX_SEARCHED_CHARS: Final = (
    1_500  # characters; in a longer message no location is searched, the whole message is reported
)
_BRIEF_BYTES: Final = 15  # about fifteen Latin characters, or five of Japanese or Chinese
_LONG_CHARS: Final = 160  # in longer messages less work is spent on the location
_FEW_PARTS: Final = 3  # parts of a message that are classified one by one for it
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """Detects attempts to take over the agent, in a customer's message, in clear or hidden, or in a document."""

    name: ClassVar[str] = "injection"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("input", "tool_result")
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = None
    most_chars: ClassVar[int] = MAX_CLASSIFIED_CHARS

    block: Level = "0.1%"
    escalate: Level = "1%"
    indirect_block: Level = "0.1%"
    indirect_escalate: Level = "1%"
    rules: bool = True
    documents: Literal["cut", "block", "escalate"] = "cut"
    removed: str = _REMOVED
    injection: Classifier = socket()

    def __post_init__(self) -> None:
        for name in ("block", "escalate", "indirect_block", "indirect_escalate"):
            check_level(name, getattr(self, name))
        for block, escalate in (("block", "escalate"), ("indirect_block", "indirect_escalate")):
            check_order((block, getattr(self, block)), (escalate, getattr(self, escalate)), self.injection)

    async def check(self, step: Step) -> Verdict:
        """Check a customer's message or a tool's result, in clear and decoded."""
        if not step.normalised.plain.strip() and not step.views:
            return self._verdict("allow", "there is nothing to read", ())
        return await (self._document(step) if step.point == "tool_result" else self._message(step))

    async def _message(self, step: Step) -> Verdict:
        found = self._by_rule(step) if self.rules else []
        if len(step.text) > _LONG_CHARS and found and cut(self.block, self.injection) <= _RULE_SCORE:
            return self._verdict("block", found[0].reason, found)  # the rest need not be read
        (row,) = await self.injection.classify([step.text])
        share = row["injection"]
        doubtful = share >= cut(self.escalate, self.injection) and not found and not _is_brief(step)
        suspect = share >= cut(self.block, self.injection) or doubtful
        if suspect and (found or await self._holds(step)):
            found.append(await self._by_model(step, row))
        if found and (found[0].confidence or 0.0) >= cut(self.block, self.injection) and not self._is_cry(step, found):
            return self._verdict("block", found[0].reason, found)
        if found:
            return self._verdict("escalate", f"perhaps {found[0].reason}", found, borderline=True)
        if len(step.views) >= DEFAULT_LIMITS.views:
            reason = "the message holds more hidden texts than were read"
            return self._verdict("escalate", reason, [self._finding("smuggling", 0.5, reason)], borderline=True)
        if row.get("unread"):
            reason = "more of the message looks suspicious than was read"
            return self._verdict("escalate", reason, [self._finding("unread", 0.5, reason)], borderline=True)
        return self._verdict("allow", "", ())

    async def _holds(self, step: Step) -> bool:
        """Return whether the suspicion remains without the codes of records: "Show TRV-10021" instructs nobody."""
        if step.views or len(step.text) > _LONG_CHARS:
            return True
        rest = " ".join(without_codes(step.text).split())
        if len(rest) >= len(step.text.strip()):
            return True
        if len(rest.encode("utf-8", "replace")) <= _BRIEF_BYTES:
            return False
        (row,) = await self.injection.classify([rest])
        return row["injection"] >= cut(self.escalate, self.injection)

    def _is_cry(self, step: Step, found: Sequence[Finding]) -> bool:
        """Return whether only the model sees an attack in a text with words of danger: a person must read it."""
        return not any(each.detector.endswith("rules") for each in found) and any(dangers(step.normalised.plain))

    def _by_rule(self, step: Step) -> list[Finding]:
        found: list[Finding] = []
        for reading in readings(step):
            for hit in attempts(reading.text):
                if hit.mentioned or len(found) >= _MAX_HITS:
                    continue
                kind = "smuggling" if reading.kinds else hit.kind
                reason = f"the message {_DESCRIPTIONS[hit.kind]}{hidden_in(reading.kinds)}"
                span = reading.span(hit.start, hit.end)
                text = quote(reading.text, hit.start, hit.end)
                found.append(self._finding(kind, _RULE_SCORE, reason, span, text, part="rules", hidden=reading.kinds))
        return found

    async def _by_model(self, step: Step, row: Mapping[str, float]) -> Finding:
        shares = {name: row.get(name, 0.0) for name in _DESCRIPTIONS}
        kind = max(shares, key=shares.__getitem__)
        share = row["injection"]
        reading, start, end = await self._where(step)
        kind = "smuggling" if reading.kinds else kind
        reason = f"the message {_DESCRIPTIONS[kind]}{hidden_in(reading.kinds)}"
        span, text = reading.span(start, end), quote(reading.text, start, end)
        return self._finding(kind, share, reason, span, text, part="model", hidden=reading.kinds)

    async def _where(self, step: Step) -> tuple[Reading, int, int]:
        """Return the part of the message with the highest score: some sentences, or a text hidden in it."""
        whole = [(reading, 0, len(reading.text)) for reading in readings(step) if reading.text.strip()]
        if sum(len(reading.text) for reading, _, _ in whole) > _MAX_SEARCHED_CHARS:
            return whole[0]
        parts = [part for reading, _, _ in whole for part in _parts(reading)][: 2 * _MAX_PARTS]
        if not parts:  # only signs, such as a spelt-out line break
            return whole[0] if whole else (next(iter(readings(step))), 0, 0)
        texts = [Searched(reading.text[start:end]) for reading, start, end in parts]
        look = getattr(self.injection, "first_look", None)
        if len(parts) > 1 and look is not None and (len(parts) > _FEW_PARTS or sum(map(len, texts)) > _LONG_CHARS):
            return max(zip(parts, look(texts), strict=True), key=lambda each: each[1])[0]
        if len(parts) == 1:
            return parts[0]
        rows = await self.injection.classify(texts)
        return max(zip(parts, rows, strict=True), key=lambda each: each[1]["injection"])[0]

    async def _document(self, step: Step) -> Verdict:
        low, high = cut(self.indirect_escalate, self.injection), cut(self.indirect_block, self.injection)
        seen = await look_through(step, self.injection, low=low, high=high, rules=self.rules)
        reason = f"the text {_DESCRIPTIONS['indirect']}"
        found = [self._cut_out(each, reason) for each in seen.cuts]
        if not found and seen.share >= low:
            found = [self._finding("indirect", seen.share, reason, (0, len(step.text)), quote(step.text), part="model")]
        if not seen.cuts and (seen.share < high or seen.clean):
            return self._verdict("allow", "", found, borderline=bool(found))
        if self.documents == "escalate":
            return self._verdict("escalate", reason, found)
        if self.documents == "block" or not seen.clean:
            where = "" if seen.cuts else ", and it cannot be told where"
            return self._verdict("block", reason + where, found)
        edits = tuple(Edit(start=each.start, end=each.end, text=self.removed) for each in seen.cuts)
        text = apply(step.text, edits)
        return Verdict(
            action="redact",
            gate=self.name,
            reason=f"{reason}; it was cut out",
            findings=tuple(found),
            text=text,
            version=self.version,
            edits=edits,
        )

    def _cut_out(self, each: Cut, reason: str) -> Finding:
        told = reason + hidden_in(each.hidden)
        span = (each.start, each.end)
        return self._finding(each.kind, each.share, told, span, each.text, part=each.part, hidden=each.hidden)

    def _finding(
        self,
        kind: str,
        share: float,
        reason: str,
        span: tuple[int, int] | None = None,
        text: str = "",
        *,
        part: str = "",
        hidden: tuple[str, ...] = (),
    ) -> Finding:
        return Finding(
            kind=kind,
            detector=f"{self.name}/{part}" if part else self.name,
            text=text,
            start=span[0] if span else None,
            end=span[1] if span else None,
            confidence=round(share, 4),
            severity="high" if share >= cut(self.block, self.injection) else "medium",
            reason=reason,
            extra={"hidden": hidden} if hidden else {},
        )

    def _verdict(
        self,
        action: Literal["allow", "block", "escalate"],
        reason: str,
        found: Sequence[Finding],
        *,
        borderline: bool = False,
    ) -> Verdict:
        return _made(
            action=action,
            gate=self.name,
            reason=reason,
            findings=tuple(found),
            version=self.version,
            borderline=borderline,
        )


def _is_brief(step: Step) -> bool:
    """Return whether the message is a greeting or a yes: too short for an instruction."""
    return len(step.text.encode("utf-8", "replace")) <= _BRIEF_BYTES and not step.views


def _parts(reading: Reading) -> list[tuple[Reading, int, int]]:
    """Split a reading into a few runs of sentences."""
    spans = list(sentences(reading.text, 0, len(reading.text)))
    size = -(-len(spans) // _MAX_PARTS) or 1
    runs = [spans[at : at + size] for at in range(0, len(spans), size)]
    return [(reading, run[0][0], run[-1][1]) for run in runs]
