"""All exceptions, as one tree.

::

    ProctorError                  has a message, its location, and a hint
    ├── InputError                the user's files, flags or settings are wrong (exit code 2)
    │   ├── ConfigError           proctor.yaml or the environment
    │   ├── SuiteError            a suite file or a case in it
    │   ├── PromptError           a prompt file or its template
    │   ├── MalformedError        data of the wrong shape; lists every problem with its path
    │   └── NotFoundError         an unknown name: run, scorer, target, model
    ├── StoreError                an error of the disk or the database (exit code 3)
    ├── TargetError               the target did not answer (one error record)
    ├── ToolRefused               the guard refused a tool call or its result
    └── ModelError                a model did not answer (one error record)
        ├── UnreachableError      no connection, dropped connection
        ├── TimedOutError         timeout
        ├── RateLimitedError      429, with the requested wait
        ├── OverloadedError       5xx and 529
        ├── RefusedError          401, 403: key or permission
        ├── UnknownModelError     404: no such model or path
        ├── RejectedError         any other 4xx: the request itself is wrong
        ├── ReplyError            an invalid answer; keeps the raw text
        └── BudgetError           the money or call budget is spent

Judging never raises for a bad reply: it records one of these exceptions.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

from proctor.core.verdict import Verdict

__all__ = [
    "BudgetError",
    "ConfigError",
    "InputError",
    "MalformedError",
    "ModelError",
    "NotFoundError",
    "OverloadedError",
    "Problem",
    "ProctorError",
    "PromptError",
    "RateLimitedError",
    "RefusedError",
    "RejectedError",
    "ReplyError",
    "StoreError",
    "SuiteError",
    "TargetError",
    "TimedOutError",
    "ToolRefused",
    "UnknownModelError",
    "UnreachableError",
]

_RENAMED: Final = "`mend` of an error is now `hint`; the old name goes in the next version"


class ProctorError(Exception):
    """An error that Proctor reports on purpose: what happened, where, and how to fix it."""

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        field: str | None = None,
        hint: str | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(message)
        if mend is not None:
            warnings.warn(_RENAMED, DeprecationWarning, stacklevel=2)
        self.message = message
        self.file = file
        self.line = line
        self.field = field
        self.hint = mend if hint is None else hint

    @property
    def mend(self) -> str | None:
        """The old name of ``hint``, for one more version."""
        warnings.warn(_RENAMED, DeprecationWarning, stacklevel=2)
        return self.hint

    @property
    def place(self) -> str:
        """``file:line: field`` as far as known; otherwise empty."""
        where = self.file or ""
        if self.file and self.line is not None:
            where = f"{self.file}:{self.line}"
        if self.field:
            where = f"{where}: {self.field}" if where else self.field
        return where

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class InputError(ProctorError):
    """The user's files, flags or settings are wrong."""

    exit_code = 2


class ConfigError(InputError):
    """proctor.yaml or the environment is wrong."""


class SuiteError(InputError):
    """A suite file, or a case in it, is wrong."""


class PromptError(InputError):
    """A prompt file or its template is wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in some data: where, what, and a hint."""

    path: tuple[str | int, ...]
    message: str
    hint: str | None = None
    line: int | None = None

    def under(self, *place: str | int) -> Problem:
        """Return the problem with its path below another one."""
        return Problem((*place, *self.path), self.message, self.hint, self.line)

    @property
    def where(self) -> str:
        """The path in readable form: ``cases[3].expect.facts``."""
        text = ""
        for step in self.path:
            text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
        return text


class MalformedError(InputError):
    """Data of the wrong shape; ``problems`` lists every problem."""

    def __init__(self, problems: list[Problem], *, file: str | None = None) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.message + more, file=file, line=first.line, field=first.where or None, hint=first.hint)
        self.problems = problems


class NotFoundError(InputError):
    """An unknown name."""


class StoreError(ProctorError):
    """An error of the disk or the database."""


class TargetError(ProctorError):
    """The target did not answer."""


class ToolRefused(ProctorError):
    """The guard refused a tool call or its result; ``verdict`` has the reason."""

    def __init__(self, message: str, *, verdict: Verdict | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.verdict = verdict


class ModelError(ProctorError):
    """A model did not answer."""

    status: int | None = None


class UnreachableError(ModelError):
    """No connection could be made, or it was dropped."""


class TimedOutError(ModelError):
    """No answer arrived in time."""


class RateLimitedError(ModelError):
    """The server returned 429; ``retry_after`` is the requested wait in seconds."""

    status = 429
    retry_after: float | None = None


class OverloadedError(ModelError):
    """The server returned 5xx; ``retry_after`` is the requested wait in seconds."""

    status = 503
    retry_after: float | None = None


class RefusedError(ModelError):
    """The key or the permission is wrong."""


class UnknownModelError(ModelError):
    """The server does not know the model or the path."""


class RejectedError(ModelError):
    """The server rejected the request itself; ``cause`` says in a few words why, if that is known."""

    cause: str = ""


class ReplyError(ModelError):
    """The answer is invalid; ``raw`` keeps its text, ``cause`` says in a few words why, if that is known."""

    raw: str = ""
    cause: str = ""


class BudgetError(ModelError):
    """The user's budget is spent."""
