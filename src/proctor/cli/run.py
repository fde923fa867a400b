"""proctor run: run a suite against targets and grade every answer."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from proctor.cli.context import project, project_in
from proctor.cli.options import FILE, judge_option, output_option
from proctor.config import Config
from proctor.core.errors import InputError
from proctor.runner.decide import EXIT_CODES, INTERRUPTED

__all__ = ["carry", "run_until_interrupted", "verb"]

_CHANGEABLE = ("concurrency", "budget", "rate", "timeout", "pass_rate", "unscored")  # may be changed with --resume
_CHOSEN_AT_START = ("targets", "models", "judges", "metrics", "baseline", "store_completions", "repeat", "only_failing")
_SELECTED_AT_START = ("tags", "not_tags", "intents", "cases", "first", "sample", "seed", "cache", "scorers", "light")


@click.command(
    "run", short_help="Run a suite, or a prompt's own tests, against one or more targets and grade every answer."
)
@click.argument("suite", required=False)
@click.option(
    "-t",
    "--target",
    "targets",
    multiple=True,
    help="Target: a name in proctor.yaml, a prompt file, a URL, python:file.py:function, command:…",
)
@click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    help="Model for prompt targets: a name in proctor.yaml or provider:model. May be repeated.",
)
@judge_option("Model that judges; default: `judge:` in proctor.yaml. Repeated: rules and metrics ask all of them.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A .metric.prompty file to judge by; those next to a prompt are always used. May be repeated.",
)
@click.option("--baseline", is_flag=True, help="For a prompt: also run its baseline tests, for comparison.")
@click.option("--store-completions", is_flag=True, help="Ask the provider to store each answer, with its test's data.")
@click.option("-j", "--concurrency", type=int, help="Concurrent cases.  [default: 50]")
@click.option("-k", "--repeat", type=int, help="Samples per case and target.  [default: 1]")
@click.option(
    "--resume",
    metavar="RUN",
    help="Continue an interrupted run; no finished call is repeated. Refused while the run is active.",
)
@click.option("--retry-unscored", is_flag=True, help="With --resume: also repeat what could not be judged.")
@click.option(
    "--only-failing",
    metavar="RUN",
    help="Only the cases that failed or could not be judged in that run; its suite, targets, models, checks and samples"
    " too, unless you give others.",
)
@output_option(".json .html .junit.xml .md .csv .jsonl", what="Report file")
@click.option("--tag", "tags", multiple=True, help="Only cases with this tag. May be repeated.")
@click.option("--not-tag", "not_tags", multiple=True, help="No case with this tag. May be repeated.")
@click.option("--intent", "intents", multiple=True, help="Only cases of this intent. May be repeated.")
@click.option("--case", "cases", multiple=True, help="Only the case with this id. May be repeated.")
@click.option("-n", "--first", type=click.IntRange(min=1), help="Only the first N cases.")
@click.option("--sample", type=click.IntRange(min=1), help="Only N random cases, by the seed.")
@click.option("--seed", type=int, help="Seed of everything random.  [default: 0]")
@click.option("--pass-rate", type=float, help="Share of judged cases that must pass.  [default: 1.0]")
@click.option(
    "--unscored", type=float, help="Share that may be left unjudged before the run cannot pass.  [default: 0.05]"
)
@click.option("--timeout", type=float, help="Timeout of one case in seconds.  [default: 600]")
@click.option(
    "--budget",
    type=float,
    help="Maximum cost of models in dollars, including resumes. With --resume: the new limit.",
)
@click.option("--rate", help="Rate limit of calls or tokens per model: 30/s, 500/min, '200k tokens/min'.")
@click.option("--cache", type=click.Choice(["off", "on", "refresh"]), help="Keep answers between runs.  [default: off]")
@click.option(
    "--record",
    type=FILE,
    help="Write every model call to this JSONL file; `-m replay:FILE` answers from it.",
)
@click.option(
    "--allow-commands",
    is_flag=True,
    help="Allow commands and Python code named in the suite file; same as `allow_commands:` in proctor.yaml.",
)
@click.option("--scorer", "scorers", multiple=True, help="Only checks of this name. May be repeated.")
@click.option("--light", is_flag=True, help="Only exact checks, without a model and cost.")
@click.option(
    "--trigger",
    default="manual",
    show_default=True,
    help="Why this run: prompt_change, model_upgrade, knowledge_refresh, schedule, manual, or a name under `triggers:`"
    " in proctor.yaml, which says what is run for it.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the decision.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Run SUITE (a file, a folder, or a name in proctor.yaml) against targets and grade every answer.

    A prompt file in place of SUITE runs the tests that `proctor generate` made from it, on each model (-m): a verdict
    for every test and rule, by code if possible, else by the judges.

    A folder with its own proctor.yaml is a project: its settings are used and its suites are run.

    Every flag has an environment variable: PROCTOR_RUN_ and the flag's name, e.g. PROCTOR_RUN_CONCURRENCY.

    Exit codes: 0 passed, 1 quality failed, 2 usage or configuration, 3 could not be judged, 130 interrupted.
    """
    from proctor.report.formats import writer_for  # noqa: PLC0415 - verbs load what they use

    config = _project(ctx, flags)
    if flags["retry_unscored"] and not flags["resume"]:
        raise click.UsageError("--retry-unscored goes with --resume RUN.")
    if flags["rate"]:
        from proctor.models.wrap.rate_budget import parse_rate  # noqa: PLC0415

        parse_rate(flags["rate"])
    for output in flags["outputs"]:
        writer_for(output)  # reject an unknown extension before any cost
    if flags["resume"]:
        _warn_of_ignored(ctx)
        return carry(config, None, flags)
    from proctor.cli.triggers import flags_of_failing_run, jobs_of, worst  # noqa: PLC0415

    jobs = jobs_of(config, flags_of_failing_run(config, flags) if flags["only_failing"] else flags)
    if len(jobs) > 1 and flags["outputs"]:
        raise click.UsageError(f"{len(jobs)} suites are run, and -o names one file: name one SUITE.")
    codes: list[int] = []
    for job in jobs:
        codes.append(carry(config, job, flags))
        if codes[-1] == INTERRUPTED:
            break
    return worst(codes)


