"""Rows marked by other taggers, spaCy's small English model and GiNZA (MIT): noisy, so what looks wrong is dropped."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from training.data import data_root, rows, shippable
from training.entity_rows import Row, Span, tidy
from training.entity_templates import lists

__all__ = ["GINZA", "SPACY", "Model", "silver", "tagger"]

Model = Callable[[Sequence[str]], Iterator[list[Span]]]  # the spans that a foreign tagger finds in each text
SPACY = {"PERSON": "PERSON", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE", "ORG": "ORG"}
GINZA = {
    "Person": "PERSON", "Postal_Address": "ADDRESS",
    **dict.fromkeys(
        ("City", "Province", "Country", "County", "GPE", "GPE_Other", "Region_Other", "Domestic_Region", "Island",
         "Continental_Region", "Location_Other", "Station", "Airport", "Facility_Other", "Park", "Mountain", "River",
         "Lake", "Sea", "Bay", "Geological_Region_Other", "Port", "Museum", "Theater", "Worship_Place",
         "Sports_Facility", "Facility_Part",
         "Archaeological_Place_Other", "Tumulus", "Zoo", "Amusement_Park", "Bridge", "Road"), "PLACE"),
    **dict.fromkeys(
        ("Company", "Company_Group", "Corporation_Other", "School", "Organization_Other", "Government",
         "International_Organization", "Political_Organization_Other", "Political_Party", "Cabinet", "Military",
         "Public_Institution", "Research_Institute", "Show_Organization", "Sports_Organization_Other",
         "Pro_Sports_Organization", "Sports_League", "Nonprofit_Organization", "Hospital"), "ORG"),
}  # fmt: skip


def tagger(name: str, kinds: dict[str, str], keep: tuple[str, ...]) -> Model:
    """A spaCy model as a tagger of our kinds; only the pipes in ``keep`` run."""
    spacy: Any = import_module("spacy")  # only needed here, and not among the project's own

    nlp = spacy.load(name)
    for pipe in nlp.pipe_names:
        if pipe not in keep:
            nlp.disable_pipe(pipe)

    def found(texts: Sequence[str]) -> Iterator[list[Span]]:
        for doc in nlp.pipe(texts, batch_size=64):
            yield [(e.start_char, e.end_char, kinds[e.label_]) for e in doc.ents if e.label_ in kinds]

    return found


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z\"'])|(?<=[。！？])|\n+", text)
    return [part.strip() for part in parts if 15 <= len(part.strip()) <= 300 and "{{" not in part]


def _english(root: Path | None, rng: random.Random, most: int) -> list[tuple[str, str]]:
    """(source, sentence): two fifths inference premises, two fifths grounding contexts, one fifth support messages."""
    support = ("banking77", "bitext", "dstc11", "cucom_ecom", "self_instruct", "xquad_q", "oasst")
    premises = {s for r in rows("nli/train", root) if shippable(r) and r["source"].startswith("nli_mnli")
                for s in _sentences(r["premise"])}  # fmt: skip
    contexts = {s for r in rows("grounding/train", root) if shippable(r)
                for s in _sentences(r["context"][:3000]) if s != s.lower()}  # fmt: skip
    messages = {s for r in rows("injection/train", root) if shippable(r) and r["src"] in support and r["label"] == 0
                and r["lang"].startswith("en") for s in _sentences(r["text"])}  # fmt: skip
    with (
        (data_root() if root is None else root)
        .joinpath("pii/gretel_pii_misc/sample-transform-emails.csv")
        .open(encoding="utf-8", newline="") as file
    ):
        mails = {s for r in csv.DictReader(file) for s in _sentences(r["email_body"] or "")}
    picked: list[tuple[str, str]] = []
    for name, found, share in (("mnli", premises, 0.35), ("grounding", contexts, 0.4), ("support", messages, 0.2),
                               ("mail", mails, 0.05)):  # fmt: skip
        every = sorted(found)
        rng.shuffle(every)
        picked += [(name, s) for s in every[: int(most * share)]]
    return picked


def _japanese(root: Path | None, rng: random.Random, most: int) -> list[tuple[str, str]]:
    """(source, sentence): three fifths Wikipedia-like sentences of PAWS-X, the rest inference premises and requests."""
    wiki = {r[f] for n in ("pawsx_dev", "pawsx_test") for r in rows(f"paraphrase/paws/{n}", root) if r["lang"] == "ja"
            for f in ("sentence1", "sentence2") if r[f] and 15 <= len(r[f]) <= 300}  # fmt: skip
    premises = {r["premise"] for r in rows("nli/train", root) if r["lang"] == "ja" and shippable(r)}
    asked = {s for r in rows("injection/train", root) if r["lang"] == "ja" and shippable(r) and r["label"] == 0
             for s in _sentences(r["text"])}  # fmt: skip
    picked: list[tuple[str, str]] = []
    for name, found, share in (("pawsx", wiki, 0.75), ("nli_ja", premises, 0.17), ("requests", asked, 0.08)):
        every = sorted(found)
        rng.shuffle(every)
        picked += [(name, s) for s in every[: int(most * share)]]
    return picked


def silver(root: Path | None, rng: random.Random, english: Model, japanese: Model) -> Iterator[Row]:
    """Rows that the two taggers marked; a fifth of the English ones also in lower case."""
    for lang, model, picked in (
        ("en", english, _english(root, rng, 18000)),
        ("ja", japanese, _japanese(root, rng, 9000)),
    ):
        seen = zip(picked, model([text for _, text in picked]), strict=True)
        found = [Row(text, tidy(text, spans), lang, f"silver_{name}") for (name, text), spans in seen]
        known = _known(lang) | _agreed(found)
        for row in found:
            if _doubtful(row, known) or (not row.spans and rng.random() < 0.5):
                continue
            yield row
            if lang == "en" and row.spans and rng.random() < 0.2 and len(row.text.lower()) == len(row.text):
                yield Row(row.text.lower(), row.spans, lang, f"{row.src}_lower")


def _known(lang: str) -> dict[str, str]:
    """The kind of each name in our own lists."""
    named_lists = lists(lang)
    named = {"PERSON": "first", "PLACE": "place", "ORG": "org"}
    return {name.split("/")[0].lower(): kind for kind, section in named.items() for name in named_lists[section]}


def _agreed(found: Iterable[Row]) -> dict[str, str]:
    """The kind of each name that was tagged in several ways: the one of four fifths, or none, which fits no tag."""
    seen: dict[str, Counter[str]] = {}
    for row in found:
        for start, end, kind in row.spans:
            seen.setdefault(row.text[start:end].lower(), Counter())[kind] += 1
    best = {name: counts.most_common(1)[0] for name, counts in seen.items() if len(counts) > 1}
    return {name: kind if n >= 0.8 * sum(seen[name].values()) else "" for name, (kind, n) in best.items()}


def _doubtful(row: Row, known: dict[str, str]) -> bool:
    """Whether the marks look wrong."""
    if row.src == "silver_requests" and (row.spans or re.search(r"\b[A-D]\. ", row.text)):
        return True
    if row.src == "silver_support" and row.spans and re.search(r"\b(Rd|Road|Street|St|Ave|Avenue|Nagar)\b", row.text):
        return True  # an address, marked in part
    return any(_wrong(row, span, known.get(row.text[span[0] : span[1]].lower())) for span in row.spans)


def _wrong(row: Row, span: Span, listed: str | None) -> bool:
    start, end, kind = span
    word = row.text[start:end]
    if not re.search(r"[^\W\d_]", word) or len(word) > 60 or listed not in (None, kind):
        return True
    if listed is not None:
        return False
    if row.lang == "ja":
        place = re.search(r"[ぁ-ヿ一-龥](州|市|郡|県|川|島|山|地区|地方|タウンシップ)$", word) is not None
        return word in "東西南北" or (kind == "ORG" and word.isascii()) or (place and kind != "PLACE")
    if word == word.lower() or (word.isupper() and len(word) <= 4 and kind == "ORG"):
        return True
    # in messages the small tagger takes opening words, shouted words and products for names
    return row.src == "silver_support" and (start == 0 or kind == "ORG" or word.isupper())
