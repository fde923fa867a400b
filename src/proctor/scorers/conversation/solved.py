"""Estimate the probability that the customer's task was solved, from the transcript and the policy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import failed, steps
from proctor.scorers.checked_answers import no_conversation, quoted, scored
from proctor.scorers.conversation.solved_features import features
from proctor.scorers.conversation.solved_trees import shipped_trees

__all__ = ["Solved"]

_MOST_REASONS: Final = 4
_SAID: Final = {
    "writes": "changes made",
    "writes_open": "failed changes that were left so",
    "writes_failed": "failed changes",
    "refusals": "refusals",
    "handed_off": "hand-offs to a person",
    "made_up": "values that nothing bears out",
    "undone": "wishes nothing was done about",
    "unasked": "changes nobody asked for",
    "agreed_share": "share of changes agreed to before",
    "failed": "failed calls",
    "better": "records that fit the customer's words better",
    "amounts_new": "amounts that stand in no result",
    "upset": "words of displeasure",
    "relented": "changes after a refusal",
    "repeated": "repeated calls",
    "user_turns": "messages by the customer",
    "calls": "tool calls",
    "rules_on_made": "rules on what was changed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The estimated probability that the task was truly solved."""

    name: ClassVar[str] = "solved"
    version: ClassVar[str] = "2"
    threshold: ClassVar[float | None] = None
    primary: ClassVar[str | None] = None

    policy: str = ""
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compute the features and evaluate the trees; the label compares the probability with their threshold."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        trees = shipped_trees()
        values = features(run, self.policy or _policy(case, run), self.tool_effects)
        chance = trees.probability(values)
        label = "solved" if chance >= trees.threshold else "unsolved"
        why = [
            f"{_SAID.get(name, name.replace('_', ' '))}: {values[name]:g} ({'for' if share > 0 else 'against'})"
            for name, share in trees.reasons(values)[:_MOST_REASONS]
        ]
        return scored(
            self,
            chance,
            f"{label} with probability {chance:.2f}; " + "; ".join(why),
            label=label,
            confidence=round(abs(chance - 0.5) * 2, 3),
            evidence=_evidence(run, self.tool_effects),
            producer="local model",
            raw=json.dumps({"model": trees.name, "version": trees.version, "cut": trees.threshold}),
        )


def _policy(case: Case, run: Trajectory) -> str:
    """Return the policy from the case's metadata or the agent's system messages."""
    given = case.metadata.get("policy")
    if isinstance(given, str) and len(given) > 40:  # a shorter one is a name
        return given
    said = [*case.history, *run.messages]
    return "\n".join(message.content for message in said if message.role == "system")


def _evidence(run: Trajectory, tool_effects: Mapping[str, StatedEffect]) -> tuple[Evidence, ...]:
    """Return the failed changes, the hand-off and the last customer message as evidence."""
    found = []
    told = steps(run)
    for step in told:
        if step.call is None:
            continue
        effect = tool_effect(step.call.name, tool_effects)
        if effect == "hands_off":
            found.append(Evidence(turn=step.turn, quote=step.call.name, note="handed off to a person"))
        elif failed(step.call) and effect != "reads":
            found.append(Evidence(turn=step.turn, quote=step.call.name, note="this change failed"))
    last = next((step for step in reversed(told) if step.kind == "request"), None)
    if last is not None:
        found.append(Evidence(turn=last.turn, quote=quoted(last.text), note="the customer's last words"))
    return tuple(found[-6:])
