"""Propose thresholds of the gates from a user's own traffic."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from proctor.config import Config
from proctor.core.errors import InputError
from proctor.core.step import POINTS, Point
from proctor.core.verdict import Verdict
from proctor.guard.chain import Post
from proctor.guard.step import Step
from proctor.stats.stop_rates import StopRate, lowest_threshold, stop_rates
from proctor.text.yaml_dump import to_yaml
from proctor.wiring.guard_settings import gate_entries, make_plan

__all__ = ["GateTuning", "TrafficText", "TunablePoint", "TuneRequest", "Tuning", "read_traffic", "tune_guard"]

TunablePoint = Literal["input", "tool_result"]
_FLOOR: Final = 0.5  # no gate acts below this probability
_BLOCKED_SHARE: Final = 0.2  # of the stops that may be blocks
_AT_ONCE: Final = 32
_SHOWN: Final = 5
# by gate and point: the thresholds for blocking and for escalating
_SETTINGS: Final[Mapping[tuple[str, str], tuple[str | None, str]]] = {
    ("injection", "input"): ("block", "escalate"),
    ("injection", "tool_result"): ("indirect_block", "indirect_escalate"),
    ("danger", "input"): (None, "escalate"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficText:
    """A text and where it stands."""

    place: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """The files to read, what their texts are, and how many harmless ones of a thousand each gate may stop."""

    log: Path
    attacks: Path | None = None
    point: TunablePoint = "input"
    field: str | None = None
    most: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTuning:
    """The rates of one gate at each threshold, the proposed settings, and the harmless texts with the highest scores.

    ``by_rules`` is the share of harmless texts that rules stop at any threshold. ``settings`` is empty if no threshold
    stops few enough.
    """

    gate: str
    rates: Sequence[StopRate]
    by_rules: float
    settings: Mapping[str, float]
    highest: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The proposal for one point: figures by gate, and the YAML to paste."""

    texts: int
    attacks: int
    gates: Sequence[GateTuning]
    yaml: str


@dataclass(frozen=True, slots=True)
class _Score:
    place: str
    value: float  # 1 if a rule decides
    by_rule: bool


async def tune_guard(config: Config, request: TuneRequest) -> Tuning:
    """Score the texts with the project's gates at their lowest thresholds, and choose thresholds from the scores.

    Raises:
        InputError: a file cannot be read or has another format, or no gate of the point has a threshold.
    """
    texts = read_traffic(request.log, request.point, request.field)
    attacks = read_traffic(request.attacks, request.point, request.field) if request.attacks else []
    posts = _tunable(config, request.point)
    found = [await _tuned(post, request, texts, attacks) for post in posts]
    names = {each.gate: each.settings for each in found if each.settings}
    entries = [_with(entry, names) for entry in gate_entries(config, request.point)]
    yaml = to_yaml({"guard": {request.point: entries}})
    return Tuning(texts=len(texts), attacks=len(attacks), gates=found, yaml=yaml)


def _tunable(config: Config, point: TunablePoint) -> list[Post]:
    section = {**config.settings.guard} | {other: [] for other in POINTS if other != point}
    plan = make_plan(replace(config, settings=replace(config.settings, guard=section)), strict=True)
    posts = [post for post in plan.chains[point].posts if (post.gate.name, point) in _SETTINGS]
    if not posts:
        hint = f"add one of {', '.join(name for name, where in _SETTINGS if where == point)}"
        raise InputError(f"no gate at {point} has a threshold", file=str(config.path or ""), hint=hint)
    return posts


async def _tuned(
    post: Post, request: TuneRequest, texts: Sequence[TrafficText], attacks: Sequence[TrafficText]
) -> GateTuning:
    block, escalate = _SETTINGS[post.gate.name, request.point]
    gate: Any = replace(post.gate, **{name: _FLOOR for name in (block, escalate) if name})  # type: ignore[type-var]
    harmless = await _scores(gate, request.point, texts)
    bad = await _scores(gate, request.point, attacks)
    rates = stop_rates([each.value for each in harmless], [each.value for each in bad])
    most = request.most / 1000
    settings: dict[str, float] = {}
    if (low := lowest_threshold(rates, most)) is not None:
        if block:
            settings[block] = lowest_threshold(rates, most * _BLOCKED_SHARE) or rates[-1].threshold
        settings[escalate] = low
    top = sorted((each for each in harmless if each.value >= _FLOOR), key=lambda each: -each.value)[:_SHOWN]
    return GateTuning(
        gate=post.name,
        rates=rates,
        by_rules=sum(each.by_rule for each in harmless) / len(harmless),
        settings=settings,
        highest=[each.place for each in top],
    )


