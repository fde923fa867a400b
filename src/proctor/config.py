"""Read proctor.yaml and the environment; no other module does.

Order of precedence: a flag, then an environment variable, then ``.env``, then proctor.yaml, then the default.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from proctor.core.campaign_settings import CampaignSettings
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.core.monitor_sections import MonitorSections
from proctor.core.network_choice import NetworkChoice, use_networks
from proctor.core.record import dataclass
from proctor.core.tool_effect import StatedEffect
from proctor.lexicon.project_concepts import NO_CONCEPTS, read_project_concepts, use_concepts
from proctor.text.known_secrets import add_settings, add_variable
from proctor.text.secret_names import is_secret_variable
from proctor.text.spans import span_seconds

__all__ = [
    "CONFIG_NAME",
    "Config",
    "Environment",
    "IntentSettings",
    "PriceSettings",
    "Release",
    "RunSettings",
    "Settings",
    "Trigger",
    "cache_folder",
    "expand",
    "find_config",
    "load_config",
    "open_config",
    "read_environment",
    "settings_text",
]

CONFIG_NAME = "proctor.yaml"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSettings:
    """How answers to one intent are graded and guarded.

    ``weights``, ``threshold``, ``floors`` and ``optional`` are settings of `quality`, ``tone`` names traits and
    ``format`` shapes of `fluency`, ``tools`` are the tools that `permissions` allows for the intent.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    threshold: float | None = None
    floors: Mapping[str, float] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    tone: str | tuple[str, ...] | None = None
    format: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    completion: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """The price of a model, in dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Settings of a run. Each is also a flag of `proctor run` and an environment variable."""

    concurrency: int = 50
    repeat: int = 1
    pass_rate: float = 1.0
    unscored: float = 0.05
    timeout: float = 600.0
    cache: Literal["off", "on", "refresh"] = "off"
    budget: float | None = None
    rate: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        limits = (("concurrency", 1, 10_000), ("repeat", 1, 1_000), ("pass_rate", 0, 1), ("unscored", 0, 1))
        for name, low, high in limits:
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be between {low} and {high}, not {getattr(self, name)}")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.budget is not None and not self.budget >= 0:  # written this way to reject NaN too
            raise ValueError(f"budget must be 0 or more, not {self.budget:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """The suites, cases, targets and scorers that one trigger selects, and whether it decides the release."""

    suites: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    sample: int | None = None
    repeat: int | None = None
    light: bool = False
    gate: bool = False
    every: str | None = None

    def __post_init__(self) -> None:
        if self.every is not None and not self.seconds:
            raise ValueError(f"every must be a length of time such as 30 min, 12 h, 1 day or 2 weeks, not {self.every}")
        for name in ("sample", "repeat"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")

    @property
    def seconds(self) -> float | None:
        """Return ``every`` in seconds."""
        try:
            return span_seconds(self.every or "")
        except ValueError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The files of the release policy and of the baselines; both should be committed and reviewed."""

    policy: str = "gate.yaml"
    baselines: str = "baselines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of proctor.yaml."""

    model: str | None = None
    models: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)
    judge: str | None = None
    target: str | None = None
    targets: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)
    catalogue: str | Mapping[str, Any] | None = None
    suites: Mapping[str, str] = field(default_factory=dict)
    intents: Mapping[str, IntentSettings] = field(default_factory=dict)
    tools: Mapping[str, StatedEffect] = field(default_factory=dict)
    run: RunSettings = field(default_factory=RunSettings)
    prices: Mapping[str, PriceSettings] = field(default_factory=dict)
    store: str = ".proctor"
    alerts: Mapping[str, Any] = field(default_factory=dict)
    triggers: Mapping[str, Trigger] = field(default_factory=dict)
    release: Release = field(default_factory=Release)
    publish: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)
    completion: Mapping[str, Any] = field(default_factory=dict)
    escalation: Mapping[str, Any] = field(default_factory=dict)
    monitor: MonitorSections = field(default_factory=MonitorSections)
    audit: Mapping[str, Any] = field(default_factory=dict)
    schedule: Mapping[str, Any] = field(default_factory=dict)
    guard: Mapping[str, Any] = field(default_factory=dict)
    redteam: Mapping[str, CampaignSettings] = field(default_factory=dict)
    lexicon: str | tuple[str, ...] = ()
    allow_commands: bool | tuple[str, ...] = False
    networks: Literal["bundled", "large"] = "bundled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The environment at the start of the command, and the source of each variable."""

    values: Mapping[str, str]
    dotenv: Path | None = None
    from_dotenv: frozenset[str] = frozenset()

    def get(self, name: str) -> str | None:
        """Return a variable; an empty one counts as not set."""
        return self.values.get(name) or None

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY set for a URL; none for localhost."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        spared = [part.strip().lstrip("*.") for part in (self._either("no_proxy") or "").split(",") if part.strip()]
        if host in ("localhost", "127.0.0.1", "::1") or "*" in (self._either("no_proxy") or "").split(","):
            return None
        if any(host == part or host.endswith(f".{part}") for part in spared if part):
            return None
        return self._either(f"{parts.scheme}_proxy") or self._either("all_proxy")

    def _either(self, name: str) -> str | None:
        return self.get(name) or self.get(name.upper())

    def origin(self, name: str) -> str:
        """Return the source of a variable."""
        return f"{self.dotenv}" if name in self.from_dotenv else f"environment {name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one project, their sources, and the environment."""

    settings: Settings
    folder: Path
    environment: Environment
    path: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """The folder of runs and results."""
        return self.folder / self.settings.store

    def origin(self, name: str) -> str:
        """Return the source of a top-level setting (or ``run.x``)."""
        if (variable := _OVERRIDES.get(name)) and self.environment.get(variable):
            return self.environment.origin(variable)
        if self.path and name in self.lines:
            return f"{self.path.name}:{self.lines[name]}"
        return "default"


