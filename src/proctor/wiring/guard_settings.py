"""The `guard:` section of proctor.yaml: its schema, its chains, and its gates with their sockets filled."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal

from proctor import registry
from proctor.config import Config, expand
from proctor.core.codec import content_id
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, InputError, MalformedError, NotFoundError, Problem
from proctor.core.sockets import Gate, is_optional, is_socket
from proctor.core.step import POINTS, Point
from proctor.core.verdict import Verdict
from proctor.guard.capacity import MAX_STEP_CHARS, QueueLimits
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline
from proctor.guard.engine import REPLIES, Plan
from proctor.guard.step import Step
from proctor.guard.verdict_validation import FailAction
from proctor.wiring.escalation_settings import EscalateSettings
from proctor.wiring.gate_isolation import isolated
from proctor.wiring.gate_scorers import prompt_text, scorer_sockets, takes_scorer
from proctor.wiring.guard_profiles import PROFILES, ProfileName, with_profile
from proctor.wiring.local_models import LOCAL, local_model
from proctor.wiring.models import ModelPool
from proctor.wiring.project_tools import with_tool_effects
from proctor.wiring.server_settings import McpSettings, ProxySettings, ServeSettings
from proctor.wiring.settings_section import placed_in

__all__ = [
    "DEFAULTS",
    "GuardSettings",
    "check_guard",
    "escalation_function",
    "gate_entries",
    "make_plan",
    "read_settings",
]

DEFAULTS: Final[Mapping[Point, tuple[str, ...]]] = {
    "input": ("pii", "injection", "danger", "premises"),
    "tool_call": ("provenance",),
    "tool_result": ("injection",),
    "output": ("pii", "commitments", "grounding", "leak", "links"),
}
_SECTION: Final = "guard"
_LARGE_TIMEOUT: Final = 10.0  # seconds, where the large network reads: up to seconds for a long message
_log = logging.getLogger(__name__)
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The share of allowed steps that people review in addition to the borderline decisions."""

    sample: float = 0.01

    def __post_init__(self) -> None:
        if not 0.0 <= self.sample <= 1.0:
            raise ValueError(f"sample is a share from 0 to 1, not {self.sample:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Living:
    """Limits of sessions: how many are kept, and for how many seconds without use."""

    most: int = 10_000
    idle: float = 3600.0

    def __post_init__(self) -> None:
        if self.most < 1 or not self.idle > 0:
            raise ValueError(f"room for one session and some seconds are needed, not {self.most} and {self.idle:g}")


Gates = tuple[str | Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """The settings of the section; a point that is left out has the gates of the profile."""

    profile: ProfileName = "general"
    mode: Literal["enforce", "shadow"] = "enforce"
    timeout: float = 0.5
    most_chars: int = MAX_STEP_CHARS
    on_failure: FailAction = "block"
    input: Gates | None = None
    tool_call: Gates | None = None
    tool_result: Gates | None = None
    output: Gates | None = None
    replies: Mapping[str, str] = field(default_factory=dict)
    log: Literal["masked", "none"] = "masked"
    review: Review = field(default_factory=Review)
    sessions: Living = field(default_factory=Living)
    escalate: EscalateSettings = field(default_factory=EscalateSettings)
    queue: QueueLimits = field(default_factory=QueueLimits)
    proxy: ProxySettings = field(default_factory=ProxySettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    mcp: McpSettings = field(default_factory=McpSettings)

    def __post_init__(self) -> None:
        _check_seconds(self.timeout)
        if self.most_chars < 1:
            raise ValueError(f"most_chars must be 1 or more, not {self.most_chars}")
        if unknown := sorted(set(self.replies) - set(REPLIES)):
            raise ValueError(f"there is no reply for {unknown[0]!r}; replies are for {' and '.join(REPLIES)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """Settings that every gate accepts in addition to its own."""

    timeout: float | None = None
    on_failure: FailAction | None = None
    shadow: bool = False
    isolate: bool = False

    def __post_init__(self) -> None:
        _check_seconds(self.timeout if self.timeout is not None else 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Replaces a gate that does not exist, so that its absence counts as a failure of the gate."""

    name: ClassVar[str] = "missing"
    version: ClassVar[str] = ""

    error: InputError

    async def check(self, step: Any) -> Verdict:
        """Fail with the reason why there is no gate."""
        raise ValueError(f"{self.error.message}; {self.error.hint}" if self.error.hint else self.error.message)


def read_settings(config: Config) -> GuardSettings:
    """Return the section with its variables expanded.

    Raises:
        MalformedError: something in it is wrong; names the file and the line.
    """
    if empty := [point for point in POINTS if config.settings.guard.get(point, ()) is None]:
        hint = "write `{0}: []` for no gates there, or leave the line out for the default gates"
        raise placed_in(
            config.path, [Problem((_SECTION, each), "there is nothing here", hint.format(each)) for each in empty]
        )
    try:
        given = expand(config.settings.guard, config.environment, (_SECTION,))
        settings = decode(GuardSettings, given, strict=True)
    except MalformedError as error:
        raise placed_in(config.path, [_within(each) for each in error.problems]) from None
    if config.settings.networks == "large" and "timeout" not in given:
        return replace(settings, timeout=_LARGE_TIMEOUT)
    return settings


def make_plan(
    config: Config, *, model_pool: ModelPool | None = None, deadline: Deadline | None = None, strict: bool = False
) -> Plan:
    """Return the plan for the section. A missing gate fails each check, or is an error if ``strict``.

    Raises:
        InputError: a setting is wrong; names the file and the line.
    """
    settings = read_settings(config)
    deadline = deadline or Deadline()
    posts: dict[Point, tuple[Post, ...]] = {}
    problems: list[Problem] = []
    for point in POINTS:
        try:
            posts[point] = tuple(_posts(point, settings, config, model_pool, strict=strict))
        except MalformedError as error:
            problems += error.problems
    if problems:
        raise placed_in(config.path, problems)
    gates = {point: [(post.name, str(post.gate.version)) for post in each] for point, each in posts.items()}
    stated = {"tools": config.settings.tools} if config.settings.tools else {}
    shape = {"settings": config.settings.guard, "profile": PROFILES[settings.profile].settings, "gates": gates}
    version = content_id({**shape, **stated}, length=12)
    return Plan(
        chains={
            point: Chain(point=point, posts=each, version=version, deadline=deadline, most_chars=settings.most_chars)
            for point, each in posts.items()
        },
        mode=settings.mode,
        on_failure=settings.on_failure,
        replies={**REPLIES, **settings.replies},
        log=settings.log,
        sample=settings.review.sample,
        version=version,
    )


def check_guard(config: Config) -> None:
    """Create every gate of the section, with empty sockets for chat models, to find errors.

    Raises:
        InputError: something in it is wrong; names the file and the line.
    """
    make_plan(config, strict=True)
    escalation_function(config, read_settings(config).escalate)


def escalation_function(config: Config, settings: EscalateSettings) -> Callable[[Mapping[str, Any]], Any] | None:
    """Return the function named by `escalate: {callable: …}`, or none.

    Raises:
        MalformedError: it cannot be imported; names the file and the line.
    """
    if settings.callable is None:
        return None
    from proctor.targets.python_callable import load_object  # noqa: PLC0415 - only guards with a function need it

    try:
        found: Callable[[Mapping[str, Any]], Any] = load_object(settings.callable, config.folder)
    except ConfigError as error:
        raise placed_in(config.path, [Problem((_SECTION, "escalate", "callable"), error.message, error.hint)]) from None
    return found


def _posts(
    point: Point, settings: GuardSettings, config: Config, model_pool: ModelPool | None, *, strict: bool
) -> Iterator[Post]:
    seen: set[str] = set()
    problems: list[Problem] = []
    for index, entry in enumerate(_entries(point, settings)):
        try:
            post = _post(entry, point, settings, config, model_pool, strict=strict)
        except MalformedError as error:
            problems += [
                Problem((_SECTION, point, index, *each.path), each.message, each.hint) for each in error.problems
            ]
            continue
        if post.name in seen:
            hint = f"give one of them a name of its own: `{post.gate.name}: {{as: other_name}}`"
            problems.append(Problem((_SECTION, point, index), f"{post.name!r} stands here twice", hint))
        seen.add(post.name)
        yield post
    if problems:
        raise MalformedError(problems)


def gate_entries(config: Config, point: Point) -> tuple[str | Mapping[str, Any], ...]:
    """Return the list of gates of a point as it could be written: that of the file, or that of the profile.

    Raises:
        MalformedError: something in the section is wrong.
    """
    return tuple(_entries(point, read_settings(config)))


def _entries(point: Point, settings: GuardSettings) -> Sequence[str | Mapping[str, Any]]:
    written: Sequence[str | Mapping[str, Any]] | None = getattr(settings, point)
    return PROFILES[settings.profile].gates(point, DEFAULTS[point]) if written is None else written


def _post(
    entry: str | Mapping[str, Any],
    point: Point,
    settings: GuardSettings,
    config: Config,
    model_pool: ModelPool | None,
    *,
    strict: bool,
) -> Post:
    name, given = _entry(entry)
    own = dict(given) if isinstance(given, Mapping) else {}
    label = own.pop("as", name)
    common = _decoded(Common, {key: own.pop(key) for key in Common.__dataclass_fields__ if key in own}, (name,))
    try:
        kind = registry.load("gates", name)
    except (NotFoundError, ConfigError) as error:
        if strict:
            raise MalformedError([Problem((name,), error.message, error.hint)]) from None
        gate: Gate[Step] = Missing(error=error)
        told = "guard.%s: %s; until that is fixed every step there comes to on_failure (%s): %s"
        _log.warning(told, point, error.message, common.on_failure or settings.on_failure, error.hint)
    else:
        if point not in kind.points:
            hint = f"put it under {' or '.join(kind.points)}"
            raise MalformedError([Problem((name,), f"{name} is no gate for {point}", hint)])
        if given is not None and not isinstance(given, Mapping):
            own = _with_primary(name, kind, given)
        gate = _gate(name, kind, with_profile(settings.profile, point, name, own), config, model_pool)
        if common.isolate:
            gate = isolated(name, gate, settings.timeout if common.timeout is None else common.timeout)
    return Post(
        gate=gate,
        name=str(label),
        timeout=settings.timeout if common.timeout is None else common.timeout,
        on_failure=common.on_failure or settings.on_failure,
        shadow=common.shadow,
    )


def _entry(entry: str | Mapping[str, Any]) -> tuple[str, Any]:
    if isinstance(entry, str):
        return entry, None
    if len(entry) != 1:
        hint = "write `- name`, or `- name: {setting: value}`"
        raise MalformedError([Problem((), f"an entry is one gate, not {len(entry)}", hint)])
    ((name, given),) = entry.items()
    return name, given


def _with_primary(name: str, kind: Any, given: Any) -> dict[str, Any]:
    if kind.primary is None:
        hint = f"write `- {name}: {{name: value}}`"
        raise MalformedError([Problem((name,), f"{name} takes named settings only", hint)])
    return {kind.primary: given}


def _gate(name: str, kind: Any, settings: dict[str, Any], config: Config, model_pool: ModelPool | None) -> Gate[Step]:
    """Fill the sockets by their names, then decode the plain settings."""
    try:
        sockets: dict[str, Any] = dict(scorer_sockets(kind, settings, model_pool, where=name))
        for each in dataclasses.fields(kind):
            if is_socket(each) and not takes_scorer(kind, each):
                sockets[each.name] = _socket(each, settings.pop(each.name, None), model_pool)
        if isinstance(prompt := settings.get("prompt"), str):
            settings["prompt"] = prompt_text(prompt, config.folder, where=name)
    except MalformedError as error:
        raise MalformedError(
            [replace(each, path=(name, *_as_written(each.path, kind))) for each in error.problems]
        ) from None
    except InputError as error:
        raise MalformedError([Problem((name,), error.message, error.hint)]) from None
    settings = dict(with_tool_effects(kind, settings, config.settings.tools))
    made: Gate[Step] = _decoded(kind, {**settings, **sockets}, (name,))
    return made


def _as_written(path: Place, kind: Any) -> Place:
    """Return where a scorer setting of a gate is in the file: under `scorer:`, or among the gate's own."""
    if path[:1] != ("checks",):
        return path
    return ("scorer", *path[1:]) if "scorer" in kind.__dataclass_fields__ else path[2:]


def _socket(each: dataclasses.Field[Any], name: Any, model_pool: ModelPool | None) -> Any:
    if each.name in LOCAL:
        if name not in (None, "local"):
            hint = f"leave `{each.name}:` out"
            raise ConfigError(
                f"{each.name} is a model that ships with Proctor; {name!r} cannot take its place", hint=hint
            )
        return local_model(each.name, fast=True)
    if model_pool is None or (is_optional(each) and not name):
        return None
    return model_pool.get(None if name == "default" else name, role=each.name)


def _decoded(kind: type, data: Mapping[str, Any], place: Place) -> Any:
    try:
        return decode(kind, data, strict=True)
    except MalformedError as error:
        raise MalformedError([replace(each, path=(*place, *each.path)) for each in error.problems]) from None


def _within(problem: Problem) -> Problem:
    return problem if problem.path[:1] == (_SECTION,) else replace(problem, path=(_SECTION, *problem.path))


def _check_seconds(seconds: float) -> None:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"timeout must be more than 0 seconds, not {seconds:g}")
