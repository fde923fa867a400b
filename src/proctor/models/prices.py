"""Prices of models: a bundled table, and the user's own prices, which take precedence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from proctor.core.chat import Usage
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError

__all__ = ["Price", "Prices"]

_MILLION = 1_000_000
# Suffixes that do not change the price of a model: a date, a version, "latest".
_DATED = re.compile(
    r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|@\d{8}|-latest|-00[1-9]|-v\d+(?::\d+)?|:\d+)$",
)
_REGION = re.compile(r"^(?:us|eu|apac|jp|au|ca|us-gov|global)\.")  # Bedrock's cross-region profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars per million tokens; ``cached_input`` defaults to ``input``."""

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        if min(self.input, self.output, self.cached_input or 0.0) < 0:
            raise ValueError("a price must not be negative")

    def of(self, usage: Usage) -> float | None:
        """Return the cost of so many tokens; ``None`` if no tokens were counted."""
        if not (self.input or self.output or self.cached_input):
            return 0.0
        if not (usage.input or usage.output):
            return None
        cached = min(usage.cached_input, usage.input)
        at_cached = self.input if self.cached_input is None else self.cached_input
        return ((usage.input - cached) * self.input + cached * at_cached + usage.output * self.output) / _MILLION


_FREE = Price(input=0.0, output=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices by ``provider:model``. The user's own take precedence, and may use ``*``: ``ollama:*``."""

    table: Mapping[str, Price]
    own: Mapping[str, Price] = field(default_factory=dict)
    as_of: str = ""

    @staticmethod
    def default() -> Prices:
        """Return the bundled table: list prices, as of the date it names."""
        return _shipped()

    def extended(self, more: Mapping[str, Any]) -> Prices:
        """Return the same with the user's own prices, which take precedence.

        Raises:
            ConfigError: a price is invalid.
        """
        own = {name: _read(name, price) for name, price in more.items()}
        return Prices(table=self.table, own={**self.own, **own}, as_of=self.as_of)

    def find(self, name: str) -> Price | None:
        """Return the price of a model, or ``None``: unknown is not free, and a similar name is another model."""
        for candidate in _names(name):
            if candidate in self.own:
                return self.own[candidate]
        for pattern, price in self.own.items():
            if "*" in pattern and fnmatchcase(name, pattern):
                return price
        if name.startswith("local:"):
            return _FREE
        return next((self.table[candidate] for candidate in _names(name) if candidate in self.table), None)


def _names(name: str) -> list[str]:
    """Return the name as it is, then without a date or version suffix, then without a region prefix."""
    provider, colon, model = name.partition(":")
    plain = [model]
    while (shorter := _DATED.sub("", plain[-1])) != plain[-1]:
        plain.append(shorter)
    spellings = [*plain, *(_REGION.sub("", each) for each in plain if _REGION.match(each))]
    return [f"{provider}{colon}{each}" for each in spellings] if colon else [name]


def _read(name: str, price: Any) -> Price:
    try:
        return price if isinstance(price, Price) else decode(Price, price, strict=True)
    except MalformedError as error:
        where = f"prices.{name}" + (f".{error.field}" if error.field else "")
        raise ConfigError(error.message, field=where, hint=error.hint or "give input and output") from error


@cache
def _shipped() -> Prices:
    data = json.loads(files("proctor.models").joinpath("prices.json").read_text(encoding="utf-8"))
    table = {
        f"{provider}:{model}": decode(Price, price)
        for providers, models in data["models"].items()
        for provider in providers.split()
        for model, price in models.items()
    }
    return Prices(table=table, as_of=data["as_of"])