# Project settings that an environment variable can override.
_OVERRIDES = {"model": "PROCTOR_MODEL", "judge": "PROCTOR_JUDGE", "target": "PROCTOR_TARGET", "store": "PROCTOR_STORE"}


def read_environment(start: Path) -> Environment:
    """Return the environment, completed by the first ``.env`` in ``start`` or a parent folder.

    Variables that are already set win. Variables of the file are also set in the process's environment, for agents
    under test and commands.

    Raises:
        ConfigError: the ``.env`` file cannot be read.
    """
    file = next((folder / ".env" for folder in (start, *start.parents) if (folder / ".env").is_file()), None)
    added: set[str] = set()
    if file is not None:
        from dotenv import dotenv_values  # noqa: PLC0415 - 50 ms, and only where there is such a file

        try:
            found = dotenv_values(file)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot be read: {error}", file=str(file), hint="save it as UTF-8 text") from error
        for name, value in found.items():
            if value is not None and name not in os.environ:  # noqa: TID251 - this is the one place
                os.environ[name] = value  # noqa: TID251
                added.add(name)
    environment = Environment(values=dict(os.environ), dotenv=file, from_dotenv=frozenset(added))  # noqa: TID251
    _remember_secrets(environment)
    return environment


_WORKING_FOLDERS = frozenset({"PWD", "OLDPWD"})  # set by every shell; other names with `pwd` hold passwords


def _remember_secrets(environment: Environment) -> None:
    """Register as secrets all values of `.env` and all variables with the name of a secret."""
    for name, value in environment.values.items():
        if name in environment.from_dotenv or (is_secret_variable(name) and name not in _WORKING_FOLDERS):
            add_variable(name, value)


def cache_folder(environment: Environment) -> Path:
    """Return the folder of downloaded models, shared by all projects of this user."""
    if chosen := environment.get("PROCTOR_CACHE"):
        return Path(chosen).expanduser()
    shared = environment.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "proctor"


def find_config(start: Path) -> Path | None:
    """Return the first proctor.yaml in ``start`` or a parent folder."""
    return next((folder / CONFIG_NAME for folder in (start, *start.parents) if (folder / CONFIG_NAME).is_file()), None)


