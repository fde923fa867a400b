"""proctor batch: score many recorded conversations in shards, on all processors or on a Ray cluster."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import format_option, judge_option
from proctor.runner.decide import EXIT_CODES, INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from proctor.workflows.batch.batch import BatchOutcome
    from proctor.workflows.batch.batch_job import ShardEnd

__all__ = ["verb"]

_WORDS = {"passed": "PASSED", "failed": "FAILED", "unjudged": "NOT JUDGED", None: "NOT DECIDED"}


@click.group("batch", short_help="Score many conversations in shards, on all processors or on a Ray cluster.")
def verb() -> None:
    """Score many recorded conversations in shards, on all processors of this machine or on a Ray cluster."""


@verb.command("score")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder for the scores; a batch that was stopped goes on in the same folder.",
)
@click.option(
    "--scorers",
    "--scorer",
    "scorers",
    multiple=True,
    help="Names of scorers, separated by commas. May be repeated.  [default: conversation]",
)
@click.option("--suite", metavar="SUITE", help="A suite with `scorers:`, and expectations of conversations by `id`.")
@format_option("auto detects it for each")
@click.option(
    "--on",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes of this machine, or tasks of a Ray cluster.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Shards at once.  [default: one per processor]")
@click.option("--address", help="Ray cluster, e.g. ray://head:10001 or auto; default: RAY_ADDRESS, or a local cluster.")
@judge_option()
@click.option("--light", is_flag=True, help="Only exact checks: no model, local or other.")
@click.option("--allow-commands", is_flag=True, help="Allow Python code named in a check of the suite file.")
@click.option("--budget", type=click.FloatRange(min=0), help="Maximum cost of judges in dollars, over all resumes.")
@click.option("-j", "--concurrency", type=click.IntRange(1, 10_000), help="Concurrent conversations in a shard.")
@click.option(
    "--shard-rows",
    type=click.IntRange(min=1),
    default=50_000,
    show_default=True,
    help="Largest shard of a Parquet file, in rows.",
)
@click.option(
    "--shard-mb",
    type=click.FloatRange(min=0.001),
    default=64.0,
    show_default=True,
    help="Largest shard of JSON Lines in which each line is a conversation, in megabytes.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the decision.")
@click.pass_context
def score(ctx: click.Context, /, **flags: Any) -> int:
    """Score the conversations of FILES: paths, folders, or patterns in quotes such as 'logs/*.parquet'.

    All formats of `proctor score` are read, and Parquet of conversations or of events. Each file is a shard; a large
    one is split. Each shard has one file of scores in the folder, written whole or not at all: a batch that was stopped
    or killed goes on with the shards that are missing. A shard that cannot be read is named, and the rest is scored.

    Exit codes: 0 passed, 1 a conversation failed, 2 usage or configuration, 3 could not be judged, 130 interrupted.
    """
    from proctor.workflows.batch.batch import BatchProgress, BatchRequest, score_batch  # noqa: PLC0415
    from proctor.workflows.batch.batch_job import BatchJob  # noqa: PLC0415

    config = project(ctx)
    named = [each.strip() for text in flags["scorers"] for each in text.split(",") if each.strip()]
    job = BatchJob(
        out=str(flags["out"].expanduser().absolute()),
        scorers=tuple(dict.fromkeys(named)),
        suite=flags["suite"] or "",
        format=flags["format"],
        judges=tuple(flags["judges"]),
        light=flags["light"],
        allow_commands=flags["allow_commands"],
        concurrency=flags["concurrency"] or config.settings.run.concurrency,
        config=str(config.path) if config.path else None,
        folder=str(Path.cwd()),
    )
    request = BatchRequest(
        patterns=tuple(flags["files"]),
        job=job,
        on=flags["on"],
        workers=flags["workers"],
        address=flags["address"] or config.environment.get("RAY_ADDRESS"),
        budget=flags["budget"] if flags["budget"] is not None else config.settings.run.budget,
        shard_rows=flags["shard_rows"],
        shard_bytes=int(flags["shard_mb"] * 1_000_000),
    )
    line = _Line(shown=not flags["quiet"])
    with _stop_requests() as asked:
        progress = BatchProgress(begun=line.begun, ended=line.ended, warned=line.warned, stopping=lambda: len(asked))
        try:
            outcome = score_batch(config, request, progress)
        finally:
            line.clear()
    _tell(outcome, quiet=flags["quiet"])
    if outcome.refused:
        click.echo(f"the budget left {outcome.refused} shards unscored; raise it and run the same command", err=True)
    if asked:
        click.echo("interrupted; run the same command to go on", err=True)
        return INTERRUPTED
    return EXIT_CODES[outcome.decision or "unjudged"]


@verb.command("show")
@click.argument("folder", type=click.Path(path_type=Path))
def show(folder: Path) -> int:
    """Show the summary of a batch in FOLDER."""
    from proctor.workflows.batch.batch import read_batch  # noqa: PLC0415

    outcome = read_batch(folder)
    _tell(outcome, quiet=False)
    return EXIT_CODES[outcome.decision or "unjudged"]


class _Line:
    """The progress: a line that is redrawn on a terminal, and each warning on a line of its own."""

    def __init__(self, *, shown: bool) -> None:
        import sys  # noqa: PLC0415

        self._out, self._said = sys.stderr, shown
        self._drawn = shown and sys.stderr.isatty()
        self._total = self._done = self._conversations = 0
        self._cost = 0.0

    def begun(self, left: int, finished: int) -> None:
        self._total = left
        if self._said:
            before = f", {finished} done before" if finished else ""
            click.echo(f"{left} shards to do{before}", err=True)

    def ended(self, end: ShardEnd) -> None:
        if end.kind in ("scored", "broken"):
            self._done += 1
        if end.facts is not None:
            self._conversations += end.facts.tally.counts.total
            self._cost += end.facts.cost
        if self._drawn:
            money = f" · ${self._cost:.4f}" if self._cost else ""
            told = f"{self._done}/{self._total} shards · {self._conversations:,} conversations{money}"
            self._out.write(f"\r\x1b[K{told}")
            self._out.flush()

    def warned(self, text: str) -> None:
        self.clear()
        click.echo(f"warning: {text}", err=True)

    def clear(self) -> None:
        if self._drawn:
            self._out.write("\r\x1b[K")
            self._out.flush()


@contextmanager
def _stop_requests() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM: the first ends the batch after the shards under way, a second at once."""
    asked: list[int] = []

    def stop(number: int, _: object) -> None:
        asked.append(number)
        word = (
            "dropping the shards under way" if len(asked) > 1 else "finishing the shards under way; once more to drop"
        )
        click.echo(f"\nstopping: {word}", err=True)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(outcome: BatchOutcome, *, quiet: bool) -> None:
    counts = outcome.tally.counts
    if not quiet:
        click.echo(f"{outcome.finished} of {outcome.shards} shards, {counts.total:,} conversations")
        doubt = f" ({counts.in_doubt:,} in doubt)" if counts.in_doubt else ""
        click.echo(
            f"  {counts.passed:,} passed{doubt}, {counts.failed:,} failed, {counts.unscored:,} could not be judged"
        )
        for name, tally in sorted(outcome.tally.scorers.items()):
            mean = "–" if tally.mean is None else f"{tally.mean:.3f}"
            rest = f", {tally.skipped:,} not applicable" if tally.skipped else ""
            rest += f", {tally.errors:,} errors" if tally.errors else ""
            click.echo(f"  {name}: mean {mean} of {tally.scored:,}, {tally.failed:,} below the threshold{rest}")
        if outcome.cost or outcome.unpriced:
            click.echo(
                f"  cost ${outcome.cost:.4f}" + (" and models without a known price" if outcome.unpriced else "")
            )
        for each in outcome.broken[:20]:
            click.echo(f"  not scored: {each.shard}: {each.reason.splitlines()[0]}")
        if len(outcome.broken) > 20:
            click.echo(f"  … and {len(outcome.broken) - 20} more; summary.json names all")
    click.echo(f"{_WORDS[outcome.decision]}: {outcome.reason}")
