"""The entry point of the command line: the table of verbs, and the mapping of errors to exit codes."""

from __future__ import annotations

import gc
import importlib
import sys
from pathlib import Path
from typing import NoReturn

import click

from proctor import __version__
from proctor.cli.masked_output import masked_output
from proctor.core.errors import MalformedError, ProctorError, StoreError

__all__ = ["ENVIRONMENT", "VERBS", "cli", "main", "print_error"]

ENVIRONMENT = "proctor.environment"  # where a command finds the environment that `main` has read

# name -> line in `proctor --help`. The module proctor.cli.NAME has the command `verb`.
VERBS = {
    "init": "Start a project here: proctor.yaml, a first suite, a README.",
    "generate": "Generate tests from a prompt: its intent, inputs, rules, and tests for every rule.",
    "run": "Run a suite, or a prompt's own tests, against one or more targets and grade every answer.",
    "mutate": "Break a prompt's rules one at a time and check whether its tests notice.",
    "score": "Score recorded conversations: consistency, completion, safety, turn by turn.",
    "batch": "Score many conversations in shards, on all processors or on a Ray cluster.",
    "replay": "Repeat key questions of recorded conversations in other words, and compare the answers.",
    "rules": "Check the rules of an agent's prompt over recorded conversations.",
    "promote": "Add failures of a run, or what is behind an alert, to a suite as cases.",
    "watch": "Show production live: rates beside what is normal, alerts, what each rule can see.",
    "completion": "Report from an event log whether customers got what they came for.",
    "escalations": "Sort hand-offs by cause, and export gaps in the knowledge base.",
    "digest": "Summarise a day, a week or a month of production, and compare it with the one before.",
    "history": "Search, seal, retain and erase the stored events of production.",
    "audit": "Rate a weekly sample of conversations: blind, by two or more people, with agreement and its interval.",
    "calibrate": "Check whether confidences are frequencies, and fit a mapping that an agent can load.",
    "drift": "Compare a month with those before: intents, calibration, new topics.",
    "list": "List runs, or scorers, targets, models, gates, attacks, importers, suites.",
    "show": "Show a run: its figures, its results page by page, or one complete case.",
    "export": "Write a run to files, or a prompt's tests for other tools.",
    "import": "Import prompts and tests from other tools.",
    "validate": "Check proctor.yaml and suites; name the file, the line and the hint.",
    "doctor": "Show the settings in force, the source of each, and what is missing.",
    "models": "Download and list models that run in process.",
    "scan": "Find injections, dangerous intents and names in a text, with the local models.",
    "guard": "Check texts with the gates, serve them to agents, and show statistics.",
    "redteam": "Attack a target, triage what was found, and check whether it was fixed.",
    "proxy": "Guard an unchanged client: a proxy between it and the model's API.",
    "serve": "Receive events from production, watch them, and show the dashboard in the browser.",
    "people": "Say who may sign in to the dashboard: names, roles, passwords, one-time links.",
    "freeze": "Write a suite as one canonical, diff-stable golden file.",
    "diff": "Compare two suites case by case.",
    "bless": "Make a run the baseline that later runs are compared with.",
    "compare": "Compare a run with a baseline or another run, case by case.",
    "gate": "Decide on a run against its baseline: ship, hold, or not enough data.",
    "trend": "Show scores over time, with floors and alarms.",
    "thresholds": "Propose floors for gate.yaml from good runs.",
    "review": "Review a prompt's tests; list the review queue, and record reviews.",
    "schedule": "Run what is due: the evaluation methodology and `triggers:`; for cron.",
    "alerts": "List, acknowledge, silence and resolve alerts; test channels; show what rules can see.",
    "judge": "Measure a judge or any scorer against labels by people: a judge card.",
    "publish": "Send a run's figures to CloudWatch, Prometheus, OpenTelemetry or a file.",
}
_MODULES = {"import": "import_from"}  # `import` is a Python keyword


class _LazyGroup(click.Group):
    """Imports the module of a verb only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"proctor.cli.{_MODULES.get(cmd_name, cmd_name)}").verb
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            from proctor.core.decode import closest  # noqa: PLC0415 - only for a mistyped verb

            guess = closest(args[0], VERBS)
            ctx.fail(f"there is no verb {args[0]!r}." + (f" Did you mean {guess!r}?" if guess else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "PROCTOR", "max_content_width": 110},
    epilog="Exit codes: 0 passed, 1 quality failed, 2 usage or configuration, 3 could not be judged, 130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", prog_name="proctor")
@click.option(
    "-c",
    "--config",
    type=click.Path(path_type=Path),
    help="proctor.yaml to use; default: search the current folder and its parents.",
)
@click.option("--debug", is_flag=True, help="Show a traceback with every error.")
@click.pass_context
def cli(ctx: click.Context, config: Path | None, debug: bool) -> None:
    """Tests, grades, guards, attacks and watches LLM applications."""
    ctx.meta[ENVIRONMENT] = ctx.obj
    ctx.obj = config


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    # Modules stay loaded and answers create no cycles. Collecting garbage among them took a tenth of a run's time.
    gc.set_threshold(20_000, 20, 50)
    words = sys.argv[1:] if args is None else args
    try:
        with masked_output():
            _run(words)
    except StoreError as error:  # the output could not be written
        print_error(error)
        sys.exit(error.exit_code)


def _run(words: list[str]) -> NoReturn:
    try:
        environment = None
        if not {"-h", "--help", "-V", "--version"} & set(words):
            # Read .env before click reads the environment, so that it can set flags too.
            from proctor.config import read_environment  # noqa: PLC0415 - --help needs none of it

            environment = read_environment(Path.cwd())
        code = cli.main(args=words, prog_name="proctor", standalone_mode=False, obj=environment)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.option_name in (known := _of_all_verbs()):
            told = f"{error.message} It goes before the verb: proctor {known[error.option_name]} VERB …"
            error = click.UsageError(told, ctx=error.ctx)
        error.show()
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the pipe (head, less) is gone.
        sys.stderr.close()
        sys.exit(0)
    except ProctorError as error:
        print_error(error)
        if "--debug" in words:
            raise
        sys.exit(error.exit_code)
    except Exception as error:
        from proctor.store.disk_error import disk_error  # noqa: PLC0415 - only for an error that nothing has explained

        explained = disk_error(error)
        if explained is None or "--debug" in words:
            raise
        print_error(explained)
        sys.exit(explained.exit_code)


def _of_all_verbs() -> dict[str, str]:
    """Return the options of `proctor` itself, as written on the command line."""
    options = [each for each in cli.params if isinstance(each, click.Option) and each.expose_value]
    shown = {name: each for each in options for name in each.opts}
    return {name: name if each.is_flag else f"{name} FILE" for name, each in shown.items()}


def print_error(error: ProctorError) -> None:
    """Print the error, its place, and the hint."""
    click.secho("error: ", fg="red", bold=True, err=True, nl=False)
    if not isinstance(error, MalformedError):
        click.echo(str(error), err=True)
        return
    click.echo(
        f"{len(error.problems)} problem{'s' if len(error.problems) > 1 else ''} in {error.file or 'the settings'}",
        err=True,
    )
    for problem in error.problems[:20]:
        where = f"{error.file}:{problem.line}: " if error.file and problem.line else "  "
        field = f"{problem.where}: " if problem.where else ""
        click.echo(f"{where}{field}{problem.message}", err=True)
        if problem.hint:
            click.echo(f"    hint: {problem.hint}", err=True)
    if len(error.problems) > 20:
        click.echo(f"  … and {len(error.problems) - 20} more", err=True)
