"""Run a GGUF file in this process, behind the chat completions API.

The engine answers like an OpenAI-compatible server, so the client for such servers is reused with the engine in
place of the network.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import importlib.util
import json
import os
import shutil
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, NotFoundError, ReplyError, TimedOutError
from proctor.core.sockets import HttpReply, Kit, Model
from proctor.models import fetch
from proctor.models.chat import ChatCompletions
from proctor.models.openai_settings import OpenAISettings, Provider
from proctor.models.wire import Wire

__all__ = ["LocalSettings", "local"]

_PROVIDER = Provider(name="local", any_schema=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """Settings of a model file run in process: ``model`` is a fetched one's name or the path of a .gguf file.

    ``slots`` is how many answers are generated at once, each with a context of ``context`` tokens.
    """

    model: str
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = 512
    stop: tuple[str, ...] = ()
    seed: int | None = 0
    context: int = 4096
    slots: int = 2
    threads: int | None = None
    timeout: float = 300.0
    structured: Literal["native", "prompt"] = "native"

    def __post_init__(self) -> None:
        for name, least in (("context", 128), ("slots", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}")


def local(kit: Kit) -> Model:
    """A GGUF file run in this process: no key, no server (extra `local-llm`)."""
    try:
        settings = decode(LocalSettings, kit.settings, strict=True)
    except MalformedError as error:
        raise ConfigError(error.message, field=f"models.{kit.name}.{error.field or ''}", hint=error.hint) from error
    path = _file(settings.model, kit)
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigError(
            "models that run in process need the extra `local-llm`",
            field=f"models.{kit.name}",
            hint="pip install 'proctor[local-llm]'",
        )
    name = f"local:{settings.model if settings.model in fetch.KNOWN else path.stem}"
    chat = OpenAISettings(
        model=path.stem,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        stop=settings.stop,
        seed=settings.seed,
        structured=settings.structured,
    )
    engine = _Engine(path=path, context=settings.context, slots=settings.slots, threads=settings.threads)
    wire = Wire(who=name, url="in-process", timeout=settings.timeout, http=engine)
    spec = {"provider": "local", "file": path.name, "mark": _mark(path), "context": settings.context}
    spec |= {key: getattr(chat, key) for key in ("temperature", "top_p", "max_tokens", "seed", "structured")}
    return ChatCompletions(name=name, provider=_PROVIDER, settings=chat, spec=spec, wire=wire)


def _file(model: str, kit: Kit) -> Path:
    if not model.endswith(".gguf"):
        try:
            path = fetch.path_of(model, Path(kit.cache) / "models")
        except NotFoundError as error:
            raise ConfigError(error.message, field=f"models.{kit.name}", hint=error.hint) from error
        hint = f"proctor models add {model}"
    else:
        path = Path(kit.folder) / Path(model).expanduser()
        hint = "check the path"
    if not path.is_file():
        raise ConfigError(
            f"the model file {path.name} is not here", file=str(path), field=f"models.{kit.name}", hint=hint
        )
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ConfigError("is not a GGUF file", file=str(path), field=f"models.{kit.name}", hint="fetch it again")
    return path


def _mark(path: Path) -> str:
    """Return a cheap fingerprint of a large file: its size and a hash of the first megabyte."""
    with path.open("rb") as file:
        return f"{path.stat().st_size}-{hashlib.sha256(file.read(1 << 20)).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Engine:
    """Replaces the network: takes a chat completions request and answers like a server."""

    path: Path
    context: int
    slots: int
    threads: int | None

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 300.0,  # noqa: ASYNC109 - the caller passes the timeout
        max_bytes: int = 8_000_000,
    ) -> HttpReply:
        """Answer in a thread of the engine, so that the event loop is not blocked.

        Waiting for a free slot does not count: latency and timeout start when the model does.
        """
        loop, begun, stop = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def work() -> HttpReply:
            server = _server(self.path, self.context, self.slots, self.threads)
            loop.call_soon_threadsafe(begun.set)
            return _answer(server, json.loads(body or b"{}"), stop)

        answering = loop.run_in_executor(_threads(self.path, self.slots), work)
        beginning = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait((answering, beginning), return_when=asyncio.FIRST_COMPLETED)
            async with asyncio.timeout(timeout):
                return await answering
        except TimeoutError:
            message = f"{self.path.name} gave no answer within {timeout:g} s"
            raise TimedOutError(message, hint="raise `timeout`, or lower `max_tokens`") from None
        finally:
            beginning.cancel()
            stop.set()  # cancelled or timed out: the slot is free at the next token


def _answer(server: Any, request: dict[str, Any], stop: threading.Event) -> HttpReply:
    """Stream the answer, so that it can be stopped, and join its pieces."""
    started = time.perf_counter()
    pieces: list[Mapping[str, Any]] = []

    def heard(piece: Mapping[str, Any]) -> bool:
        pieces.append(piece)
        return stop.is_set()

    try:
        server.handle_chat_completions({**request, "stream": True, "stream_options": {"include_usage": True}}, heard)
        answer = _joined(pieces)
    except (ValueError, RuntimeError) as error:  # a schema or a message that the engine rejects
        answer = {"error": {"code": 400, "message": str(error)}}
    trouble = answer.get("error")
    status = int(trouble.get("code") or 500) if isinstance(trouble, Mapping) else 200
    return HttpReply(status=status, headers={}, body=dumps(answer), latency=time.perf_counter() - started)


def _joined(pieces: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Join the pieces of one chat completion."""
    text, finish = "", None
    calls: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for piece in pieces:
        if piece.get("error"):
            return dict(piece)
        whole.update({key: piece[key] for key in ("id", "model", "usage") if key in piece})
        for choice in piece.get("choices") or ():
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            finish = choice.get("finish_reason") or finish
            for part in delta.get("tool_calls") or ():
                _add_call(calls, part)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**whole, "choices": [{"index": 0, "finish_reason": finish, "message": message}]}


def _add_call(calls: dict[int, dict[str, Any]], part: Mapping[str, Any]) -> None:
    call = calls.setdefault(part.get("index", 0), {"type": "function", "function": {"name": "", "arguments": ""}})
    if part.get("id"):
        call["id"] = part["id"]
    function = part.get("function") or {}
    call["function"]["name"] += function.get("name") or ""
    call["function"]["arguments"] += function.get("arguments") or ""


_LOADING = threading.Lock()


def _server(path: Path, context: int, slots: int, threads: int | None) -> Any:
    """Return the model, loaded once per process on first use."""
    with _LOADING:
        return _loaded(path, context, slots, threads)


@lru_cache(maxsize=8)
def _threads(path: Path, slots: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=slots, thread_name_prefix=f"proctor-{path.stem}")


@lru_cache(maxsize=4)
def _loaded(path: Path, context: int, slots: int, threads: int | None) -> Any:
    import xllamacpp  # noqa: PLC0415 - an extra, and 100 MB of library

    # The library must listen somewhere: use a socket file in a folder that only this user may enter.
    folder = mkdtemp(prefix="proctor-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.verbosity = -1
    params.warmup = False
    params.hostnames = [f"{folder}/s.sock"]
    # Its threads busy-wait: one too many on a busy machine makes it many times slower, one too few only a little.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or max(1, (os.cpu_count() or 2) // 2)
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        hint = "fetch the file again, or lower `context`"
        raise ReplyError(f"{path.name} cannot be loaded: {error}", hint=hint) from error
