"""Check that the answer is JSON and follows a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    Passage,
    Where,
    combine,
    no_answer,
    passages,
    quoted,
    scored,
    turn_label,
    unjudged,
)
from proctor.text.json_schemas import SchemaCheck
from proctor.text.loose_json import NotJsonError, read_json

__all__ = ["JsonSchema"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The answer is valid JSON and, when a schema is given, follows it."""

    name: ClassVar[str] = "json_schema"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None  # a mapping after the name is the settings, not the schema

    schema: Mapping[str, Any] | None = None
    from_text: Literal["strict", "loose"] = "strict"
    where: Where = "answer"

    def __post_init__(self) -> None:
        if self.schema is not None:
            _validator(_written(self.schema))

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Parse the answer as JSON and validate it against the schema."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        found = [(turn_label(each.turn), self._check(each)) for each in passages(run, self.where)]
        return combine(self, self.where, found)

    def _check(self, passage: Passage) -> Score:
        try:
            data = read_json(passage.text) if self.from_text == "loose" else _strict(passage.text)
        except (ValueError, RecursionError, NotJsonError) as error:
            reason = f"not JSON: {error}" if not isinstance(error, RecursionError) else "not JSON: nested too deeply"
            return scored(self, 0.0, reason, evidence=(Evidence(quote=quoted(passage.text), turn=passage.turn),))
        if self.schema is None:
            return scored(self, 1.0, "valid JSON")
        return self._follow(data, passage)

    def _follow(self, data: Any, passage: Passage) -> Score:
        assert self.schema is not None
        evidence: list[Evidence] = []
        try:
            for error in _validator(_written(self.schema)).iter_errors(data):
                where = _path(error.instance_path)
                evidence.append(Evidence(turn=passage.turn, where=where, note=f"{where}: {quoted(error.message)}"))
                if len(evidence) == MOST_EVIDENCE:
                    break
        except ValueError as error:  # invalid Unicode, or nesting deeper than the validator allows
            return unjudged(self, f"the JSON could not be held against the schema: {error}", raw=quoted(passage.text))
        if not evidence:
            return scored(self, 1.0, "valid JSON that follows the schema")
        more = f" (and {len(evidence) - 1} more)" if len(evidence) > 1 else ""
        return scored(self, 0.0, evidence[0].note + more, evidence=tuple(evidence))


def _strict(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _path(steps: list[str | int]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def _written(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, default=dict)


@lru_cache(maxsize=64)
def _validator(schema: str) -> SchemaCheck:
    """Return the compiled schema."""
    try:
        return SchemaCheck(schema)
    except ValueError as error:
        raise ValueError(f"the schema is not a usable JSON schema: {error}") from None
