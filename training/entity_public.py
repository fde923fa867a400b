"""Rows of the public sets with marked personal data: presidio-research, pii_nano, contextual-anonymizer (all MIT)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.data import data_root
from training.entity_rows import LONGEST, Row, tidy
from training.entity_templates import lists

__all__ = ["held_out", "labelled"]

PRESIDIO = {
    "PERSON": "PERSON", "LOCATION": "PLACE", "GPE": "PLACE", "ORGANIZATION": "ORG",
    "ADDRESS": "ADDRESS", "STREET_ADDRESS": "ADDRESS", "ZIP_CODE": "ADDRESS",
}  # fmt: skip
NANO = {"PERSON": "PERSON", "ORGANIZATION": "ORG", "ORG": "ORG", "BANK": "ORG"}
CONTEXTUAL = {
    "NAME": "PERSON", "DOCTOR": "PERSON", "CLIENT_NAME": "PERSON", "ADDRESS": "ADDRESS", "STREET": "ADDRESS",
    "ZIP": "ADDRESS", "LOCATION": "PLACE", "CITY": "PLACE", "STATE": "PLACE", "PLACE": "PLACE", "LANDMARK": "PLACE",
    "COMPANY": "ORG", "COMPANY_NAME": "ORG", "SCHOOL": "ORG", "UNIVERSITY": "ORG", "UNIVERSITY_NAME": "ORG",
    "INSURER": "ORG", "BANK": "ORG", "BANK_NAME": "ORG", "MERCHANT": "ORG", "HOSPITAL": "ORG",
}  # fmt: skip


def labelled(root: Path | None = None) -> Iterator[tuple[Row, str]]:
    """Rows of the labelled public sets, each with the template it was made from (empty where it has none)."""
    folder = (root or data_root()) / "pii"
    for name in ("generated_large", "synth_dataset_v2"):
        for found in _loaded(folder / "presidio_research" / f"{name}.json"):
            row = _presidio(found)
            if row is not None:
                yield row, _template(found["masked"])
    for found in _loaded(folder / "pii_nano" / "pii_syn_nano_en.json"):
        row = _nano(found)
        if row is not None:
            yield row, ""
    for found in _loaded(folder / "contextual_anon" / "synthetic_data.json")["data"]:
        row = _contextual(found)
        if row is not None:
            yield row, ""


def _loaded(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _template(masked: str) -> str:
    return " ".join(re.sub(r"\{\{.*?\}\}", "{}", masked).lower().split())


def held_out(template: str) -> bool:
    """Whether rows of this template are kept out of training: a tenth of the templates, by hash."""
    return template != "" and int(hashlib.sha256(template.encode()).hexdigest(), 16) % 10 == 0


def _presidio(found: dict[str, Any]) -> Row | None:
    text, spans = found["full_text"], []
    for span in found["spans"]:
        start, end = span["start_position"], span["end_position"]
        if text[start:end] != span["entity_value"]:
            return None
        if span["entity_type"] in PRESIDIO:
            spans.append((start, end, PRESIDIO[span["entity_type"]]))
    return Row(text, tidy(text, spans), "en", "presidio")


def _nano(found: dict[str, Any]) -> Row | None:
    text, spans = found["text"], []
    for entity in found["NER"]:
        if entity["label"] in NANO:
            if text.count(entity["entity"]) != 1:
                return None
            start = text.index(entity["entity"])
            spans.append((start, start + len(entity["entity"]), NANO[entity["label"]]))
    return Row(text, tidy(text, spans), "en", "pii_nano")


def _contextual(found: dict[str, Any]) -> Row | None:
    """A document aligned with its anonymised twin; nothing where they differ in more than the tags."""
    text = found["context"]
    parts = re.split(r"\[([A-Z_]+?)(?:_\d+)?\]", found["anonymized_context"])
    if len(text) > LONGEST or not text.startswith(parts[0]) or re.search(r"\[[A-Z]+_\d+\]", text):
        return None
    at, spans = len(parts[0]), []
    for label, after in zip(parts[1::2], parts[2::2], strict=True):
        end = text.find(after, at + 1) if after.strip() or after else len(text)
        if after == "" and label != parts[-2]:
            return None
        if end < 0 or end - at > 120:
            return None
        if label in CONTEXTUAL:
            spans.append((at, end, CONTEXTUAL[label]))
        at = end + len(after)
    if at != len(text) or any("\n" in text[s:e] and k != "ADDRESS" for s, e, k in spans):
        return None
    neat = tidy(text, spans)
    names = {text[s:e] for s, e, _ in neat}
    if any(len(name) > 2 and text.count(name) != sum(text[s:e].count(name) for s, e, _ in neat) for name in names):
        return None  # the same name stands elsewhere, unmarked
    company = re.compile(r"\b(Inc|Ltd|LLC|Corp|Bank|Company|Solutions|Insurance|University|School)\b")
    places = {place.lower() for place in lists("en")["place"]} | {"metropolis", "cityville", "anytown"}
    right = tuple(
        (s, e, "PLACE" if text[s:e].lower() in places else "ORG" if company.search(text[s:e]) and k == "PERSON" else k)
        for s, e, k in neat
    )
    return Row(text, right, "en", "contextual")
