"""proctor rules: check the rules of an agent's prompt over recorded conversations."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE
from proctor.cli.tables import print_table

if TYPE_CHECKING:
    from proctor.core.case import Case
    from proctor.core.rule import Rule, RuleVerdict
    from proctor.workflows.trace_rules import TraceReport

__all__ = ["verb"]

_PROMPT = click.option("--prompt", type=FILE, help="The agent's prompt; its rules are read from it.")
_MODEL = click.option("-m", "--model", help="Model that also reads the prompt; without one, only code does.")


@click.group("rules", short_help="Check the rules of an agent's prompt over recorded conversations.")
def verb() -> None:
    """Read the rules of an agent's prompt, and check them over recorded conversations."""


@verb.command("check")
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@_PROMPT
@click.option("--rules", type=FILE, help="A rules.yaml, instead of a prompt.")
@click.option("--format", "format_", default="auto", show_default=True, help="The format of the recordings.")
@_MODEL
@click.option("--judge", "judges", multiple=True, help="Model for rules that code cannot check. May be repeated.")
@click.option("--light", is_flag=True, help="Only what code can check, without a judge.")
@click.option("--writes", multiple=True, metavar="TOOL", help="A tool that changes something. May be repeated.")
@click.option("--reads", multiple=True, metavar="TOOL", help="A tool that only reads. May be repeated.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="File to write: .json the table, .jsonl every verdict. May be repeated.",
)
@click.pass_context
def check(
    ctx: click.Context, /, recordings: tuple[Path, ...], format_: str, outputs: tuple[Path, ...], **flags: Any
) -> int:
    """Check the rules of an agent's prompt over RECORDINGS: files of conversations, or folders of them.

    Rules that code can read are checked step by step (docs/trace_rules.md); the others need a judge, and without one
    they are unknown. Exit codes: 0 no rule was broken, 1 one was, 2 usage or configuration, 3 nothing could be judged.
    """
    from proctor.core.codec import dumps  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.trace_rules import TraceJob, check_trace_rules  # noqa: PLC0415

    for output in outputs:
        if output.suffix not in (".json", ".jsonl"):
            raise click.UsageError(f"{output.name}: write .json for the table or .jsonl for every verdict")
    config = project(ctx)
    job = TraceJob(recordings=recordings, format=format_, run=config.settings.run, **flags)
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in outputs if path.suffix == ".jsonl"]

        def heard(case: Case, rule: Rule, verdict: RuleVerdict) -> None:
            for file in files:
                file.write(dumps(_line(case, rule, verdict)) + b"\n")

        report = asyncio.run(check_trace_rules(config, job, heard))
    for output in outputs:
        if output.suffix == ".json":
            output.write_bytes(dumps(_table(report)) + b"\n")
        click.echo(f"wrote {output}", err=True)
    _print(report)
    return 1 if report.failed else 0 if report.judged else 3


@verb.command("read")
@_PROMPT
@_MODEL
@click.option(
    "--recordings", multiple=True, type=click.Path(path_type=Path), help="Conversations that name the agent's tools."
)
@click.option("-o", "--output", type=FILE, help="Write them to a rules.yaml to edit.")
@click.pass_context
def read(
    ctx: click.Context, prompt: Path | None, model: str | None, recordings: tuple[Path, ...], output: Path | None
) -> None:
    """Read the rules of an agent's prompt and show how each would be checked."""
    from proctor.generate.rules_file import rules_text  # noqa: PLC0415 - verbs load what they use
    from proctor.scorers.conversation.trace_rules import judged_by  # noqa: PLC0415
    from proctor.workflows.trace_rules import TraceJob, read_trace_rules  # noqa: PLC0415

    if prompt is None:
        raise click.UsageError("name the agent's prompt with --prompt")
    config = project(ctx)
    job = TraceJob(recordings=recordings, prompt=prompt, model=model, run=config.settings.run)
    rules = asyncio.run(read_trace_rules(config, job))
    if output is not None:
        output.write_text(rules_text(rules), encoding="utf-8")
        click.echo(f"wrote {output}", err=True)
    print_table(("rule", "checked by", "found by"), [(r.text, judged_by(r), r.origin) for r in rules], empty="no rule")


def _print(report: TraceReport) -> None:
    judged = [each for each in report.rules if each.kept or each.broken or each.not_applicable]
    rows = []
    for each in judged:
        first = each.examples[0] if each.examples else None
        where = f"{first.conversation}, turn {first.turn + 1}" if first and first.turn is not None else ""
        why = f"{where}: {first.reason}" if first else each.unknown_because if not each.kept else ""
        rows.append((each.rule.text, each.decided_by, each.kept, each.broken, each.not_applicable, each.unknown, why))
    columns = ("rule", "checked by", "kept", "broken", "n/a", "unknown", "first")
    print_table(columns, rows, empty="no rule could be checked")
    click.echo(f"{report.failed} of {report.conversations} conversations broke a rule", err=True)
    open_rules = [each for each in report.rules if each not in judged]
    if open_rules:
        # The .json has all of them with details.
        count = f"{len(open_rules)} of {len(report.rules)} rules are unknown"
        click.echo(f"{count}: {open_rules[0].unknown_because} (--judge MODEL asks one)", err=True)


def _line(case: Case, rule: Rule, verdict: RuleVerdict) -> dict[str, Any]:
    first = verdict.evidence[0] if verdict.evidence else None
    return {
        "conversation": case.id,
        "rule": rule.id,
        "text": rule.text,
        "outcome": verdict.outcome,
        "turn": first.turn if first else None,
        "step": first.quote if first else None,
        "reason": verdict.reason,
        "by": verdict.producer or None,
    }


def _table(report: TraceReport) -> dict[str, Any]:
    return {
        "conversations": report.conversations,
        "failed": report.failed,
        "cost": report.cost,
        "rules": [
            {
                "rule": each.rule.id,
                "text": each.rule.text,
                "checked_by": each.decided_by,
                "kept": each.kept,
                "broken": each.broken,
                "not_applicable": each.not_applicable,
                "unknown": each.unknown,
                "examples": each.examples,
            }
            for each in report.rules
        ],
    }
