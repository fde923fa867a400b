"""Thresholds by name or number."""

from __future__ import annotations

import pytest

from proctor.core.errors import ConfigError
from proctor.guard.threshold_levels import Level, check_level, check_order, cut
from proctor.wiring.local_models import local_model
from tests.tables import table


def test_a_number_is_itself_and_a_name_is_the_classifiers() -> None:
    model = local_model("injection")
    assert cut(0.4, model) == 0.4
    assert cut("0.1%", model) == model.threshold("0.1%") > cut("1%", model)


def test_a_name_needs_a_classifier_with_thresholds() -> None:
    with pytest.raises(ConfigError):
        cut("1%", object())  # type: ignore[arg-type]


@table("level", ["3%", -1.0, 0.0, 2.0, float("nan"), float("inf")])
def test_others_are_refused(level: str | float) -> None:
    with pytest.raises(ValueError, match="x is"):
        check_level("x", level)


@table(
    ("block", "escalate", "fine"),
    [
        ("0.1%", "1%", True),
        ("1%", "1%", True),
        ("1%", "0.1%", False),
        (0.9, 0.1, True),
        (0.5, 0.5, True),
        (0.1, 0.9, False),
        (1.0, "1%", True),
        (0.001, "1%", False),
        ("1%", 1.0, False),
    ],
)
def test_a_text_is_not_blocked_before_it_is_escalated(block: Level, escalate: Level, fine: bool) -> None:
    model = local_model("injection")
    if fine:
        check_order(("block", block), ("escalate", escalate), model)
        return
    with pytest.raises(ValueError, match="raise block or lower escalate"):
        check_order(("block", block), ("escalate", escalate), model)
