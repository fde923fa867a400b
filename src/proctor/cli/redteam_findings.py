"""proctor redteam triage, promote and import: what people do with findings."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, person_option
from proctor.core.attack_finding import FINDING_STATUSES, AttackFinding, FindingStatus, masked_finding
from proctor.core.verdict import Severity
from proctor.report.safe_text import one_line

if TYPE_CHECKING:
    from proctor.store.runs import RunStore

__all__ = ["import_findings", "promote", "triage"]

_SEVERITIES = get_args(Severity)[::-1]
_DECISIONS: dict[str, FindingStatus] = {
    "confirm": "confirmed",
    "reject": "false_positive",
    "accept": "accepted",
    "mitigated": "mitigated",
}
_KEYS = {name[0]: status for name, status in _DECISIONS.items()}
_PROBLEMS_SHOWN = 5
_UNREADABLE = 2  # exit code
_EDITS = ("severity", "owner", "category", "mitigation", "note")


@click.command("triage", short_help="List findings, and confirm, reject, assign or note a mitigation.")
@click.argument("campaign")
@click.option("--finding", "name", metavar="ID", help="The finding, by its id or the beginning of it.")
@click.option("--confirm", is_flag=True, help="It is a weakness.")
@click.option("--reject", is_flag=True, help="It is none: the effect is legitimate.")
@click.option("--accept", is_flag=True, help="It is a weakness that stays.")
@click.option("--mitigated", is_flag=True, help="It was mitigated; the retest decides.")
@click.option("--severity", type=click.Choice(_SEVERITIES), help="Another severity.")
@click.option("--class", "category", help="How you classify it, in your own words.")
@click.option("--owner", help="Who takes care of it.")
@click.option("--mitigation", help="What was done about it; an open finding is mitigated then.")
@click.option("--note", help="A note.")
@person_option()
@click.option("--status", "shown", multiple=True, type=click.Choice(FINDING_STATUSES), help="List only these statuses.")
@click.option("--reveal", is_flag=True, help="With --finding: show a held-out finding in clear.")
@json_option
@click.pass_context
def triage(ctx: click.Context, /, campaign: str, name: str | None, **flags: Any) -> None:
    """List the findings of CAMPAIGN; with --finding, show one with an example, or record a decision.

    On a terminal without flags it goes through the open findings one by one.
    """
    from proctor.store.findings import find_finding, findings  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.triage import check_campaign, decide_finding  # noqa: PLC0415

    edits = {key: flags[key] for key in _EDITS}
    status = _status(flags)
    decided = status is not None or any(value is not None for value in edits.values())
    if decided and name is None:
        raise click.UsageError("a decision goes with --finding ID.")
    with RunStore(project(ctx).store) as store:
        check_campaign(store, campaign)
        if name is not None and decided:
            person = flags["person"]
            found = decide_finding(store, campaign, name, status=status, person=person, changes=edits)
            _print_one(found, as_json=flags["as_json"], store=None, reveal=flags["reveal"])
        elif name is not None:
            one = find_finding(store, campaign, name)
            _print_one(one, as_json=flags["as_json"], store=store, reveal=flags["reveal"])
        elif sys.stdin.isatty() and sys.stdout.isatty() and not flags["as_json"] and not flags["shown"]:
            _go_through(store, campaign, flags["person"])
        else:
            _print_all(findings(store, campaign, statuses=flags["shown"]), as_json=flags["as_json"])


def _status(flags: dict[str, Any]) -> FindingStatus | None:
    """Return the status of the one decision that was given, if any."""
    given = [name for name in _DECISIONS if flags[name]]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(f'--{name}' for name in given)} exclude each other.")
    return _DECISIONS[given[0]] if given else None


def _print_all(found: list[AttackFinding], *, as_json: bool) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415

    masked = [masked_finding(each) for each in found]
    if as_json:
        click.echo(json.dumps([_as_data(each) for each in masked], ensure_ascii=False, indent=1))
        return
    columns = ("finding", "severity", "status", "scope", "target", "executed", "owner", "retest", "title")
    rows = [
        (
            each.id,
            each.severity,
            each.status,
            each.scope,
            each.target,
            f"{each.executed} of {each.tried}" if each.tried else each.executed,
            each.owner,
            each.retest or "",
            one_line(each.title or each.goal, 120),
        )
        for each in masked
    ]
    print_table(columns, rows, empty="no findings")


def _print_one(finding: AttackFinding, *, as_json: bool, store: RunStore | None, reveal: bool = False) -> None:
    """Print a finding; with a store also the conversation of an executed attempt."""
    shown = finding if reveal else masked_finding(finding)
    if as_json:
        click.echo(json.dumps(_as_data(shown), ensure_ascii=False, indent=1))
        return
    for key, value in _as_data(shown).items():
        if value not in ("", None, [], {}, 0, False):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            click.echo(f"{key:<12} {one_line(text, 400)}")
    if store is None:
        return
    if finding.held_out and not reveal:
        click.echo("held out: its conversation is not shown; --reveal shows it")
        return
    for key in ("payload", "response", "place"):
        if value := finding.extra.get(key):
            click.echo(f"{key:<12} {one_line(str(value), 400)}")
    from proctor.report.conversation import write  # noqa: PLC0415
    from proctor.workflows.redteam.triage import example_of  # noqa: PLC0415

    example = example_of(store, finding)
    if example is not None:
        click.echo()
        write(example, sys.stdout)


def _as_data(finding: AttackFinding) -> dict[str, Any]:
    data = {each.name: getattr(finding, each.name) for each in fields(finding) if each.name != "extra"}
    data |= {key: value.isoformat() for key in ("first_seen", "last_seen") if (value := data[key]) is not None}
    data |= {key: list(data[key]) for key in ("attempts", "tags")}
    data["class"] = data.pop("category")
    return data


def _go_through(store: RunStore, campaign: str, person: str) -> None:
    """Show the open findings one by one and record what the person types."""
    from proctor.workflows.redteam.triage import decide_finding, open_findings  # noqa: PLC0415

    waiting = open_findings(store, campaign)
    if not waiting:
        click.echo("no open findings")
    for number, finding in enumerate(waiting, 1):
        click.secho(f"\n{number} of {len(waiting)}", bold=True)
        _print_one(finding, as_json=False, store=store)
        key = click.prompt(
            "(c)onfirm, (r)eject, (a)ccept, (m)itigated, (s)kip, (q)uit",
            type=click.Choice([*_KEYS, "s", "q"]),
            show_choices=False,
        )
        if key == "q":
            return
        if key == "s":
            continue
        changes: dict[str, Any] = {}
        if key in "cm":
            changes["severity"] = click.prompt("severity", default=finding.severity, type=click.Choice(_SEVERITIES))
            changes["owner"] = click.prompt("owner", default=finding.owner, show_default=bool(finding.owner)) or None
        if key == "m":
            changes["mitigation"] = click.prompt("mitigation", default=finding.mitigation) or None
        changes["note"] = click.prompt("note", default=finding.note, show_default=bool(finding.note)) or None
        decide_finding(store, campaign, finding.id, status=_KEYS[key], person=person, changes=changes)


@click.command("promote", short_help="Add attempts that succeeded to a suite that CI runs.")
@click.argument("campaign")
@click.option(
    "--to",
    "out",
    type=FILE,
    default=Path("suites/attacks.yaml"),
    show_default=True,
    help="Suite file (.yaml, .yml, .jsonl) to add to; created if missing.",
)
@click.option("--run", "number", type=int, help="Run of the campaign, by its number.  [default: all]")
@click.option("--finding", "names", metavar="ID", multiple=True, help="Only attempts of this finding. May be repeated.")
@click.option("--most", type=click.IntRange(min=1), help="Maximum number of attempts per goal.  [default: all]")
@click.option("--held-out", is_flag=True, help="Also held-out goals; in the suite they are no longer held out.")
@click.pass_context
def promote(ctx: click.Context, /, campaign: str, out: Path, **flags: Any) -> None:
    """Add the executed attempts of CAMPAIGN to a suite; `proctor run SUITE` repeats them with their twins.

    Every run of the campaign counts: what was fixed since must not come back. An attempt that is in the file already is
    not added again; comments in the file stay. Attempts of rejected findings are left out.
    """
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.promote_attempts import promote_campaign  # noqa: PLC0415
    from proctor.workflows.redteam.triage import check_campaign  # noqa: PLC0415

    with RunStore(project(ctx).store) as store:
        check_campaign(store, campaign)
        made = promote_campaign(
            store, campaign, out, number=flags["number"], findings=flags["names"], held_out=flags["held_out"],
            most=flags["most"],
        )  # fmt: skip
    known = f", {len(made.known)} there already" if made.known else ""
    click.echo(f"{out}: {len(made.added)} added{known}")
    for count, why in (
        (made.held_out, "are held out (--held-out adds them)"),
        (made.rejected, "are of rejected findings"),
        (made.per_goal, "are more than --most per goal"),
    ):
        if count:
            click.echo(f"left out: {count} {why}", err=True)


@click.command("import", short_help="Put the findings of garak, PyRIT or promptfoo into the same triage.")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=FILE)
@click.option("--campaign", help="Campaign to add them to.  [default: the name of the tool]")
@click.option("-t", "--target", help="Target that was attacked.  [default: as in the report]")
@click.option("--tool", type=click.Choice(["garak", "pyrit", "promptfoo"]), help="What wrote it.  [default: detected]")
@click.pass_context
def import_findings(ctx: click.Context, /, files: tuple[Path, ...], **flags: Any) -> int:
    """Import reports of garak, PyRIT or promptfoo: what they call a success becomes an open finding for triage.

    One finding for each goal and category. The verdict is that tool's; its detector is named in the finding. Exit code
    2 if no entry of a file can be read.
    """
    import asyncio  # noqa: PLC0415

    from proctor.workflows.redteam.import_findings import import_reports  # noqa: PLC0415

    reports = asyncio.run(import_reports(project(ctx), files, **flags))
    for each in reports:
        counts = f"{each.successes} of {each.attacks} attacks succeeded by {each.tool}'s verdict"
        counts += f", {each.unscored} unscored" if each.unscored else ""
        click.echo(f"{each.file}: {counts}: {each.new} new findings, {each.known} known")
        for problem in each.problems[:_PROBLEMS_SHOWN]:
            line = f" line {problem.line}:" if problem.line else ""
            click.echo(f"left out:{line} {problem.message}", err=True)
        if (more := len(each.problems) - _PROBLEMS_SHOWN) > 0:
            click.echo(f"left out: {more} more", err=True)
        if each.attacks:
            click.echo(f"see `proctor redteam triage {each.campaign}`", err=True)
    return _UNREADABLE if any(each.problems and not each.attacks for each in reports) else 0
