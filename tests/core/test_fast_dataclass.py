from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from proctor.core.chat import ToolCall
from proctor.core.event import Event
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.verdict import Finding, Verdict
from proctor.guard.chain import Decision
from proctor.guard.deadline import Answer, GateTask
from proctor.guard.step import Step
from tests.tables import table

NOW = datetime.now(UTC)
GIVEN: list[tuple[type, dict[str, Any]]] = [
    (Verdict, {"action": "allow"}),
    (
        Verdict,
        {"action": "block", "reason": "no", "findings": (Finding(kind="x"),), "by": "rate", "extra": {"n": 1}},
    ),
    (ToolCall, {"name": "get_faq"}),
    (ToolCall, {"name": "pay", "arguments": {"amount": 3}, "id": "7"}),
    (Step, {"point": "input", "text": "hello"}),
    (Event, {"kind": "gate", "time": NOW}),
    (Decision, {"verdict": Verdict(action="allow")}),
    (GateTask, {"ask": print, "timeout": 0.5}),
    (Answer, {}),
]


@table(("kind", "given"), GIVEN)
def test_what_is_made_is_what_the_constructor_makes(kind: Any, given: dict[str, Any]) -> None:
    made, own = fast_constructor(kind)(**given), kind(**given)
    assert type(made) is kind
    assert made == own
    assert repr(made) == repr(own)
    for each in fields(kind):
        if each.compare:
            assert getattr(made, each.name) == getattr(own, each.name)
    assert copy.copy(made) == own
    assert replace(made, **given) == own


@table(("kind", "given"), GIVEN)
def test_it_is_as_frozen_as_any_other(kind: Any, given: dict[str, Any]) -> None:
    made = fast_constructor(kind)(**given)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(kind)[0].name, "other")


def test_each_has_its_own_default() -> None:
    verdict = fast_constructor(Verdict)
    assert verdict(action="allow").extra is not verdict(action="allow").extra
    assert fast_constructor(Step)(point="input").memory is not fast_constructor(Step)(point="input").memory


def test_it_can_be_pickled() -> None:
    made = fast_constructor(Verdict)(action="block", gate="rate")
    assert pickle.loads(pickle.dumps(made)) == made


def test_what_is_not_given_and_what_is_not_known_are_refused() -> None:
    with pytest.raises(TypeError, match="action"):
        fast_constructor(Verdict)()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        fast_constructor(Verdict)(action="allow", colour="red")  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Careful:
    """Does something of its own when it is made."""

    size: int = 0
    seen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seen.append(self.size)


@dataclass(frozen=True, kw_only=True)
class _Child(_Careful):
    """Inherits."""


@pytest.mark.parametrize("kind", [_Careful, _Child, int])
def test_records_that_do_more_are_refused(kind: type) -> None:
    with pytest.raises(TypeError, match="no plain dataclass"):
        fast_constructor(kind)
