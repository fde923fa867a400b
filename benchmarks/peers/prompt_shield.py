"""The job with prompt-shield-ai: its detectors of injections, or with ``--pii`` its redactor of personal data.

Run in an environment that has prompt-shield-ai. Its detectors by similarity and by a transformer (d021, d022) fetch
their models and are left out, and so is the one of personal data (d023) among those of injections.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]

_LEFT_OUT = ("d021_vault_similarity", "d022_semantic_classifier", "d023_pii_detection")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pii", action="store_true")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    answer(_redactor() if options.pii else _engine())


def _engine() -> Callable[[str], Mapping[str, Any]]:
    from prompt_shield import PromptShieldEngine  # type: ignore[import-not-found]

    settings = {
        "detectors": {name: {"enabled": False} for name in _LEFT_OUT},
        **{part: {"enabled": False} for part in ("vault", "feedback", "canary", "history", "threat_feed")},
    }
    engine = PromptShieldEngine(config_dict={"prompt_shield": settings}, data_dir=tempfile.mkdtemp())

    def check(text: str) -> Mapping[str, Any]:
        told = engine.scan(text)
        return {"score": told.overall_risk_score, "flagged": told.action.value in ("block", "flag")}

    return check


def _redactor() -> Callable[[str], Mapping[str, Any]]:
    from prompt_shield.pii import PIIRedactor  # type: ignore[import-not-found]

    redactor = PIIRedactor()

    def check(text: str) -> Mapping[str, Any]:
        spans, at = [], 0
        for each in redactor.redact(text).redacted_entities:  # in order, without their places
            at = text.find(each["original"], at)
            spans.append((at, at + len(each["original"]), each["entity_type"]))
            at += len(each["original"])
        return {"spans": spans}

    return check


if __name__ == "__main__":
    main()
