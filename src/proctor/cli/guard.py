"""proctor guard: look at one text with the gates, serve them to agents, and say how they do."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.guard_door import exposure, open_guard, read_token, serve_app
from proctor.cli.guard_mcp import mcp
from proctor.cli.scan import read_content, read_fields
from proctor.core.errors import InputError
from proctor.report.safe_text import one_line

if TYPE_CHECKING:
    from datetime import datetime

    from proctor.config import Config
    from proctor.core.step import Point
    from proctor.guard.step import Step
    from proctor.workflows.guard.check import CheckedStep

__all__ = ["verb"]

_COLOURS = {"allow": "green", "redact": "yellow", "escalate": "magenta", "block": "red"}
_POINTS = ("input", "tool_call", "tool_result", "output")
_SHOWN = 8  # findings of one gate that are printed; --json has all
_QUOTE = 60
_DRAWN = 32  # letters of an id that the guard drew itself


@click.group("guard", short_help="Check texts with the gates, serve them to agents, and see how they do.")
def verb() -> None:
    """Check a text with the gates of a running agent, serve them to agents in any language, and see how they do.

    Without a proctor.yaml the default gates stand at every point.
    """


verb.add_command(mcp)


@verb.command("check", short_help="Put a text or a tool call before the gates.")
@click.argument("text", required=False)
@click.option("--point", type=click.Choice(_POINTS), help="What the text is.  [default: input; tool_call with --tool]")
@click.option("--tool", help="Name of the tool that is to be called, or whose result the text is.")
@click.option("--arguments", metavar="JSON", help="What the tool is called with.")
@click.option("--intent", "intents", multiple=True, help="What the customer wants. May be repeated.")
@click.option("--confirmed", is_flag=True, help="The customer has confirmed the call.")
@click.option("--customer", help="Whose conversation it is.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    help="File that a draft answer rests on. May be repeated.",
)
@click.option("--section", help="Section that a draft answer belongs to.")
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the text from this file.")
@click.option("--jsonl", metavar="FIELD", help="The input is JSON Lines; check this field of every line.")
@click.option("--timeout", type=click.FloatRange(min=0.001), help="Seconds a gate may take.  [default: as configured]")
@click.option("--show", is_flag=True, help="Show quotes as they are, with personal data in them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a text.")
@click.pass_context
def check(ctx: click.Context, /, **flags: Any) -> int:
    """Put TEXT, a file, or what is piped in (-) before the gates: what each finds, how sure it is, how long it takes.

    Nothing is recorded. Loading the models is not counted in the times. Exit code 0 when the text may go on, be it
    changed; 1 when it is stopped or goes to a person; 2 when the input cannot be read or the settings cannot be
    used.
    """
    point: Point = flags["point"] or ("tool_call" if flags["tool"] else "input")
    if point == "tool_call" and not flags["tool"]:
        raise click.UsageError("a tool call needs --tool NAME")
    if point == "tool_call" and (flags["text"] or flags["file"] or flags["jsonl"]):
        raise click.UsageError("a tool call has --arguments and no text")
    given = list(_steps(point, flags))
    code = asyncio.run(_check(project(ctx), point, given, flags))
    if len(given) > 1 and not flags["as_json"]:
        click.echo(f"{code} of {len(given)} stopped")
    return min(code, 1)


async def _check(config: Config, point: Point, given: Sequence[tuple[str, Step]], flags: Mapping[str, Any]) -> int:
    from proctor.workflows.guard.check import checked  # noqa: PLC0415 - onnxruntime takes a third of a second

    stopped = 0
    places = iter(given)
    async for found in checked(config, point, [step for _, step in given], seconds=flags["timeout"]):
        place, _ = next(places)
        stopped += found.stopped
        told = _as_json(place, found, flags["show"]) if flags["as_json"] else _told(place, found, flags["show"])
        click.echo(told)
    return stopped


def _steps(point: Point, flags: Mapping[str, Any]) -> Iterator[tuple[str, Step]]:
    from proctor.core.chat import ToolCall  # noqa: PLC0415 - only what this verb needs
    from proctor.guard.session_memory import Memory  # noqa: PLC0415
    from proctor.guard.step import Step  # noqa: PLC0415

    call = ToolCall(name=flags["tool"], arguments=_arguments(flags["arguments"])) if flags["tool"] else None
    sources = tuple(_source(path) for path in flags["sources"])
    for place, text in _texts(point, flags):
        yield (
            place,
            Step(
                point=point,
                text=text,
                call=call,
                intents=flags["intents"],
                sources=sources,
                section=flags["section"],
                confirmed=flags["confirmed"],
                memory=Memory(customer=flags["customer"]),
            ),
        )


def _texts(point: Point, flags: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if point == "tool_call":
        yield flags["tool"], ""
        return
    if flags["text"] not in (None, "-") and flags["file"] is not None:
        raise click.UsageError("give a text or --file, not both")
    name, content = read_content(flags["text"], flags["file"], what="check")
    if not flags["jsonl"]:
        yield name, content
        return
    for line, text in read_fields(content, flags["jsonl"], name, what="check"):
        yield f"line {line}", text


def _arguments(written: str | None) -> dict[str, Any]:
    try:
        found = json.loads(written) if written else {}
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--arguments is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise click.UsageError('--arguments takes an object, such as \'{"id": "B1"}\'')
    return found


def _source(path: Path) -> Any:
    from proctor.core.trajectory import Source  # noqa: PLC0415

    try:
        return Source(id=path.name, text=path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise InputError(f"the source cannot be read: {why}", file=str(path), hint="check --source") from None


def _as_json(place: str, found: CheckedStep, show: bool) -> str:
    whole, *gates = found.verdicts(show=show)
    row = {"place": place, "point": found.step.point, **whole, "text": found.goes_on, "gates": gates}
    return json.dumps(row, ensure_ascii=False, default=str)


def _told(place: str, found: CheckedStep, show: bool) -> str:
    """What was decided about one text, for people."""
    from proctor.report.number_format import milliseconds  # noqa: PLC0415

    whole, *gates = found.verdicts(show=show)
    by = f" by {whole['by']}" if whole["action"] != "allow" and whole.get("by") else ""
    why = f": {one_line(whole['reason'], 200)}" if whole.get("reason") else ""
    lines = [f"{place}: {_action(whole)}{by}{why}  ({found.step.point}, {milliseconds(whole.get('latency'))})"]
    width = max((len(gate["gate"]) for gate in gates), default=0)
    for gate in gates:
        action = _action(gate) + " " * (8 - len(gate["action"]))
        marks = "".join(f"  {mark}" for mark in ("broken", "shadow", "borderline") if gate.get(mark))
        why = f"  {one_line(gate['reason'], 200)}" if gate.get("reason") and gate["action"] != "allow" else ""
        lines.append(f"  {gate['gate']:<{width}}  {action}  {milliseconds(gate.get('latency')):>8}{marks}{why}")
        lines += [f"  {'':<{width}}    {_finding(each)}" for each in gate.get("findings", ())[:_SHOWN]]
        if (more := len(gate.get("findings", ())) - _SHOWN) > 0:
            lines.append(f"  {'':<{width}}    and {more} more")
    if found.decision.verdict.text is not None and found.goes_on is not None:
        lines.append(f"  goes on: {one_line(found.goes_on, 2_000)}")
    return "\n".join(lines)


def _finding(found: Mapping[str, Any]) -> str:
    sure = f" {found['confidence']:.2f}" if found.get("confidence") is not None else ""
    where = f" at {found['start']}–{found['end']}" if found.get("start") is not None else ""
    quote = f" “{one_line(found['text'], _QUOTE)}”" if found.get("text") else ""
    return f"{found.get('kind', '')}{sure}{quote}{where}"


def _action(verdict: Mapping[str, Any]) -> str:
    action = str(verdict["action"])
    return click.style(action, fg=_COLOURS.get(action), bold=True)


@verb.command("serve", short_help="Serve the gates over HTTP.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8089, show_default=True, help="Port; 0 takes any.")
@click.option("--token-env", metavar="NAME", help="Environment variable with the token that callers must show.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, token_env: str | None) -> int:
    """Serve the gates over HTTP to an agent in any language, until interrupted. GET /openapi.json describes it."""
    from proctor.server.sidecar.app import make_app  # noqa: PLC0415 - aiohttp takes a quarter of a second
    from proctor.wiring.guard_settings import read_settings  # noqa: PLC0415

    config = project(ctx)
    settings = read_settings(config).serve
    token = read_token(config, token_env or settings.token_env)
    guard = open_guard(config)
    try:
        app = make_app(
            guard,
            token=token,
            most_bytes=settings.most_bytes,
            restore=settings.restore,
            hosts=settings.hosts,
            origins=settings.origins,
            warning=exposure(host, token),
        )
        return serve_app(app, host, port, "guarding", token=token)
    finally:
        guard.close()


@verb.command("stats", short_help="Say how the gates do.")
@click.option("--since", metavar="TIME", help="Only decisions since then: 24h, 7 days, 2026-11-15.  [default: all]")
@click.option("--gate", help="Only this gate.")
@click.option("--ids", is_flag=True, help="List the last decisions that stopped something instead, with their ids.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Most ids to list.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="File to write; the ending chooses: .json .md .html. May be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def stats(ctx: click.Context, /, **flags: Any) -> None:
    """Say how the gates do: decisions by gate and action, how long they took, and how many people found right.

    Precision and recall come from `proctor review`, with 95 % intervals; they are not known until people have looked.
    With --ids: the last decisions that stopped a step or handed it over, the newest first. `proctor review show`,
    `proctor review resolve` and `proctor promote --guard` take such an id, or the beginning of it.
    """
    from proctor.report.guard_sheet import GUARD_REPORT  # noqa: PLC0415
    from proctor.workflows.guard.stats import guard_table, moment_of  # noqa: PLC0415

    gate, outputs = flags["gate"], flags["outputs"]
    since = moment_of(flags["since"]) if flags["since"] else None
    if flags["ids"]:
        if outputs:
            raise click.UsageError("--ids writes no file; --json prints them all the same.")
        _list_stopped(project(ctx), since, flags)
        return
    for path in outputs:
        GUARD_REPORT.check_name(path)
    table = guard_table(project(ctx), since=since, gate=gate)
    if flags["as_json"]:
        GUARD_REPORT.write_json(table, sys.stdout)
    else:
        GUARD_REPORT.write(table)
        if any(row.actions.get("block") or row.actions.get("escalate") for row in table.points):
            click.echo("`proctor guard stats --ids` lists the last that were stopped", err=True)
    for path in outputs:
        GUARD_REPORT.save(table, path)
        click.echo(f"wrote {path}", err=True)


def _list_stopped(config: Config, since: datetime | None, flags: Mapping[str, Any]) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415
    from proctor.workflows.guard.stats import last_stopped  # noqa: PLC0415

    found = last_stopped(config, since=since, gate=flags["gate"], most=flags["limit"])
    if flags["as_json"]:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    columns = ("decision", "time", "point", "gate", "action", "reason")
    rows = [
        (
            each["id"][:12] if len(each["id"]) == _DRAWN else each["id"],  # the beginning is enough, and fits
            each["time"][:19].replace("T", " "),
            each["point"],
            each["gate"],
            each["action"] + (" (shadow)" if each["shadow"] else ""),
            one_line(each["reason"], 120),
        )
        for each in found
    ]
    print_table(columns, rows, empty="nothing was stopped")
