"""Create graders from the checks of suites and cases."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from proctor import registry
from proctor.config import Config
from proctor.core.case import Case, Check, Suite
from proctor.core.codec import content_id
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, InputError, MalformedError, NotFoundError, Problem, SuiteError
from proctor.core.network_choice import networks_in_force
from proctor.core.sockets import Model, Scorer, is_fast, is_optional, is_socket
from proctor.runner.grade import Grader
from proctor.scorers.answer.python_function import check_parameters
from proctor.suites.load import LoadedSuite
from proctor.targets.python_callable import find_object
from proctor.wiring.catalogue import make_catalogue
from proctor.wiring.code_permission import check_suite_code, check_suite_sockets
from proctor.wiring.local_models import FAST, LOCAL, local_model
from proctor.wiring.models import ModelPool
from proctor.wiring.project_intents import with_project_intents
from proctor.wiring.project_tools import with_project_tools

__all__ = ["PRIMARY", "GraderFactory", "check_graders", "required_models", "with_fast_models"]

PRIMARY = ""  # key of the main setting: the text in `- contains: text`
_REMEMBERED = 4096
_PYTHON = "python"  # the scorer with a function of the user; its code is not in a package
_FIELD = "checks.python"
_NOT_CHECKED = (
    "not checked: {0}, which needs the large network (`proctor models add large` and `networks: large`) "
    "and finds many faults that the other checks miss: docs/conversation_score.md#{0}"
)


class GraderFactory:
    """Creates graders. Equal checks share one, so that 100,000 cases do not create 100,000 scorers.

    Without a model pool the sockets stay empty, which is enough to validate a suite. ``only`` keeps the checks of these
    names. ``light`` drops scorers that call a model; a scorer with a `light` setting stays and does its rule-based
    part. ``judges`` are used by scorers that take several; the default is the project's judge, if any. ``config`` is
    the pool's unless given; its `intents:` complete the settings of scorers that grade by intent. ``trusted`` checks
    come from proctor.yaml and may name code. ``given`` scorers are objects that judge every case too.
    """

    def __init__(
        self,
        suite: Suite,
        model_pool: ModelPool | None,
        *,
        only: Collection[str] = (),
        light: bool = False,
        judges: Sequence[str] = (),
        config: Config | None = None,
        trusted: bool = False,
        given: Sequence[Scorer] = (),
    ) -> None:
        self._suite = suite
        self._given = given
        self._trusted = trusted
        self._judges = judges
        self._only = frozenset(only)
        self._light = light
        self._model_pool = model_pool
        self._config = config or (model_pool.config if model_pool else None)
        self._made: dict[str, Grader] = {}
        self._revisions: dict[str, str] = {}
        self._used: dict[str, type] = {}
        self._kinds: dict[str, Any] = {}
        self._not_checked: dict[str, None] = {}

    def graders(self, case: Case) -> Sequence[Grader]:
        """Return the graders of the suite, of the case and of its single turns."""
        by_turn = [
            replace(grader, turn=place, name=f"turn {place + 1}: {grader.name}")
            for place, ask in enumerate(case.turns)
            if ask.checks
            for grader in self._chosen(ask.checks)
        ]
        if not case.checks and not by_turn:
            return self._shared
        return [*self._shared, *self._chosen(case.checks), *by_turn]

    @property
    def narrowed(self) -> bool:
        """Whether checks may have been dropped, so that a case can be without any."""
        return bool(self._only) or self._light

    @cached_property
    def _shared(self) -> Sequence[Grader]:
        return [*self._chosen(self._suite.scorers), *map(self._grader_of, self._given)]

    def _chosen(self, checks: Iterable[Check]) -> Iterator[Grader]:
        for check in checks:
            if self._only and not self._only & {check.scorer, check.name, _function_name(check)}:
                continue
            if self._light:
                fields = dataclasses.fields(self._kind(check.scorer))
                if any(each.name == "light" for each in fields):
                    check = replace(check, settings={**check.settings, "light": True})  # noqa: PLW2901
                elif check.scorer != _PYTHON and any(is_socket(each) for each in fields):
                    continue
            yield self.grader(check)

    def grader(self, check: Check) -> Grader:
        """Return the grader for a check.

        Raises:
            SuiteError: there is no such scorer, or its settings are wrong.
        """
        asked = self._by_tools(written := check)
        check = self._by_intent(asked)
        key = content_id(check)
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= _REMEMBERED:
                self._made.pop(next(iter(self._made)))
            made = self._made[key] = self._make(check) if check is asked else self._make_by_intent(asked, check)
            # A scorer with a prompt has a revision: its version and a hash of the prompt.
            revision = getattr(made.scorer, "revision", made.scorer.version)
            if check is not written:  # settings from proctor.yaml are not covered by the suite's hash
                section = "intents" if check is not asked else "tools"
                revision = f"{revision} {section} {content_id(dict(check.settings), length=8)}"
            called = made.name if check.scorer == _PYTHON else made.scorer.name
            self._revisions[called] = f"{revision} light" if self._light else revision
            self._used[called] = type(made.scorer)
            self._not_checked.update(dict.fromkeys(getattr(made.scorer, "not_checked", ())))
        return made

    def _grader_of(self, scorer: Scorer) -> Grader:
        """Return the grader for a scorer object; its settings are part of its revision."""
        kind: Any = type(scorer)
        fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        settings = {each.name: getattr(scorer, each.name) for each in fields if not is_socket(each)}
        revision = getattr(scorer, "revision", scorer.version)
        self._revisions[scorer.name] = f"{revision} {content_id(settings, length=8)}" if settings else revision
        self._used[scorer.name] = kind
        asks = any(is_socket(each) for each in fields)
        return Grader(scorer=scorer, name=scorer.name, threshold=scorer.threshold, asks=asks, named=False)

    def _by_tools(self, check: Check) -> Check:
        tools = self._config.settings.tools if self._config else {}
        return with_project_tools(check, self._kind(check.scorer), tools) if tools else check

    def _by_intent(self, check: Check) -> Check:
        intents = self._config.settings.intents if self._config else {}
        return with_project_intents(check, self._kind(check.scorer), intents) if intents else check

    def _make_by_intent(self, asked: Check, check: Check) -> Grader:
        """Return the grader with the project's intents; errors in these are reported for proctor.yaml."""
        try:
            return self._make(check)
        except MalformedError as error:
            self._make(asked)
            told = "; ".join(problem.message for problem in error.problems)
            path = self._config.path if self._config else None
            raise ConfigError(
                f"{check.scorer} cannot use this: {told}",
                file=str(path) if path else None,
                field="intents",
                hint="docs/configuration.md lists what may be set for an intent",
            ) from error

    def specs(self) -> Mapping[str, str]:
        """Return the scorers used so far with their revisions. Settings are covered by the suite's hash."""
        return dict(sorted(self._revisions.items()))

    def notes(self) -> list[str]:
        """Return which checks of the scorers used so far are left out, because a network that judges them is off."""
        return list(dict.fromkeys(_NOT_CHECKED.format(name) for name in self._not_checked))

    def hashes(self) -> Mapping[str, str]:
        """Return the scorers used so far with a hash of code and models; "" has the hash of the suite's checks."""
        from proctor.wiring.scorer_hash import scorer_hash  # noqa: PLC0415 - only a run that is kept needs it

        found = {name: self._hash(name, scorer_hash(kind)) for name, kind in sorted(self._used.items())}
        return {"": content_id(self._suite.scorers, length=12), **found} if self._suite.scorers else found

    def _hash(self, name: str, found: str) -> str:
        """Return the hash of a scorer; that of a user's function covers its file, which is in its revision."""
        if self._used[name].__name__ != "PythonFunction":
            return found
        return content_id([found, self._revisions[name]], length=12)

    def _kind(self, name: str) -> Any:
        """Return the scorer's class; cached, because reading entry points takes milliseconds."""
        if name not in self._kinds:
            try:
                self._kinds[name] = registry.load("scorers", name)
            except NotFoundError as error:
                raise SuiteError(error.message, field=f"checks.{name}", hint=error.hint) from error
        return self._kinds[name]

    def _make(self, check: Check) -> Grader:
        kind = self._kind(check.scorer)
        settings = _with_primary(check, kind)
        if self._model_pool is not None and not self._trusted:
            sockets = [field.name for field in dataclasses.fields(kind) if is_socket(field)]
            check_suite_sockets(
                check.scorer, {name: settings.get(name) for name in sockets}, config=self._model_pool.config
            )
        if check.scorer == _PYTHON and self._model_pool is not None:
            settings["call"] = _load_function(settings, config=self._model_pool.config, trusted=self._trusted)
        if "judges" not in settings and self._judges and any(f.name == "judges" for f in dataclasses.fields(kind)):
            settings["judges"] = list(self._judges)
        scorer = _build(kind, check, settings, self._model_pool)
        asks = any(is_socket(field) for field in dataclasses.fields(kind))
        threshold = check.threshold if check.threshold is not None else kind.threshold
        return Grader(
            scorer=scorer,
            name=str(check.name or getattr(scorer, "shown_name", check.scorer)),
            threshold=threshold,
            weight=check.weight,
            asks=asks,
            named=check.threshold is not None,
        )


