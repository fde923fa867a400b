"""Thresholds of classifiers: by the share of harmless support messages that they flag at most, or as a probability."""

from __future__ import annotations

from proctor.core.errors import ConfigError
from proctor.core.sockets import Classifier

__all__ = ["LEVELS", "Level", "check_level", "check_order", "cut"]

Level = str | float
LEVELS = ("0.1%", "0.5%", "1%")


def check_level(name: str, level: Level) -> None:
    """Refuse what is neither a level's name nor a probability."""
    if isinstance(level, str):
        if level not in LEVELS:
            raise ValueError(f"{name} is {level!r}; use {', '.join(LEVELS)} or a number between 0 and 1")
    elif not 0 < level <= 1:
        raise ValueError(f"{name} is {level}; a probability lies above 0 and is 1 at most")


def check_order(block: tuple[str, Level], escalate: tuple[str, Level], classifier: Classifier | None) -> None:
    """Refuse a text that is blocked at a lower probability than it is escalated at: nobody would be asked."""
    (block_name, first), (escalate_name, second) = block, escalate
    if isinstance(first, str) and isinstance(second, str):
        wrong = LEVELS.index(first) > LEVELS.index(second)  # a smaller share flagged is a higher probability
    else:
        try:
            low, high = (each if not isinstance(each, str) else cut(each, classifier) for each in (first, second))
        except Exception:  # a classifier without thresholds or without weights says so itself when it is asked
            return
        wrong = low < high
    if wrong:
        raise ValueError(
            f"{block_name} ({first}) is reached before {escalate_name} ({second}), so nothing would be escalated; "
            f"raise {block_name} or lower {escalate_name}"
        )


def cut(level: Level, classifier: Classifier | None) -> float:
    """The probability from which a text counts."""
    if not isinstance(level, str):
        return level
    threshold = getattr(classifier, "threshold", None)
    if threshold is None:
        raise ConfigError(
            f"the classifier has no calibrated threshold for {level!r}", mend="give a probability between 0 and 1"
        )
    return float(threshold(level))
