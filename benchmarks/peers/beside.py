"""Speed and accuracy of the gates beside other local detectors, on the same texts in the same run, as tables."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.peers.detectors import NOT_RUN, Detector, detectors
from benchmarks.peers.race import Runner, race
from benchmarks.pii import PEERS, Row, Span, rows, tally

__all__ = ["Text", "print_beside"]

Group = Literal["support", "personal", "attack", "hard", "marked"]
_ATTACKS: Final = ("deepset", "hinglish_stealth", "bipia_attack_alone")
_HARD: Final = ("deepset", "clean_benign_200", "cse_frr_en", "hinglish_clean", "xstest_safe")
_NEITHER: Final = frozenset({"GPE", "LOCATION", "CITY", "ORGANIZATION", "ORG", "COMPANY"})  # a place alone is nobody's
_NAMES: Final = ("person", "address")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, what it is there for, and where its personal data stands if that is known."""

    text: str
    group: Group
    source: str = ""
    row: Row | None = None


def print_beside(messages: Sequence[tuple[bool, str]], data: Path, *, share: float, seconds: float) -> None:
    """Print what each detector takes and finds; ``messages`` are told apart by whether they hold personal data."""
    texts = [Text(text=text, group="personal" if personal else "support") for personal, text in messages]
    texts += [*_labelled(data, share), *_marked(data, share)]
    random.Random(7).shuffle(texts)

    def wanted(detector: Detector, number: int) -> bool:
        group = texts[number].group
        if detector.longest is not None and len(texts[number].text) > detector.longest:
            return False
        return group in ("support", "personal") or (group == "marked") == (detector.job == "pii")

    runners = asyncio.run(race(detectors(), [each.text for each in texts], wanted, seconds))
    print(f"\nload average {os.getloadavg()[0]:.1f} after", flush=True)
    ours = asyncio.run(_scores(texts, next(each for each in runners if each.detector.arguments == ("injection",))))
    _print_injection([each for each in runners if each.detector.job == "injection"], texts, ours)
    _print_pii([each for each in runners if each.detector.job == "pii"], texts)
    print("\n| not run | why |\n|---|---|")
    for name, why in (*((each.detector.name, each.not_run) for each in runners if each.not_run), *NOT_RUN):
        print(f"| {name} | {why} |")


def _labelled(data: Path, share: float) -> list[Text]:
    """Attacks that somebody could write as a message, and harmless texts that are easily taken for some."""
    with gzip.open(data / "injection" / "test.jsonl.gz", "rt", encoding="utf-8") as file:
        every = [json.loads(line) for line in file]
    dice, made = random.Random(7), list[Text]()
    for label, sources in ((1, _ATTACKS), (0, _HARD)):
        group: Group = "attack" if label else "hard"
        for source in sources:
            some = [row["text"] for row in every if row["label"] == label and row["src"] == source]
            picked = dice.sample(some, max(1, round(min(len(some), 125 if label else 60) * share)))
            made += [Text(text=text, group=group, source=source) for text in picked]
    return made


def _marked(data: Path, share: float) -> list[Text]:
    """Rows whose personal data is marked; places and organisations alone count for nobody here."""
    groups: dict[str, list[Row]] = {}
    for row in rows(data / "pii"):
        spans = tuple(span for span in row.spans if span[2] not in _NEITHER)
        if spans and len(row.text) < 1_000:
            groups.setdefault(row.source, []).append(Row(row.source, row.text, spans))
    picked = [row for some in groups.values() for row in random.Random(7).sample(some, max(1, round(60 * share)))]
    return [Text(text=row.text, group="marked", source=row.source, row=row) for row in picked]


async def _scores(texts: Sequence[Text], gate: Runner) -> dict[int, float]:
    """How sure our gate is of each text: what its words say, or its classifier; not timed."""
    from proctor.wiring.local_models import local_model

    numbers = [n for n, each in enumerate(texts) if n in gate.answers and each.group in ("support", "attack")]
    told = await local_model("injection").classify([texts[n].text for n in numbers])
    return {n: 1.0 if gate.answers[n]["rule"] else row["injection"] for n, row in zip(numbers, told, strict=True)}


