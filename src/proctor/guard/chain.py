"""Run the gates of one point of a conversation and merge their verdicts into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.sockets import Gate
from proctor.core.step import Point
from proctor.core.verdict import ACTION_RANK, STOPS, Finding, Verdict
from proctor.guard.capacity import MAX_STEP_CHARS, OverCapacityError, is_busy, over_capacity, too_long, unread
from proctor.guard.deadline import Deadline, GateTask
from proctor.guard.edits import apply
from proctor.guard.step import Step
from proctor.guard.verdict_validation import FailAction, believed, edits_of, failure

__all__ = ["Chain", "Decision", "Post"]

_EMPTY_REASONS: Final = {"tool_call": "no permissions are configured, so every call is allowed"}
_LONG_CHARS: Final = 16_384  # longer steps get a separate thread so that others do not wait behind them
_SILENT: Final = Verdict(action="allow")
_PLAIN_TYPES: Final = frozenset({bool, int, float, str})
_verdict: Final = fast_constructor(Verdict)
_task: Final = fast_constructor(GateTask)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One gate in a chain: its name, its timeout in seconds, the action on failure, and whether it runs in shadow."""

    gate: Gate[Step]
    name: str
    timeout: float = 0.5
    on_failure: FailAction = "block"
    shadow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision about a step, and the verdict of each gate."""

    verdict: Verdict
    parts: tuple[Verdict, ...] = ()


_decision: Final = fast_constructor(Decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The gates of one point. The strongest verdict decides: block, then escalate, then redact, then allow.

    A gate that raises, hangs, returns an invalid answer or is missing gets the ``on_failure`` action of its post.
    ``version`` identifies the settings that the chain was built from. A step of more than ``most_chars`` characters,
    with its sources, is blocked before any gate reads it, unless every gate only watches.
    """

    point: Point
    posts: tuple[Post, ...] = ()
    version: str = ""
    deadline: Deadline = field(default_factory=Deadline, repr=False, compare=False)
    most_chars: int = MAX_STEP_CHARS

    _trusted: list[tuple[Post, Any]] = field(init=False, repr=False, compare=False)
    _watching: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_trusted", [(post, _pure_check(post.gate)) for post in self.posts])
        object.__setattr__(self, "_watching", any(post.shadow for post in self.posts))

    def is_too_long(self, step: Step) -> bool:
        """Return whether a gate that acts would have to read more than is read of any step."""
        return _size(step) > self.most_chars and any(not post.shadow for post in self.posts)

    def _lower_limit(self, step: Step) -> tuple[str, int] | None:
        """Return the acting gate that could not read the text with a higher limit either, and what it reads."""
        limits = [(post.name, getattr(post.gate, "most_chars", None)) for post in self.posts if not post.shadow]
        lower = [(name, most) for name, most in limits if isinstance(most, int) and len(step.text) > most]
        return min(lower, key=lambda each: each[1], default=None)

    async def decide(self, step: Step) -> Decision:
        """Run every gate and merge their verdicts."""
        begun = now = monotonic()
        if self.is_too_long(step):
            told = too_long(_size(step), self.most_chars, self._lower_limit(step))
            return _decision(verdict=unread(self.point, self.version, told, latency=monotonic() - begun))
        long = len(step.text) > _LONG_CHARS
        parts: list[Any] = []
        later: list[int] = []
        for post, trusted in self._trusted:
            # Run inline only the method that was checked at construction; a patched one gets a thread.
            at_once = trusted is not None and type(post.gate).check is trusted and not long
            part = _at_once(post, step, now) if at_once else None
            if part is None:
                later.append(len(parts))
            else:
                now += part.latency or 0.0
                if (part.latency or 0.0) > post.timeout:  # it blocked the caller: use a thread from now on
                    self._trusted[len(parts)] = (post, None)
            parts.append(part)
        if later:
            waiting = [self.posts[place] for place in later]
            tasks = [_task(ask=partial(_ask, post.gate, step), timeout=post.timeout) for post in waiting]
            answers = await self.deadline.answers(tasks, begun=begun, long=long)
            for place, post, said in zip(later, waiting, answers, strict=True):
                parts[place] = _part(post, step, said.value, said.error, said.seconds)
        return _decision(verdict=_merged(self, step, parts, begun), parts=tuple(parts))


