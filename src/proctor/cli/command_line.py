"""Write a command as the user gave it, for hints that repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

import click
from click.core import ParameterSource

__all__ = ["command_line"]


def command_line(ctx: click.Context, *, without: Iterable[str] = ()) -> str:
    """Return the command with every option that was given on the command line; ``without`` leaves some out by name."""
    left_out = frozenset(without)
    chain: list[click.Context] = []
    here: click.Context | None = ctx
    while here is not None:
        chain.insert(0, here)
        here = here.parent
    words: list[str] = []
    for each in chain:
        words.append("proctor" if each is chain[0] else str(each.info_name))
        words += _given(each, left_out)
    return shlex.join(words)


def _given(ctx: click.Context, left_out: frozenset[str]) -> list[str]:
    options: list[str] = []
    arguments: list[str] = []
    for param in ctx.command.params:
        name = str(param.name)
        if name in left_out or ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params.get(name)
        if isinstance(param, click.Argument):
            arguments += [str(each) for each in (value if isinstance(value, tuple) else (value,))]
        elif isinstance(param, click.Option):
            options += _option(param, value)
    return [*arguments, *options]


def _option(option: click.Option, value: Any) -> list[str]:
    if option.is_flag:
        names = option.opts if value else option.secondary_opts
        return [_longest(names)] if names else []
    values = value if option.multiple else (value,)
    return [word for each in values for word in (_longest(option.opts), str(each))]


def _longest(names: Iterable[str]) -> str:
    return max(names, key=len)
