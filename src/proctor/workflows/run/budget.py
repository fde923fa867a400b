"""One budget for a run, however often it is resumed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from proctor.core.chat import Usage
from proctor.core.errors import ConfigError
from proctor.models.wrap.budget import Budget, price_hint, unpriced
from proctor.store.calls import CallLog, Paid
from proctor.store.runs import RunRecord, RunStore

__all__ = ["budget_notes", "carry_spend"]


def carry_spend(
    budget: Budget, store: RunStore, run: RunRecord, log: CallLog, price: Callable[[str, Usage], float | None]
) -> None:
    """Count against the budget what the earlier legs of the run spent.

    The database has what a leg put on record, about once a second; the call log has every reply, also those of a
    process that was killed. The larger figure of each leg counts.

    Raises:
        ConfigError: an earlier leg asked a model whose price is not known.
    """
    kept: dict[int, Paid] = defaultdict(Paid)
    for leg, spend in store.spend_by_leg(run):
        cost = spend.cost if spend.cost is not None else price(spend.model, spend.usage)
        if cost is None and budget.money is not None:
            raise ConfigError(unpriced(spend.model), field="prices", hint=price_hint(spend.model))
        calls = spend.calls - spend.cached - spend.errors
        before = kept[leg]
        kept[leg] = Paid(
            before.cost + (cost or 0.0),
            before.calls + calls,
            before.tokens + spend.usage.input + spend.usage.output,
        )
    for leg in kept.keys() | log.paid.keys():
        logged = log.paid.get(leg, Paid())
        budget.carry(
            spent=max(kept[leg].cost, logged.cost),
            calls=max(kept[leg].calls, logged.calls),
            tokens=max(kept[leg].tokens, logged.tokens),
        )


def budget_notes(job: Any, before: RunRecord) -> list[str]:
    """A note for the run's record when the budget was changed on resume."""
    was, now = before.settings.get("run", {}).get("budget"), job.run.budget
    if was == now:
        return []
    return [f"leg {before.legs + 1}: the budget was changed from {_dollars(was)} to {_dollars(now)}"]


def _dollars(amount: float | None) -> str:
    return "none" if amount is None else f"${amount:g}"
