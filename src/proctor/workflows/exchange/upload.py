"""Upload evals, with a run for each model, to services with OpenAI's API."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from proctor.config import Config
from proctor.core.errors import ConfigError, InputError, ReplyError
from proctor.models.wire import Wire
from proctor.project import Project
from proctor.suites.exchange.bundle import Bundle, Notes
from proctor.suites.exchange.evals_write import JUDGE, eval_payload, run_payload

__all__ = ["Uploaded", "upload_evals"]

_ANSWERS = re.compile(r"(?:/deployments/[^/?]+)?/(?:chat/completions|responses)(?=\?|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploaded:
    """The eval and the runs that the service created, each with the URL of its page, if any."""

    eval_id: str
    runs: Mapping[str, str]
    pages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def upload_evals(config: Config, bundle: Bundle, *, judge: str | None = None) -> Uploaded:
    """Create the eval, then one run for each model of the bundle.

    Raises:
        InputError: no model is named, they are on different services, or the prompt has no grader.
        ModelError: the service returned an error; an eval created before it is named.
    """
    if not bundle.models:
        raise InputError("no model is named, so there is nothing to run", hint="name one or more with -m")
    notes = Notes()
    async with _wires(config, (*bundle.models, *([judge] if judge else ()))) as wires:
        bases = {_base(wire.url) for wire in wires.values()}
        if len(bases) > 1:
            raise InputError("the models are on different services", hint="upload to one service at a time")
        wire = wires[bundle.models[0]]
        names = {model: _model_name(wires[model], model) for model in bundle.models}
        grader = _model_name(wires[judge], judge) if judge else _default_judge(wire, names[bundle.models[0]])
        created = await _post(wire, "/evals", eval_payload(bundle, judge=grader, notes=notes), "eval")
        made, pages = {}, []
        for model in bundle.models:
            payload = run_payload(bundle, model=names[model])
            try:
                run = await _post(wires[model], f"/evals/{created['id']}/runs", payload, "run")
            except Exception as error:
                if hasattr(error, "message"):
                    error.message += f" (the eval {created['id']} was created; its run on {model} was not)"
                raise
            made[model] = str(run["id"])
            if isinstance(run.get("report_url"), str):
                pages.append(run["report_url"])
    return Uploaded(eval_id=str(created["id"]), runs=made, pages=tuple(pages), notes=notes.tell())


@asynccontextmanager
async def _wires(config: Config, names: Sequence[str]) -> AsyncIterator[dict[str, Wire]]:
    """Yield the connection of each model, with the same URL and key as for its chat calls."""
    async with Project(config) as project:
        model_pool = project.model_pool()
        found: dict[str, Wire] = {}
        for name in dict.fromkeys(names):
            wire = getattr(model_pool.wire(name), "wire", None)
            if not isinstance(wire, Wire) or not _ANSWERS.search(wire.url):
                hint = "name a model of openai:, azure: or compatible:"
                raise ConfigError(f"{name} is not behind an API that has evals", hint=hint)
            found[name] = wire
        yield found


def _base(url: str) -> str:
    return _ANSWERS.sub("", url)


def _model_name(wire: Wire, name: str) -> str:
    """Return the service's name of the model."""
    return wire.who.partition(":")[2] or name


def _default_judge(wire: Wire, model: str) -> str:
    """Return a judge: OpenAI's default, or elsewhere the named model, since no other is known to exist."""
    return JUDGE if "api.openai.com" in wire.url else model


async def _post(wire: Wire, path: str, payload: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    there = dataclasses.replace(wire, url=_ANSWERS.sub(path, wire.url), hints={**wire.hints, "model": _GONE})
    data, _ = await there.post(payload)
    if not isinstance(data.get("id"), str):
        error = ReplyError(f"{wire.who}: the service answered without the id of the {what}")
        error.raw = str(data)[:2000]
        raise error
    return data


_GONE = "the service has no evals at this address (OpenAI's closed on 2026-11-30): check base_url and api_version"
