"""Judge the answer that failed once more, by the checks that its test has: a test that cannot fail guards nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from proctor.config import Config
from proctor.core.case import Case, Check, Suite
from proctor.core.errors import InputError, MalformedError
from proctor.core.sockets import is_optional, is_socket
from proctor.core.trajectory import Trajectory
from proctor.runner.grade import grade
from proctor.wiring.local_models import LOCAL
from proctor.wiring.scorers import GraderFactory

__all__ = ["why_not_failed"]

_OF_PEOPLE: Final = frozenset({"contains", "forbidden"})  # what --must-say and --must-not-say become
_SCORE: Final = "score/"


def why_not_failed(config: Config, case: Case, recorded: Trajectory, signals: Collection[str]) -> str:
    """Return why the recorded conversation would pass the test, or could not be judged; empty if it fails as it did.

    Only checks that repeat a failed score are asked, with those that a person added: a gate, a limit of time and a chat
    model need the live agent, or money. Without such a score nothing is known, and the text is empty.
    """
    names = {signal.removeprefix(_SCORE) for signal in signals if signal.startswith(_SCORE)}
    checks = _asked_again(case.checks, names)
    if not any(check.scorer in names for check in checks):
        return ""
    asked = replace(case, checks=checks, recorded=recorded)
    try:
        graders = GraderFactory(Suite(name="promoted"), None, config=config).graders(asked)
    except MalformedError as error:
        return f"its check cannot be made: {'; '.join(f'{each.where} {each.message}' for each in error.problems)}"
    except InputError as error:
        return f"its check cannot be made: {error.message}"
    if any(_needs_model(each.scorer) for each in graders):
        return ""
    found = asyncio.run(grade(asked, recorded, graders))
    if found.outcome == "fail":
        return ""
    return found.reason if found.outcome == "unscored" else "every check passes"


def _asked_again(checks: Sequence[Check], names: Collection[str]) -> tuple[Check, ...]:
    return tuple(check for check in checks if check.scorer in names or check.scorer in _OF_PEOPLE)


def _needs_model(scorer: Any) -> bool:
    """Whether a scorer is nothing without a chat model, or another part that is not local."""
    sockets = [each for each in fields(scorer) if is_socket(each)] if is_dataclass(scorer) else []
    return any(not is_optional(each) and each.name not in LOCAL for each in sockets)
