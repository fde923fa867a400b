"""The wrappers of every model call: prices, limits, retries, budget, cache, meter, JSON check."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.config import Config, PriceSettings, RunSettings
from proctor.core.chat import Usage
from proctor.core.codec import encode
from proctor.core.errors import ConfigError
from proctor.core.sockets import Cache, Model
from proctor.models.prices import Prices
from proctor.models.structured import Structured
from proctor.models.wrap.budget import Budget, Budgeted, price_hint, unpriced
from proctor.models.wrap.cache import Cached, Sharing
from proctor.models.wrap.limit import Limited, Limiter
from proctor.models.wrap.meter import Meter, Metered
from proctor.models.wrap.price import Priced
from proctor.models.wrap.quota import Quota
from proctor.models.wrap.rate_budget import Pace, Paced, parse_rate
from proctor.models.wrap.reasoning_room import ReasoningRoom
from proctor.models.wrap.retry import Retrying
from proctor.models.wrap.stop_switch import Stoppable, StopSwitch
from proctor.wiring.model_spec import spec_of

__all__ = ["ModelWrappers", "Wrapping"]

# Roles whose questions are ours. An answer under test is taken as it is.
_ASKED_BY_US = frozenset({"judge", "generator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """Settings of a model in proctor.yaml that do not depend on its provider."""

    concurrency: int | None = None
    rate: str | None = None
    attempts: int = 6
    price: PriceSettings | None = None


@dataclass(slots=True, kw_only=True)
class ModelWrappers:
    """Wraps the models of one run. Models with the same endpoint and key share a limit; all share one meter.

    The fields are those of `ModelPool`.
    """

    config: Config
    run: RunSettings
    log: Cache | None
    resumed: bool
    cache: Cache | None
    budget: Budget | None
    switch: StopSwitch | None = None
    meter: Meter = field(default_factory=Meter)
    _limiters: dict[tuple[str, str | None], Limiter] = field(default_factory=dict)
    _quotas: dict[str, Quota] = field(default_factory=lambda: defaultdict(Quota))
    _sharing: dict[int, Sharing] = field(default_factory=lambda: defaultdict(Sharing))

    def wrap(self, wire: Model, wrapping: Wrapping, role: str, identity: str) -> Model:
        """Return the model with all wrappers; its cost is metered under ``role``, its replies kept under ``identity``.

        Raises:
            ConfigError: there is a budget, and the model has no price.
        """
        prices = self.prices_of(wire, wrapping)
        self._refuse_unpriced(wire, prices)
        priced: Model = Priced(model=wire, prices=prices)
        if self.switch is not None:
            priced = Stoppable(model=priced, switch=self.switch)
        model: Model = Limited(
            model=priced,
            limiter=self._limiter(wire, identity, wrapping),
        )
        if rate := wrapping.rate or self.run.rate:
            model = Paced(model=model, pace=Pace(parse_rate(rate)))
        model = Retrying(model=model, attempts=wrapping.attempts, random=random.Random(self.run.seed))  # noqa: S311 - jitter
        if role in _ASKED_BY_US:
            model = ReasoningRoom(model, room=_thinking_budget(wire))
        if self.budget is not None:
            model = Budgeted(model=model, budget=self.budget)
        if self.cache is not None and self.run.cache != "off":
            model = self._cached(model, self.cache, identity, refresh=self.run.cache == "refresh")
        if self.log is not None:
            # The first run only writes the log: two equal questions in one run are two calls.
            model = self._cached(model, self.log, identity, refresh=not self.resumed)
        # Placed inside the JSON check, so that invalid replies are counted too: they were paid for.
        return Structured(Metered(model=model, meter=self.meter, role=role), lenient=role in _ASKED_BY_US)

    def limiter_of(self, wire: Model, identity: str) -> Limiter:
        """Return the limiter of a model that was wrapped earlier."""
        return self._limiters[identity, _quota_of(wire)]

    def prices_of(self, wire: Model, wrapping: Wrapping) -> Prices:
        """Return the prices that apply to a model: its own, the project's, and its provider's."""
        extra = {name: encode(price) for name, price in self.config.settings.prices.items()}
        if wrapping.price:
            extra[wire.name] = encode(wrapping.price)
        shipped = Prices.default() if _own_address(wire) else Prices(table={})
        return shipped.extended(extra)

    def price(self, wire_name: str, usage: Usage) -> float | None:
        """Return the cost of this usage by the name of the wire alone; ``None`` if no price is known."""
        known = Prices.default().extended({each: encode(own) for each, own in self.config.settings.prices.items()})
        found = known.find(wire_name)
        return found.of(usage) if found is not None else None

    def notes(self) -> list[str]:
        """Return the errors of the caches."""
        return [note for sharing in self._sharing.values() for note in sharing.notes]

    def concurrency(self) -> list[dict[str, Any]]:
        """Return how the limits changed over time; constant limits are left out."""
        return [
            {"model": limiter.name, "history": [list(step) for step in limiter.history]}
            for limiter in sorted(self._limiters.values(), key=lambda limiter: limiter.name)
            if len(limiter.history) > 1
        ]

    def _refuse_unpriced(self, wire: Model, prices: Prices) -> None:
        """Raise an error before any call if there is a budget in dollars and the model has no price."""
        if self.budget is None or self.budget.money is None or getattr(wire, "tells_cost", False):
            return
        if prices.find(wire.name) is None:
            file = str(self.config.path) if self.config.path else None
            raise ConfigError(unpriced(wire.name), file=file, field="prices", hint=price_hint(wire.name))

    def _cached(self, model: Model, cache: Cache, identity: str, *, refresh: bool) -> Model:
        mode: Literal["use", "refresh"] = "refresh" if refresh else "use"
        return Cached(model=model, cache=cache, identity=identity, mode=mode, sharing=self._sharing[id(cache)])

    def _limiter(self, wire: Model, identity: str, wrapping: Wrapping) -> Limiter:
        endpoint = _quota_of(wire)
        limiter = self._limiters.get((identity, endpoint))
        if limiter is None:
            most = wrapping.concurrency or self.run.concurrency
            quota = self._quotas[endpoint or identity]
            limiter = Limiter(name=wire.name, start=most, ceiling=most, quota=quota)
            self._limiters[identity, endpoint] = limiter
        return limiter


def _thinking_budget(wire: Model) -> int:
    """Return the tokens that the model's settings reserve for thinking, which a limit must exceed."""
    thinking = getattr(getattr(wire, "settings", None), "body", {}).get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    return budget if isinstance(budget, int) and budget > 0 else 0


def _own_address(wire: Model) -> bool:
    """Return whether the provider's prices apply; not for `openai:` at another address, say."""
    spec = spec_of(wire)
    home = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}.get(str(spec.get("provider")))
    return home is None or home in str(spec.get("base_url"))


def _quota_of(wire: Model) -> str | None:
    """Return the endpoint and key of a model or of its HTTP wire; ``None`` if neither reports them."""
    named: str | None = getattr(getattr(wire, "wire", wire), "quota", None)
    return named
