"""Load a user's Python object and determine its arguments from its signature."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from proctor.core.attack import Observation
from proctor.core.decode import closest
from proctor.core.errors import ConfigError

__all__ = ["OFFERS", "Wants", "check_callable", "find_object", "load_object", "shows_of", "wants_of"]

OFFERS = ("text", "messages", "history", "session", "inputs", "page", "case", "sample", "state", "settings", "model")
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wants:
    """The arguments of a callable: by position, and by name."""

    positional: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def pick(self, offers: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Select its arguments from the available values."""
        return [offers[name] for name in self.positional], {name: offers[name] for name in self.named}


def wants_of(call: Callable[..., Any], shown: str, *, method: bool = False, making: bool = False) -> Wants:
    """Determine the arguments of a callable: the user's text first, and those it names.

    ``method`` skips ``self``. ``making`` is for a class, which gets only what it names.

    Raises:
        ConfigError: it needs an argument that is not available.
    """
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):  # written in C, without a signature
        return Wants() if making else Wants(positional=("text",))
    parameters = parameters[1:] if method else parameters
    positional: list[str] = []
    named: list[str] = []
    for index, each in enumerate(parameters):
        if each.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if index == 0 and not making and each.kind in _BY_POSITION:
            positional.append(each.name if each.name in OFFERS else "text")
        elif each.name in OFFERS:
            positional.append(each.name) if each.kind is inspect.Parameter.POSITIONAL_ONLY else named.append(each.name)
        elif each.default is inspect.Parameter.empty:
            guess = closest(each.name, OFFERS)
            hint = f"did you mean `{guess}`?" if guess else f"give it a default; known: {', '.join(OFFERS)}"
            raise ConfigError(f"{shown} wants {each.name!r}, which a target is not given", hint=hint)
    return Wants(positional=tuple(positional), named=tuple(named))


def load_object(reference: str, folder: Path) -> Any:
    """Return the function or class of a target that ``module:name`` or ``file.py:name`` refers to.

    Raises:
        ConfigError: there is none, importing it fails, or no target can be made of it.
    """
    found = find_object(reference, folder)
    check_callable(found, reference)
    return found


def find_object(reference: str, folder: Path) -> Any:
    """Return what ``module:name`` or ``file.py:name`` refers to.

    Raises:
        ConfigError: there is none, or importing it fails.
    """
    place, colon, name = reference.rpartition(":")
    if not colon or not place or not name:
        raise ConfigError(
            f"{reference!r} names no callable", hint="write `module:function` or `path/to/file.py:function`"
        )
    module = _from_file(folder / place) if place.endswith(".py") else _from_module(place, folder)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = [each for each in vars(module) if not each.startswith("_") and callable(getattr(module, each))]
            guess = closest(name, names)
            hint = f"did you mean `{guess}`?" if guess else f"it has: {', '.join(names) or 'nothing to call'}"
            raise ConfigError(f"{place} has no {name!r}", hint=hint)
        found = getattr(found, part)
    return found


def check_callable(found: Any, reference: str) -> None:
    """Check that a target can be made of this object.

    Raises:
        ConfigError: it is a class without a method `say`, or is not callable.
    """
    if inspect.isclass(found) and not callable(getattr(found, "say", None)):
        raise ConfigError(f"the class {reference} has no method `say`", hint="add `def say(self, text)` to it")
    if not callable(found):
        raise ConfigError(f"{reference} is {type(found).__name__}, which cannot be called", hint="name a function")


def shows_of(subject: Any, shown: str) -> tuple[Observation, ...] | None:
    """Return what a class declares to show with its attribute ``shows``; ``None`` if it has none.

    Raises:
        ConfigError: it is no list of words, tools and state.
    """
    written = getattr(subject, "shows", None)
    if written is None:
        return None
    several = [written] if isinstance(written, str) else written
    known = get_args(Observation)
    if not isinstance(several, (list, tuple)) or any(each not in known for each in several):
        hint = 'write e.g. shows = ("words", "tools", "state")'
        raise ConfigError(f"{shown}: `shows` is no list of {', '.join(known)}", hint=hint)
    return tuple(several)


def _from_module(name: str, folder: Path) -> ModuleType:
    _make_importable(folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise _broken(name, error) from error
        raise ConfigError(
            f"there is no module {name!r}", hint=f"put it into {folder}, install it, or write `file.py:function`"
        ) from None
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def _from_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise ConfigError("no such file", file=str(path), hint="check the path; it is relative to proctor.yaml")
    _make_importable(path.parent)
    name = f"proctor_target_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError("not a Python file", file=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look up their module by name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _broken(str(path), error) from error
    return module


def _make_importable(folder: Path) -> None:
    """Add the folder to the end of sys.path, so that the user's modules cannot hide installed ones."""
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.append(place)


def _broken(place: str, error: BaseException) -> ConfigError:
    return ConfigError(
        f"{place} cannot be imported: {type(error).__name__}: {error}", hint="make sure that Python can import it"
    )
