"""Load the function of a `python` check: `- python: checks.py:polite`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from proctor.config import Config
from proctor.core.errors import ConfigError, SuiteError
from proctor.scorers.answer.python_function import check_parameters
from proctor.targets.python_callable import find_object
from proctor.wiring.code_permission import check_suite_code

__all__ = ["load_function"]

_FIELD = "checks.python"


def load_function(settings: Mapping[str, Any], *, config: Config, trusted: bool) -> Callable[..., Any]:
    """Return the function; its file is relative to proctor.yaml.

    Raises:
        ConfigError: a suite may not name it, it cannot be loaded, or it wants what a scorer is not given.
    """
    reference = settings.get("function")
    if not isinstance(reference, str) or ":" not in reference:
        raise SuiteError("names no function", field=_FIELD, hint="write `- python: checks.py:polite`")
    if not trusted:
        check_suite_code(reference, config=config, field=_FIELD)
    try:
        found = find_object(reference, config.folder)
        if inspect.isclass(found) or not callable(found):
            what = "a class" if inspect.isclass(found) else type(found).__name__
            raise ConfigError(f"{reference} is {what}, not a function", hint="name a function")
        check_parameters(found, reference)
    except ConfigError as error:
        where = f"{error.file}: {error.message}" if error.file else error.message
        raise ConfigError(where, field=_FIELD, hint=error.hint) from error
    made: Callable[..., Any] = found
    return made
