"""proctor validate: check proctor.yaml and suites without running anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli.context import project
from proctor.config import Config
from proctor.core.case import Case, Check
from proctor.core.errors import InputError

if TYPE_CHECKING:
    from proctor.project import Project

__all__ = ["verb"]

_MAX_ERRORS = 20  # cases of one suite whose errors are listed


@click.command("validate", short_help="Check proctor.yaml and suites; name the file, the line and the hint.")
@click.argument("suites", nargs=-1)
@click.pass_context
def verb(ctx: click.Context, suites: tuple[str, ...]) -> int:
    """Check proctor.yaml and SUITES (default: all in proctor.yaml). Nothing is run or spent.

    Exit code 0 when everything is valid, 2 when something is wrong.
    """
    from proctor.cli.main import print_error  # noqa: PLC0415 - main imports the verbs

    wrong = 0
    try:
        config = project(ctx)
    except InputError as error:
        print_error(error)
        return 2
    for mistake in _wrong_parts(config):
        print_error(mistake)
        wrong += 1
    if not wrong:
        click.echo(f"ok  {config.path or 'no proctor.yaml: defaults are in force'}")
    for name in suites or tuple(config.settings.suites):
        try:
            count, judged, mistakes = _check(name, config)
            for mistake in mistakes:
                print_error(mistake)
            wrong += len(mistakes)
            if mistakes:
                continue
            click.echo(f"ok  {name}: {count} case{'' if count == 1 else 's'}")
            if judged and not config.settings.judge:
                click.echo(f"    {judged} of them ask a judge and none is set: give `run` --judge, or set `judge:`")
        except InputError as error:
            print_error(error)
            wrong += 1
    return 2 if wrong else 0


def _wrong_parts(config: Config) -> Iterator[InputError]:
    """Yield the errors of connecting every model and creating every target; this sends no request."""
    from proctor.models.wrap.rate_budget import parse_rate  # noqa: PLC0415
    from proctor.project import Project  # noqa: PLC0415
    from proctor.workflows.monitor.completion import rules_of  # noqa: PLC0415
    from proctor.workflows.monitor.escalations import scorer_of  # noqa: PLC0415
    from proctor.workflows.release.baseline import policy_of  # noqa: PLC0415

    settings, project = config.settings, Project(config)
    models = dict.fromkeys([*settings.models, *filter(None, (settings.model, settings.judge))])
    targets = dict.fromkeys([*settings.targets, *filter(None, (settings.target,))])
    tries: list[Callable[[], object]] = [partial(project.model, name) for name in models]
    tries += [partial(project.targets, [name]) for name in targets]
    tries.append(partial(_check_catalogue, project))  # after the targets: loading one may make its database
    if settings.run.rate:
        tries.append(partial(parse_rate, settings.run.rate))
    tries += [partial(policy_of, config, None), partial(rules_of, config, None)]
    tries.append(partial(scorer_of, config, light=True))
    suites = [(name, suite) for name, trigger in settings.triggers.items() for suite in trigger.suites]
    tries += [partial(_check_trigger, config, name, suite) for name, suite in suites]
    tries += [partial(_check_campaign, config, name) for name in settings.redteam]
    for attempt in tries:
        try:
            attempt()
        except InputError as error:
            # A missing key is not an error in the file; `proctor doctor` reports it.
            if "is not set" not in error.message:
                yield error
    told: set[str] = set()
    for start in _starts(config):
        try:
            start(config)
        except InputError as error:  # including unset variables: neither a server nor the guard could start
            if str(error) not in told:  # two parts may read one section
                yield error
            told.add(str(error))


def _starts(config: Config) -> Iterator[Callable[[Config], object]]:
    """Yield what reads `monitor:`, `alerts:`, `audit:`, `schedule:` and `guard:` when a process starts."""
    from proctor.wiring.alert_settings import alert_settings_of  # noqa: PLC0415
    from proctor.wiring.guard_settings import check_guard  # noqa: PLC0415
    from proctor.wiring.history_settings import history_settings  # noqa: PLC0415
    from proctor.wiring.ingest_settings import read_ingest  # noqa: PLC0415
    from proctor.wiring.monitor_state import state_url  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings  # noqa: PLC0415
    from proctor.workflows.monitor.digest_delivery import check_digest_channels  # noqa: PLC0415
    from proctor.workflows.monitor.digest_settings import digest_settings  # noqa: PLC0415
    from proctor.workflows.monitor.schedule_entries import entries_of  # noqa: PLC0415
    from proctor.workflows.monitor.score_floors import floor_settings  # noqa: PLC0415
    from proctor.workflows.monitor.scoring_settings import check_scoring  # noqa: PLC0415

    yield from (read_ingest, history_settings, check_scoring, digest_settings, floor_settings, state_url)
    yield from (alert_settings_of, check_digest_channels, audit_settings, entries_of)
    if config.settings.guard:
        yield check_guard


def _check_catalogue(project: Project) -> None:
    """Connect the project's catalogue, which asks it nothing."""
    from proctor.wiring.catalogue import make_catalogue  # noqa: PLC0415

    make_catalogue(None, config=project.config, http=project.http, model=project.model)


