"""The job with LlamaFirewall: the two scanners of it that need no model, its regular expressions and hidden ASCII.

A match of the expressions counts for injections when it is of that pattern or hidden ASCII, with ``--pii`` when it is
of another one. It says that there is one, not where.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]

_INJECTION = "Prompt injection"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pii", action="store_true")
    options = parser.parse_args()
    from llamafirewall import UserMessage  # type: ignore[import-not-found]
    from llamafirewall.scanners.hidden_ascii_scanner import HiddenASCIIScanner  # type: ignore[import-not-found]
    from llamafirewall.scanners.regex_scanner import RegexScanner  # type: ignore[import-not-found]

    patterns, hidden = RegexScanner(), HiddenASCIIScanner()
    wanted = [name for name in patterns.patterns if (name != _INJECTION) == options.pii]
    patterns.patterns = {name: patterns.patterns[name] for name in wanted}
    loop = asyncio.new_event_loop()

    async def scan(text: str) -> bool:
        message = UserMessage(content=text)
        told = [await patterns.scan(message)]
        if not options.pii:
            told.append(await hidden.scan(message))
        return any(each.decision.value == "block" for each in told)

    def check(text: str) -> Mapping[str, Any]:
        return {"flagged": loop.run_until_complete(scan(text))}

    answer(check)


if __name__ == "__main__":
    main()
