"""Name the options that have no effect because no model writes."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.generate.generation_request import Order

__all__ = ["unused_offline"]


def unused_offline(order: Order, flags: Sequence[str]) -> tuple[str, ...]:
    """Return what the user or the prompt's file asks for and only a model can do, in words.

    ``flags`` are the options given on the command line that need a model.
    """
    asked = list(flags)
    with_words = [scenario.name for scenario in order.scenarios if scenario.instructions]
    if with_words:
        asked.append(f"the instructions of the scenario{'s' * (len(with_words) > 1)} {', '.join(with_words)}")
    if order.instructions:
        asked.append(f"`instructions:` for {', '.join(sorted(order.instructions))}")
    return tuple(f"without a model, {what} has no effect: use -m" for what in asked)
