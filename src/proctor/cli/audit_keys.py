"""Rate and settle conversations by single keys in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from proctor.core.audit import AuditRating, AuditSettings, BlindItem, Settlement, blind
from proctor.core.audit_report import Split
from proctor.core.errors import InputError
from proctor.report.audit_files import conversation_text
from proctor.report.safe_text import visible
from proctor.store.audit import AuditStore

__all__ = ["rate_by_keys", "settle_by_keys"]

_BACK = ("\x7f", "\b", "b")
_ENTER = ("\r", "\n", " ")
_TERMINAL = Path("/dev/tty")  # where keys are read from if the standard input is something else
_ROLES = {"user": "cyan", "assistant": "green"}


def rate_by_keys(
    store: AuditStore, settings: AuditSettings, rater: str, *, week: str | None = None, item: str | None = None
) -> int:
    """Show one conversation after the other and store its ratings; return how many were rated.

    What was rated is stored at once. The claim on the one that is shown is given up at the end, however it comes.

    Raises:
        InputError: there is no terminal to read keys from.
    """
    done = 0
    skipped: list[str] = []
    try:
        while True:
            if item is not None:
                shown: BlindItem | None = blind(store.find(item))
            else:
                shown = store.claim(rater, week=week, minutes=settings.claim, skip=skipped)
            if shown is None:
                click.echo(
                    "nothing is left to rate" if not skipped else "only skipped conversations are left", err=True
                )
                return done
            _need_terminal("read a file of ratings with `proctor audit rate --import FILE`")
            _show(shown, f"{rater}: {store.left(rater, week=week)} left")
            given = _rating(shown, settings, rater)
            if given is None:
                return done
            if isinstance(given, AuditRating):
                store.rate([given])
                done += 1
            else:
                store.release(rater, shown.id)
                skipped.append(shown.id)
            if item is not None:
                return done
    finally:
        store.release(rater)


def settle_by_keys(
    store: AuditStore, settings: AuditSettings, splits: Sequence[Split], person: str, *, is_consensus: bool = False
) -> int:
    """Show each split with its conversation and the ratings without names; return how many were settled.

    Raises:
        InputError: there is no terminal to read keys from.
    """
    hint = "settle one with `proctor audit settle ITEM --dimension NAME --value N`; ratings come with `rate --import`"
    if splits:
        _need_terminal(hint)
    done = 0
    last = ""
    own = {each.item for each in store.ratings() if each.rater == person}
    for split in splits:
        if split.item in own and not is_consensus:
            continue  # a person does not decide about the own rating
        if split.item != last:
            _show(blind(store.find(split.item)), f"{len(splits) - done} splits left")
            last = split.item
        ratings = ", ".join(map(str, split.ratings))
        click.echo(f"{split.dimension}: rated {ratings}. Final 1–{settings.scale}, ? none, s skip, q quit: ", nl=False)
        while True:
            key = click.getchar()
            if key == "q":
                click.echo("q")
                return done
            if key == "s":
                click.echo("skipped")
                break
            if key == "?" or (key.isdecimal() and int(key) in settings.levels):
                click.echo(key)
                value = None if key == "?" else int(key)
                settled = Settlement(item=split.item, dimension=split.dimension, value=value, by=person)
                store.settle(settled, is_consensus=is_consensus)
                done += 1
                break
    return done


def _need_terminal(hint: str) -> None:
    """Say at once that nobody can press a key, before a conversation is shown."""
    if sys.stdin is not None and sys.stdin.isatty():
        return
    try:
        _TERMINAL.open("rb").close()
    except OSError:
        raise InputError("there is no terminal to read keys from", hint=hint) from None


def _show(item: BlindItem, left: str) -> None:
    click.echo()
    click.secho(f"── {item.id}  {item.week}  {item.intent or ''}  ({left}) ".ljust(78, "─"), fg="yellow")
    for line in conversation_text(item).splitlines():
        role, colon, text = line.partition(": ")
        if colon and role in _ROLES:
            click.secho(f"{role}: ", fg=_ROLES[role], bold=True, nl=False)
            click.echo(visible(text))
        else:
            click.echo(visible(line))
    click.echo()


def _rating(item: BlindItem, settings: AuditSettings, rater: str) -> AuditRating | str | None:
    """Read keys until the rating is confirmed; "skip" to leave the conversation, None to end."""
    values: list[int | None] = []
    names = settings.dimensions
    note = ""
    click.echo(f"1–{settings.scale} rate · ? cannot say · b back · n note · s skip · q quit · Enter stores", err=True)
    while True:
        here = names[len(values)] if len(values) < len(names) else "Enter to store"
        click.echo(f"  {here}: ", nl=False)
        key = click.getchar()
        if key in ("q", "s"):
            click.echo(key)
            return "skip" if key == "s" else None
        if key == "n":
            click.echo()
            note = click.prompt("  note", default=note, show_default=False)
        elif key in _BACK and values:
            click.echo("back")
            values.pop()
        elif key in _ENTER and len(values) == len(names):
            click.echo("stored")
            return AuditRating(item=item.id, rater=rater, values=dict(zip(names, values, strict=True)), note=note)
        elif len(values) < len(names) and (key == "?" or (key.isdecimal() and int(key) in settings.levels)):
            click.echo(key)
            values.append(None if key == "?" else int(key))
        else:
            click.echo("\r", nl=False)
