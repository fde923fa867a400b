"""The settings of the background scoring, under `monitor: {scoring: …}` in proctor.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from proctor.config import Config
from proctor.core.case import Case, Suite
from proctor.core.errors import ConfigError, InputError, MalformedError
from proctor.monitor.scoring_sample import FLAGS, ScoringSample
from proctor.suites.case_shorthand import make_checks
from proctor.suites.load import open_suite
from proctor.text.spans import span_seconds
from proctor.wiring.models import chosen_model
from proctor.wiring.scorers import GraderFactory, required_models
from proctor.wiring.settings_section import placed_in, read_section

__all__ = ["ScoringSettings", "check_scorers", "check_scoring", "scoring_settings", "scoring_suite"]

_PATH: Final = ("monitor", "scoring")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSettings:
    """Which conversations from production are scored, by what, and how much it may cost.

    ``scorers`` are written as in a suite; ``suite`` names one whose scorers are used. ``rate`` is the share of
    conversations, ``rates`` another one by intent. ``flagged`` conversations are all scored: with an error, a hand-off,
    a gate that stopped something, a low rating or a failed score; a list names other signals. A conversation is scored
    after it was ``quiet`` for so long. ``budget`` is in dollars a day; what it refuses waits for the next day.
    """

    scorers: tuple[Any, ...] = ()
    suite: str | None = None
    rate: float = 0.1
    rates: Mapping[str, float] = field(default_factory=dict)
    flagged: bool | tuple[str, ...] = True
    quiet: str = "5 min"
    budget: float | None = None
    concurrency: int = 4
    timeout: str = "2 min"
    attempts: int = 3
    light: bool = False

    def __post_init__(self) -> None:
        for name, rate in (("rate", self.rate), *((f"rates.{name}", rate) for name, rate in self.rates.items())):
            if not 0.0 <= rate <= 1.0:
                raise ValueError(f"{name} must be from 0 to 1, not {rate:g}")
        if bool(self.scorers) == (self.suite is not None):
            raise ValueError("name `scorers`, or a `suite` whose scorers are used; exactly one of them")
        if not 1 <= self.concurrency <= 1000:
            raise ValueError(f"concurrency must be from 1 to 1000, not {self.concurrency}")
        if not 1 <= self.attempts <= 100:
            raise ValueError(f"attempts must be from 1 to 100, not {self.attempts}")
        if self.budget is not None and not self.budget >= 0:
            raise ValueError(f"budget must be 0 or more, not {self.budget:g}")
        if self.quiet_seconds <= 0 or self.timeout_seconds <= 0:
            raise ValueError("quiet and timeout must be longer than nothing")

    @property
    def quiet_seconds(self) -> float:
        """The length of ``quiet``."""
        return span_seconds(self.quiet)

    @property
    def timeout_seconds(self) -> float:
        """The length of ``timeout``."""
        return span_seconds(self.timeout)

    @property
    def sample(self) -> ScoringSample:
        """Which conversations are scored."""
        flags = FLAGS if self.flagged is True else () if self.flagged is False else self.flagged
        return ScoringSample(rate=self.rate, rates=self.rates, flags=flags)


def scoring_settings(config: Config) -> ScoringSettings | None:
    """Return the settings under `monitor: {scoring: …}`; ``None`` if nothing is to be scored.

    Raises:
        MalformedError: a value is wrong; the file and the field are named.
    """
    written = config.settings.monitor.scoring
    if written is None or written is False:
        return None
    return read_section(config, _PATH, ScoringSettings, written, expanded=True)


def scoring_suite(config: Config, settings: ScoringSettings) -> Suite:
    """Return the scorers as a suite without cases.

    Raises:
        MalformedError: a scorer is written wrongly.
        SuiteError: the named suite cannot be read.
    """
    if settings.suite is not None:
        named = config.settings.suites.get(settings.suite, settings.suite)
        return open_suite(config.folder / Path(str(named))).suite
    try:
        return Suite(name="production", scorers=make_checks(list(settings.scorers), ("scorers",)))
    except MalformedError as error:
        raise placed_in(config.path, [each.under(*_PATH) for each in error.problems]) from error


def check_scoring(config: Config) -> None:
    """Read the settings and make every scorer once, as `proctor serve` does at its start.

    Raises:
        InputError: a setting or a scorer is wrong.
    """
    settings = scoring_settings(config)
    if settings is not None:
        check_scorers(config, settings, scoring_suite(config, settings))


def check_scorers(config: Config, settings: ScoringSettings, suite: Suite) -> None:
    """Make every scorer once, without models: a wrong one, or one whose judge is not set, is an error at the start.

    Raises:
        InputError: there is no such scorer, its settings are wrong, or no model is named for it.
    """
    try:
        GraderFactory(suite, None, light=settings.light, config=config, trusted=True).graders(Case(id="-"))
        for check in () if settings.light else suite.scorers:
            for role, name in required_models(check):
                chosen_model(config, name, role)
    except MalformedError as error:
        raise placed_in(config.path, [each.under(*_PATH) for each in error.problems]) from error
    except InputError as error:
        file = str(config.path) if config.path else None
        raise ConfigError(error.message, file=file, field="monitor.scoring", hint=error.hint) from error
