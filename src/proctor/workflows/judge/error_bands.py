"""Add error bands from the project's judge cards to judged figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.config import Config
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.report import Report

if TYPE_CHECKING:
    from proctor.core.judge_card import JudgeCard

__all__ = ["CARDS", "cards_of", "with_bands"]

CARDS = "judge_cards"  # project folder for `proctor judge check -o judge_cards/NAME.json`


def with_bands(config: Config, report: Report) -> Report:
    """Return the report with a note on the error band of each judged figure that has a card.

    A card that cannot be read also becomes a note, because the run is already complete.
    """
    return replace(report, notes=(*report.notes, *_notes(config.folder / CARDS, report)))


def cards_of(folder: Path) -> Iterator[JudgeCard]:
    """Yield every card in a folder.

    Raises:
        InputError: a file is not a card.
    """
    for path in sorted(folder.glob("*.json")):
        from proctor.core.judge_card import JudgeCard  # noqa: PLC0415 - most projects have no card

        try:
            yield decode(JudgeCard, json.loads(path.read_bytes()), file=str(path))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"is no judge card: {error}", file=str(path), hint="write it again with `proctor judge check -o`"
            ) from error


def _notes(folder: Path, report: Report) -> Iterator[str]:
    try:
        for card in cards_of(folder):
            yield from _bands(card, report)
    except InputError as error:
        yield f"no error band could be told: {error.place or error.message}"


def _bands(card: JudgeCard, report: Report) -> Iterator[str]:
    found = [
        (f" ({cell.target})" if len(report.by_target) > 1 else "", cell.mean, cell.cases)
        for cell in report.by_dimension
        if cell.dimension == card.scorer and cell.intent is None and cell.mean is not None
    ]
    if not found:
        found = [
            ("", tally.mean, sum(tally.histogram))
            for tally in report.by_scorer
            if tally.name == card.scorer and tally.mean is not None
        ]
    known = report.fingerprint.scorers.get(card.scorer)
    for whose, mean, count in found:
        if known and card.revision and known != card.revision:
            yield f"{card.scorer}{whose}: its judge card is of version {card.revision}, and this run's is {known}"
            continue
        band = card.scores.around(mean, count) if card.scores else None
        if band is not None and band.value is not None:
            yield (
                f"{card.scorer}{whose} {mean:.2f}: people would say {band.value:.2f}"
                f" ({band.low:.2f} … {band.high:.2f}), by its judge card over {card.cases} labels"
            )
