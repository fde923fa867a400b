"""The door from the shell: a table of verbs, and one place where errors become messages and exit codes."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import NoReturn

import click

from proctor import __version__
from proctor.cli.masked_output import masked_output
from proctor.core.errors import MalformedError, ProctorError

__all__ = ["ENVIRONMENT", "VERBS", "cli", "main", "tell"]

ENVIRONMENT = "proctor.environment"  # where a command finds the environment that `main` has read

# name -> the line `proctor --help` shows. The module proctor.cli.NAME holds the command `verb`.
VERBS = {
    "init": "Start a project here: proctor.yaml, a first suite, a README.",
    "generate": "Make tests from a prompt: its intent, inputs, rules, and tests for every rule.",
    "run": "Put a suite, or a prompt's own tests, to one or more targets and grade every answer.",
    "mutate": "Break a prompt's rules one at a time and see whether its tests notice.",
    "score": "Score recorded conversations: consistency, completion, safety, turn by turn.",
    "replay": "Put key questions of recorded conversations again in other words, and compare the answers.",
    "rules": "Check the rules of an agent's prompt over recorded conversations.",
    "promote": "Turn what failed in a run into cases of a suite.",
    "completion": "Say from an event log whether customers got what they came for.",
    "escalations": "Sort hand-offs by cause, and export what the knowledge base lacks.",
    "list": "List runs, or scorers, targets, models, gates, attacks, importers, suites.",
    "show": "Show a run: its figures, its results page by page, or one case whole.",
    "export": "Write a run to files, or a prompt's tests for other tools.",
    "import": "Bring in prompts and tests that were made for other tools.",
    "validate": "Check proctor.yaml and suites; name the file, the line and the hint.",
    "doctor": "Show the settings in force, where each came from, and what is missing for what.",
    "models": "Fetch and list models that run in process.",
    "scan": "Look for injections, dangerous intents and names in a text, with the models that ship.",
    "guard": "Check texts with the gates, serve them to agents, and see how they do.",
    "proxy": "Guard an unchanged client: stand between it and the model's API.",
    "freeze": "Write a suite as one canonical, diff-stable golden file.",
    "diff": "Compare two suites case by case.",
    "bless": "Make a run the baseline that later runs are compared with.",
    "compare": "Compare a run with a baseline or another run, case by case.",
    "gate": "Decide on a run against its baseline: ship, hold, or not enough data.",
    "trend": "Show scores over time, with floors and alarms.",
    "thresholds": "Propose floors for gate.yaml from runs that were good.",
    "review": "Review a prompt's tests; list what a person should look at, and put on record what they said.",
    "schedule": "Run what is due by `triggers:` in proctor.yaml; for cron.",
    "judge": "Measure a judge or any scorer against what people said: a card.",
    "publish": "Send a run's figures to CloudWatch, Prometheus, OpenTelemetry or a file.",
}
_MODULES = {"import": "import_from"}  # a verb that Python keeps for itself


class _LazyGroup(click.Group):
    """Knows its verbs by name and imports one only when it is called."""

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
            from proctor.core.decode import closest  # noqa: PLC0415 - only to fix a typing error

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
    "-c", "--config", type=click.Path(path_type=Path), help="proctor.yaml to use; default: found upwards from here."
)
@click.option("--debug", is_flag=True, help="Show a traceback with every error.")
@click.pass_context
def cli(ctx: click.Context, config: Path | None, debug: bool) -> None:
    """Tests, grades, guards, attacks and watches LLM applications."""
    ctx.meta[ENVIRONMENT] = ctx.obj
    ctx.obj = config


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:] if args is None else args
    with masked_output():
        _run(words)


def _run(words: list[str]) -> NoReturn:
    try:
        environment = None
        if not {"-h", "--help", "-V", "--version"} & set(words):
            # Before click reads the environment for its flags, so that .env may set them too.
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
        # The reader (head, less) has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(0)
    except ProctorError as error:
        tell(error)
        if "--debug" in words:
            raise
        sys.exit(error.exit_code)


def _of_all_verbs() -> dict[str, str]:
    """The options that belong to `proctor` itself, each as it is written there."""
    options = [each for each in cli.params if isinstance(each, click.Option) and each.expose_value]
    shown = {name: each for each in options for name in each.opts}
    return {name: name if each.is_flag else f"{name} FILE" for name, each in shown.items()}


def tell(error: ProctorError) -> None:
    """Print what is wrong, where, and how to fix it."""
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
