"""Writes docs/cli.md from the program itself; a test fails when the page is out of date.

Run it with ``python docs/cli_reference.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from proctor.cli.main import VERBS, cli

__all__ = ["page"]

_OPENING = """\
# Command line

Every flag of a verb has an environment variable: `PROCTOR_`, the verb and the flag in capitals, e.g.
`PROCTOR_RUN_CONCURRENCY=20`. A `.env` file in this folder or one above it is read too. A flag beats the
environment, the environment beats `.env`, and `.env` beats `proctor.yaml`.

## Exit codes

| code | meaning |
|---|---|
| 0 | the run passed (or the verb did what it was asked) |
| 1 | quality failed: the run did not reach its pass rate, or two suites differ |
| 2 | usage or configuration is wrong; nothing was run |
| 3 | could not be judged: too much was left unscored, or the disk or a service gave up |
| 130 | interrupted; `proctor run --resume RUN` goes on |

The printed decision and the exit code always agree.
"""


def page() -> str:
    """The whole page."""
    parts = [_OPENING, _section("proctor", cli)]
    for name in VERBS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        parts.extend(_sections(f"proctor {name}", command))
    return "\n".join(parts)


def _sections(name: str, command: click.Command) -> Iterator[str]:
    yield _section(name, command)
    if isinstance(command, click.Group):
        for child in command.commands.values():
            yield from _sections(f"{name} {child.name}", child)


def _section(name: str, command: click.Command) -> str:
    names = {"help_option_names": ["-h", "--help"]}  # as the program is called
    vars(command)["_help_option"] = None  # click keeps the first that it makes, whatever names it had then
    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100, **names)
    return f"## `{name}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n"


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), encoding="utf-8")
