"""Detect parts of the system prompt, canaries and keys in a draft, plain or disguised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import Embedder, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Severity, Verdict
from proctor.guard.paraphrase_leak import hinted, parts, retold
from proctor.guard.step import Step
from proctor.guard.step_readings import quote
from proctor.text.base64_data import unpack_base64
from proctor.text.normalise.language_likeness import is_noise
from proctor.text.pii.secrets import find_keys, find_logins
from proctor.text.shared_runs import Known, Run, squeezed

__all__ = ["Leak"]

_MAX_DRAFT_CHARS: Final = 1_000_000  # a longer draft is stopped unread
_MAX_PARAPHRASE_CHARS: Final = 6_000  # of a draft that are searched for paraphrases of the prompt
_PARAPHRASE_CONFIDENCE: Final = 0.75
_MIN_CANARY_CHARS: Final = 6
_MIN_RUN_CHARS: Final = 24  # shorter runs are shared by chance
_ROT13: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ENCODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{16,4096}={0,2}|(?:[0-9a-fA-F]{2}){8,2048})(?![A-Za-z0-9+/_-])"
)
_MIN_TOTAL_CHARS: Final = 40  # of short runs together
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})+")
_MAX_ENCODED: Final = 50
_MENTIONS_PROMPT: Final = re.compile(
    r"\b(?:my|the|these are(?: my| the)?|system|initial|hidden|secret|internal)\s+(?:\w+\s+){0,2}"
    r"(?:system prompt|prompt|instructions?|guidelines|directives)\b"
    r"|\bi (?:was|am|have been) (?:told|instructed|programmed|configured|asked) to\b"
    r"|システムプロンプト|指示(?:内容|は|に)|系统提示|指令|시스템 프롬프트|instrucciones|anweisungen",
    re.IGNORECASE,
)
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """A reading of the draft: how it was made, and its characters."""

    kind: str
    letters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Stops the system prompt, canaries and keys from leaving, even if spaced out, reversed or encoded.

    ``prompt`` is the text of the system prompt (in proctor.yaml also the name of its file), ``canaries`` are marks
    planted in it. ``letters`` is how long a run from the prompt counts as a leak, ``share`` how much of the prompt in
    shorter runs. Text that is also in a source or in ``public`` is no secret. With an embedder, paraphrases and
    translations of the prompt are found too (``retold``), if something hints at them.
    """

    name: ClassVar[str] = "leak"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "prompt"

    prompt: str = ""
    canaries: tuple[str, ...] = ()
    letters: int = 60
    share: float = 0.25
    keys: bool = True
    public: tuple[str, ...] = ()
    retold: bool = True
    action: Literal["flag", "block", "escalate"] = "block"
    embedder: Embedder | None = socket(optional=True)
    _parts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _known: Known = field(init=False, repr=False, compare=False)
    _marks: tuple[tuple[str, tuple[str, ...]], ...] = field(init=False, repr=False, compare=False)
    _public: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.letters < _MIN_RUN_CHARS:
            raise ValueError(
                f"letters is {self.letters}; runs of fewer than {_MIN_RUN_CHARS} letters are shared by chance"
            )
        if not 0.0 < self.share <= 1.0:
            raise ValueError(f"share is {self.share:g}; it must be above 0 and at most 1")
        for mark in self.canaries:
            if len(squeezed(mark)) < _MIN_CANARY_CHARS:
                raise ValueError(f"the canary {mark!r} is too short: {_MIN_CANARY_CHARS} letters and digits at least")
        object.__setattr__(self, "_known", Known(self.prompt))
        object.__setattr__(self, "_parts", parts(self.prompt))
        if not (self.retold and self._parts):  # the embedder's weights are not needed
            object.__setattr__(self, "embedder", None)
        object.__setattr__(self, "_marks", tuple((mark, _pieces(mark)) for mark in self.canaries))
        object.__setattr__(self, "_public", squeezed(" ".join(self.public)))

    async def check(self, step: Step) -> Verdict:
        """Check the draft as it is, in its decoded views, reversed and in ROT13."""
        found = list(self._found(step)) if step.text.strip() else []
        if not found and step.text.strip() and self.embedder is not None:
            found = await self._retold(step, self.embedder)
        if not found:
            return _made(action="allow", gate=self.name, version=self.version)
        return Verdict(
            action="allow" if self.action == "flag" else self.action,
            gate=self.name,
            version=self.version,
            reason=found[0].reason,
            findings=tuple(found[:20]),
        )

    def _found(self, step: Step) -> Iterator[Finding]:
        plain = step.normalised.plain
        if len(plain) > _MAX_DRAFT_CHARS:
            yield self._finding("unread", f"the draft is longer than is read: {_MAX_DRAFT_CHARS:,} letters", "medium")
            return
        decoded = list(_decoded(plain))
        if self.keys:
            yield from self._keys(step, plain, decoded)
        if not (self.prompt or self.canaries):
            return
        views = list(_views(step, plain, decoded))
        for view in views:
            yield from self._canaries(view)
        if self.prompt:
            # A draft that announces its instructions leaks with less of them.
            least = self.letters / 2 if _MENTIONS_PROMPT.search(plain) else self.letters
            for view in views:
                yield from self._told(view, step, least)

    def _told(self, view: _View, step: Step, least: float) -> Iterator[Finding]:
        runs = self._secret(list(self._known.runs(view.letters, _MIN_RUN_CHARS)), view.letters, step)
        if not runs:
            return
        longest = max(runs, key=lambda run: run.weight)
        total = sum(run.weight for run in runs)
        share = total / self._known.weight
        if longest.weight >= least or (share >= self.share and total >= _MIN_TOTAL_CHARS):
            how = "" if view.kind == "plain" else f" ({view.kind})"
            reason = f"{share:.0%} of the system prompt stands in the draft{how}, {longest.weight:.0f} letters in a row"
            yield self._finding("prompt_leak", reason, "high", text=self._known.letters[longest.at : longest.at + 60])

    async def _retold(self, step: Step, embedder: Embedder) -> list[Finding]:
        """Find sentences of the prompt in other words, only if the draft hints at it: embeddings are slow."""
        plain = step.normalised.plain[:_MAX_PARAPHRASE_CHARS]
        if is_noise(plain):  # it has no sentences
            return []
        said = parts(plain)
        least = hinted(plain, said, self._parts)
        if least is None:
            return []
        sources = (source.text for source in (*step.sources, *step.memory.sources))
        free = [each for text in (*self.public, *sources) for each in parts(text)]
        seen = await retold(said, self._parts, free, embedder, least)
        if seen.told < least:
            return []
        reason = f"the draft tells {seen.told} of {seen.of} sentences of the system prompt in other words"
        return [self._finding("prompt_leak", reason, "high", text=quote(seen.first), sure=_PARAPHRASE_CONFIDENCE)]

    def _secret(self, runs: Sequence[Run], letters: str, step: Step) -> list[Run]:
        """Return the runs that occur neither in a source of the session nor in the public texts."""
        if not runs:
            return []
        told = [self._public, *(squeezed(source.text) for source in (*step.sources, *step.memory.sources))]
        return [run for run in runs if not any(letters[run.start : run.end] in text for text in told)]

    def _keys(self, step: Step, plain: str, decoded: Sequence[tuple[str, str]]) -> Iterator[Finding]:
        for each in [*find_keys(plain), *find_logins(plain)][:10]:
            known = each.start is not None and each.end is not None
            place = step.normalised.span(each.start or 0, each.end or 0) if known else None
            yield self._finding("key", "the draft shows what looks like a key or a password", "critical", place=place)
        for kind, text in decoded:
            if next(find_keys(text), None) is not None:
                yield self._finding("key", f"the draft hides what looks like a key ({kind})", "critical")

    def _canaries(self, view: _View) -> Iterator[Finding]:
        for mark, pieces in self._marks:
            if any(piece in view.letters for piece in pieces):
                how = "" if view.kind == "plain" else f" ({view.kind})"
                reason = f"a mark planted in the system prompt stands in the draft{how}"
                yield self._finding("canary", reason, "critical", text=f"{mark[:3]}…")

    def _finding(
        self,
        kind: str,
        reason: str,
        severity: Severity,
        *,
        text: str = "",
        place: tuple[int, int] | None = None,
        sure: float = 0.95,
    ) -> Finding:
        start, end = place or (None, None)
        return Finding(
            kind=kind,
            detector=self.name,
            text=text,
            start=start,
            end=end,
            confidence=sure,
            severity=severity,
            reason=reason,
        )