def open_config(source: str | os.PathLike[str] | None = None) -> Config:
    """Read the proctor.yaml at a path or in a folder; by default search from the current folder up.

    Raises:
        ConfigError: there is no such file, or it cannot be read.
        MalformedError: a key is unknown or a value is wrong; all of them are listed.
    """
    start = Path.cwd()
    if source is None:
        return load_config(find_config(start), read_environment(start), start=start)
    path = Path(source).expanduser().absolute()
    if path.is_dir():
        path = path / CONFIG_NAME
    if not path.exists():
        hint = "name a proctor.yaml (`proctor init` writes one), or name none: every setting has a default"
        raise ConfigError("no such file", file=str(path), hint=hint)
    return load_config(path, read_environment(path.parent), start=start)


def load_config(path: Path | None, environment: Environment, *, start: Path) -> Config:
    """Read proctor.yaml; without a file, every setting has its default.

    Raises:
        ConfigError: the file cannot be read, or is no YAML.
        MalformedError: a key is unknown or a value is wrong; all of them are listed.
    """
    if path is None:
        use_concepts(NO_CONCEPTS)
        own = _overridden(Settings(), environment)
        return _with_networks(Config(settings=own, folder=start, environment=environment))
    from proctor.prompts.yaml_text import lines_in_yaml, read_yaml  # noqa: PLC0415 - costs 40 ms, and --help must not

    text = settings_text(path)
    data = read_yaml(text, file=str(path), error=ConfigError)
    add_settings(data)
    line_of = lines_in_yaml(text)
    try:
        settings = decode(Settings, data if data is not None else {}, strict=True, file=str(path))
    except MalformedError as error:
        placed = [replace(problem, line=line_of(problem.path)) for problem in error.problems]
        raise MalformedError(placed, file=str(path)) from error
    _use_lexicon(settings.lexicon, path.parent)
    places = [(key,) for key in data or ()] + [("run", key) for key in (data or {}).get("run") or ()]
    lines = {".".join(place): line for place in places if (line := line_of(place))}
    own = _overridden(settings, environment)
    return _with_networks(Config(settings=own, folder=path.parent, environment=environment, path=path, lines=lines))


def _with_networks(config: Config) -> Config:
    """Put the project's networks in force, in place of those of the project before it."""
    large = cache_folder(config.environment) / "models" if config.settings.networks == "large" else None
    use_networks(NetworkChoice(large))
    return config


def _use_lexicon(named: str | tuple[str, ...], folder: Path) -> None:
    """Put the project's own concepts in force, in place of those of the project before it."""
    from proctor.prompts.yaml_text import lines_in_yaml, read_yaml  # noqa: PLC0415

    places = [folder / each for each in ((named,) if isinstance(named, str) else named)]
    read = partial(read_yaml, error=ConfigError)
    use_concepts(read_project_concepts(places, read=read, lines=lines_in_yaml) if places else NO_CONCEPTS)


def settings_text(path: Path) -> str:
    """Return the text of a file with settings.

    Raises:
        ConfigError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", file=str(path), hint="check the path and its permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 text (byte {error.start})", file=str(path), hint="save it as UTF-8") from error


def _overridden(settings: Settings, environment: Environment) -> Settings:
    changes: dict[str, Any] = {
        name: value for name, variable in _OVERRIDES.items() if (value := environment.get(variable))
    }
    return replace(settings, **changes) if changes else settings


def expand(value: Any, environment: Environment, path: tuple[str | int, ...] = ()) -> Any:
    """Replace ``${NAME}`` and ``${NAME:-default}`` in all strings of some settings.

    Raises:
        MalformedError: a variable is not set and has no default.
    """
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _looked_up(match, environment, path), value)
    if isinstance(value, Mapping):
        return {key: expand(item, environment, (*path, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [expand(item, environment, (*path, index)) for index, item in enumerate(value)]
    return value


def _looked_up(match: re.Match[str], environment: Environment, path: tuple[str | int, ...]) -> str:
    name, default = match.group(1), match.group(2)
    value = environment.get(name)
    if value is None and default is None:
        hint = f"set {name} in the environment or in a .env file"
        raise MalformedError([Problem(path, f"the environment variable {name} is not set", hint)])
    if value is None:
        return str(default)  # a default is in the file, so it is no secret
    add_variable(name, value)
    return value