def _size(step: Step) -> int:
    """Return how many characters the gates have to read."""
    return len(step.text) + (sum([len(each.text) for each in step.sources]) if step.sources else 0)


def _ask(gate: Gate[Step], step: Step) -> Any:
    return gate.check(step)


def _pure_check(gate: Gate[Step]) -> Any:
    """Return the check of a gate that declares itself pure (plain code that never waits) and so needs no thread."""
    quick = getattr(gate, "pure", False) is True and getattr(gate, "is_quick", True) is True  # a setting may decide
    return getattr(type(gate), "check", None) if quick else None


def _at_once(post: Post, step: Step, begun: float) -> Verdict | None:
    """Return the verdict of a gate that is plain code, or None if it awaits something."""
    answer, failed = None, None
    try:
        asked: Any = post.gate.check(step)
        try:
            asked.send(None)
        except StopIteration as answered:
            answer = answered.value
        else:
            asked.close()
            return None
    except Exception as error:
        failed = error
    return _part(post, step, answer, failed, monotonic() - begun)


def _part(post: Post, step: Step, answer: Any, error: BaseException | None, seconds: float) -> Verdict:
    """Return a gate's verdict as it is recorded, or the verdict for its failure."""
    version = getattr(post.gate, "version", "")
    if error is None:
        try:
            verdict = believed(answer, step)
        except Exception as wrong:  # a third-party gate may return an object whose attributes raise
            error = wrong
    if isinstance(error, OverCapacityError):
        verdict = over_capacity(post.name, version, str(error))
    elif error is not None:
        if isinstance(error, TimeoutError):
            error = TimeoutError(f"no answer within {post.timeout:g} s")
        verdict = failure(post.name, version, post.on_failure, error)
    if verdict.latency is None and verdict.gate == post.name and verdict.version == version and not post.shadow:
        # Nearly always the gate's own, fresh object. Copying it would cost more than a gate of plain code.
        object.__setattr__(verdict, "latency", seconds)
        return verdict
    return _verdict(
        action=verdict.action,
        gate=post.name,
        reason=verdict.reason,
        findings=verdict.findings,
        text=verdict.text,
        broken=verdict.broken,
        latency=seconds,
        version=version,
        by=verdict.by,
        borderline=verdict.borderline,
        busy=verdict.busy,
        shadow=verdict.shadow or post.shadow,
        edits=verdict.edits,
        masked=verdict.masked,
        personal=verdict.personal,
        extra=verdict.extra,
    )


def _merged(chain: Chain, step: Step, parts: Sequence[Verdict], begun: float) -> Verdict:
    acting = parts
    if chain._watching:
        acting = [part for part, post in zip(parts, chain.posts, strict=True) if not post.shadow]
    if not acting:
        reason = _EMPTY_REASONS.get(chain.point, "no gate stands here")
        return _verdict(
            action="allow", gate=chain.point, reason=reason, latency=monotonic() - begun, version=chain.version
        )
    first, broken, borderline = acting[0], False, False
    findings: tuple[Finding, ...] = ()
    for part in acting:
        if part.action != first.action:
            first = part if ACTION_RANK[part.action] > ACTION_RANK[first.action] else first
        elif is_busy(first) or (part.broken and not first.broken and not is_busy(part)):
            first = part  # report a lasting cause rather than a busy guard
        findings = (*findings, *part.findings) if part.findings else findings
        broken = broken or part.broken
        borderline = borderline or part.borderline
    if first.action == "allow" and not first.broken:
        # None of them decided alone: name the one that said something, if any did.
        first = next((part for part in acting if part.findings or part.reason), _SILENT)
    text = None
    if first.action == "redact":
        text = apply(step.text, [edit for part in acting if part.action == "redact" for edit in edits_of(part, step)])
    return _verdict(
        action=first.action,
        gate=chain.point,
        reason=first.reason,
        findings=findings,
        text=text,
        broken=broken,
        latency=monotonic() - begun,
        version=chain.version,
        by=first.gate or None,
        borderline=borderline,
        busy=is_busy(first),
        extra=_plain_details(first.extra) if first.action in STOPS else {},
    )


def _plain_details(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of the gate that stopped the step; third-party objects stay with its own verdict."""
    if type(extra) is not dict:
        return {}
    return {key: value for key, value in extra.items() if type(key) is str and type(value) in _PLAIN_TYPES}
