"""The job with stackone-defender: texts come in as JSON lines, its score and how long it took goes out.

Run ``python -m benchmarks.peers.defender_injection [--patterns]`` in an environment that has stackone-defender; with
``--patterns`` only its first stage works, without its network.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]

_THRESHOLD = 0.52  # its own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patterns", action="store_true")
    options = parser.parse_args()
    from stackone_defender import create_prompt_defense

    guard = create_prompt_defense(enable_tier2=not options.patterns)
    first = guard.defend_tool_result("Where is my parcel?", "message")
    if not options.patterns and first.tier2_score is None:
        raise RuntimeError("its network is not there, and it would go on without it")

    def check(text: str) -> Mapping[str, Any]:
        told = guard.defend_tool_result(text, "message")
        score = told.tier2_score
        return {"score": score, "flagged": bool(told.detections) or (score or 0.0) > _THRESHOLD}

    answer(check)


if __name__ == "__main__":
    main()
