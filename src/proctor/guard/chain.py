"""The gates of one point of a conversation, asked together and answered with one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Final

from proctor.core.sockets import Gate
from proctor.core.verdict import Action, Verdict
from proctor.guard.answers import FailAction, believed, edits_of, failure
from proctor.guard.deadline import Deadline, Task
from proctor.guard.edits import apply
from proctor.guard.step import Point, Step

__all__ = ["Chain", "Decision", "Post"]

_RANK: Final[dict[Action, int]] = {"allow": 0, "redact": 1, "escalate": 2, "block": 3}
_EMPTY: Final = {"tool_call": "no permissions are configured, so every call is allowed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One gate at its place: the name it goes by, its seconds, what its failure comes to, whether it only watches."""

    gate: Gate
    name: str
    timeout: float = 0.5
    on_failure: FailAction = "block"
    shadow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided about a step, and what each gate had said."""

    verdict: Verdict
    parts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The gates of one point. The strongest verdict decides: block, then escalate, then redact, then allow.

    A gate that raises, hangs, answers nonsense or is missing comes to what its post says for that.
    """

    point: Point
    posts: tuple[Post, ...] = ()
    deadline: Deadline = field(default_factory=Deadline, repr=False, compare=False)

    async def decide(self, step: Step) -> Decision:
        """Ask every gate and put their verdicts together."""
        begun = monotonic()
        parts: dict[int, Verdict] = {}
        later: list[int] = []
        for place, post in enumerate(self.posts):
            answer = _at_once(post, step) if _is_pure(post.gate) else None
            if answer is None:
                later.append(place)
            else:
                parts[place] = answer
        if later:
            tasks = [
                Task(ask=_asking(self.posts[place].gate, step), timeout=self.posts[place].timeout) for place in later
            ]
            answers = await self.deadline.answers(tasks, begun=begun)
            for place, said in zip(later, answers, strict=True):
                parts[place] = _part(self.posts[place], step, said.value, said.error, said.seconds)
        ordered = tuple(parts[place] for place in range(len(self.posts)))
        made = _merged(self, step, ordered)
        return Decision(verdict=replace(made, latency=monotonic() - begun), parts=ordered)


def _asking(gate: Gate, step: Step) -> Any:
    return lambda: gate.check(step)


def _is_pure(gate: Gate) -> bool:
    """Whether a gate can be asked here and now. Only Proctor's own are believed when they say so."""
    check = getattr(type(gate), "check", None)
    return getattr(gate, "pure", False) is True and str(getattr(check, "__module__", "")).startswith("proctor.guard.")


def _at_once(post: Post, step: Step) -> Verdict | None:
    """What a gate of nothing but code says; none when it turns out to wait for something."""
    begun = monotonic()
    try:
        asked = post.gate.check(step)
        try:
            asked.send(None)
        except StopIteration as answered:
            return _part(post, step, answered.value, None, monotonic() - begun)
        asked.close()
    except Exception as error:
        return _part(post, step, None, error, monotonic() - begun)
    return None


def _part(post: Post, step: Step, answer: Any, error: BaseException | None, seconds: float) -> Verdict:
    """A gate's verdict as it is kept, or what its failure comes to."""
    version = str(getattr(post.gate, "version", ""))
    if error is None:
        try:
            verdict = believed(answer, step)
        except Exception as wrong:  # what a stranger's gate answers may raise when it is looked at
            error = wrong
    if error is not None:
        if isinstance(error, TimeoutError):
            error = TimeoutError(f"no answer within {post.timeout:g} s")
        verdict = failure(post.name, version, post.on_failure, error)
    extra = {**verdict.extra, "shadow": True} if post.shadow else verdict.extra
    return replace(verdict, gate=post.name, latency=seconds, version=version, extra=extra)


def _merged(chain: Chain, step: Step, parts: Sequence[Verdict]) -> Verdict:
    acting = [part for part, post in zip(parts, chain.posts, strict=True) if not post.shadow]
    if not acting:
        return Verdict(action="allow", gate=chain.point, reason=_EMPTY.get(chain.point, "no gate stands here"))
    first = max(acting, key=lambda part: _RANK[part.action])
    extra: dict[str, Any] = {"by": first.gate}
    if any(part.extra.get("borderline") for part in acting):
        extra["borderline"] = True
    text = None
    if first.action == "redact":
        edits = [edit for part in acting if part.action == "redact" for edit in edits_of(part, step)]
        text = apply(step.text, edits)
    elif first.action == "allow":
        first = next((part for part in acting if part.broken), first)
    return Verdict(
        action=first.action,
        gate=chain.point,
        reason=first.reason,
        findings=tuple(finding for part in acting for finding in part.findings),
        text=text,
        broken=any(part.broken for part in acting),
        extra=extra,
    )
