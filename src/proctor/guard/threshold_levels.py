"""Thresholds of classifiers: a false positive rate on harmless support messages, or a probability."""

from __future__ import annotations

from proctor.core.errors import ConfigError
from proctor.core.sockets import Classifier

__all__ = ["LEVELS", "Level", "check_level", "check_order", "cut"]

Level = str | float
LEVELS = ("0.1%", "0.5%", "1%")


def check_level(name: str, level: Level) -> None:
    """Raise a ValueError unless this is the name of a level or a probability."""
    if isinstance(level, str):
        if level not in LEVELS:
            raise ValueError(f"{name} is {level!r}; use {', '.join(LEVELS)} or a number between 0 and 1")
    elif not 0 < level <= 1:
        raise ValueError(f"{name} is {level}; a probability lies above 0 and is 1 at most")


def check_order(block: tuple[str, Level], escalate: tuple[str, Level], classifier: Classifier | None) -> None:
    """Raise a ValueError if blocking needs a lower probability than escalating: nothing would be escalated."""
    (block_name, first), (escalate_name, second) = block, escalate
    if isinstance(first, str) and isinstance(second, str):
        wrong = LEVELS.index(first) > LEVELS.index(second)  # a lower false positive rate is a higher probability
    else:
        try:
            low, high = (each if not isinstance(each, str) else cut(each, classifier) for each in (first, second))
        except Exception:  # a classifier without thresholds or weights reports that itself when it is used
            return
        wrong = low < high
    if wrong:
        raise ValueError(
            f"{block_name} ({first}) is reached before {escalate_name} ({second}), so nothing would be escalated; "
            f"raise {block_name} or lower {escalate_name}"
        )


def cut(level: Level, classifier: Classifier | None) -> float:
    """Return the probability from which a text counts."""
    if not isinstance(level, str):
        return level
    threshold = getattr(classifier, "threshold", None)
    if threshold is None:
        raise ConfigError(
            f"the classifier has no calibrated threshold for {level!r}", hint="give a probability between 0 and 1"
        )
    return float(threshold(level))
