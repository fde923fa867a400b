"""Typed access to the metadata of a generated test.

It is stored under ``metadata`` of the case, in the keys of ``GeneratedMetadata``. People edit these files, so a key
that is missing or has a value of another type counts as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, Unpack

from proctor.core.case import Case

__all__ = [
    "PERSON",
    "GeneratedMetadata",
    "GeneratedTest",
    "Strategy",
    "is_baseline",
    "with_metadata",
    "without_metadata",
]

PERSON = "person"  # the origin of what a person wrote or changed
Strategy = Literal["typical", "boundary", "edge", "adversarial", "metamorphic", "sample", "baseline"]


class GeneratedMetadata(TypedDict, total=False):
    """The keys in the file. ``also`` are the aims of duplicate tests that were left out."""

    rules: Sequence[str]
    strategy: str
    polarity: str
    scenario: str
    valid: bool | None
    validity_reason: str
    origin: str
    inverse_rules: Sequence[str]
    relation: Mapping[str, str]
    reasoning: str
    also: Sequence[str]
    expanded_from: str
    expected_by_generator: str
    groundtruth: Mapping[str, Any]
    agreement: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedTest:
    """How a test was made and what is known about it.

    ``rules`` are the ids of the rules it covers; a test made from the opposite of a rule names that opposite under
    ``inverse_rules``. ``valid`` states whether the prompt is made for its input; ``None``: not checked. ``origin`` is
    empty for a case that a person wrote into the file. ``relation`` names the test that this one rewords.
    ``groundtruth`` states how its expected output was made, ``agreement`` whether the rules alone lead to the same
    answer as the prompt.
    """

    rules: tuple[str, ...] = ()
    strategy: str = ""
    polarity: str = ""
    scenario: str = ""
    valid: bool | None = None
    validity_reason: str = ""
    origin: str = ""
    inverse_rules: tuple[str, ...] = ()
    relation: Mapping[str, str] | None = None
    reasoning: str = ""
    also: tuple[str, ...] = ()
    expected_by_generator: str = ""
    groundtruth: Mapping[str, Any] | None = None
    agreement: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, case: Case) -> GeneratedTest:
        """Read the metadata of any case."""
        known = case.metadata
        valid = known.get("valid")
        return cls(
            rules=_ids(known.get("rules")),
            strategy=_text(known.get("strategy")),
            polarity=_text(known.get("polarity")),
            scenario=_text(known.get("scenario")),
            valid=valid if isinstance(valid, bool) else None,
            validity_reason=_text(known.get("validity_reason")),
            origin=_text(known.get("origin")),
            inverse_rules=_ids(known.get("inverse_rules")),
            relation=_mapping(known.get("relation")),
            reasoning=_text(known.get("reasoning")),
            also=_ids(known.get("also")),
            expected_by_generator=_text(known.get("expected_by_generator")),
            groundtruth=_mapping(known.get("groundtruth")),
            agreement=_mapping(known.get("agreement")),
        )

    def metadata(self) -> dict[str, Any]:
        """Return a new test's metadata for its file; from ``inverse_rules`` on only the keys with a value."""
        made: GeneratedMetadata = {
            "rules": list(self.rules),
            "strategy": self.strategy,
            "polarity": self.polarity,
            "scenario": self.scenario,
            "valid": self.valid,
            "validity_reason": self.validity_reason,
            "origin": self.origin,
        }
        if self.inverse_rules:
            made["inverse_rules"] = list(self.inverse_rules)
        if self.relation:
            made["relation"] = dict(self.relation)
        if self.reasoning:
            made["reasoning"] = self.reasoning
        return dict(made)

    @property
    def is_usable(self) -> bool:
        """Whether its input is not known to be invalid."""
        return self.valid is not False

    @property
    def is_by_person(self) -> bool:
        """Whether a person wrote it."""
        return self.origin in ("", PERSON)

    @property
    def side(self) -> str:
        """The polarity; positive by default."""
        return self.polarity or "positive"

    @property
    def tempts(self) -> bool:
        """Whether it leads the model to break its rule."""
        return self.polarity == "negative" or self.strategy == "adversarial"

    @property
    def made_from(self) -> tuple[str, ...]:
        """The rules it was made from: an opposite if it has one, not the rule behind it; then ``also``."""
        return (*(self.inverse_rules or self.rules), *self.also)

    @property
    def has_rejected_truth(self) -> bool:
        """Whether its expected output was graded and not accepted."""
        return self.groundtruth is not None and self.groundtruth.get("accepted") is False


def is_baseline(case: Case) -> bool:
    """Return whether the case was made from the prompt alone, without its rules."""
    return "baseline" in case.tags or case.metadata.get("strategy") == "baseline"


def with_metadata(case: Case, **changes: Unpack[GeneratedMetadata]) -> Case:
    """Return the case with these keys set; all other metadata stays, in order."""
    return replace(case, metadata={**case.metadata, **changes})


def without_metadata(case: Case, *keys: str) -> Case:
    """Return the case without these keys."""
    return replace(case, metadata={key: value for key, value in case.metadata.items() if key not in keys})


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None
