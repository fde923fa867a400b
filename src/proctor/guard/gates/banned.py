"""Block words, phrases and patterns in inputs and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.step import Point
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.edits import apply
from proctor.guard.step import Step
from proctor.guard.step_readings import Reading, hidden_in, quote, readings
from proctor.text.normalise import normalise
from proctor.text.user_patterns import Hit, UserPattern, user_pattern

__all__ = ["Banned"]

_MAX_FINDINGS: Final = 64
# Scripts without spaces between words, where a word may be part of a longer run of characters.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Banned:
    """Stops the listed words, phrases and patterns in inputs and outputs, in clear or hidden."""

    name: ClassVar[str] = "banned"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("input", "tool_result", "output")
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = "words"

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    action: Literal["block", "escalate", "redact"] = "block"
    instead: str = "[removed]"
    _search: tuple[UserPattern, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        if not self.words and not self.patterns:
            raise ValueError("nothing is banned; list words or patterns")
        if blank := [word for word in self.words if not word.strip()]:
            raise ValueError(f"{blank[0]!r} is no word")
        made = [user_pattern(pattern, ignore_case=True) for pattern in self.patterns]
        if empty := [each.pattern for each in made if each.search("") is not None]:
            raise ValueError(f"{empty[0]!r} matches the empty text, and so every text")
        object.__setattr__(self, "_search", (*_words(self.words), *made))

    @property
    def is_quick(self) -> bool:
        """Whether its run time is bounded for every text, so that it may run on the event loop."""
        return all(each.is_quick for each in self._search)

    async def check(self, step: Step) -> Verdict:
        """Search for banned words in the plain text and in every text hidden in it."""
        found = list(self._find(step))
        if not found:
            return Verdict(action="allow", gate=self.name, version=self.version)
        edits = tuple(Edit(start=each.start or 0, end=each.end or 0, text=self.instead) for each in found)
        redacts = self.action == "redact"
        return Verdict(
            action=self.action,
            gate=self.name,
            reason=found[0].reason,
            findings=tuple(found),
            text=apply(step.text, edits) if redacts else None,
            version=self.version,
            edits=edits if redacts else None,
        )

    def _find(self, step: Step) -> Iterator[Finding]:
        left = _MAX_FINDINGS if self.action != "redact" else len(step.text) + 1
        for reading in readings(step):
            for hit in _hits(self._search, reading):
                if left <= 0:
                    return
                left -= 1
                start, end = reading.span(*hit.span())
                yield Finding(
                    kind="banned",
                    detector=self.name,
                    text=quote(hit.group()),
                    start=start,
                    end=end,
                    confidence=1.0,
                    severity="high",
                    reason=f"“{quote(hit.group())}” is banned here{hidden_in(reading.kinds)}",
                    extra={"hidden": reading.kinds} if reading.kinds else {},
                )


def _hits(search: Iterable[UserPattern], reading: Reading) -> Iterator[Hit]:
    for pattern in search:
        yield from (hit for hit in pattern.finditer(reading.text) if hit.group())


def _words(words: Iterable[str]) -> list[UserPattern]:
    """Return patterns for all words and phrases, the longest first; any whitespace matches a space.

    Words of scripts without spaces have a pattern of their own: one boundary shared by all words runs in linear time
    however long the list is.
    """
    plain = sorted({" ".join(normalise(word).plain.split()) for word in words}, key=lambda word: (-len(word), word))
    kinds: dict[tuple[str, str], list[str]] = {}
    for word in plain:
        kinds.setdefault(_beside(word), []).append(r"\s+".join(map(re.escape, word.split())))
    made = (f"{before}(?:{'|'.join(some)}){after}" for (before, after), some in kinds.items())
    return [user_pattern(each, ignore_case=True) for each in made]


def _beside(word: str) -> tuple[str, str]:
    if _UNSPACED.search(word):
        return "", ""
    return (r"(?<!\w)" if word[0].isalnum() else ""), (r"(?!\w)" if word[-1].isalnum() else "")
