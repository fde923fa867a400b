"""proctor export: write a run to files, or a prompt's tests to the files of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project

if TYPE_CHECKING:
    from proctor.suites.exchange.bundle import Bundle

__all__ = ["verb"]

_TOOLS = ("promptfoo", "openai-evals", "azure-evals", "github-models", "pytest", "promptpex", "jsonl", "csv")
_SERVICES = ("openai-evals", "azure-evals")


@click.command("export", short_help="Write a run to files, or a prompt's tests for other tools.")
@click.argument("run", metavar="RUN_OR_PROMPT", default="last")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="For a run: file to write; extension: .json .html .junit.xml .md .csv .overview.csv .jsonl. "
    "May be repeated. "
    "With --to: the folder to write into.  [default: PROMPT.TOOL, or this one for a single file]",
)
@click.option(
    "--outcome", type=click.Choice(["pass", "doubt", "fail", "unscored"]), help="Only results of this outcome."
)
@click.option("--to", "tool", type=click.Choice(_TOOLS), help="Write the tests of a prompt for this tool.")
@click.option("-m", "--model", "models", multiple=True, help="With --to: a model the tests are for. May be repeated.")
@click.option("--judge", help="With --to openai-evals or azure-evals: the model that grades what code cannot.")
@click.option("--baseline", is_flag=True, help="With --to: include the baseline tests.")
@click.option("--tests", type=click.Path(path_type=Path), help="With --to: the folder of the tests.")
@click.option("--upload", is_flag=True, help="With --to openai-evals or azure-evals: create the eval and its runs.")
@click.option("--force", is_flag=True, help="With --to: replace existing files.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> None:
    """Write a run (an id, the beginning of one, or `last`) to one or more files; or a prompt's tests for a tool.

    `proctor export last -o report.html` writes a run. `proctor export my.prompty --to promptfoo` writes the tests that
    `proctor generate` made; everything the tool's format cannot express is listed.
    """
    if flags["tool"] is None:
        given = [name for name in ("models", "judge", "baseline", "tests", "upload", "force") if flags[name]]
        if given:
            raise click.UsageError(f"--{given[0].removesuffix('s')} goes with --to TOOL.")
        if not flags["outputs"]:
            raise click.UsageError("Name a file with -o, or a tool with --to.")
        _export_run(ctx, flags["run"], flags["outputs"], flags["outcome"])
        return
    if flags["run"] == "last" and not Path("last").exists():
        raise click.UsageError("Name the prompt whose tests --to writes: proctor export my.prompty --to TOOL.")
    if flags["outcome"]:
        raise click.UsageError("--outcome is for runs, --to for prompts.")
    if len(flags["outputs"]) > 1:
        raise click.UsageError("-o names one folder with --to.")
    if flags["upload"] and flags["tool"] not in _SERVICES:
        raise click.UsageError(f"--upload goes with --to {' or '.join(_SERVICES)}.")
    _export_prompt(ctx, flags)


def _export_run(ctx: click.Context, run: str, outputs: tuple[Path, ...], outcome: str | None) -> None:
    from proctor.report.formats import save, writer_for  # noqa: PLC0415 - verbs load what they use
    from proctor.store.run_reader import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.judge.error_bands import with_bands  # noqa: PLC0415
    from proctor.workflows.run.overview import with_overview  # noqa: PLC0415

    for output in outputs:
        writer_for(output)
    config = project(ctx)
    with RunStore(config.store) as store:
        reader = RunReader(store, store.find(run))
        report = with_overview(reader, with_bands(config, reader.report()))
        for output in outputs:
            save(report, lambda: reader.results(outcome=outcome), output)
            click.echo(f"wrote {output}", err=True)


def _export_prompt(ctx: click.Context, flags: dict[str, Any]) -> None:
    from proctor.workflows.exchange.files import bundle_of, made_for, save_files  # noqa: PLC0415 - verbs load what they use

    path = Path(flags["run"])
    bundle = bundle_of(path, models=flags["models"], baseline=flags["baseline"], tests=flags["tests"])
    if flags["upload"]:
        _upload(ctx, bundle, flags["judge"])
        return
    made = made_for(flags["tool"], bundle, judge=flags["judge"])
    folder, files = _place(flags, bundle.name, made.files)
    for written in save_files(files, folder, force=flags["force"]):
        click.echo(f"wrote {written}", err=True)
    _tell(made.notes)


def _place(flags: dict[str, Any], name: str, files: Any) -> tuple[Path, Any]:
    """Return the output folder and the files; a single file may be named directly."""
    given: Path | None = flags["outputs"][0] if flags["outputs"] else None
    only = next(iter(files)) if len(files) == 1 else None
    if given is None:
        return Path() if only else Path(f"{name}.{flags['tool']}"), files
    if only is not None and given.suffix and given.suffix == Path(only).suffix and not given.is_dir():
        return given.parent, {given.name: files[only]}
    return given, files


def _tell(notes: tuple[str, ...]) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)


def _upload(ctx: click.Context, bundle: Bundle, judge: str | None) -> None:
    import asyncio  # noqa: PLC0415

    from proctor.workflows.exchange.upload import upload_evals  # noqa: PLC0415

    done = asyncio.run(upload_evals(project(ctx), bundle, judge=judge))
    click.echo(f"eval {done.eval_id}")
    for model, run in done.runs.items():
        click.echo(f"run {run} on {model}")
    for page in done.pages:
        click.echo(page)
    _tell((*bundle.notes, *done.notes))
