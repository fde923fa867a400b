"""proctor replay: repeat key questions of recorded conversations in other words, and compare the answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import click

from proctor.cli.context import project

__all__ = ["verb"]


@click.command(
    "replay", short_help="Repeat key questions of recorded conversations in other words, and compare the answers."
)
@click.argument("source", required=False, metavar="RUN_OR_FILE")
@click.option(
    "-t",
    "--target",
    "targets",
    multiple=True,
    help="The agent to ask: a name in proctor.yaml, a prompt file, a URL, python:file.py:function, command:…",
)
@click.option("-m", "--model", help="Model that rewords questions; without one, rules do.")
@click.option("--of", "recorded", metavar="TARGET", help="Target to replay, if the run has several.")
@click.option("-f", "--format", default="auto", show_default=True, help="The tool that wrote the file.")
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Maximum number of questions per conversation.",
)
@click.option(
    "--wordings",
    type=click.IntRange(1, 10),
    default=2,
    show_default=True,
    help="Maximum number of rewordings per question.",
)
@click.option("--control", is_flag=True, help="Also repeat each question unchanged, to measure chance.")
@click.option(
    "--writes",
    is_flag=True,
    help="Also repeat questions in whose turn the agent changed something; it will do so again.",
)
@click.option("--plan", "plan_only", is_flag=True, help="Write the suite and show the questions, without asking them.")
@click.option("--light", is_flag=True, help="Compare only numbers, dates, amounts and yes or no.")
@click.option("-n", "--first", type=click.IntRange(min=1), help="Only the first N conversations.")
@click.option("-j", "--concurrency", type=int, help="Concurrent questions.  [default: 50]")
@click.option("--resume", metavar="RUN", help="Continue an interrupted replay; no finished call is repeated.")
@click.option("--retry-unscored", is_flag=True, help="With --resume: also repeat what could not be judged.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(),
    help="Report file; the extension sets the format: .json .html .junit.xml .md .csv .jsonl. May be repeated.",
)
@click.option("--pass-rate", type=float, help="Share of judged answers that must agree.  [default: 1.0]")
@click.option("--unscored", type=float, help="Share that may be left unjudged.  [default: 0.05]")
@click.option("--timeout", type=float, help="Timeout of one question in seconds.  [default: 600]")
@click.option("--budget", type=float, help="Maximum cost of models in dollars.")
@click.option("--rate", help="Rate limit of calls or tokens per model: 30/s, 500/min, '200k tokens/min'.")
@click.option("-q", "--quiet", is_flag=True, help="Only the decision.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Repeat key questions of RUN_OR_FILE in other words, and compare the answers.

    RUN_OR_FILE is a run of this project, or a file of recorded conversations as `proctor score` reads them. A key
    question is one whose answer contains something that can be true or false. The agent gets the earlier turns, then
    the question in other words; the case fails if the new answer contradicts the recorded one. The result is a run like
    any other: show, export, compare, resume.

    Exit codes: 0 all agree, 1 an answer contradicts, 2 usage or configuration, 3 could not be judged, 130 interrupted.
    """
    from pathlib import Path  # noqa: PLC0415 - verbs load what they use

    from proctor.cli.run import carry  # noqa: PLC0415
    from proctor.cli.triggers import jobs_of  # noqa: PLC0415
    from proctor.report.formats import writer_for  # noqa: PLC0415

    config = project(ctx)
    if bool(flags["source"]) == bool(flags["resume"]):
        raise click.UsageError("name a RUN or a FILE to replay, or a replay to go on with: --resume RUN.")
    if flags["retry_unscored"] and not flags["resume"]:
        raise click.UsageError("--retry-unscored goes with --resume RUN.")
    flags["outputs"] = tuple(Path(each) for each in flags["outputs"])
    for output in flags["outputs"]:
        writer_for(output)  # reject an unknown extension before any cost
    flags |= {"record": None, "trigger": "manual", "suite": None}
    if flags["resume"]:
        return carry(config, None, flags)
    path = _prepared(config, flags)
    if flags["plan_only"]:
        return 0
    told = {name: value for name, value in flags.items() if name not in ("model", "first")}
    job = jobs_of(config, {**told, "suite": str(path)})[0]
    return carry(config, replace(job, suite=str(path)), flags)


def _prepared(config: Any, flags: dict[str, Any]) -> Any:
    from proctor.workflows.replay.suite import ReplayJob, prepare_replay  # noqa: PLC0415

    names = ("source", "format", "model", "questions", "wordings", "first", "control", "writes")
    wish = ReplayJob(target=flags["recorded"], **{name: flags[name] for name in names})
    made = asyncio.run(prepare_replay(config, wish))
    for line in made.told():
        click.echo(f"note: {line}", err=True)
    what = f"{made.questions} questions of {made.conversations} conversations, {made.cases} to put"
    click.echo(f"{what}: {made.path}", err=not flags["plan_only"])
    return made.path
