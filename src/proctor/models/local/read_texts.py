"""Read texts with every model for single texts: injection, intent, names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from proctor.core.entity import Entity
from proctor.models.local import intents, reader
from proctor.models.local.entities import LocalTagger
from proctor.models.local.injection import CATEGORIES, InjectionClassifier
from proctor.models.local.intents import LocalIntents

__all__ = ["SeenText", "look"]

Answer = TypeVar("Answer")
# A false alarm costs a person a minute; a missed threat or cry for help costs more.
INTENT_LEVELS = {"0.1%": "0.5%", "0.5%": "1%", "1%": "1%"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenText:
    """The findings in one text; intent and names are ``None`` if the text is too long for them."""

    injection: float
    cut: float
    kind: str
    hidden: tuple[str, ...]
    intent: str | None
    intent_share: float
    risk: float
    intent_cut: float
    entities: tuple[Entity, ...] | None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is flagged; empty if it is not."""
        found = ["injection"] if self.injection > self.cut else []
        if self.intent not in (None, "none") and self.risk > self.intent_cut:
            found.append(str(self.intent))
        return tuple(found)

    @property
    def flagged(self) -> bool:
        """Whether a person should look at it."""
        return bool(self.reasons)

    def as_json(self) -> dict[str, Any]:
        """Return the findings as JSON data."""
        injection = {"probability": self.injection, "threshold": self.cut, "kind": self.kind, "hidden": self.hidden}
        intent = {"label": self.intent, "probability": self.intent_share, "risk": self.risk}
        return {
            "flagged": self.flagged,
            "reasons": self.reasons,
            "injection": injection,
            "intent": None if self.intent is None else {**intent, "threshold": self.intent_cut},
            "entities": None if self.entities is None else [asdict(each) for each in self.entities],
        }


async def look(texts: Sequence[str], level: str = "0.1%", *, folder: Path | None = None) -> list[SeenText]:
    """Return the findings in each text, by the injection threshold of that level and the next wider one for intents."""
    injection, intent = InjectionClassifier(folder=folder), LocalIntents(folder=folder)
    cut, intent_cut = injection.threshold(level), intent.threshold(INTENT_LEVELS.get(level, level))
    readings = await injection.read(texts)
    intended = await _short(texts, intents.LETTERS, intent.classify)
    named = await _short(texts, reader.LETTERS, LocalTagger(folder=folder).entities)
    found = []
    for reading, shares, names in zip(readings, intended, named, strict=True):
        labels = injection.labels(reading)
        risk = 1 - shares["none"] if shares else 0.0
        among = [name for name in shares or () if name != "none" or risk <= intent_cut]
        label = max(among, key=lambda name: shares[name] if shares else 0.0) if among else None
        found.append(
            SeenText(
                injection=labels["injection"],
                cut=cut,
                kind=max(CATEGORIES, key=lambda name: labels[name]) if reading.read else "",
                hidden=reading.hidden,
                intent=label,
                intent_share=shares[label] if shares and label else 0.0,
                risk=risk,
                intent_cut=intent_cut,
                entities=None if names is None else tuple(names),
            )
        )
    return found


async def _short(
    texts: Sequence[str], longest: int, ask: Callable[[Sequence[str]], Awaitable[Sequence[Answer]]]
) -> list[Answer | None]:
    answers = iter(await ask([text for text in texts if len(text) <= longest]))
    return [next(answers) if len(text) <= longest else None for text in texts]
