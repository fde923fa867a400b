"""The job with Presidio: texts come in as JSON lines, what it found and how long it took goes out.

Run ``python -m benchmarks.peers.presidio_pii [--ner MODEL]`` in an environment that has presidio-analyzer; without a
model its regular expressions work behind a blank tokenizer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.asked import answer

__all__ = ["main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ner", default="")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    analyzer = _analyzer(options.ner)
    analyzer.analyze("Call Anna on 212-555-0142 or write to anna@mail.org", language="en")

    def check(text: str) -> Mapping[str, Any]:
        found = analyzer.analyze(text, language="en")
        return {"spans": [(each.start, each.end, each.entity_type) for each in found]}

    answer(check, repeats=options.repeats)


def _analyzer(model: str) -> Any:
    import spacy
    import tldextract  # type: ignore[import-not-found]
    from presidio_analyzer import AnalyzerEngine  # type: ignore[import-not-found]
    from presidio_analyzer.nlp_engine import SpacyNlpEngine  # type: ignore[import-not-found]

    tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())  # its list of suffixes is not fetched
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLD_EXTRACTOR
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": model or "blank"}])
    engine.nlp = {"en": spacy.load(model) if model else spacy.blank("en")}
    return AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])


if __name__ == "__main__":
    main()
