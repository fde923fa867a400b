"""Mask personal data before the agent reads it and before it is logged."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from time import monotonic
from typing import ClassVar, Final, Literal

from proctor.core.entity import Entity
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import Tagger, socket
from proctor.core.step import Point
from proctor.core.verdict import Action, Edit, Finding, Verdict
from proctor.core.work_clock import CURRENT_CLOCK
from proctor.guard.edits import apply
from proctor.guard.encoded_values import coded_values
from proctor.guard.scorer_step import Choice
from proctor.guard.skip_noise import spared
from proctor.guard.step import Step
from proctor.guard.step_readings import hidden_in, readings
from proctor.text.chunked_regex import breathe, finditer
from proctor.text.pii import KINDS, find_pii, likely_names, mask, merge, same_value
from proctor.text.pii.blocks import blocks, pieces
from proctor.text.pii.emails import is_office, is_stand_in
from proctor.text.user_patterns import UserPattern, user_pattern

__all__ = ["Pii"]

_TAGGED_KINDS: Final = ("person", "address")  # found by the tagger
_ONLY_TAGGED_KINDS: Final = ("person",)  # an address may also match a pattern
_EVERY: Final = tuple(dict.fromkeys((*KINDS, *_TAGGED_KINDS)))
_DESCRIPTIONS: Final = {
    "email": "an e-mail address",
    "phone": "a telephone number",
    "card": "a card number",
    "iban": "an account number",
    "passport": "a passport number",
    "national_id": "a national number",
    "person": "a name",
    "address": "an address",
    "ip": "a network address",
    "secret": "a secret",
}
_SECRET: Final = frozenset({"card", "iban", "passport", "national_id", "secret"})
_MAX_SINGLE_PASS_CHARS: Final = (
    3_000  # characters that the tagger gets unchanged, so that the result is cached across gates
)
_MIN_REPEAT_CHARS: Final = 4
_CUSTOMER: Final = "customer"
_LOOKALIKES: Final = "words that only look like placeholders were marked as such"
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pii:
    """Replaces personal data with typed placeholders; an answer shows only the customer's own.

    In a long text names are searched part by part for ``seconds``; ``long`` is for a text that was not read to its end.
    """

    name: ClassVar[str] = "pii"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("input", "tool_result", "output")
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "kinds"

    kinds: tuple[str, ...] = _EVERY
    codes: Mapping[str, str] = field(default_factory=dict)
    names: bool = True
    keep: tuple[str, ...] = ()
    action: Literal["redact", "block", "escalate"] = "redact"
    own: Literal["show", "mask"] = "show"
    long: Choice = "escalate"
    seconds: float = 0.35
    tagger: Tagger | None = socket(optional=True)
    _codes: Mapping[str, UserPattern] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.kinds) - set(_EVERY)):
            raise ValueError(f"unknown kinds {', '.join(unknown)}; known are {', '.join(_EVERY)}")
        if not self.seconds > 0:
            raise ValueError(f"seconds is {self.seconds:g}; a text needs more than none to be read")
        made: dict[str, UserPattern] = {}
        for name, pattern in self.codes.items():
            try:
                made[name] = user_pattern(pattern)
            except ValueError as error:
                raise ValueError(f"codes.{name}: {error}") from None
        object.__setattr__(self, "_codes", made)

    async def check(self, step: Step) -> Verdict:
        """Find personal data in clear and decoded, and mask what the point requires."""
        found = self._by_pattern(step)
        named, read = await self._names(step)
        found = self._joined(found, named)
        every, personal = tuple(_edits(step, found)), tuple((each.kind, each.text) for each in found)
        if step.point == "output":
            found = [each for each in found if each.kind not in _TAGGED_KINDS and not self._shown(each, step)]
        edits = every if step.point != "output" else tuple(_edits(step, found))
        action, reason = self._decided(found, edits)
        verdict = _made(
            action=action,
            gate=self.name,
            reason=reason,
            findings=tuple(found) if edits else (),
            text=apply(step.text, edits) if action == "redact" else None,
            version=self.version,
            edits=edits if action == "redact" else None,
            masked=apply(step.text, every),
            personal=personal,
        )
        return verdict if read is None else self._cut_short(verdict, step, read)

    def _decided(self, found: Sequence[Finding], edits: Sequence[Edit]) -> tuple[Action, str]:
        if not edits:
            return "allow", ""
        if found and self.action != "redact":
            return self.action, f"the text holds {_told(found)}"
        return "redact", f"{_told(found)} masked" if found else _LOOKALIKES

    def _cut_short(self, verdict: Verdict, step: Step, read: int) -> Verdict:
        """Return the verdict on a text whose end was not searched for names: it must not pass unseen."""
        reason = f"names were looked for in the first {read:,} of {len(step.text):,} letters; raise `seconds` for more"
        rest = Finding(
            kind="unread",
            detector=f"{self.name}/tagger",
            start=read,
            end=len(step.text),
            confidence=1.0,
            severity="medium",
            reason=reason,
        )
        found = (*verdict.findings, rest)
        if self.long == "flag" or verdict.action == "block":
            return replace(verdict, reason=verdict.reason or reason, findings=found)
        return replace(verdict, action=self.long, reason=reason, findings=found)

    def _by_pattern(self, step: Step) -> list[Finding]:
        """Return the non-overlapping findings in the original, from the plain text and the hidden texts."""
        kinds = [kind for kind in self.kinds if kind not in _ONLY_TAGGED_KINDS]
        found: list[Finding] = []
        for reading in readings(step):
            breathe()
            for each in find_pii(reading.text, kinds=kinds, codes=self._codes):
                span = reading.span(each.start or 0, each.end or 0)
                self._keep(found, self._finding(each, span, reading.kinds))
        for coded in coded_values(step.text):
            for each in find_pii(coded.text, kinds=kinds, codes=self._codes):
                self._keep(found, self._finding(each, (coded.start, coded.end), (coded.kind,)))
        return found

    def _keep(self, found: list[Finding], each: Finding) -> None:
        """Insert a finding at its position, unless it is exempt or overlaps another."""
        at = bisect_left(found, each.start or 0, key=lambda other: other.start or 0)
        before = at > 0 and (found[at - 1].end or 0) > (each.start or 0)
        after = at < len(found) and (found[at].start or 0) < (each.end or 0)
        if not before and not after and not self._is_kept(each):
            found.insert(at, each)

    async def _names(self, step: Step) -> tuple[list[Entity], int | None]:
        """Return the names and addresses that the tagger finds, and where it stopped if not at the end.

        An answer may name people, so the tagger is skipped there; the log searches for names itself.
        """
        wanted = [kind.upper() for kind in self.kinds if kind in _TAGGED_KINDS]
        if not self.names or self.tagger is None or not wanted or step.point == "output":
            return [], None
        plain = step.normalised.plain
        if len(plain) <= _MAX_SINGLE_PASS_CHARS:
            (entities,) = await self.tagger.entities([spared(plain)])
            seen, read = list(entities), None
        else:
            seen, read = await _part_by_part(plain, self.tagger, self.seconds)
        placed = []
        for each in likely_names(plain, seen):
            start, end = step.normalised.span(each.start, each.end)
            if each.kind in wanted:
                placed.append(replace(each, start=start, end=end, text=step.text[start:end]))
        return placed, None if read is None else step.normalised.span(read, read)[0]

    def _joined(self, found: list[Finding], named: Sequence[Entity]) -> list[Finding]:
        """Return the findings plus those of the tagger that they do not cover."""
        if not named:
            return found
        return [
            self._finding(each, (each.start or 0, each.end or 0), ()) if each.detector == "tagger" else each
            for each in merge(found, named)
            if not self._is_kept(each)
        ]

    def _finding(self, each: Finding, span: tuple[int, int], hidden: tuple[str, ...]) -> Finding:
        return Finding(
            kind=each.kind,
            detector=f"{self.name}/{each.detector or 'patterns'}",
            text=each.text,
            start=span[0],
            end=span[1],
            confidence=each.confidence,
            severity="high" if each.kind in _SECRET else "medium",
            reason=_word(each.kind) + hidden_in(hidden),
            extra={**each.extra, **({"hidden": hidden} if hidden else {})},
        )

    def _is_kept(self, found: Finding) -> bool:
        """Return whether the value is not personal, by the settings or by its form."""
        if found.kind == "email" and (is_office(found.text) or is_stand_in(found.text)):
            return True
        folded = found.text.casefold()
        return any(
            folded.endswith(each.casefold()) if each.startswith("@") else same_value(found.kind, found.text, [each])
            for each in self.keep
        )

    def _shown(self, found: Finding, step: Step) -> bool:
        """Return whether an answer may show a value: the customer gave it, or a source of the answer has it."""
        if self.own == "mask":
            return False
        if same_value(found.kind, found.text, step.memory.placeholders.vault(source=_CUSTOMER).values()):
            return True
        published = (source.text for source in (*step.sources, *step.memory.sources))
        if any(found.text in text for text in published):
            return True
        is_code = found.kind in self.codes
        return is_code and any(found.text in _result(call.result) for call in step.memory.calls)


async def _part_by_part(text: str, tagger: Tagger, seconds: float) -> tuple[list[Entity], int | None]:
    """Return what the tagger finds in a long text within its time, and where it stopped if before the end.

    The tagger gets sentences: it is most accurate on them, and its prefilter can skip many.
    """
    found: list[Entity] = []
    begun = _worked()
    for at, block in blocks(text):
        breathe()
        some = pieces(spared(block))
        if at and some and _worked() - begun > seconds:
            return found, at
        rows = await tagger.entities([piece for _, piece in some]) if some else ()
        for (start, _), row in zip(some, rows, strict=True):
            found += [replace(each, start=at + start + each.start, end=at + start + each.end) for each in row]
    return found, None


def _worked() -> float:
    """Return the seconds of this gate's own work; time in the queue must not shorten what is read."""
    clock = CURRENT_CLOCK.get()
    return monotonic() if clock is None else clock.spent


