"""Simulated customers before the real agent: conversations and the event log of production.

`python -m examples.travel_desk.simulate --count 50 --seed 1 --out out/` writes conversations.jsonl and events.jsonl.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from proctor.config import load_config, read_environment
from proctor.core.codec import dumps
from proctor.core.event import Event
from proctor.models.pool import Pool
from proctor.wiring.guard import Guard
from proctor.wiring.models import ModelPool

from .lantern.stories import Story, Teller
from .lantern.weaknesses import BRAINS, WEAKNESSES

__all__ = ["main", "simulate"]

HERE = Path(__file__).parent


async def simulate(teller: Teller, *, count: int, out: Path) -> list[Story]:
    """Tell ``count`` stories and write their conversations and, by time, their events."""
    stories = [await teller.tell(number) for number in range(1, count + 1)]
    with (out / "conversations.jsonl").open("wb") as lines:
        for story in stories:
            lines.writelines(dumps(made) + b"\n" for made in story.conversations)
    events: list[Event] = sorted((event for story in stories for event in story.events), key=lambda each: each.time)
    (out / "events.jsonl").write_bytes(b"".join(dumps(event) + b"\n" for event in events))
    return stories


async def _run(asked: argparse.Namespace) -> list[Story]:
    asked.out.mkdir(parents=True, exist_ok=True)
    database = asked.out / "office.db"
    database.unlink(missing_ok=True)
    settings: dict[str, Any] = {"brain": asked.brain}
    if asked.weakness:
        settings["weaknesses"] = asked.weakness
    async with AsyncExitStack() as stack:
        model = customer_model = None
        if asked.model or asked.customer_model:
            config = load_config(HERE / "proctor.yaml", read_environment(HERE), start=HERE)
            pool = await stack.enter_async_context(Pool(proxy_for=config.environment.proxy_for))
            model_pool = ModelPool(config=config, run=config.settings.run, http=pool)
            stack.push_async_callback(model_pool.close)
            model = model_pool.get(asked.model) if asked.model else None
            customer_model = model_pool.get(asked.customer_model, role="customer") if asked.customer_model else None
        guard = Guard.from_config(HERE / "proctor.yaml", record=False) if asked.guard else None
        if guard is not None:
            await stack.enter_async_context(guard)
        teller = Teller(
            database=database,
            settings=settings,
            seed=asked.seed,
            model=model,
            customer_model=customer_model,
            guard=guard,
        )
        return await simulate(teller, count=asked.count, out=asked.out)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line, simulate, and say what was written."""
    reader = argparse.ArgumentParser(prog="python -m examples.travel_desk.simulate", description=__doc__)
    reader.add_argument("--count", type=int, default=50, help="customers [default: 50]")
    reader.add_argument("--seed", type=int, default=1, help="same seed, same customers [default: 1]")
    reader.add_argument("--out", type=Path, default=HERE / "out", help="folder for what is written")
    reader.add_argument("--brain", choices=BRAINS, default="naive", help="the rules' brain [default: naive]")
    reader.add_argument("--weakness", action="append", choices=WEAKNESSES, help="only this weakness; may be repeated")
    reader.add_argument("-m", "--model", help="a tool-calling model for the agent, e.g. ollama:qwen3")
    reader.add_argument("--customer-model", help="a model that speaks for the customers")
    reader.add_argument("--guard", action="store_true", help="behind the gates of proctor.yaml")
    asked = reader.parse_args(argv)
    stories = asyncio.run(_run(asked))
    conversations = sum(len(story.conversations) for story in stories)
    helped = sum(story.helped for story in stories)
    print(f"{asked.out / 'conversations.jsonl'}: {conversations} conversations of {len(stories)} customers")
    print(f"{asked.out / 'events.jsonl'}: {sum(len(story.events) for story in stories)} events")
    print(f"{helped} of {len(stories)} customers got what they came for in the end")


if __name__ == "__main__":
    main()
