"""proctor import: prompts and tests that were made for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from proctor.workflows.exchange.files import Brought

__all__ = ["verb"]

_KINDS = ("promptpex", "promptfoo", "github-models", "openai-evals", "openai-registry", "openai-samples", "text")


@click.command("import", short_help="Bring in prompts and tests that were made for other tools.")
@click.argument("source", metavar="FILE_OR_FOLDER", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder to write into.  [default: this one]",
)
@click.option("--from", "kind", type=click.Choice(_KINDS), help="What it is.  [default: found out]")
@click.option(
    "--prompt",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The prompt's file, where a PromptPex folder does not hold it.",
)
@click.option(
    "--allow-outside",
    is_flag=True,
    help="Read files that it names outside of its own folder; links count by their goal.",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def verb(source: Path, out: Path, kind: str | None, prompt: Path | None, allow_outside: bool, force: bool) -> None:
    """Read FILE_OR_FOLDER and write a prompt with its rules and tests, as `proctor generate` would.

    Known are: a PromptPex output folder or promptpex_context.json, promptfoo's YAML, GitHub Models' .prompt.yml,
    OpenAI and Azure evals (the eval, its runs, items and outputs as JSON and JSONL), the openai/evals registry and its
    samples, and a prompt that is nothing but text. Files that it names are read only inside its own folder. What could
    not be brought over is said; nothing is replaced without --force.
    """
    from proctor.workflows.exchange.files import bring_in  # noqa: PLC0415 - verbs load what they use

    noted: set[str] = set()
    for brought in bring_in(source, out, kind=kind, prompt=prompt, force=force, allow_outside=allow_outside):
        _tell(brought)
        for note in brought.notes:
            if note not in noted:  # what several prompts of one file share is said once
                click.echo(f"  note: {note}", err=True)
        noted |= set(brought.notes)


def _tell(brought: Brought) -> None:
    parts = {
        "rules": brought.rules,
        "tests": brought.tests,
        "baseline tests": brought.baseline,
        "recorded answers": brought.recorded,
    }
    counted = ", ".join(f"{count} {what}" for what, count in parts.items() if count)
    click.echo(f"{brought.name} ({brought.kind}): {counted or 'the prompt alone'}")
    for file in brought.files:
        click.echo(f"  wrote {file}")
    if brought.models:
        click.echo(f"  it was for: {', '.join(brought.models)} (name a model with -m)")
