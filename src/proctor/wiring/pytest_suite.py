"""What an exported pytest file runs on: one case at a time, put to a model and graded as a run would."""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from proctor.config import Config, find_config, load_config, read_environment
from proctor.core.case import Case
from proctor.core.sockets import Target
from proctor.models.pool import Pool
from proctor.runner.grade import grade
from proctor.suites.load import open_suite
from proctor.wiring.models import Rack
from proctor.wiring.scorers import Bench
from proctor.wiring.targets import make_targets

__all__ = ["PytestSuite", "PytestVerdict"]

MODEL, JUDGE = "PROCTOR_TEST_MODEL", "PROCTOR_TEST_JUDGE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestVerdict:
    """What came of one case on one model; ``unscored`` when nobody could say."""

    passed: bool
    unscored: bool
    reason: str
    answer: str = ""


class PytestSuite:
    """The cases of an exported suite. Models are connected at the first check and shared by all of them."""

    def __init__(self, file: str, *, suite: str, prompt: str) -> None:
        self._folder = Path(file).parent
        self._prompt = prompt
        self._loaded = open_suite(self._folder / suite)
        self._cases: dict[str, Case] = {case.id: case for case in self._loaded.cases()}
        self._targets: dict[str, Target] = {}

    @property
    def case_ids(self) -> Sequence[str]:
        """Every case, by its id."""
        return list(self._cases)

    @cached_property
    def models(self) -> Sequence[str]:
        """The models under test; one without a name stands for the project's own."""
        told = self._config.environment.get(MODEL) or self._config.settings.model or ""
        return [each.strip() for each in told.split(",") if each.strip()] or [""]

    def check(self, case_id: str, model: str) -> PytestVerdict:
        """Put the case to the model and grade the answer.

        Raises:
            InputError: there is no such model, or a setting is wrong.
        """
        return self._loop.run_until_complete(self._checked(self._cases[case_id], model))

    async def _checked(self, case: Case, model: str) -> PytestVerdict:
        if model not in self._targets:
            path = str((self._folder / self._prompt).resolve())
            chosen = [model] if model else []
            (self._targets[model],) = make_targets(
                [path], chosen, config=self._config, rack=self._rack, http=self._pool
            )
        run = await self._targets[model].run(case)
        graded = await grade(case, run, self._bench.graders(case))
        return PytestVerdict(
            passed=graded.outcome == "pass",
            unscored=graded.outcome == "unscored",
            reason=graded.reason,
            answer=run.answer,
        )

    @cached_property
    def _config(self) -> Config:
        start = self._folder.resolve()
        environment = read_environment(start)
        config = load_config(find_config(start), environment, start=start)
        judge = environment.get(JUDGE)
        return (
            dataclasses.replace(config, settings=dataclasses.replace(config.settings, judge=judge)) if judge else config
        )

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        """One loop for all tests: connections belong to the loop they were opened in."""
        loop = asyncio.new_event_loop()
        atexit.register(self._close, loop)
        return loop

    def _close(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_until_complete(self._rack.close())
        loop.run_until_complete(self._pool.close())
        loop.close()

    @cached_property
    def _pool(self) -> Pool:
        return Pool(proxy_for=lru_cache(maxsize=256)(self._config.environment.proxy_for))

    @cached_property
    def _rack(self) -> Rack:
        return Rack(config=self._config, run=self._config.settings.run, http=self._pool)

    @cached_property
    def _bench(self) -> Bench:
        return Bench(self._loaded.suite, self._rack)
