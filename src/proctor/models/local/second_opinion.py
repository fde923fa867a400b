"""Weigh what a small network says of a text against the multilingual network, where a cheap first look is not sure.

The multilingual network takes tens of milliseconds, so it reads only what the first look finds worth it, about one in
twenty-five ordinary support messages, and what a small network would flag.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.batcher import inference_executor
from proctor.models.local.model_registry import weights_of
from proctor.models.local.multilingual import multilingual_network
from proctor.models.local.ngrams import Linear
from proctor.models.local.weights import HINT

__all__ = ["Mixture", "danger_look", "mixture_of", "warm_second_opinion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """A logistic regression over two logits: of the first network or look, and of the multilingual network.

    ``ask`` is the least logit of the first look with which the multilingual network is asked at all.
    """

    first: float
    second: float
    offset: float
    ask: float

    def logit(self, first: float, second: float) -> float:
        """Return the calibrated logit of both."""
        return self.first * first + self.second * second + self.offset


def mixture_of(folder: Path | None, question: str) -> Mixture | None:
    """Return how both networks are weighed for a question; None for weights without the multilingual network."""
    settings: Mapping[str, Any] = weights_of(folder).settings.get("multilingual") or {}
    found = settings.get(question)
    return Mixture(**{name: float(value) for name, value in found.items()}) if found else None


@cache
def danger_look(folder: Path | None) -> Linear:
    """Return the first look for dangers."""
    file = weights_of(folder).path("danger.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            return Linear(kept["weights"], float(kept["scale"]), float(kept["bias"]))
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken


async def warm_second_opinion(folder: Path | None = None, threads: int = 1) -> None:
    """Load the multilingual network and run it once, so that the first suspicious message does not wait for it."""
    if weights_of(folder).settings.get("multilingual"):
        await asyncio.get_running_loop().run_in_executor(inference_executor(), _read_once, folder, threads)


def _read_once(folder: Path | None, threads: int) -> None:
    multilingual_network(folder, threads).read(["Where is my parcel?"])
