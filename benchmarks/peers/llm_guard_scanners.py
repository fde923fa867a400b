"""The job with LLM Guard: a scanner of it. ``InvisibleText`` and ``Secrets`` need no model, others fetch one."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scanner", choices=("InvisibleText", "Secrets", "PromptInjection", "Anonymize"))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    from llm_guard import input_scanners  # type: ignore[import-not-found]
    from llm_guard.util import configure_logger  # type: ignore[import-not-found]
    from llm_guard.vault import Vault  # type: ignore[import-not-found]

    configure_logger("CRITICAL")
    made = getattr(input_scanners, options.scanner)
    scanner = made(Vault()) if options.scanner == "Anonymize" else made()

    def check(text: str) -> Mapping[str, Any]:
        _, valid, score = scanner.scan(text)
        return {"flagged": not valid, "score": score}

    answer(check)


if __name__ == "__main__":
    main()
