"""proctor promote: add failures of a run, decisions of the guard, or conversations behind an alert to a suite."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.workflows.promote.results import Promotion

__all__ = ["verb"]

_DOUBT_HINT = (
    "edit the case: name the section of its claims (`metadata: {section: price}`), or a fact "
    "(`expect: {facts: [...]}`); or remove it, and promote again with --must-not-say or --must-say"
)


@click.command("promote", short_help="Add failures of a run, or what is behind an alert, to a suite as cases.")
@click.argument("run", required=False)
@click.option(
    "--guard",
    "decisions",
    metavar="ID",
    multiple=True,
    help="A decision of the guard instead of a run, by the event's id. May be repeated.",
)
@click.option(
    "--alert",
    metavar="ALERT",
    help="An alert from production instead of a run, by its number or its rule: its examples become cases.",
)
@click.option(
    "--conversation",
    "conversations",
    metavar="ID",
    multiple=True,
    help="A conversation from production: one of the alert's, or any. May be repeated.",
)
@click.option(
    "-n", "--first", "count", type=click.IntRange(min=1), help="With --alert: how many examples.  [default: 1]"
)
@click.option("--must-say", multiple=True, metavar="TEXT", help="From production: what an answer must say. Repeatable.")
@click.option(
    "--must-not-say", multiple=True, metavar="TEXT", help="From production: what no answer may say. Repeatable."
)
@click.option(
    "--expect",
    "expected",
    type=click.Choice(["stopped", "allowed"]),
    help="With --guard or --alert: what should happen to the message.  [default: as reviewed, else as decided]",
)
@click.option("--failed", is_flag=True, help="Failed results.  [default without --doubt and --unscored]")
@click.option("--doubt", is_flag=True, help="Results that passed in doubt.")
@click.option("--unscored", is_flag=True, help="Results that could not be judged.")
@click.option("--case", "cases", multiple=True, help="Only the case with this id. May be repeated.")
@click.option("-t", "--target", help="Only results of this target.")
@click.option(
    "--to",
    "out",
    type=FILE,
    default=Path("suites/regressions.yaml"),
    show_default=True,
    help="Suite file (.yaml, .yml, .jsonl) to add to; created if missing.",
)
@click.option("--recording", is_flag=True, help="Keep the recorded answers: the case scores them and calls no agent.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> None:
    """Add a case to a suite for each failed result of RUN, or for conversations behind an alert.

    A case repeats the questions turn by turn and has the known expectations, the failed checks, and its origin. A case
    that asks the same as one in the file is not added again; comments in the file stay.

    The case contains customer messages: check it before you commit it. With --guard the texts are those of the guard's
    log, with personal data masked, and the case has checks. For a message that must be stopped: the same gate stops it
    again if the target has a guard, and the agent does nothing that it asks for. For a message that should be allowed:
    no gate stops it and it is answered.

    With --alert the case asks what the customer asked, up to the turn that went wrong, and checks what the alert's rule
    counts: the same score, the same gate, the time of the answer. `proctor gate` holds every version that fails it.
    """
    from proctor.workflows.promote.results import promote  # noqa: PLC0415 - verbs load what they use

    run, out, decisions = flags["run"], flags["out"], flags["decisions"]
    live = bool(flags["alert"] or flags["conversations"])
    if [run is not None, bool(decisions), live].count(True) != 1:
        raise click.UsageError("name a run, decisions of the guard with --guard, or an alert with --alert.")
    if flags["expected"] and not (decisions or live):
        raise click.UsageError("--expect goes with --guard or --alert.")
    if (flags["must_say"] or flags["must_not_say"] or flags["count"]) and not live:
        raise click.UsageError("--must-say, --must-not-say and --first go with --alert or --conversation.")
    if live:
        _say(_from_production(project(ctx), flags), out)
        return
    if run is None:
        from proctor.workflows.promote.guard_decisions import promote_decisions  # noqa: PLC0415

        _say(promote_decisions(project(ctx), decisions, out, expected=flags["expected"]), out)
        return
    others = {"doubt": flags["doubt"], "unscored": flags["unscored"]}
    wanted = {"fail": flags["failed"] or not any(others.values()), **others}
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


def _from_production(config: Config, flags: dict[str, Any]) -> Promotion:
    from proctor.workflows.promote.alert_examples import ExampleRequest, promote_examples  # noqa: PLC0415
    from proctor.workflows.promote.incident_checks import RequiredWording  # noqa: PLC0415

    asked = ExampleRequest(
        alert=flags["alert"],
        conversations=flags["conversations"],
        count=flags["count"] or 1,
        expected=flags["expected"],
        wording=RequiredWording(must_say=flags["must_say"], must_not_say=flags["must_not_say"]),
        recording=flags["recording"],
        judge_again=True,
    )
    return promote_examples(config, asked, flags["out"])


def _say(made: Promotion, out: Path) -> None:
    known = f", {len(made.known)} there already" if made.known else ""
    click.echo(f"{out}: {len(made.added)} added{known}")
    for name in made.added:
        click.echo(f"  + {name}" + (f"  ({made.judged[name]})" if name in made.judged else ""))
    for name, why in made.why.items():
        click.echo(f"left out: {name} is {why}", err=True)
    if unasked := [name for name in made.left_out if name not in made.why]:
        click.echo(f"left out, because nobody asked anything in it: {', '.join(unasked)}", err=True)
    for name, doubt in made.doubts.items():
        click.echo(f"warning: {name} would not fail the answer that failed: {doubt}", err=True)
    if made.doubts:
        click.echo(f"hint: {_DOUBT_HINT}", err=True)
    if made.added:
        click.echo(f"next: proctor run {shlex.quote(str(out))}", err=True)
