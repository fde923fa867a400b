"""proctor import: import prompts and tests from other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli.options import FILE

if TYPE_CHECKING:
    from proctor.workflows.exchange.files import ImportedFiles

__all__ = ["verb"]

_KINDS = ("promptpex", "promptfoo", "github-models", "openai-evals", "openai-registry", "openai-samples", "text")


@click.command("import", short_help="Import prompts and tests from other tools.")
@click.argument("source", metavar="FILE_OR_FOLDER", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder to write into.  [default: this one]",
)
@click.option("--from", "kind", type=click.Choice(_KINDS), help="Kind of the input.  [default: detected]")
@click.option(
    "--prompt",
    type=FILE,
    help="The prompt file, if it is not in the PromptPex folder.",
)
@click.option(
    "--allow-outside",
    is_flag=True,
    help="Read referenced files outside of its own folder; links count by their target.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
def verb(source: Path, out: Path, kind: str | None, prompt: Path | None, allow_outside: bool, force: bool) -> None:
    """Read FILE_OR_FOLDER and write a prompt with its rules and tests, as `proctor generate` would.

    Supported are: a PromptPex output folder or promptpex_context.json, promptfoo's YAML, GitHub Models' .prompt.yml,
    OpenAI and Azure evals (the eval, its runs, items and outputs as JSON and JSONL), the openai/evals registry and its
    samples, and a plain-text prompt. Files that it refers to are read only inside its own folder. Everything that could
    not be imported is listed; nothing is replaced without --force.
    """
    from proctor.workflows.exchange.files import import_files  # noqa: PLC0415 - verbs load what they use

    noted: set[str] = set()
    for brought in import_files(source, out, kind=kind, prompt=prompt, force=force, allow_outside=allow_outside):
        _tell(brought)
        for note in brought.notes:
            if note not in noted:  # print notes shared by several prompts once
                click.echo(f"  note: {note}", err=True)
        noted |= set(brought.notes)


def _tell(brought: ImportedFiles) -> None:
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