def _print_injection(runners: Iterable[Runner], texts: Sequence[Text], ours: dict[int, float]) -> None:
    found_of = ("attacks found: all", *_ATTACKS, "hard harmless texts flagged", "support flagged")
    _print_head("injections", *found_of, "attacks our gate finds at that share")
    for each in runners:
        if not each.answers:
            continue
        found = {n: bool(said["flagged"]) for n, said in each.answers.items()}
        attacks = [n for n in found if texts[n].group == "attack"]
        shares = [_share([found[n] for n in attacks if texts[n].source == source]) for source in _ATTACKS]
        support, hard = ([n for n in found if texts[n].group == group] for group in ("support", "hard"))
        cells = [
            *_times(each, texts),
            f"**{_share([found[n] for n in attacks])}**",
            *shares,
            _share([found[n] for n in hard]),
            _share([found[n] for n in support]),
            _matched(found, support, attacks, ours) if each.detector.peer is not None else "",
        ]
        print(f"| {each.detector.name} | {' | '.join(cells)} |")


def _matched(found: dict[int, bool], support: Sequence[int], attacks: Sequence[int], ours: dict[int, float]) -> str:
    """What our gate finds of the same attacks when as many of the same support messages may be flagged."""
    ranked = sorted((ours[n] for n in support), reverse=True)
    most = sum(found[n] for n in support)
    cut = ranked[most] if most < len(ranked) else -1.0
    return _share([ours[n] > cut for n in attacks])


def _print_pii(runners: Iterable[Runner], texts: Sequence[Text]) -> None:
    values = ("values found: all", "with a form", "names and addresses", "of what it tells, marked")
    _print_head("personal data", *values, "rows with some flagged", "support with a finding")
    for each in runners:
        if not each.answers:
            continue
        marked = [n for n in each.answers if texts[n].group == "marked"]
        flagged = [_tells(each.answers[n]) for n in marked]
        support = [_tells(said) for n, said in each.answers.items() if texts[n].group == "support"]
        cells = ["–"] * 4  # it says that there is something, not where
        if marked and all("spans" in each.answers[n] for n in marked):
            cells = _values([texts[n].row for n in marked], [_spans(each.answers[n]) for n in marked])
        cells = [*_times(each, texts), *cells, _share(flagged), _share(support)]
        print(f"| {each.detector.name} | {' | '.join(cells)} |")


def _print_head(what: str, *told: str) -> None:
    times = ("CPU ms, support: p50", "p95", "personal data: p50", "p95", "wall ms, support: p50", "p95")
    columns = (what, "messages", *times, *told)
    print(f"\n| {' | '.join(columns)} |\n|" + "---|" * len(columns))


def _values(some: Sequence[Row | None], read: Sequence[Sequence[Span]]) -> list[str]:
    made = tally([row for row in some if row is not None], read)
    named = [made.marked[kind] for kind in _NAMES], [made.any[kind] for kind in _NAMES]
    total, hits = made.marked.total(), made.any.total()
    parts = ((hits, total), (hits - sum(named[1]), total - sum(named[0])), (sum(named[1]), sum(named[0])))
    shares = [f"{hit / of:.3f}" if of else "–" for hit, of in parts]
    told = made.told.total()
    return [f"**{shares[0]}**", *shares[1:], f"{made.right.total() / told:.3f}" if told else "–"]


def _spans(said: Any) -> list[Span]:
    return [(start, end, PEERS.get(kind, kind)) for start, end, kind in said["spans"]]


def _tells(said: Any) -> bool:
    return bool(said["spans"] if "spans" in said else said["flagged"])


def _times(runner: Runner, texts: Sequence[Text]) -> list[str]:
    groups = {"support": list[Any](), "personal": list[Any]()}
    for n, said in runner.answers.items():
        if texts[n].group in groups:
            groups[texts[n].group].append(said)
    support, personal = groups.values()
    return [
        str(len(support) + len(personal)),
        *_two([said["us"] for said in support]),
        *_two([said["us"] for said in personal]),
        *_two([said["wall_us"] for said in support]),
    ]


def _two(values: list[float]) -> tuple[str, str]:
    if not values:
        return "–", "–"
    values.sort()
    some = values[len(values) // 2], values[min(len(values) - 1, int(len(values) * 0.95))]
    return _milliseconds(some[0]), _milliseconds(some[1])


def _milliseconds(microseconds: float) -> str:
    return f"{microseconds / 1000:.3g}" if microseconds < 1_000_000 else f"{microseconds / 1000:,.0f}"


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found) / len(found):.3f}" if found else "–"
