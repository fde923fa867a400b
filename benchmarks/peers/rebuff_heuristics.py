"""The job with rebuff: the heuristics that it runs before it asks a model and a vector store, at its own threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]

_THRESHOLD = 0.75  # its own, ``max_heuristic_score``


def main() -> None:
    from rebuff import detect_pi_heuristics  # type: ignore[import-not-found]

    def check(text: str) -> Mapping[str, Any]:
        score = float(detect_pi_heuristics.detect_prompt_injection_using_heuristic_on_input(text))
        return {"score": score, "flagged": score > _THRESHOLD}

    answer(check)


if __name__ == "__main__":
    main()
