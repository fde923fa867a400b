"""The local models for the sockets with their names; each is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from proctor.core.acceptability import Acceptability
from proctor.core.entity import Entity
from proctor.core.errors import ConfigError, StoreError
from proctor.core.network_choice import networks_in_force
from proctor.core.talk_event import ActFault, TalkEvent

__all__ = ["FAST", "LOCAL", "PLACES", "local_model", "open_local", "warm_local"]


@cache
def _opened(module: str, name: str, large: Path | None = None, **settings: bool) -> Any:
    """Return one shared object per model and process, so that all callers share its batches and its cache."""
    kind = getattr(import_module(f"proctor.models.local.{module}"), name)
    return kind(**settings) if large is None else kind(large=large, **settings)


_SECOND: Mapping[str, bool] = {"second": True}  # a second network reads every pair too


class _Embedder:
    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        found: Sequence[Sequence[float]] = await _opened("embed", "LocalEmbedder").embed(texts)
        return found

    def token_vectors(self, texts: Sequence[str]) -> list[tuple[list[str], Any]]:
        found: list[tuple[list[str], Any]] = _opened("embed", "LocalEmbedder").token_vectors(texts)
        return found


class _Entailer:
    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        found: Sequence[Mapping[str, float]] = await _opened("nli", "LocalEntailer").entails(pairs)
        return found


class _BothEntailers:
    def __init__(self, large: Path | None = None) -> None:
        self.large = large

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        entailer = _opened("nli", "LocalEntailer", self.large, **_SECOND)
        found: Sequence[Mapping[str, float]] = await entailer.entails(pairs)
        return found


class _FactEntailer(_Entailer):
    @property
    def for_facts(self) -> _BothEntailers:
        return _BothEntailers()


def _entailer(large: Path | None) -> _FactEntailer | _BothEntailers:
    # On contradictions the multilingual network is no help; the large one is.
    return _FactEntailer() if large is None else _BothEntailers(large)


class _Grounder:
    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        found: Sequence[float] = await _opened("grounding", "LocalGrounder").supports(pairs)
        return found


class _BothGrounders:
    def __init__(self, large: Path | None = None) -> None:
        self.large = large

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        found: Sequence[float] = await _opened("grounding", "LocalGrounder", self.large, **_SECOND).supports(pairs)
        return found


class _WordingReader:
    async def wording(self, texts: Sequence[str]) -> Sequence[Acceptability]:
        found: Sequence[Acceptability] = await _opened("fluency", "LocalFluency").wording(texts)
        return found


class _Tagger:
    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        found: Sequence[Sequence[Entity]] = await _opened("entities", "LocalTagger").entities(texts)
        return found


class _Classifier:
    def __init__(self, role: str, large: Path | None) -> None:
        self.place, self.large = PLACES[role], large

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        found: Sequence[Mapping[str, float]] = await self._model().classify(texts)
        return found

    def _model(self) -> Any:
        return _opened(*self.place, self.large)


class _Intents(_Classifier):
    def threshold(self, level: str = "1%") -> float:
        return float(self._model().threshold(level))


class _Injection(_Intents):
    def first_look(self, texts: Sequence[str]) -> list[float]:
        found: list[float] = self._model().first_look(texts)
        return found


class _FaultReader:
    def __init__(self, large: Path) -> None:
        self.large = large

    async def faults(self, events: Sequence[TalkEvent]) -> Sequence[ActFault]:
        found: Sequence[ActFault] = await _opened(*PLACES["faults"], self.large).faults(events)
        return found


# socket field name -> what makes the model that fills it where nobody waits for the answer
LOCAL: Mapping[str, Callable[[Path | None], object]] = {
    "embedder": lambda _: _Embedder(),
    "entailer": _entailer,
    "grounder": _BothGrounders,
    "tagger": lambda _: _Tagger(),
    "wording": lambda _: _WordingReader(),
    "injection": lambda large: _Injection("injection", large),
    "intents": lambda large: _Intents("intents", large),
    "promises": lambda large: _Classifier("promises", large),
    "faults": lambda large: None if large is None else _FaultReader(large),  # only it reads whole conversations
}

# what fills it instead where a message waits: one small network
FAST: Mapping[str, Callable[[], object]] = {
    "entailer": _Entailer,
    "grounder": _Grounder,
}

PLACES: Mapping[str, tuple[str, str]] = {
    "embedder": ("embed", "LocalEmbedder"),
    "entailer": ("nli", "LocalEntailer"),
    "grounder": ("grounding", "LocalGrounder"),
    "tagger": ("entities", "LocalTagger"),
    "wording": ("fluency", "LocalFluency"),
    "injection": ("injection", "InjectionClassifier"),
    "intents": ("intents", "LocalIntents"),
    "promises": ("promises", "PromiseClassifier"),
    "faults": ("talk_faults", "large_talk_faults"),
}


_NETWORKS: Mapping[str, str] = {
    "embedder": "embed",
    "entailer": "nli",
    "grounder": "nli",
    "tagger": "reader",
    "wording": "fluency",
    "injection": "injection",
    "intents": "reader",
}

_SECOND_OPINION: frozenset[str] = frozenset(("injection", "intents", "promises"))
_BY_LARGE: frozenset[str] = _SECOND_OPINION | {"faults"}
_TWO_NETWORKS: frozenset[str] = _BY_LARGE | {"entailer", "grounder"}


def local_model(role: str, *, fast: bool = False) -> Any:
    """Return Proctor's local model for a socket of this name; ``fast`` where a message waits for it.

    Raises:
        ConfigError: the project uses the large network, and it is not installed.
    """
    if fast and role in FAST:
        return FAST[role]()
    large = networks_in_force().large if role in _TWO_NETWORKS else None
    if large is not None:
        _check_installed(large)
    return LOCAL[role](large)


def _check_installed(large: Path) -> None:
    try:
        import_module("proctor.models.local.large_files").ready_folder(large)
    except StoreError as missing:
        raise ConfigError(missing.message, file=missing.file, field="networks", hint=missing.hint) from None


def open_local(role: str) -> None:
    """Load the weights of a role now instead of on first use."""
    _opened(*PLACES[role], networks_in_force().large if role in _BY_LARGE else None)


async def warm_local(roles: Iterable[str]) -> None:
    """Load the networks of these roles and run each once, so that the first text does not wait.

    Raises:
        StoreError: a weights file is missing or broken.
    """
    some = set(roles)
    # The largest first: unfolding its weights takes as much memory for a moment as all others take later.
    if some & _BY_LARGE:
        warm = import_module("proctor.models.local.second_opinion").warm_second_opinion
        await warm(large=networks_in_force().large)
    if names := sorted({_NETWORKS[role] for role in some if role in _NETWORKS}):  # others have no network
        await import_module("proctor.models.local.model_registry").warm(names)
    if some:
        import_module("proctor.models.local.unused_memory").release_unused_memory()
