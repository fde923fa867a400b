"""Kill runs at random moments, with readers and competing resumes beside them, and count what is lost or doubled.

``python -m benchmarks.run_crashes --kills 200`` starts real ``proctor run`` processes on a small suite with a Python
target and kills them with SIGKILL. Each run is resumed, by two processes at once, until it comes to its end. It ends
with 1 when a result is lost or doubled, when an answer that was in the journal is asked for again, or when a reader
fails. Processes are forked from one that has loaded Proctor; ``--fresh`` starts an interpreter for each.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from benchmarks.forked import ForkedProctor
from benchmarks.project import proctor
from proctor.core.errors import NotFoundError, ProctorError
from proctor.store.journal import read_lines
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["Totals", "crash_runs", "main"]

_AGENT = '''\
import os, time
def answer(question):
    """Says the last word of the question, and leaves a line for each call in a file."""
    word = question.split()[-1]
    file = os.open("calls.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(file, (word + "\\n").encode())
    os.close(file)
    time.sleep({seconds})
    return word + " " + "x" * {padding}
'''
_SECONDS_A_CALL = 0.03
_PADDING = 20_000  # characters of an answer: a line of several pages is where a torn write shows
_AFTER_FIRST_LINE = 0.8  # seconds of writing within which a kill falls
_AFTER_START = 1.5  # seconds from the start within which the others fall
_GIVE_UP = 120.0


Process = ForkedProctor | subprocess.Popen[str]


@dataclass(slots=True)
class Totals:
    """What was done and what was found, over all runs."""

    runs: int = 0
    kills: int = 0
    kills_while_writing: int = 0
    resumes: int = 0
    resumes_refused: int = 0
    reads_in_process: int = 0
    reads_by_show: int = 0
    reads_by_export: int = 0
    results_expected: int = 0
    results_found: int = 0
    results_lost: int = 0
    results_doubled: int = 0
    results_wrong: int = 0
    answers_in_journal_asked_again: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was lost, doubled or asked for again, and no reader failed."""
        bad = (self.results_lost, self.results_doubled, self.results_wrong, self.answers_in_journal_asked_again)
        return not any(bad) and not self.failures and self.results_found == self.results_expected

    def table(self) -> str:
        """The counts as a Markdown table."""
        rows = [(each.name.replace("_", " "), getattr(self, each.name)) for each in fields(self)]
        lines = [f"| {name} | {len(value) if isinstance(value, list) else value} |" for name, value in rows]
        return "\n".join(["| measure | count |", "|---|---|", *lines])


def crash_runs(kills: int, *, cases: int = 60, kills_per_run: int = 5, seed: int = 0, fresh: bool = False) -> Totals:
    """Kill runs until so many processes were killed, and check each run after its end."""
    totals, drawn = Totals(), random.Random(seed)
    while totals.kills < kills:
        with tempfile.TemporaryDirectory() as folder:
            before = totals.kills
            _Crashed(Path(folder), cases, drawn, totals, fresh=fresh).carry_out(
                min(kills_per_run, kills - totals.kills)
            )
        told = f"run {totals.runs}: {totals.kills - before} kills, {totals.kills} in all"
        print(f"{told}{'' if totals.is_clean else '; NOT CLEAN'}", file=sys.stderr, flush=True)
    return totals


