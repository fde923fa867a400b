"""The job with stackone-defender: texts come in as JSON lines, its score and how long it took goes out.

Run ``python -m benchmarks.peers.defender_injection [--patterns]`` in an environment that has stackone-defender; with
``--patterns`` only its first stage works, without its network.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

__all__ = ["main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patterns", action="store_true")
    options = parser.parse_args()
    from stackone_defender import create_prompt_defense

    guard = create_prompt_defense(enable_tier2=not options.patterns)
    guard.defend_tool_result("Where is my parcel?", "message")
    for line in sys.stdin:
        text = json.loads(line)
        best, score = float("inf"), None
        for _ in range(2):
            begin = time.process_time_ns()
            told = guard.defend_tool_result(text, "message")
            best, score = min(best, time.process_time_ns() - begin), told.tier2_score
        flagged = bool(told.detections) or (score or 0.0) > 0.52
        sys.stdout.write(json.dumps({"us": best / 1000, "score": score, "flagged": flagged}) + "\n")


if __name__ == "__main__":
    main()
