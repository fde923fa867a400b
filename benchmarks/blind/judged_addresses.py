"""What the default guard masks in the messages of the blind set ``addresses``, and patterns alone beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from proctor.text.pii import find_pii
from proctor.wiring.guard import Guard

__all__ = ["addresses"]

_LEAST = 0.7  # share of the letters and digits of an address that must be masked


async def addresses(items: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the label where every address is masked and what must stay readable does, else what went wrong."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "proctor.yaml").write_text("guard: {timeout: 10, input: [pii]}\n", "utf-8")
        guard = Guard.from_config(folder, record=False, reload=False)
        try:
            for item in items:
                session = guard.session()
                verdict = await session.input(item["text"])
                plain = ((each.start, each.end) for each in find_pii(item["text"]))
                found.append((_judged(item, ((e.start, e.end) for e in verdict.findings)), _judged(item, plain)))
                guard.end(session)
        finally:
            guard.close()
    return found


def _judged(item: dict[str, Any], spans: Iterable[tuple[int | None, int | None]]) -> str:
    text: str = item["text"]
    masked = {place for start, end in spans if start is not None and end is not None for place in range(start, end)}
    for written in item["mask"]:
        places = [each for each in _places(text, written) if text[each].isalnum()]
        if sum(each in masked for each in places) < _LEAST * len(places):
            return "missed"
    if any(place in masked for kept in item["keep"] for place in _places(text, kept)):
        return "masked too much"
    return str(item["label"])


def _places(text: str, written: str) -> range:
    at = text.index(written)
    return range(at, at + len(written))
