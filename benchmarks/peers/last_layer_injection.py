"""The job with last_layer: ``scan_prompt``, its compiled detector of injections, as it ships."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]


def main() -> None:
    import last_layer  # type: ignore[import-not-found]

    def check(text: str) -> Mapping[str, Any]:
        told = last_layer.scan_prompt(text)
        return {"score": told.score, "flagged": not told.passed}

    answer(check)


if __name__ == "__main__":
    main()