def with_fast_models(check: Check) -> Check:
    """Return the check with the small networks alone, unless it says otherwise: messages wait in the same process."""
    try:
        fields = dataclasses.fields(registry.load("scorers", check.scorer))
    except NotFoundError:
        return check  # the grader reports it
    fast = {field.name: "fast" for field in fields if field.name in FAST and is_socket(field)}
    return replace(check, settings={**fast, **check.settings}) if fast else check


def required_models(check: Check) -> Iterator[tuple[str, Any]]:
    """Yield role and name (``None``: the project's) of each chat model that the check cannot do without."""
    if check.scorer == _PYTHON:
        return
    for field in dataclasses.fields(registry.load("scorers", check.scorer)):
        if is_socket(field) and not is_optional(field) and field.name not in {*LOCAL, "judges", "catalogue"}:
            yield field.name, check.settings.get(field.name)


def _function_name(check: Check) -> str | None:
    """Return the name of a check with a user's function in reports; ``None`` of any other."""
    if check.scorer != _PYTHON:
        return None
    return str(check.settings.get(PRIMARY) or check.settings.get("function") or "").rpartition(":")[2]


def check_graders(grader_factory: GraderFactory, case: Case, loaded: LoadedSuite) -> None:
    """Create the case's graders, to find errors in its checks before the run.

    Raises:
        InputError: with the file and the line of the case.
    """
    try:
        if grader_factory.graders(case):
            return
    except ConfigError as error:
        if not (error.field or "").startswith("checks."):
            raise  # an error in a model is not an error in the suite
        file, line = loaded.place(case.id, ("checks",)) or (loaded.path, None)
        raise ConfigError(error.message, file=str(file), line=line, field=error.field, hint=error.hint) from error
    except InputError as error:
        file, line = loaded.place(case.id, ("checks",)) or (loaded.path, None)
        problems = error.problems if isinstance(error, MalformedError) else [_problem(error)]
        raise MalformedError([replace(each, line=line) for each in problems], file=str(file)) from error
    file, line = loaded.place(case.id) or (loaded.path, None)
    raise SuiteError(
        f"case {case.id!r} has nothing to be judged by",
        file=str(file),
        line=line,
        hint="add `checks:` to the case, or `scorers:` to the suite (for a CSV: an `__expected` column)",
    )