def _check_campaign(config: Config, name: str) -> None:
    """Read the goals of a campaign."""
    from proctor.workflows.redteam.campaign import goals_of, open_campaign  # noqa: PLC0415 - only with campaigns

    goals_of(open_campaign(config, name))


def _check_trigger(config: Config, trigger: str, suite: str) -> None:
    from proctor.core.errors import ConfigError  # noqa: PLC0415
    from proctor.workflows.run.prompt_suite import suite_path  # noqa: PLC0415

    if not suite_path(suite, config, config.folder).exists():
        known = ", ".join(config.settings.suites) or "none"
        hint = f"name a file, or one of `suites:` ({known})"
        file = str(config.path) if config.path else None
        raise ConfigError(f"there is no suite {suite!r}", file=file, field=f"triggers.{trigger}.suites", hint=hint)


def _check(name: str, config: Config) -> tuple[int, int, list[InputError]]:
    """Read every case and create every grader, with empty sockets.

    Returns the number of cases, of those that need a judge, and the errors, of at most ``_MAX_ERRORS`` cases.
    """
    from proctor.wiring.scorers import GraderFactory, check_graders  # noqa: PLC0415
    from proctor.workflows.run.prompt_suite import existing_suite_path, open_tests  # noqa: PLC0415

    loaded = open_tests(existing_suite_path(name, config, Path.cwd())).loaded
    grader_factory = GraderFactory(loaded.suite, None, config=config)
    count = judged = 0
    errors: list[InputError] = []
    for case in _readable(loaded.cases(), errors):
        count += 1
        try:
            check_graders(grader_factory, case, loaded)
        except InputError as error:
            errors.append(error)
            if len(errors) == _MAX_ERRORS:
                break
            continue
        checks = [*loaded.suite.scorers, *case.checks, *(check for ask in case.turns for check in ask.checks)]
        judged += any(_asks_judge(check) for check in checks)
    return count, judged, errors


def _readable(cases: Iterator[Case], errors: list[InputError]) -> Iterator[Case]:
    """Yield the cases up to one that cannot be read, whose error is added to the others."""
    try:
        yield from cases
    except InputError as error:
        errors.append(error)


def _asks_judge(check: Check) -> bool:
    """Return whether a check needs a judge and names none itself."""
    return _needs_judge(check.scorer) and not check.settings.get("judge")


@cache
def _needs_judge(scorer: str) -> bool:
    from proctor import registry  # noqa: PLC0415
    from proctor.core.sockets import is_optional, is_socket  # noqa: PLC0415

    fields = dataclasses.fields(registry.load("scorers", scorer))
    return any(each.name == "judge" and is_socket(each) and not is_optional(each) for each in fields)