class _Crashed:
    """One run in a project of its own."""

    def __init__(self, folder: Path, cases: int, drawn: random.Random, totals: Totals, *, fresh: bool) -> None:
        self.folder, self.cases, self.drawn, self.totals, self.fresh = folder, cases, drawn, totals, fresh
        self.numbers = itertools.count()
        self.store = folder / ".proctor"
        self.calls = folder / "calls.log"
        (folder / "agent.py").write_text(_AGENT.format(seconds=_SECONDS_A_CALL, padding=_PADDING))
        (folder / "proctor.yaml").write_text("targets:\n  agent: {python: 'agent.py:answer'}\n")
        with (folder / "suite.jsonl").open("w") as file:
            for number in range(cases):
                case = {"id": f"c{number}", "input": f"say n{number}", "checks": [{"contains": f"n{number} "}]}
                file.write(json.dumps(case) + "\n")

    def carry_out(self, kills: int) -> None:
        """Kill the run so many times, let it come to its end, and check it."""
        over = threading.Event()
        readers = [threading.Thread(target=each, args=(over,)) for each in (self._read, self._show_and_export)]
        for reader in readers:
            reader.start()
        try:
            while kills > 0 and self._unfinished():
                kills -= self._leg(kill=True)
            while self._unfinished():
                self._leg(kill=False)
        finally:
            over.set()
            for reader in readers:
                reader.join()
        self.totals.runs += 1
        self._check()

    # --- the writers -------------------------------------------------------------------------------------------

    def _leg(self, *, kill: bool) -> int:
        """Start the run, or resume it twice at once; returns how many processes were killed."""
        run_id, there, called = self._run_id(), set(self._answered()), self._calls()
        command = ["run", "suite.jsonl", "-t", "agent"] if run_id is None else ["run", "--resume", run_id]
        processes = [self._start(*command, "-j", "2", "-q")]
        if run_id is not None:
            time.sleep(self.drawn.uniform(0, 0.2))
            processes.append(self._start(*command, "-j", "2", "-q"))
            self.totals.resumes += len(processes)
        killed = self._kill_some_time(processes) if kill else 0
        for process in processes:
            self._heard(process)
        again = Counter(self._calls()) - Counter(called)
        self.totals.answers_in_journal_asked_again += sum(count for case, count in again.items() if case in there)
        return killed

    def _kill_some_time(self, processes: Sequence[Process]) -> int:
        """Kill what is alive: often while lines are written, else at any moment after the start."""
        size = self._size()
        if self.drawn.random() < 0.3:
            time.sleep(self.drawn.uniform(0, _AFTER_START))
        else:
            while self._size() == size and any(each.poll() is None for each in processes):
                time.sleep(0.002)
            time.sleep(self.drawn.uniform(0, _AFTER_FIRST_LINE))
        writing = self._size() > size
        killed = 0
        for process in processes:
            if process.poll() is None:
                process.kill()
                killed += 1
        self.totals.kills += killed
        self.totals.kills_while_writing += bool(killed and writing)
        return killed

    def _start(self, *words: str) -> Process:
        if not self.fresh:
            return ForkedProctor(words, self.folder, next(self.numbers))
        return subprocess.Popen(
            proctor(*words), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _heard(self, process: Process) -> None:
        output, errors = process.communicate(timeout=_GIVE_UP)
        if process.returncode == 2 and "is still running" in errors:
            self.totals.resumes_refused += 1
        elif process.returncode not in (0, -9):
            self.totals.failures.append(f"a run ended with {process.returncode}: {output}{errors}"[:2000])

    # --- the readers -------------------------------------------------------------------------------------------

    def _read(self, over: threading.Event) -> None:
        while not over.wait(0.1):
            try:
                with RunStore(self.store) as store:
                    reader = RunReader(store, store.find("last"))
                    for result in reader.results():
                        assert result.trajectory.answer
                    reader.report()
                self.totals.reads_in_process += 1
            except NotFoundError:
                pass  # killed before it began
            except (ProctorError, AssertionError) as error:
                self.totals.failures.append(f"a reader failed: {error}"[:2000])

    def _show_and_export(self, over: threading.Event) -> None:
        for number in range(1_000_000):
            if over.wait(1.0):
                return
            if self._run_id() is None:
                continue
            words = ["show", "last", "--page", "1"] if number % 2 else ["export", "last", "-o", "out.jsonl"]
            process = self._start(*words)
            _, errors = process.communicate(timeout=_GIVE_UP)
            if process.returncode:
                self.totals.failures.append(f"{words[0]} ended with {process.returncode}: {errors}"[:2000])
            elif number % 2:
                self.totals.reads_by_show += 1
            else:
                self.totals.reads_by_export += 1

    # --- what is found -----------------------------------------------------------------------------------------

    def _run_id(self) -> str | None:
        with RunStore(self.store) as store:
            return next((run.id for run in store.list(limit=1)), None)

    def _unfinished(self) -> bool:
        with RunStore(self.store) as store:
            return next((run.status != "finished" for run in store.list(limit=1)), True)

    def _journal(self) -> Path | None:
        run_id = self._run_id()
        path = self.store / "runs" / run_id / "journal.ndjson" if run_id else None
        return path if path and path.exists() else None

    def _size(self) -> int:
        path = self._journal()
        return path.stat().st_size if path else 0

    def _answered(self) -> list[str]:
        """The word of each answer in the journal; nobody writes it now."""
        path = self._journal()
        lines = read_lines(path) if path else iter(())
        return [line["case"]["input"].split()[-1] for _, line in lines if line["kind"] == "trajectory"]

    def _calls(self) -> list[str]:
        return self.calls.read_text().split() if self.calls.exists() else []

    def _check(self) -> None:
        """Count the results of the run: in the journal and, whole, through the index."""
        path, totals = self._journal(), self.totals
        assert path is not None
        lines = [line for _, line in read_lines(path)]
        written = Counter(line["key"] for line in lines if line["kind"] == "result")
        answers = Counter(line["key"] for line in lines if line["kind"] == "trajectory")
        with RunStore(self.store) as store:
            results = list(RunReader(store, store.find("last")).results())
        indexed = Counter(result.case.id for result in results)
        totals.results_expected += self.cases
        totals.results_found += len(results)
        totals.results_lost += max(self.cases - len(written), self.cases - len(indexed))
        totals.results_doubled += sum(count - 1 for counts in (written, answers, indexed) for count in counts.values())
        totals.results_wrong += sum(
            result.outcome != "pass" or not result.trajectory.answer.startswith(result.case.id.replace("c", "n"))
            for result in results
        )


def main() -> int:
    """Kill, check, print the table, and end with 1 when something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="processes to kill")
    parser.add_argument("--cases", type=int, default=60, help="cases of each run")
    parser.add_argument("--kills-per-run", type=int, default=5, help="kills before a run is left to end")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments")
    parser.add_argument("--fresh", action="store_true", help="start an interpreter for each process; slow")
    options = parser.parse_args()
    started = time.monotonic()
    totals = crash_runs(options.kills, cases=options.cases, kills_per_run=options.kills_per_run, seed=options.seed)
    print(totals.table())
    print(f"\n{time.monotonic() - started:.0f} s; seed {options.seed}")
    for failure in totals.failures[:10]:
        print(failure, file=sys.stderr)
    return 0 if totals.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