def _project(ctx: click.Context, flags: dict[str, Any]) -> Config:
    """Return the project of this folder, or the one named in place of a suite."""
    folder = Path(flags["suite"]) if flags["suite"] else None
    named = project_in(ctx, folder) if folder and folder.is_dir() and ctx.obj is None else None
    if named is None:
        return project(ctx)
    click.echo(f"project {folder}: for the other verbs use `proctor -c {folder} …`, or go into the folder", err=True)
    flags["suite"] = None
    return named


def carry(config: Config, job: Any, flags: dict[str, Any]) -> int:
    """Run or resume a job, print how it ended, and return the exit code."""
    from proctor.cli.progress import Progress  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.run.job import RunProgress, carry_out, resumed_job  # noqa: PLC0415

    if flags["resume"]:
        with RunStore(config.store) as store:
            job = resumed_job(store, store.find(flags["resume"]))
        if flags["suite"] and flags["suite"] != job.suite:
            raise InputError(
                f"that run was of {job.suite!r}, not {flags['suite']!r}", hint="leave the suite out with --resume"
            )
        job = _changed(job, flags)
    watching = RunProgress()
    progress: list[Progress] = []

    def begun(run: Any, total: int, done: int) -> None:
        progress.append(Progress(total, done, shown=not flags["quiet"]))
        progress[0].spend = watching.spend
        if not flags["quiet"]:
            click.echo(f"run {run.id}: {total - done} to do" + (f", {done} done before" if done else ""), err=True)

    watching.begun = begun
    watching.warned = lambda text: click.echo(f"warning: {text}", err=True)
    watching.result = lambda result: progress[0].heard(result)  # noqa: PLW0108 - the line exists only once it has begun
    try:
        run, done = run_until_interrupted(
            carry_out(
                config,
                job,
                watching,
                resume=flags["resume"],
                redo_unscored=flags["retry_unscored"],
                record=flags["record"],
            ),
            watching,
        )
    finally:
        if progress:
            progress[0].clear()
    code = _tell(config, run.id, flags, done=done)
    if watching.refused and (refused := watching.refused()):
        told = f"the budget refused {refused} calls; go on with: proctor run --resume {run.id} --budget DOLLARS"
        click.echo(told, err=True)
    if not done:
        return code
    _sound_alarms(config, run.id)
    trigger = config.settings.triggers.get(job.trigger)
    return _gated(config, run.id, code, flags) if trigger and trigger.gate else code


