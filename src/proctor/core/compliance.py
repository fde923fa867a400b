"""Rule compliance of a prompt's answers: by model and scenario, by rule, and the flaky tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from proctor.core.record import dataclass

__all__ = ["Compliance", "FlakyTest", "MetricFigure", "PromptCompliance", "RuleCompliance", "TargetCompliance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliance:
    """How many answers complied with their rules; an answer that could not be judged is ``unknown`` and in no share.

    ``tests`` may be run several times each, so there are at least as many answers. ``rate`` is the share of the
    judged answers that comply, ``low`` and ``high`` its 95 % interval over the tests: repeating a test adds no
    information about the others. ``steady`` is pass^k: the share of tests that would comply ``k`` times out of ``k``.
    """

    tests: int = 0
    ok: int = 0
    err: int = 0
    unknown: int = 0
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    steady: float | None = None

    @property
    def answers(self) -> int:
        """The number of all answers, judged or not."""
        return self.ok + self.err + self.unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFigure:
    """One custom metric: its mean over the answers that have a score, and how many have none.

    ``apart`` is the mean distance between the judges of one answer, if there were several.
    """

    name: str
    count: int = 0
    missing: int = 0
    mean: float | None = None
    apart: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCompliance:
    """One target in one scenario (``None``: in all of them together).

    ``errors`` are answers that never came; they are in no other figure. ``tests`` leaves the baseline tests out, which
    have a figure of their own. ``positive`` tests were made from a rule, ``negative`` ones from its opposite. ``valid``
    and ``invalid`` refer to a test's input as classified when it was made; a test may be neither.
    """

    target: str
    scenario: str | None = None
    errors: int = 0
    tests: Compliance = field(default_factory=Compliance)
    positive: Compliance = field(default_factory=Compliance)
    negative: Compliance = field(default_factory=Compliance)
    valid: Compliance = field(default_factory=Compliance)
    invalid: Compliance = field(default_factory=Compliance)
    baseline: Compliance = field(default_factory=Compliance)
    metrics: tuple[MetricFigure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCompliance:
    """One rule over the answers of one target.

    ``predicate`` is what code checks of it, if any. ``covered`` tests were made for it; ``kept.tests`` is how many had
    a verdict on it at all; ``failed`` is how many broke it at least once. ``na`` counts answers it did not apply to.
    ``judged_by`` counts verdicts by their producer; ``agreement`` is the mean share of judges behind a verdict, if
    there were several.
    """

    target: str
    rule: str
    text: str = ""
    predicate: str = ""
    covered: int = 0
    failed: int = 0
    na: int = 0
    kept: Compliance = field(default_factory=Compliance)
    judged_by: Mapping[str, int] = field(default_factory=dict)
    agreement: float | None = None

    @property
    def executed(self) -> bool:
        """Whether any verdict is ok or err."""
        return self.kept.ok + self.kept.err > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlakyTest:
    """A test whose answers sometimes comply and sometimes do not; ``entropy`` is in bits, 1 for half and half."""

    case: str
    target: str
    ok: int
    err: int
    entropy: float
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCompliance:
    """The compliance of a whole run.

    ``repeat`` is how often each test was put; ``wavering`` are the worst tests, of ``flaky`` in all.
    """

    repeat: int = 1
    rows: tuple[TargetCompliance, ...] = ()
    rules: tuple[RuleCompliance, ...] = ()
    flaky: int = 0
    wavering: tuple[FlakyTest, ...] = ()