def _edits(step: Step, found: Sequence[Finding]) -> Iterator[Edit]:
    """Yield a placeholder for each finding and each further occurrence of its value.

    Text of a customer or a tool that has the form of a placeholder is marked as such; an answer may contain real ones.
    """
    names = step.memory.placeholders
    source = _CUSTOMER if step.point == "input" else step.point
    at = 0
    for start, end, kind, value in (*_places(step.text, found), (len(step.text), len(step.text), "", "")):
        between = step.text[at:start]
        if step.point != "output" and "[" in between:
            yield from _marked(between, str(mask(between, (), names)), at)
        if kind:
            yield Edit(start=start, end=end, text=names.of(kind, value, source=source))
        at = end


def _marked(text: str, marked: str, offset: int) -> Iterator[Edit]:
    """Yield the characters of ``marked`` that are missing in the text, as insertions."""
    at = 0
    for sign in marked:
        if at < len(text) and sign == text[at]:
            at += 1
        else:
            yield Edit(start=offset + at, end=offset + at, text=sign)


def _places(text: str, found: Sequence[Finding]) -> list[tuple[int, int, str, str]]:
    """Return the spans of each value, sorted and non-overlapping: where it was found, and where it recurs."""
    places = [(each.start or 0, each.end or 0, each.kind, each.text) for each in found]
    known = {text[start:end]: (kind, value) for start, end, kind, value in places if end - start >= _MIN_REPEAT_CHARS}
    if any(map(_stands_twice, repeat(text), known)):  # compiling is the slowest part here
        every = "|".join(re.escape(written) for written in sorted(known, key=len, reverse=True))
        again = finditer(re.compile(rf"(?<!\w)(?:{every})(?!\w)"), text)
        places += [(hit.start(), hit.end(), *known[hit.group()]) for hit in again]
    kept: list[tuple[int, int, str, str]] = []
    for place in sorted(places, key=lambda each: (each[0], -each[1])):
        if place[0] < place[1] and (not kept or place[0] >= kept[-1][1]):
            kept.append(place)
    return kept


def _stands_twice(text: str, value: str) -> bool:
    return text.find(value, text.find(value) + 1) >= 0


def _told(found: Sequence[Finding]) -> str:
    """Return the findings in words: two e-mail addresses, a card."""
    counts = Counter(each.kind for each in found)
    return ", ".join(f"{count} × {_word(kind)}" if count > 1 else _word(kind) for kind, count in counts.items())


def _word(kind: str) -> str:
    return _DESCRIPTIONS.get(kind, kind.replace("_", " "))


def _result(result: object) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
