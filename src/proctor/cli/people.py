"""proctor people: who may sign in to the dashboard."""

from __future__ import annotations

import getpass
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import json_option
from proctor.cli.tables import print_table
from proctor.core.errors import InputError
from proctor.core.person import ROLES, Person

if TYPE_CHECKING:
    from proctor.store.people import People

__all__ = ["verb"]

_NAME = click.argument("name")
_ROLE = click.Choice(ROLES)
_URL = "http://127.0.0.1:4318"


@click.group("people", short_help="Say who may sign in to the dashboard: names, roles, passwords, one-time links.")
def verb() -> None:
    """Say who may sign in to the dashboard of `proctor serve`.

    A viewer looks, an auditor also rates, reviews, acknowledges and promotes, an admin also silences and resolves. On
    this machine nobody needs a name: the link that `proctor serve` prints opens the dashboard.
    """


@verb.command("add")
@_NAME
@click.option("--role", type=_ROLE, default="viewer", show_default=True, help="What the person may do.")
@click.option("--no-password", is_flag=True, help="Let the person in only with links of `proctor people link`.")
@click.pass_context
def add(ctx: click.Context, name: str, role: Any, no_password: bool) -> None:
    """Add a person. The password is asked for, or read from standard input; it is stored as a hash."""
    with _people(ctx) as people:
        people.check_new(name, role)
        people.add(name, role, None if no_password else _password(), time.time())
    click.echo(f"{name} is {_article(role)}", err=True)


@verb.command("list")
@json_option
@click.pass_context
def list_people(ctx: click.Context, as_json: bool) -> None:
    """List the people with their roles, and when they were last there."""
    from datetime import UTC, datetime  # noqa: PLC0415

    with _people(ctx) as people:
        found = people.accounts()
    if as_json:
        from proctor.core.codec import dumps  # noqa: PLC0415

        click.echo(dumps(found).decode())
        return
    rows = [
        (
            each.name,
            each.role,
            "yes" if each.has_password else "no",
            each.sessions,
            f"{datetime.fromtimestamp(each.seen, UTC):%Y-%m-%d %H:%M} UTC" if each.seen is not None else "never",
        )
        for each in found
    ]
    columns = ("name", "role", "password", "sessions", "last seen")
    print_table(columns, rows, empty="nobody yet; `proctor people add NAME --role admin` adds somebody")


@verb.command("link")
@click.argument("name", required=False)
@click.option(
    "--url",
    help="Where the server is, as the person's browser reaches it.  "
    f"[default: that of the server on this machine, else {_URL}]",
)
@click.pass_context
def link(ctx: click.Context, name: str | None, url: str | None) -> None:
    """Print a link that lets a person in once, within 15 minutes.

    Without a NAME the link is for you, as an admin, as `proctor serve` prints one when it starts.
    """
    if url is None:
        url = _server_here(ctx)
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url[:60]!r} is no address", field="--url", hint="it begins with https:// or http://")
    with _people(ctx) as people:
        person = people.find(name) if name is not None else Person(name=getpass.getuser(), role="admin")
        key = people.make_link(person, time.time(), is_guest=name is None)
    click.echo(f"{url.rstrip('/')}/ui/enter?key={key}")


def _server_here(ctx: click.Context) -> str:
    """Return the address of the project's server; with a note if none runs or other machines reach it too."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - verbs load what they use

    from proctor.server.admission import is_loopback  # noqa: PLC0415
    from proctor.store.server_address import server_address  # noqa: PLC0415

    found = server_address(project(ctx).store)
    if found is not None and is_loopback(urlsplit(found).hostname or ""):
        return found
    why = f"the server listens at {found}" if found is not None else "no server of this project runs on this machine"
    click.echo(f"note: {why}; name the address that the browser reaches with --url", err=True)
    # A server that listens at every address of this machine is reached at the local one too.
    return (found or _URL).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


@verb.command("password")
@_NAME
@click.option("--remove", is_flag=True, help="Take the password away; links still let the person in.")
@click.pass_context
def password(ctx: click.Context, name: str, remove: bool) -> None:
    """Give a person a new password, and end their sessions."""
    with _people(ctx) as people:
        people.find(name)
        people.set_password(name, None if remove else _password())
    click.echo(f"{name}: {'no password' if remove else 'a new password'}; every session has ended", err=True)


@verb.command("role")
@_NAME
@click.argument("role", type=_ROLE)
@click.pass_context
def role(ctx: click.Context, name: str, role: Any) -> None:
    """Give a person another role, from their next click on."""
    with _people(ctx) as people:
        people.set_role(name, role)
    click.echo(f"{name} is {_article(role)}", err=True)


@verb.command("remove")
@_NAME
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """Remove a person, their links and their sessions. What they rated and decided stays, with their name."""
    with _people(ctx) as people:
        people.remove(name)
    click.echo(f"{name} is removed", err=True)


def _people(ctx: click.Context) -> People:
    from proctor.store.people import People  # noqa: PLC0415 - verbs load what they use
    from proctor.store.private_files import private_folder  # noqa: PLC0415

    store = project(ctx).store
    private_folder(store)
    return People(store)


def _password() -> str:
    """Ask for a password, or read one line of standard input if it is no terminal."""
    if sys.stdin.isatty():
        answer: str = click.prompt("Password", hide_input=True, confirmation_prompt="The same again", err=True)
        return answer
    return sys.stdin.readline().rstrip("\r\n")


def _article(role: str) -> str:
    return f"a{'n' if role[0] in 'aeiou' else ''} {role}"
