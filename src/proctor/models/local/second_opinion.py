"""Weigh what a small network says of a text against a second network, where a cheap first look is not sure.

The multilingual network takes tens of milliseconds, so it reads only what the first look finds worth it, about one in
twenty-five ordinary support messages, and what a small network would flag. The large network, where a project uses it,
takes its place and reads every text.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.batcher import inference_executor
from proctor.models.local.large import LargeNetwork, large_network
from proctor.models.local.model_registry import weights_of
from proctor.models.local.multilingual import MultilingualNetwork, multilingual_network
from proctor.models.local.ngrams import Linear
from proctor.models.local.weights import HINT

__all__ = ["Mixture", "danger_look", "mixture_of", "pair_mixture", "second_network", "warm_second_opinion"]


LARGE: Final = "large"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """A logistic regression over two logits: of the first network or look, and of the second network.

    ``ask`` is the least logit of the first look with which the second network is asked at all.
    """

    first: float
    second: float
    offset: float
    ask: float = -math.inf

    def logit(self, first: float, second: float) -> float:
        """Return the calibrated logit of both."""
        return self.first * first + self.second * second + self.offset


def second_network(
    folder: Path | None = None, threads: int = 1, large: Path | None = None
) -> MultilingualNetwork | LargeNetwork:
    """Return the large network from the folder of fetched models ``large``, or else the multilingual one.

    Raises:
        StoreError: the large network is not installed, or weights are broken.
    """
    return multilingual_network(folder, threads) if large is None else large_network(large, folder, threads)


def mixture_of(folder: Path | None, question: str, large: Path | None = None) -> Mixture | None:
    """Return how both networks are weighed for a question; None for weights without the multilingual network."""
    found = _weighing(folder, "multilingual" if large is None else LARGE).get(question)
    return Mixture(**{name: float(value) for name, value in found.items()}) if found else None


def pair_mixture(folder: Path | None, question: str, large: Path | None = None) -> Mapping[str, Any] | None:
    """Return how both networks are weighed for pairs (``nli`` or ``support``); None for weights with one network."""
    if large is not None:
        found: Mapping[str, Any] | None = _weighing(folder, LARGE).get(question)
        return found
    settings = weights_of(folder).of("nli")
    return (settings if question == "nli" else settings.get(question, {})).get("mixture")


def _weighing(folder: Path | None, network: str) -> Mapping[str, Any]:
    weights = weights_of(folder)
    if network == LARGE:  # it is asked for: without its settings it must not be left out silently
        return weights.of(network)
    return weights.settings.get(network) or {}


@cache
def danger_look(folder: Path | None) -> Linear:
    """Return the first look for dangers."""
    file = weights_of(folder).path("danger.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            return Linear(kept["weights"], float(kept["scale"]), float(kept["bias"]))
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken


async def warm_second_opinion(folder: Path | None = None, threads: int = 1, large: Path | None = None) -> None:
    """Load the second network and run it once, so that the first suspicious message does not wait for it."""
    if large is not None or weights_of(folder).settings.get("multilingual"):
        await asyncio.get_running_loop().run_in_executor(inference_executor(), _read_once, folder, threads, large)


def _read_once(folder: Path | None, threads: int, large: Path | None) -> None:
    second_network(folder, threads, large).read(["Where is my parcel?"])