async def _scores(gate: Any, point: TunablePoint, texts: Sequence[TrafficText]) -> list[_Score]:
    made: list[_Score] = []
    for start in range(0, len(texts), _AT_ONCE):  # waiting together, they share batches of the networks
        some = texts[start : start + _AT_ONCE]
        verdicts = await asyncio.gather(*(gate.check(Step(point=point, text=each.text)) for each in some))
        made += [_score(text.place, verdict) for text, verdict in zip(some, verdicts, strict=True)]
    return made


def _score(place: str, verdict: Verdict) -> _Score:
    if verdict.action == "allow":
        return _Score(place, 0.0, by_rule=False)
    by_rule = any(each.detector.endswith("rules") for each in verdict.findings)
    value = max((each.confidence or 0.0 for each in verdict.findings), default=_FLOOR)
    return _Score(place, 1.0 if by_rule else value, by_rule=by_rule)


def _with(entry: str | Mapping[str, Any], proposed: Mapping[str, Mapping[str, float]]) -> Any:
    """Return an entry of the list of gates with the proposed settings in it."""
    name, given = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
    own = dict(given) if isinstance(given, Mapping) else {}
    settings = proposed.get(str(own.get("as", name)))
    return {name: {**own, **settings}} if settings else entry


def read_traffic(path: Path, point: Point, field: str | None = None) -> list[TrafficText]:
    """Return the texts of a file or of a folder of the guard's log.

    A line that is a decision of the guard counts if it is of this point and its words were kept. Of another JSON object
    the field counts (``text`` by default). If the first line is no JSON object, every line is a message.

    Raises:
        InputError: nothing can be read, or a line has another format.
    """
    files = sorted(path.glob("????-??-??.ndjson")) if path.is_dir() else [path]
    if not files:
        raise InputError(
            "this folder has no log of the guard", file=str(path), hint="it has files like 2026-11-15.ndjson"
        )
    found = [each for file in files for each in _texts(file, point, field)]
    if not found:
        hint = f"a decision counts if it is at the point {point} and the log keeps words (`log: masked`)"
        raise InputError(f"there is no text of the point {point} here", file=str(path), hint=hint)
    return found


def _texts(file: Path, point: Point, field: str | None) -> Iterator[TrafficText]:
    lines = [(number, line) for number, line in enumerate(_read(file).split("\n"), 1) if line.strip()]
    if not lines:
        return
    is_json = field is not None or lines[0][1].lstrip().startswith("{")
    for number, line in lines:
        place = f"{file.name}:{number}"
        text = _value(file, number, line, point, field) if is_json else line.strip()
        if text is not None and text.strip():
            yield TrafficText(place=place, text=text)


def _value(file: Path, number: int, line: str, point: Point, field: str | None) -> str | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this line is not JSON: {error}", file=str(file), line=number) from None
    if not isinstance(row, dict):
        raise InputError("this line is not a JSON object", file=str(file), line=number)
    if field is None and row.get("kind") in ("gate", "note") and "time" in row:
        said = (row.get("metadata") or {}).get("text") if row.get("name") == point else None
        return said if isinstance(said, str) else None
    value = row.get(field or "text")
    if not isinstance(value, str):
        hint = f"its fields: {', '.join(sorted(row))}; name one with --jsonl FIELD"
        raise InputError(
            f"this line has no text in the field {field or 'text'!r}", file=str(file), line=number, hint=hint
        )
    return value


def _read(file: Path) -> str:
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(file)) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"this is not text in UTF-8 (byte {error.start})", file=str(file)) from None
    if not text.strip():
        raise InputError("the file is empty", file=str(file), hint="it needs one message per line")
    return text
