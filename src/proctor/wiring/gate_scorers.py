"""Fill a gate's scorer sockets from the gate's own settings."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from proctor import registry
from proctor.core.case import Check, Suite
from proctor.core.codec import hints_of
from proctor.core.errors import ConfigError
from proctor.core.sockets import Scorer, is_socket
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory, with_fast_models

__all__ = ["prompt_text", "scorer_sockets", "takes_scorer"]

_ANY: Final = "scorer"  # the user names the scorer of this socket; other sockets have the name of their scorer
_FILES: Final = (".md", ".txt", ".prompty", ".yml", ".yaml")
_FRONT: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)  # front matter of a prompt file, not part of the prompt
_LARGEST: Final = 1_000_000


def takes_scorer(kind: type, field: dataclasses.Field[Any]) -> bool:
    """Return whether a gate's field is a socket for a scorer."""
    return is_socket(field) and hints_of(kind).get(field.name) is Scorer


def scorer_sockets(
    kind: Any, settings: dict[str, Any], model_pool: ModelPool | None, *, where: str = ""
) -> dict[str, Scorer]:
    """Return the scorers that a gate uses, and remove their settings from ``settings``.

    A socket ``commitments`` is filled with the scorer of that name. Settings of the gate that are not its own fields go
    to the scorer, which asks the small networks alone unless they say otherwise. A socket ``scorer`` is filled with the
    one named by `scorer: name` or `scorer: {name: {settings}}`.

    Raises:
        InputError: there is no such scorer, or its settings are wrong.
    """
    made: dict[str, Scorer] = {}
    own = {field.name for field in dataclasses.fields(kind)}
    for field in dataclasses.fields(kind):
        if not takes_scorer(kind, field):
            continue
        if field.name == _ANY:
            name, given = _named(settings.pop(_ANY, None), where)
        else:
            name, given = field.name, _taken(field.name, settings, own)
        grader_factory = GraderFactory(Suite(name="guard"), model_pool, trusted=True)
        check = with_fast_models(Check(scorer=name, settings=given))
        made[field.name] = grader_factory.grader(check).scorer
    return made


def _taken(scorer: str, settings: dict[str, Any], own: set[str]) -> dict[str, Any]:
    """Remove and return the settings that only the scorer knows; unknown ones stay and the gate rejects them."""
    knows = {field.name for field in dataclasses.fields(registry.load("scorers", scorer))}
    return {name: settings.pop(name) for name in list(settings) if name in knows and name not in own}


def _named(asked: Any, where: str) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, str) and asked:
        return asked, {}
    if isinstance(asked, Mapping) and len(asked) == 1:
        ((name, given),) = asked.items()
        if given is None or isinstance(given, Mapping):
            return str(name), dict(given or {})
    raise ConfigError(
        "the gate needs the scorer that it asks",
        field=f"{where}.scorer" if where else "scorer",
        hint="write `scorer: relevance`, or `scorer: {relevance: {light: true}}`; `proctor list scorers` shows them",
    )


def prompt_text(prompt: str, folder: str | Path, *, where: str = "") -> str:
    """Return the text of a system prompt: the text given, or that of the file named.

    Raises:
        ConfigError: it is the name of a file that is not there, or too large.
    """
    name = prompt.strip()
    if "\n" in name or not name.endswith(_FILES) or len(name) > 500:
        return prompt
    path = Path(folder) / name
    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigError("the prompt is larger than 1 MB", file=str(path), field=where)
        return _FRONT.sub("", path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "name a file beside proctor.yaml, or write the words of the prompt after `prompt: |`"
        raise ConfigError(f"the prompt cannot be read: {error}", file=str(path), field=where, hint=hint) from error
