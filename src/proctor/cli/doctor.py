"""proctor doctor: show settings, their sources, and what is missing."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click

from proctor import __version__
from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.config import Config, cache_folder
from proctor.core.errors import ProctorError

__all__ = ["verb"]

_SECRET = re.compile(r"key|token|secret|password|authorization|credential", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s]*@|(?<=\?)\S+")  # credentials or query of a URL
_EXTRAS = {
    "bedrock": ("boto3", "models on Amazon Bedrock"),
    "local-llm": ("xllamacpp", "models that run in process (local:…)"),
}


@click.command("doctor", short_help="Show the settings in force, the source of each, and what is missing.")
@click.option(
    "--rebuild",
    metavar="RUN",
    help="Index a damaged or lost run again from the complete lines of its journal, and name the skipped lines.",
)
@click.pass_context
def verb(ctx: click.Context, rebuild: str | None) -> None:
    """Show the settings in force and the source of each, and what is missing.

    Runs whose journal is damaged are listed; --rebuild RUN keeps every complete result of such a run.
    """
    config = project(ctx)
    if rebuild:
        _rebuild(config, rebuild)
        return
    click.echo(f"proctor {__version__}")
    click.echo(f"configuration: {config.path or 'none found (`proctor init` writes one)'}")
    click.echo(f".env: {config.environment.dotenv or 'none found'}\n")
    print_table(("setting", "value", "from"), _settings(config), empty="")
    print_table(("for", "state", "hint"), _needs(config), empty="")


def _rebuild(config: Config, name: str) -> None:
    from proctor.store.repair import rebuild_run  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(config.store) as store:
        rebuilt = rebuild_run(store, name)
        path = store.journal_of(rebuilt.run.id)
    for damage in rebuilt.damage:
        click.echo(f"{path}:{damage.number}: {damage.why}; it was skipped")
    total = "" if rebuilt.run.total is None else f" of {rebuilt.run.total}"
    click.echo(f"run {rebuilt.run.id}: {rebuilt.results}{total} results are indexed")
    if rebuilt.run.status == "interrupted":
        click.echo(f"go on with: proctor run --resume {rebuilt.run.id}")


def _settings(config: Config) -> Iterator[tuple[str, str, str]]:
    settings = config.settings
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.name == "run":
            for part in fields(value):
                name = f"run.{part.name}"
                variable = f"PROCTOR_RUN_{part.name.upper()}"
                given = config.environment.get(variable)
                origin = config.environment.origin(variable) if given else config.origin(name)
                yield name, _shown(given or getattr(value, part.name)), origin
        elif isinstance(value, Mapping) and value:
            for key, item in value.items():
                yield f"{field.name}.{key}", _shown(_masked(item)), config.origin(field.name)
        else:
            yield field.name, _shown(value), config.origin(field.name)


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: "***" if _SECRET.search(str(key)) and not str(key).endswith("_env") else _masked(item)
            for key, item in value.items()
        }
    return (
        _IN_ADDRESS.sub(lambda found: "***@" if found[0].endswith("@") else "***", value)
        if isinstance(value, str) and "://" in value
        else value
    )


def _shown(value: Any) -> str:
    if value is None or value in ({}, ()):
        return "–"
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: item for field in fields(value) if (item := getattr(value, field.name)) is not None}
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) or "–"
    return str(value)


def _needs(config: Config) -> Iterator[tuple[str, str, str]]:
    yield from _store(config)
    for extra, (module, purpose) in _EXTRAS.items():
        here = importlib.util.find_spec(module) is not None
        yield purpose, "ready" if here else "not installed", "" if here else f"pip install 'proctor[{extra}]'"
    yield from _models(config)
    yield from _suites(config)
    yield from _guard(config)
    yield from _plugins()


def _store(config: Config) -> Iterator[tuple[str, str, str]]:
    from proctor.store.repair import find_damage  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    try:
        with RunStore(config.store) as store:
            yield f"results in {config.store}", f"ready, {len(store.list(limit=1000))} runs", ""
            for run_id, why in find_damage(store):
                yield f"run {run_id}", why, f"proctor doctor --rebuild {run_id}"
    except ProctorError as error:
        yield f"results in {config.store}", error.message, error.hint or ""


def _models(config: Config) -> Iterator[tuple[str, str, str]]:
    """Connect each named model; this sends no request."""
    from proctor.project import Project  # noqa: PLC0415

    settings = config.settings
    project = Project(config)
    named = dict.fromkeys([*settings.models, *filter(None, (settings.model, settings.judge))])
    for name in named:
        role = "judge" if name == settings.judge else "target"
        try:
            model = project.model(name, role=role)
            yield f"model {name}", f"configured ({model.name})", ""
        except ProctorError as error:
            yield f"model {name}", error.message, error.hint or ""
    if not settings.judge:
        yield "scorers that judge", "no judge is set", "`judge:` in proctor.yaml, or --judge"
    from proctor.models import installation  # noqa: PLC0415

    for name, state, *_ in installation.listing(cache_folder(config.environment) / "models"):
        here = state == "yes"
        what = f"network {name}" if name == installation.LARGE else f"local:{name}"
        yield what, "fetched" if here else "not fetched", "" if here else f"proctor models add {name}"


def _guard(config: Config) -> Iterator[tuple[str, str, str]]:
    """Create every gate of the guard, and check whether a running guard failed to reload."""
    from proctor.wiring.guard_settings import check_guard  # noqa: PLC0415 - onnxruntime takes a third of a second
    from proctor.workflows.guard.stats import last_reload_error  # noqa: PLC0415

    if config.settings.guard:
        try:
            check_guard(config)
            yield "guard", "configured", ""
        except ProctorError as error:
            said = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
            yield "guard", said, error.hint or ""
    if (failed := last_reload_error(config)) is not None:
        yield (
            "guard, as it runs",
            f"settings not read again since {failed[0]}: {failed[1]}",
            "fix the file and save it",
        )


def _suites(config: Config) -> Iterator[tuple[str, str, str]]:
    for name, path in config.settings.suites.items():
        there = (config.folder / path).exists()
        yield f"suite {name}", "found" if there else f"{Path(path)} is missing", "" if there else "fix its path"


def _plugins() -> Iterator[tuple[str, str, str]]:
    from proctor.registry import GROUPS, describe  # noqa: PLC0415

    for group in GROUPS:
        broken = [entry for entry in describe(group) if entry.error]
        yield from dict.fromkeys(  # a name that two packages offer is told once
            (f"{group.rstrip('s')} {entry.name}", f"broken: {entry.error}", entry.hint or "") for entry in broken
        )
