"""proctor promote: turn what failed in a run into cases of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project

if TYPE_CHECKING:
    from proctor.workflows.promote.results import Promotion

__all__ = ["verb"]


@click.command("promote", short_help="Turn what failed in a run into cases of a suite.")
@click.argument("run", required=False)
@click.option(
    "--guard",
    "decisions",
    metavar="ID",
    multiple=True,
    help="A decision of the guard instead of a run, by the event's id. May be repeated.",
)
@click.option(
    "--expect",
    "expected",
    type=click.Choice(["stopped", "allowed"]),
    help="With --guard: what should become of the message.  [default: as people said of it, else as it was decided]",
)
@click.option("--failed", is_flag=True, help="What failed.  [default, when --unscored is not given]")
@click.option("--unscored", is_flag=True, help="What could not be judged.")
@click.option("--case", "cases", multiple=True, help="Only the case with this id. May be repeated.")
@click.option("-t", "--target", help="Only results of this target.")
@click.option(
    "--to",
    "out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("suites/regressions.yaml"),
    show_default=True,
    help="Suite file (.yaml, .yml, .jsonl) to add to; begun where there is none.",
)
@click.option(
    "--recording", is_flag=True, help="Keep the conversation: the case scores these words, and asks no agent."
)
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> None:
    """Add a case to a suite for each result of RUN that failed.

    A case asks what was asked then, turn by turn, has what was known of a right answer, the checks that failed, and
    where it comes from. One that asks the same as a case of the file is not added again; comments in the file stay.
    What customers said is in it: look at it before it goes into a repository. With --guard the words are as the
    guard's log has them, with personal data masked, and the case has checks: for a message that must be stopped, that
    the same gate stops it again where the target has a guard, and that nothing is done of what it asks; for one that is
    to be allowed, that no gate stops it and that it is answered.
    """
    from proctor.workflows.promote.results import promote  # noqa: PLC0415 - verbs load what they use

    run, out, decisions = flags["run"], flags["out"], flags["decisions"]
    if (run is None) == (not decisions):
        raise click.UsageError("name a run, or decisions of the guard with --guard.")
    if flags["expected"] and not decisions:
        raise click.UsageError("--expect goes with --guard.")
    if run is None:
        from proctor.workflows.promote.guard_decisions import promote_decisions  # noqa: PLC0415

        _say(promote_decisions(project(ctx), decisions, out, expected=flags["expected"]), out)
        return
    wanted = {"fail": flags["failed"] or not flags["unscored"], "unscored": flags["unscored"]}
    made = promote(
        project(ctx),
        run,
        out,
        outcomes=[name for name, asked in wanted.items() if asked],
        cases=flags["cases"],
        target=flags["target"],
        recording=flags["recording"],
    )
    _say(made, out)


def _say(made: Promotion, out: Path) -> None:
    known = f", {len(made.known)} there already" if made.known else ""
    click.echo(f"{out}: {len(made.added)} added{known}")
    for name in made.added:
        click.echo(f"  + {name}" + (f"  ({made.judged[name]})" if name in made.judged else ""))
    for name, why in made.why.items():
        click.echo(f"left out: {name} is {why}", err=True)
    if made.left_out and not made.why:
        click.echo(f"left out, because nobody asked anything in it: {', '.join(made.left_out)}", err=True)