def _views(step: Step, plain: str, decoded: Sequence[tuple[str, str]]) -> Iterator[_View]:
    letters = squeezed(plain)
    yield _View(kind="plain", letters=letters)
    yield _View(kind="reversed", letters=letters[::-1])
    yield _View(kind="rot13", letters=letters.translate(_ROT13))
    for view in step.views:
        yield _View(kind=", ".join(view.kinds), letters=squeezed(view.text))
    for kind, text in decoded:
        yield _View(kind=kind, letters=squeezed(text))


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    """Yield text in Base64 or hexadecimal, including bare keys, which views do not show."""
    for number, hit in enumerate(_ENCODED.finditer(text)):
        if number >= _MAX_ENCODED:
            return
        token = hit.group()
        coded = {"hex": bytes.fromhex(token) if _HEX.fullmatch(token) else None, "base64": unpack_base64(token)}
        for kind, data in coded.items():
            with suppress(UnicodeDecodeError):
                if data is not None:
                    yield kind, data.decode()


def _pieces(mark: str) -> tuple[str, ...]:
    """Return the mark's characters and every substring of 70% of them, so that a truncated mark is found too."""
    letters = squeezed(mark)
    length = min(len(letters), max(8, round(0.7 * len(letters))))
    return tuple(dict.fromkeys(letters[at : at + length] for at in range(len(letters) - length + 1)))
