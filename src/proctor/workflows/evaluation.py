"""A finished run as a Python object: its decision, results, report files and release decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.attack_mask import masked_results
from proctor.core.report import Counts, Decision, Report, Result
from proctor.guard.sync_bridge import SyncBridge
from proctor.release.decide import ReleaseDecision
from proctor.report.formats import save
from proctor.report.notebook import notebook_html, result_row
from proctor.report.number_format import decision_word
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.judge.error_bands import with_bands
from proctor.workflows.run.overview import with_overview

__all__ = ["Evaluation"]


class Evaluation:
    """A finished run. Iterating over it reads the results from the store, one at a time.

    ``report`` has all figures of the run. ``warnings`` are notes about the cases and the target.
    """

    def __init__(
        self, config: Config, run_id: str, *, warnings: tuple[str, ...] = (), order: Sequence[str] | None = None
    ) -> None:
        self._config = config
        self._order = order  # case ids in the order given
        self.id = run_id
        self.warnings = warnings
        with self._reader() as reader:
            self.report: Report = with_overview(reader, with_bands(config, reader.report()))

    @property
    def decision(self) -> Decision | None:
        """``passed``, ``failed``, or ``unjudged`` if too many results are unscored; ``None`` before the end."""
        return self.report.decision

    @property
    def passed(self) -> bool:
        """Whether the run passed; a run that could not be judged did not."""
        return self.report.decision == "passed"

    @property
    def reason(self) -> str:
        """The reason for the decision."""
        return self.report.reason

    @property
    def counts(self) -> Counts:
        """The numbers of passed, failed and unscored results."""
        return self.report.counts

    def results(self, outcome: str | None = None, *, reveal: bool = False) -> Iterator[Result]:
        """Yield all results, or those with the outcome ``pass``, ``fail`` or ``unscored``.

        They are in the order of the given cases; those of a suite file in the order of case ids. Held-out attempts of
        an attack campaign are without their texts, unless ``reveal``.
        """
        found = self._results(outcome)
        return found if reveal else masked_results(found)

    def _results(self, outcome: str | None) -> Iterator[Result]:
        with self._reader() as reader:
            if self._order is None:
                yield from reader.results(outcome=outcome, by_case=True)
                return
            for case_id in self._order:
                yield from (each for each in reader.find(case_id) if outcome in (None, each.outcome))

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per result, suitable for ``pandas.DataFrame``."""
        return [result_row(result) for result in self.results()]

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the report to a file; the extension sets the format: .html .json .jsonl .junit.xml .md .csv.

        Raises:
            InputError: no report is written under such a name.
            StoreError: the file cannot be written.
        """
        file = Path(path)
        save(self.report, self.results, file)
        return file

    def bless(self, path: str | PathLike[str] | None = None, *, target: str | None = None, force: bool = False) -> Path:
        """Make this run the baseline for later comparisons; by default in baselines/SUITE.json.

        Raises:
            InputError: more than half of the cases could not be scored, and ``force`` is not set.
            StoreError: the file cannot be written.
        """
        from proctor.workflows.release.baseline import bless_run  # noqa: PLC0415 - most evaluations are no baseline

        with self._reader() as reader:
            return bless_run(self._config, reader, target=target, output=Path(path) if path else None, force=force).path

    def gate(
        self,
        baseline: str | PathLike[str] | None = None,
        *,
        target: str | None = None,
        policy: str | PathLike[str] | None = None,
    ) -> ReleaseDecision:
        """Decide by the rules in gate.yaml whether this run may ship, against a baseline file or another run.

        Raises:
            InputError: the baseline or the rules cannot be used.
        """
        from proctor.workflows.release.gate import GateRequest, gate_run  # noqa: PLC0415

        request = GateRequest(
            run=self.id,
            baseline=str(baseline) if baseline is not None else None,
            target=target,
            policy=Path(policy) if policy is not None else None,
        )

        async def decided() -> ReleaseDecision:
            with RunStore(self._config.store) as store:
                return (await gate_run(self._config, store, request)).decision

        bridge = SyncBridge()
        try:
            return bridge.run(decided())
        finally:
            bridge.close()

    def __iter__(self) -> Iterator[Result]:
        return self.results()

    def __len__(self) -> int:
        return self.report.counts.total

    def __repr__(self) -> str:
        return f"<Evaluation {self.id} {decision_word(self.report)}: {self.reason}>"

    def _repr_html_(self) -> str:
        return notebook_html(self.report, self.results)

    @contextmanager
    def _reader(self) -> Iterator[RunReader]:
        with RunStore(self._config.store) as store:
            yield RunReader(store, store.get(self.id))
