"""The program called inside the test's own process, with the state of a new process around it.

Starting a process costs more than most calls do. What a process would lose at its end is put back here: the working
folder, the environment, the streams, loaded user modules, known secrets, log handlers and warning filters.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, TextIO

import proctor
from proctor.cli.main import main
from proctor.core.network_choice import BUNDLED, use_networks
from proctor.text.known_secrets import forget_secrets
from proctor.wiring import scorer_hash

__all__ = ["call"]

_HERE = Path(__file__).resolve().parents[1]
# Installed packages need not lie below sys.prefix: a path file can name another environment.
_PACKAGES = [place for place in sys.path if Path(place).name == "site-packages"]
_STAYS = tuple(f"{place}{os.sep}" for place in (sys.prefix, sys.base_prefix, *_PACKAGES, *proctor.__path__, _HERE))
_staying: dict[str, ModuleType] = {}  # which modules were looked at and stay: there are thousands for each call
_MODULE_CACHES = [each for each in vars(scorer_hash).values() if hasattr(each, "cache_clear")]


def call(
    words: Sequence[str], *, folder: Path, env: Mapping[str, str], given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Call the program with these words, as `subprocess.run` does; ``given`` is its standard input."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        with ExitStack() as stack:
            stack.enter_context(_settings())
            stack.enter_context(_user_modules(folder, env))
            stack.enter_context(_environment(folder, env))
            stack.enter_context(_streams(given, out, err))
            code = _exit_code(list(words))
        return subprocess.CompletedProcess(list(words), code, _text(out), _text(err))


def _exit_code(words: list[str]) -> int:
    try:
        main(words)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


@contextmanager
def _settings() -> Iterator[None]:
    """Secrets, networks, log handlers, warning filters and the hook for uncaught errors, as a new process has them."""
    root, hook = logging.getLogger(), sys.excepthook
    handlers, level = root.handlers[:], root.level
    forget_secrets()
    use_networks(BUNDLED)
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)  # as Python does by itself
        warnings.showwarning = _show_warning
        root.handlers[:], sys.excepthook = [], sys.__excepthook__
        try:
            yield
        finally:
            root.handlers[:], sys.excepthook = handlers, hook
            root.setLevel(level)
            forget_secrets()
            use_networks(BUNDLED)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))


@contextmanager
def _user_modules(folder: Path, env: Mapping[str, str]) -> Iterator[None]:
    """Modules of a user's project are loaded for this call only; the next project has others of the same name."""
    path, before = sys.path[:], _loaded_user_modules()
    for name in before:
        del sys.modules[name]
    sys.path[:0] = ["", *env.get("PYTHONPATH", "").split(os.pathsep)]
    for place in (folder, folder.resolve()):  # a file written a moment ago must be seen
        sys.path_importer_cache.pop(str(place), None)
    try:
        yield
    finally:
        sys.path[:] = path
        if now := _loaded_user_modules():
            for name in now:
                del sys.modules[name]
            if any(map(_has_scorer, now.values())):
                for cached in _MODULE_CACHES:
                    cached.cache_clear()
        sys.modules.update(before)


def _loaded_user_modules() -> dict[str, ModuleType]:
    """The loaded modules that are neither installed, nor of the product, nor of its tests."""
    found = {}
    for name, module in list(sys.modules.items()):
        if _staying.get(name) is not module and (file := getattr(module, "__dict__", {}).get("__file__")):
            if str(file).startswith(_STAYS):
                _staying[name] = module
            else:
                found[name] = module
    return found


def _has_scorer(module: ModuleType) -> bool:
    """Whether a module may have a scorer, whose hash is not kept; that of a built-in one covers no user module."""
    return any(isinstance(each, type) and hasattr(each, "score") for each in vars(module).values())


@contextmanager
def _environment(folder: Path, env: Mapping[str, str]) -> Iterator[None]:
    variables, here = dict(os.environ), Path.cwd()  # noqa: TID251 - put back as it was
    os.chdir(folder)
    _set_variables(env)
    try:
        yield
    finally:
        _set_variables(variables)
        os.chdir(here)


def _set_variables(env: Mapping[str, str]) -> None:
    os.environ.clear()  # noqa: TID251 - the program gets what the test gives it
    os.environ.update(env)  # noqa: TID251


@contextmanager
def _streams(given: str | None, out: IO[str], err: IO[str]) -> Iterator[None]:
    """Python's streams and the descriptors under them, which the processes that the program starts inherit."""
    kept, streams = [os.dup(number) for number in range(3)], (sys.stdin, sys.stdout, sys.stderr)
    stdin = _stdin(given)
    for number, descriptor in enumerate((stdin, out.fileno(), err.fileno())):
        os.dup2(descriptor, number)
    os.close(stdin)
    opened = [os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")]
    sys.stdin, sys.stdout, sys.stderr = opened
    try:
        yield
    finally:
        for stream in opened:
            stream.close()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, old in enumerate(kept):
            os.dup2(old, number)
            os.close(old)


def _stdin(given: str | None) -> int:
    if given is None:
        return os.open(os.devnull, os.O_RDONLY)
    out, into = os.pipe()  # a few lines: they fit into the pipe
    os.write(into, given.encode())
    os.close(into)
    return out