def _changed(job: Any, flags: dict[str, Any]) -> Any:
    """Return the job of a resumed run with the changes that are allowed."""
    given = {name: flags[name] for name in _CHANGEABLE if flags.get(name) is not None}
    try:
        return replace(job, run=replace(job.run, **given))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _warn_of_ignored(ctx: click.Context) -> None:
    """Warn about options that have no effect with --resume."""
    ignored = [
        param.opts[-1]
        for param in ctx.command.params
        if isinstance(param, click.Option)
        and param.name in (*_CHOSEN_AT_START, *_SELECTED_AT_START, "trigger")
        and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    ]
    if ignored:
        click.echo(f"warning: ignored, as the run keeps what it began with: {', '.join(ignored)}", err=True)


def _sound_alarms(config: Config, run_id: str) -> None:
    """Print alarms of figures below their floor; an unreadable policy is ignored, since the run is complete."""
    from proctor.core.errors import ProctorError  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.policy_file import policy_path  # noqa: PLC0415

    try:
        if policy_path(config) is None:
            return  # no rules, so no floors
        from proctor.workflows.release.floor_alarms import raise_alarms  # noqa: PLC0415

        with RunStore(config.store) as store:
            for alarm in asyncio.run(raise_alarms(config, store, run_id)):
                click.secho(f"ALARM  {alarm.message}", fg="red", err=True)
    except ProctorError as error:
        click.echo(f"warning: no alarm could be raised: {error}", err=True)


def _gated(config: Config, run_id: str, code: int, flags: dict[str, Any]) -> int:
    """Decide the release for each target if the trigger asks for it; without a baseline, keep the run's exit code."""
    from proctor.cli.gate import decide_on  # noqa: PLC0415
    from proctor.cli.triggers import worst  # noqa: PLC0415
    from proctor.store.run_reader import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.baseline import baseline_file  # noqa: PLC0415

    with RunStore(config.store) as store:
        reader = RunReader(store, store.get(run_id))
        there = {target: baseline_file(config, reader, target).is_file() for target in reader.targets()}
    codes = []
    for target, known in there.items():
        if known:
            codes.append(decide_on(config, run=run_id, target=target, quiet=flags["quiet"]))
        else:
            click.echo(f"{target} has no baseline yet: `proctor bless {run_id}` makes this run it", err=True)
            codes.append(code)
    return worst(codes)


def run_until_interrupted(work: Any, watching: Any) -> Any:
    """Run to the end; Ctrl-C or SIGTERM finishes open cases, a second one cancels them."""
    gc.freeze()  # loaded objects stay for the whole run

    async def guarded() -> Any:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            again = watching.stopping.asked
            watching.stopping.ask()
            word = "dropping what is in flight" if again else "finishing what is in flight; once more to drop it"
            click.echo(f"\nstopping: {word}", err=True)

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        try:
            return await work
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    return asyncio.run(guarded())


def _tell(config: Config, run_id: str, flags: dict[str, Any], *, done: bool) -> int:
    from proctor.report.formats import save  # noqa: PLC0415
    from proctor.report.number_format import decision_word  # noqa: PLC0415
    from proctor.store.run_reader import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.judge.error_bands import with_bands  # noqa: PLC0415
    from proctor.workflows.run.overview import with_overview  # noqa: PLC0415

    with RunStore(config.store) as store:
        reader = RunReader(store, store.get(run_id))
        report = with_overview(reader, with_bands(config, reader.report()))
        if not flags["quiet"]:
            from proctor.report.terminal import write  # noqa: PLC0415 - loads rich

            write(report, reader.results, sys.stdout)
        for output in flags["outputs"]:
            save(report, reader.results, output)
            click.echo(f"wrote {output}", err=True)
    if not done:
        click.echo(f"interrupted; go on with: proctor run --resume {run_id}", err=True)
        return INTERRUPTED
    if flags["quiet"]:
        click.echo(f"{decision_word(report)}: {report.reason}")
    return EXIT_CODES[report.decision or "unjudged"]
