"""What other thresholds would have done, from the scores that the guard recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from proctor.core.share import Share
from proctor.stats.interval import wilson
from proctor.stats.stop_rates import THRESHOLDS
from proctor.store.decision_query import RecordedScore

__all__ = ["ScoreBin", "ThresholdEffect", "WhatIf", "what_if"]

_BIN: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdEffect:
    """What a gate would have done if it had acted from a score on.

    ``kept`` and ``passed`` count decisions that it would have made again, or not. Of those that people reviewed,
    ``right_passed`` were right stops that would be lost, ``wrong_passed`` wrong ones that would be spared.
    ``elsewhere`` counts the lost ones that another gate stops too, ``precision`` is of the reviewed ones that stay.
    """

    threshold: float
    kept: int = 0
    passed: int = 0
    right_kept: int = 0
    right_passed: int = 0
    wrong_kept: int = 0
    wrong_passed: int = 0
    elsewhere: int = 0
    actions: Mapping[str, int] = field(default_factory=dict)
    precision: Share = field(default_factory=Share)

    @property
    def unreviewed_passed(self) -> int:
        """Decisions that would be lost and that nobody has reviewed."""
        return self.passed - self.right_passed - self.wrong_passed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBin:
    """Decisions with a score from ``low`` on, by what people said of them."""

    low: float
    right: int = 0
    wrong: int = 0
    unreviewed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """The chosen threshold, the others beside it, and the scores.

    ``lowest`` is the lowest recorded score: below it nothing is known, because a gate records only what it acted on.
    ``by_rules`` counts decisions of rules, which no threshold changes. ``blocks_from`` is the lowest score that was
    blocked.
    """

    chosen: ThresholdEffect
    steps: Sequence[ThresholdEffect] = ()
    bins: Sequence[ScoreBin] = ()
    scores: int = 0
    by_rules: int = 0
    lowest: float | None = None
    blocks_from: float | None = None


def what_if(scores: Sequence[RecordedScore], reviews: Mapping[str, tuple[bool, str]], threshold: float) -> WhatIf:
    """Return what a gate would have done with another threshold; ``reviews`` are by the id of the decision.

    A decision stays if its score reaches the threshold or a rule made it. Decisions are those that changed or stopped a
    step or were marked as borderline. A review is of the whole decision, also where several gates agreed.
    """
    learnt = [each for each in scores if not each.by_rule]
    lowest = min((each.score for each in learnt), default=None)
    others = [each for each in THRESHOLDS if lowest is not None and each >= lowest]
    return WhatIf(
        chosen=_effect(scores, reviews, threshold),
        steps=[_effect(scores, reviews, each) for each in sorted({*others, round(threshold, 4)})] if learnt else [],
        bins=_bins(learnt, reviews),
        scores=sum(each.times for each in scores),
        by_rules=sum(each.times for each in scores if each.by_rule),
        lowest=lowest,
        blocks_from=min((each.score for each in learnt if each.action == "block"), default=None),
    )


def _effect(
    scores: Sequence[RecordedScore], reviews: Mapping[str, tuple[bool, str]], threshold: float
) -> ThresholdEffect:
    counts = dict.fromkeys(("kept", "passed", "right_kept", "right_passed", "wrong_kept", "wrong_passed"), 0)
    actions: dict[str, int] = {}
    elsewhere = 0
    for each in scores:
        stays = each.by_rule or each.score >= threshold
        counts["kept" if stays else "passed"] += each.times
        if stays:
            actions[each.action] = actions.get(each.action, 0) + each.times
        elif each.others:
            elsewhere += each.times
        said = _said(each, reviews)
        if said is not None:
            counts[f"{'right' if said else 'wrong'}_{'kept' if stays else 'passed'}"] += each.times
    right, judged = counts["right_kept"], counts["right_kept"] + counts["wrong_kept"]
    precision = Share.of(right, judged, wilson(right, judged))
    return ThresholdEffect(threshold=threshold, elsewhere=elsewhere, actions=actions, precision=precision, **counts)


def _said(score: RecordedScore, reviews: Mapping[str, tuple[bool, str]]) -> bool | None:
    """Return whether people found it right to act on this step; ``None`` if nobody has said so.

    Of a step that went on, "right" means that it was right to let it pass.
    """
    word = reviews.get(score.id)
    if word is None:
        return None
    right, missed = word
    if score.action == "allow" and not score.others:
        return not right
    return None if missed else right


def _bins(scores: Sequence[RecordedScore], reviews: Mapping[str, tuple[bool, str]]) -> list[ScoreBin]:
    found: dict[int, list[int]] = {}
    for each in scores:
        place = min(round(1 / _BIN) - 1, int(each.score / _BIN + 1e-9))
        said = _said(each, reviews)
        found.setdefault(place, [0, 0, 0])[2 if said is None else 0 if said else 1] += each.times
    return [
        ScoreBin(low=round(place * _BIN, 4), right=right, wrong=wrong, unreviewed=rest)
        for place, (right, wrong, rest) in sorted(found.items())
    ]
