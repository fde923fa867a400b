"""proctor score: score recorded conversations turn by turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import format_option, judge_option, output_option

__all__ = ["verb"]


@click.command("score", short_help="Score recorded conversations: consistency, completion, safety, turn by turn.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@format_option("auto detects it")
@click.option(
    "--suite",
    metavar="SUITE",
    help="A suite with `scorers:` for all conversations, and cases with the expectations of one conversation by `id`.",
)
@click.option(
    "--scorer", "scorers", multiple=True, help="Only checks of this name; without --suite, these instead. Repeatable."
)
@click.option("--name", help="Name of the agent in reports and baselines.  [default: recorded]")
@judge_option()
@click.option("--allow-commands", is_flag=True, help="Allow Python code named in a check of the suite file.")
@click.option("--light", is_flag=True, help="Only exact checks: no model, local or other.")
@click.option("-j", "--concurrency", type=int, help="Concurrent conversations.  [default: 50]")
@click.option("--resume", metavar="RUN", help="Continue an interrupted run; nothing finished is scored again.")
@click.option("--retry-unscored", is_flag=True, help="With --resume: also repeat what could not be judged.")
@output_option(".json .html .junit.xml .md .csv .jsonl", what="Report file")
@click.option("--tag", "tags", multiple=True, help="Only conversations with this tag. May be repeated.")
@click.option("--case", "cases", multiple=True, help="Only the conversation with this id. May be repeated.")
@click.option("-n", "--first", type=click.IntRange(min=1), help="Only the first N conversations.")
@click.option("--sample", type=click.IntRange(min=1), help="Only N random conversations, by the seed.")
@click.option("--seed", type=int, help="Seed of everything random.  [default: 0]")
@click.option("--pass-rate", type=float, help="Share of judged conversations that must pass.  [default: 1.0]")
@click.option(
    "--unscored", type=float, help="Share that may be left unjudged before the run cannot pass.  [default: 0.05]"
)
@click.option("--timeout", type=float, help="Timeout of one conversation in seconds.  [default: 600]")
@click.option("--budget", type=float, help="Maximum cost of judges in dollars.")
@click.option("-q", "--quiet", is_flag=True, help="Only the decision.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Score the recorded conversations of FILES, or of folders of them.

    Supported are logs of OpenAI and Anthropic messages, OpenTelemetry GenAI spans, Langfuse and LangSmith exports,
    tau-bench and AgentDojo results, and Proctor's own exports; plain or gzip.

    By default the `conversation` score judges each: one contradiction, one leak or one promise beyond authority fails
    it, and the turn is named. The result is a run like any other: `proctor show`, `export`, `compare`, `bless`, `gate`
    and `promote` work on it.

    Exit codes: 0 passed, 1 a conversation failed, 2 usage or configuration, 3 could not be judged, 130 interrupted.
    """
    from proctor.cli.run import carry  # noqa: PLC0415 - verbs load what they use
    from proctor.cli.triggers import jobs_of  # noqa: PLC0415
    from proctor.report.formats import writer_for  # noqa: PLC0415

    config = project(ctx)
    if bool(flags["files"]) == bool(flags["resume"]):
        raise click.UsageError("name FILES with conversations, or a run to go on with: --resume RUN.")
    if flags["retry_unscored"] and not flags["resume"]:
        raise click.UsageError("--retry-unscored goes with --resume RUN.")
    for output in flags["outputs"]:
        writer_for(output)  # reject an unknown extension before any cost
    flags |= {"record": None, "trigger": "manual"}
    if flags["resume"]:
        return carry(config, None, flags)
    checks = flags["suite"] or ""
    named = (flags["name"],) if flags["name"] else ()
    job = jobs_of(config, {**flags, "suite": checks or "conversations", "targets": named})[0]
    files = tuple(str(file) for file in flags["files"])
    return carry(config, replace(job, suite=checks, conversations=files, format=flags["format"]), flags)
