"""The job with Invariant: its detector of secrets, the one of its detectors that needs no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]


def main() -> None:
    from invariant.analyzer.runtime.utils.secrets import SecretsAnalyzer  # type: ignore[import-not-found]

    analyzer = SecretsAnalyzer()

    def check(text: str) -> Mapping[str, Any]:
        return {"spans": [(each.start, each.end, each.entity) for each in analyzer.detect_all(text)]}

    answer(check)


if __name__ == "__main__":
    main()