def _problem(error: InputError) -> Problem:
    return Problem((error.field,) if error.field else (), error.message, error.hint)


def _with_primary(check: Check, kind: Any) -> dict[str, Any]:
    settings = dict(check.settings)
    if PRIMARY not in settings:
        return settings
    if kind.primary is None:
        raise SuiteError(
            f"{check.scorer} takes named settings only",
            field=f"checks.{check.scorer}",
            hint=f"write `- {check.scorer}: {{name: value}}`; docs/scorers.md lists the names",
        )
    settings[kind.primary] = settings.pop(PRIMARY)
    return settings


def _fill(field: dataclasses.Field[Any], name: Any, check: Check, model_pool: ModelPool | None) -> Any:
    """Return the value of a socket: a local model, the catalogue, or a chat model (none without a model pool).

    An optional chat model is filled only if the check names it; `judge: default` is the project's judge. With
    `entailer: fast` or `grounder: fast` the small network is asked alone, as it is for a fast socket of a project that
    does not use the large network.
    """
    role = field.name
    if role in LOCAL:
        if name not in (None, "local", *(["fast"] if role in FAST else [])):
            raise SuiteError(
                f"{role} is a model that ships with Proctor; {name!r} cannot take its place",
                field=f"checks.{check.scorer}.{role}",
                hint=f"leave `{role}:` out",
            )
        is_default_fast = is_fast(field) and networks_in_force().large is None
        return local_model(role, fast=name == "fast" or (name is None and is_default_fast))
    if model_pool is None:
        return None
    if check.scorer == _PYTHON:
        return name
    if role == "judges":
        return _judges(name, check, model_pool)
    if role == "catalogue":
        return make_catalogue(name, config=model_pool.config, http=model_pool.http, model=model_pool.get)
    if is_optional(field):
        return model_pool.get(None if name == "default" else name, role=role) if name else None
    return model_pool.get(name, role=role)


def _judges(named: Any, check: Check, model_pool: ModelPool) -> tuple[Model, ...]:
    """Return several judges by name; by default the project's judge, if any."""
    names = [named] if isinstance(named, str) else named if named is not None else [model_pool.config.settings.judge]
    if not isinstance(names, (list, tuple)) or not all(name is None or isinstance(name, str) for name in names):
        raise SuiteError(
            "judges is a list of models",
            field=f"checks.{check.scorer}.judges",
            hint="write `judges: [openai:gpt-5-mini, local:smollm2]`",
        )
    wanted = dict.fromkeys(model_pool.config.settings.judge if name == "default" else name for name in names)
    return tuple(model_pool.get(name, role="judge") for name in wanted if name)


def _build(kind: Any, check: Check, settings: dict[str, Any], model_pool: ModelPool | None) -> Scorer:
    """Decode the plain settings, then fill the sockets by name."""
    sockets: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        if is_socket(field):
            name = settings.pop(field.name, None)
            sockets[field.name] = _fill(field, name, check, model_pool)
    try:
        scorer: Scorer = decode(kind, {**settings, **sockets}, strict=True)
    except MalformedError as error:
        problems = [Problem(("checks", check.scorer, *p.path), p.message, p.hint) for p in error.problems]
        raise MalformedError(problems) from error
    return scorer


def _load_function(settings: Mapping[str, Any], *, config: Config, trusted: bool) -> Callable[..., Any]:
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
