"""Two runs side by side: the paired statistics and every case that changed, computed once and kept.

A comparison of two long runs takes a minute, so a child process makes it; pages read what is kept.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from proctor.config import Config, open_config
from proctor.core.codec import content_id, encode
from proctor.core.decode import decode
from proctor.core.errors import InputError, NotFoundError, ProctorError
from proctor.core.record import dataclass
from proctor.release.changed_cases import ChangedCase, changed_cases
from proctor.report.release_view import ReleaseView
from proctor.store.comparisons import ChangeRow, ComparisonStore, KeptComparison
from proctor.store.lock import is_held, only_one
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from proctor.workflows.release.baseline import policy_of
from proctor.workflows.release.gate import GateRequest, compared_run
from proctor.workflows.run.result_pages import is_campaign

__all__ = ["RunPair", "is_quick", "keep_pair", "kept_pair", "main", "open_pair", "start_pair", "view_of_pair"]

_log = logging.getLogger(__name__)
_FORMAT: Final = 2  # of what is kept: another one is computed again
_QUICK: Final = 3_000  # results of both runs together that are compared while the reader waits
_NICENESS: Final = 5
_AGAIN_SECONDS: Final = 30.0
_PROGRAM: Final = "import sys; from proctor.workflows.release.side_by_side import main; main(sys.argv[1:])"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """Two runs, ``before`` and ``after``, and the target of each that is compared."""

    before: RunRecord
    after: RunRecord
    was_target: str
    target: str
    results: int
    key: str


def open_pair(
    config: Config, store: RunStore, before: str, after: str, *, target: str = "", was_target: str = ""
) -> RunPair:
    """Return two runs to compare; targets that are not named are those with the same name, or the only ones.

    Raises:
        NotFoundError: there is no such run or target.
        InputError: a run is not finished, or it is compared with itself.
    """
    old, new = store.find(before), store.find(after)
    for run in (old, new):
        if run.status != "finished":
            hint = f"`proctor run --resume {run.id}` does the rest"
            raise InputError(f"run {run.id} is {run.status}, so some of its cases have no result", hint=hint)
    names, were = RunReader(store, new).targets(), RunReader(store, old).targets()
    here = _chosen(new, names, target, names[0] if names else "")
    likely = next((name for name in were if name == here and old.id != new.id), None)
    other = next((name for name in were if name != here or old.id != new.id), "")
    there = _chosen(old, were, was_target, likely or other)
    if old.id == new.id and here == there:
        raise InputError("a run is the same as itself", hint="choose another run, or another target of this one")
    rules, _ = policy_of(config, None)
    marks = [[run.id, run.legs, run.finished and run.finished.isoformat()] for run in (old, new)]
    key = content_id([_FORMAT, marks, here, there, encode(rules.settings)], length=24)
    results = sum(store.counts(run).total for run in (old, new))
    return RunPair(before=old, after=new, was_target=there, target=here, results=results, key=key)


def is_quick(pair: RunPair) -> bool:
    """Return whether a reader may wait for the comparison."""
    return pair.results <= _QUICK


def kept_pair(config: Config, pair: RunPair) -> KeptComparison | None:
    """Return the comparison if it was made already; a failure is forgotten after a while, and tried again."""
    with ComparisonStore(config.store) as kept:
        found = kept.get(pair.key)
    is_old = found is not None and found.problem and time.time() - found.made > _AGAIN_SECONDS
    return None if is_old else found


def keep_pair(config: Config, store: RunStore, pair: RunPair) -> None:
    """Compare the runs, as `proctor compare` does, and keep the result; a failure is kept too."""
    asked = GateRequest(run=pair.after.id, baseline=pair.before.id, target=pair.target, against=pair.was_target)
    head: dict[str, Any] = {}
    rows: Iterator[ChangeRow] = iter(())
    problem = ""
    try:
        found, view = asyncio.run(compared_run(config, store, asked))
        # The cases have rows of their own.
        head = {"view": encode(replace(view, newly_failing=(), worse=(), missing=(), added=()))}
        rows = _rows(store, pair, changed_cases(found))
    except ProctorError as error:
        problem = error.message
    with ComparisonStore(config.store) as kept:
        kept.keep(pair.key, made=time.time(), head=head, changes=rows, problem=problem)


def view_of_pair(kept: KeptComparison) -> ReleaseView:
    """Return the figures of a kept comparison."""
    return decode(ReleaseView, kept.head["view"])


def start_pair(config: Config, pair: RunPair) -> None:
    """Let a child process make the comparison; nothing happens if one does already."""
    if is_held(config.store / "comparisons" / f"{pair.key}.lock"):
        return
    words = [str(config.path or ""), pair.before.id, pair.after.id, pair.target, pair.was_target]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM, *words],
        cwd=config.folder,
        env={**config.environment.values, "PROCTOR_STORE": str(config.store)},
        stdin=subprocess.DEVNULL,
    )
    threading.Thread(target=process.wait, daemon=True).start()


def main(words: list[str]) -> None:
    """Run as the child."""
    os.nice(_NICENESS)
    path, before, after, target, was_target = words
    config = open_config(path or None)
    try:
        with RunStore(config.store) as store:
            pair = open_pair(config, store, before, after, target=target, was_target=was_target)
            with only_one(config.store / "comparisons" / f"{pair.key}.lock") as is_mine:
                if is_mine and kept_pair(config, pair) is None:
                    keep_pair(config, store, pair)
    except ProctorError as error:
        _log.error("the runs %s and %s were not compared: %s", before, after, error)


def _chosen(run: RunRecord, known: tuple[str, ...], named: str, likely: str) -> str:
    if named and named not in known:
        raise NotFoundError(f"run {run.id} had no target {named!r}", hint=f"it had: {', '.join(known)}")
    if not known:
        raise InputError(f"run {run.id} has no results", hint="`proctor list` shows the runs there are")
    return named or likely or known[0]


def _rows(store: RunStore, pair: RunPair, changes: list[ChangedCase]) -> Iterator[ChangeRow]:
    """Yield the changes with the keys of their results, and the reason of the result that is worse off."""
    was = _results(store, pair.before, pair.was_target)
    now = _results(store, pair.after, pair.target)
    for each in changes:
        old, new = was.get(each.case), now.get(each.case)
        yield ChangeRow(
            kind=each.kind,
            case_id=each.case,
            intent=each.intent,
            was_outcome=each.before,
            outcome=each.after,
            figure=each.figure,
            was=each.was,
            now=each.now,
            was_key=old[0] if old else None,
            key=new[0] if new else None,
            reason=(new or old or (0, ""))[1],
        )


def _results(store: RunStore, run: RunRecord, target: str) -> Mapping[str, tuple[int, str]]:
    """Return key and reason of one result of each case: the one with the lowest value."""
    rows = store.database.execute(
        "SELECT case_id, key, reason FROM results WHERE run = ? AND target = ? ORDER BY value IS NULL, value DESC",
        (run.n, target),
    )
    is_secret = is_campaign(RunReader(store, run))
    return {row["case_id"]: (row["key"], "" if is_secret else row["reason"]) for row in rows}
