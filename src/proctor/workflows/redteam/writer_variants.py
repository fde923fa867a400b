"""Ask the writer model of a campaign for other wordings, once: they are kept beside the attempts."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.config import RunSettings
from proctor.core.attack import Goal
from proctor.core.codec import content_id
from proctor.core.errors import StoreError
from proctor.core.sockets import Model
from proctor.project import Project
from proctor.redteam.write import write_variants
from proctor.store.private_files import private_folder
from proctor.store.shared_lines import append_lines
from proctor.workflows.redteam.campaign import Campaign, campaign_folder, goals_of

__all__ = ["WriterWork", "writer_variants"]

_FILE = "wordings.jsonl"
_DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterWork:
    """Wordings by ``goal/language``, how many were dropped by reason, and the first error of the model.

    ``cost`` is what the model's calls cost now; it counts against the budget of the campaign run.
    """

    variants: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    cost: float = 0.0

    @property
    def note(self) -> str:
        """The work in one line."""
        made = sum(len(texts) for texts in self.variants.values())
        dropped = ", ".join(f"{count} {reason}" for reason, count in self.dropped.items())
        return (
            f"the writer made {made} wordings of {len(self.variants)} instructions"
            + (f"; dropped: {dropped}" if dropped else "")
            + (f"; it cost {self.cost:.4f}" if self.cost else "")
            + (f"; {self.error}" if self.error else "")
        )


async def writer_variants(campaign: Campaign, settings: RunSettings) -> WriterWork:
    """Return other wordings of each goal in its first language; wordings of an earlier run are not asked for again.

    Raises:
        ConfigError: there is no such model.
        BudgetError: the budget is spent.
        StoreError: the wordings cannot be kept.
    """
    name = campaign.settings.writer
    if name is None:
        return WriterWork()
    path = campaign_folder(campaign.config.store, campaign.name) / _FILE
    kept = _read(path)
    variants: dict[str, Sequence[str]] = {}
    dropped: Counter[str] = Counter()
    errors: list[str] = []
    async with Project(campaign.config) as project:
        model_pool = project.model_pool(settings)
        model = model_pool.get(name, role="writer")
        slots = asyncio.Semaphore(settings.concurrency)

        async def write(goal: Goal) -> None:
            language = _language(goal, campaign.settings.languages)
            key = content_id([name, goal.id, language, goal.instruction[language]])
            if key not in kept:
                async with slots:
                    kept[key] = await _ask(model, goal, language, path, key, dropped, errors)
            if kept[key]:
                variants[f"{goal.id}/{language}"] = kept[key]

        await asyncio.gather(*(write(goal) for goal in goals_of(campaign)))
        cost = sum(each.cost or 0.0 for each in model_pool.spend())
    return WriterWork(variants=variants, dropped=dict(dropped), error=next(iter(errors), ""), cost=cost)


async def _ask(
    model: Model,
    goal: Goal,
    language: str,
    path: Path,
    key: str,
    dropped: Counter[str],
    errors: list[str],
) -> Sequence[str]:
    made = await write_variants(model, goal, language)
    dropped.update(made.dropped)
    errors += made.errors
    if made.texts or not made.errors:  # what failed is asked for again by the next run
        _append(path, {"key": key, "texts": made.texts})
    return made.texts


def _language(goal: Goal, chosen: Sequence[str]) -> str:
    there = [each for each in goal.instruction if not chosen or each in chosen] or list(goal.instruction)
    return _DEFAULT_LANGUAGE if _DEFAULT_LANGUAGE in there else there[0]


def _read(path: Path) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:  # half a line of a killed process, or of a full disk
            continue
        found[row["key"]] = tuple(row["texts"])
    return found


def _append(path: Path, row: Mapping[str, object]) -> None:
    try:
        private_folder(path.parent)
        append_lines(path, json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    except OSError as error:
        hint = "free some space, or make the folder writable; wordings that were kept are not asked for again"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error
