"""The local models for the sockets with their names; each is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from proctor.core.acceptability import Acceptability
from proctor.core.entity import Entity

__all__ = ["FAST", "LOCAL", "PLACES", "local_model", "open_local", "warm_local"]


@cache
def _opened(module: str, name: str, **settings: bool) -> Any:
    """Return one shared object per model and process, so that all callers share its batches and its cache."""
    return getattr(import_module(f"proctor.models.local.{module}"), name)(**settings)


_SECOND: Mapping[str, bool] = {"second": True}  # the multilingual network reads every pair too


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
    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        found: Sequence[Mapping[str, float]] = await _opened("nli", "LocalEntailer", **_SECOND).entails(pairs)
        return found


class _FactEntailer(_Entailer):
    @property
    def for_facts(self) -> _BothEntailers:
        return _BothEntailers()


class _Grounder:
    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        found: Sequence[float] = await _opened("grounding", "LocalGrounder").supports(pairs)
        return found


class _BothGrounders:
    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        found: Sequence[float] = await _opened("grounding", "LocalGrounder", **_SECOND).supports(pairs)
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
    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        found: Sequence[Mapping[str, float]] = await _opened(self.module, self.name).classify(texts)
        return found


class _Intents(_Classifier):
    def threshold(self, level: str = "1%") -> float:
        return float(_opened(self.module, self.name).threshold(level))


class _Injection:
    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        found: Sequence[Mapping[str, float]] = await _opened("injection", "InjectionClassifier").classify(texts)
        return found

    def threshold(self, level: str = "1%") -> float:
        return float(_opened("injection", "InjectionClassifier").threshold(level))

    def first_look(self, texts: Sequence[str]) -> list[float]:
        found: list[float] = _opened("injection", "InjectionClassifier").first_look(texts)
        return found


# socket field name -> the model that fills it where nobody waits for the answer
LOCAL: Mapping[str, Callable[[], object]] = {
    "embedder": _Embedder,
    "entailer": _FactEntailer,
    "grounder": _BothGrounders,
    "tagger": _Tagger,
    "wording": _WordingReader,
    "injection": _Injection,
    "intents": lambda: _Intents("intents", "LocalIntents"),
    "promises": lambda: _Classifier("promises", "PromiseClassifier"),
    "faults": lambda: None,  # only the optional large network reads whole conversations
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


def local_model(role: str, *, fast: bool = False) -> Any:
    """Return Proctor's local model for a socket of this name; ``fast`` where a message waits for it."""
    return (FAST if fast and role in FAST else LOCAL)[role]()


def open_local(role: str) -> None:
    """Load the weights of a role now instead of on first use."""
    _opened(*PLACES[role])


async def warm_local(roles: Iterable[str]) -> None:
    """Load the networks of these roles and run each once, so that the first text does not wait.

    Raises:
        StoreError: a weights file is missing or broken.
    """
    some = set(roles)
    # The largest first: unfolding its weights takes as much memory for a moment as all others take later.
    if some & _SECOND_OPINION:
        await import_module("proctor.models.local.second_opinion").warm_second_opinion()
    if names := sorted({_NETWORKS[role] for role in some if role in _NETWORKS}):  # others have no network
        await import_module("proctor.models.local.model_registry").warm(names)
    if some:
        import_module("proctor.models.local.unused_memory").release_unused_memory()
