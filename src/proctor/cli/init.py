"""proctor init: create the first files of a project."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import click

from proctor.core.errors import StoreError

__all__ = ["verb", "write_schemas"]

_FILES = {
    "proctor.yaml": "proctor.yaml",
    "suites/first.yaml": "first.yaml",
    "agent.py": "agent.py",
    "README.md": "README.md",
}


@click.command("init", short_help="Start a project here: proctor.yaml, a first suite, a README.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
def verb(folder: Path) -> None:
    """Write proctor.yaml, a first suite, a small agent to test and a README into FOLDER (default: here).

    Existing files are not changed.
    """
    template = files("proctor.cli") / "template"
    try:
        for name, source in _FILES.items():
            goal = folder / name
            if goal.exists():
                click.echo(f"kept   {goal} (was there)")
                continue
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_text((template / source).read_text(encoding="utf-8"), encoding="utf-8")
            click.echo(f"wrote  {goal}")
        write_schemas(folder / ".proctor" / "schema")
        _ignore_store(folder / ".gitignore")
    except OSError as error:
        raise StoreError(
            f"cannot be written: {error.strerror}",
            file=str(error.filename or folder),
            hint="choose a folder you may change",
        ) from error
    there = "" if folder == Path() else f"cd {folder} && "
    click.echo("\nnext:")
    click.echo(f"  {there}proctor run first                  # grade the agent")
    click.echo(f"  {there}proctor run first -o report.html   # and look at it in a browser")


def write_schemas(folder: Path) -> None:
    """Write the JSON schemas for completion in editors."""
    from proctor.config import Settings  # noqa: PLC0415 - only this verb needs them
    from proctor.core.schema import schema_of  # noqa: PLC0415
    from proctor.suites.schema import suite_schema  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in (("proctor", schema_of(Settings)), ("suite", suite_schema())):
        text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


def _ignore_store(path: Path) -> None:
    """Add the store and `.env` to .gitignore."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    missing = [line for line in (".proctor/", ".env") if line not in lines]
    if missing:
        path.write_text("\n".join([*lines, *missing]) + "\n", encoding="utf-8")
