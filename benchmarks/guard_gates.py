"""Tool-call and output gates of the guard: how long they take, where the time goes, what they stop.

Run ``python -m benchmarks.guard_gates [--part tools|output|unseen|desk|words]``. The drafts have one to four sentences
about two or three retrieved policies of the travel desk: word for word, in other words, or wrong. ``words`` are
sentences written for premises, leak and injection.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from proctor import registry
from proctor.core.chat import ToolCall
from proctor.core.decode import decode
from proctor.core.trajectory import Source, Trajectory
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.wiring.gate_scorers import scorer_sockets
from proctor.wiring.local_models import local_model

__all__ = ["main"]

DESK = Path("examples/travel_desk")
MATRIX = {
    "policy_inquiry": ["get_policy", "get_faq", "get_product_info"],
    "booking_management": ["+policy_inquiry", "get_booking", "modify_booking"],
    "post_trip_issue": ["+booking_management", "get_booking_history", "create_case"],
    "general_browsing": ["get_product_info", "get_tips", "search_products"],
    "complaint": ["create_case", "escalate"],
}
TOOLS = {
    "modify_booking": {
        "schema": {"type": "object", "required": ["booking_id"], "properties": {"booking_id": {"type": "string"}}},
        "allowed": {"check_only": [True]},
        "own": ["booking_id"],
    },
    "get_booking": {"owner": "customer"},
    "create_case": {"limits": {"amount?": 500}, "confirm": False},
}
KNOWN = ["The refunds team decides within 5 working days and writes to you by email."]


@dataclass
class Counted:
    """A local model that counts what it is asked and how long it takes."""

    model: Any
    lines: int = 0
    seconds: float = 0.0

    async def _ask(self, name: str, pairs: Sequence[tuple[str, str]]) -> Any:
        start = time.perf_counter()
        self.lines += len(pairs)
        found = await getattr(self.model, name)(pairs)
        self.seconds += time.perf_counter() - start
        return found

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return await self._ask("entails", pairs)

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return await self._ask("supports", pairs)


def gate(name: str, **settings: Any) -> Any:
    kind = registry.load("gates", name)
    sockets = scorer_sockets(kind, settings, None)
    return decode(kind, {**settings, **sockets}, strict=True)


def spread(seconds: Sequence[float], unit: str = "ms") -> str:
    scale = 1e6 if unit == "µs" else 1e3
    ordered = sorted(seconds)
    picks = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99)]
    return " / ".join(f"{scale * each:.1f}" for each in picks) + f" {unit} (p50 / p95 / p99)"


async def tools(rounds: int) -> None:
    gates = [
        gate("permissions", matrix=MATRIX, read_only={"booking_management": ["modify_booking"]}),
        gate("arguments", tools=TOOLS),
        gate("rate", session={"modify_booking": 1_000_000}, minute={"*": 1_000_000_000}),
    ]
    steps = list(_calls())
    taken: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for step in steps:
            start = time.perf_counter()
            for each in gates:
                before = time.perf_counter()
                await each.check(step)
                taken[each.name].append(time.perf_counter() - before)
            taken["all three"].append(time.perf_counter() - start)
    print(f"tool gate, {len(steps)} calls of the desk's conversations, {rounds} rounds")
    for name, seconds in taken.items():
        print(f"  {name:12} {spread(seconds, 'µs')}")


def _calls() -> Iterator[Step]:
    for name in ("clean", "failing"):
        for step in _desk(name, every_call=True):
            if step.point == "tool_call":
                yield step


def _desk(name: str, *, every_call: bool = False) -> Iterator[Step]:
    """Each call and each answer of the recorded conversations, with what the session knew by then."""
    for line in (DESK / "conversations" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        run = decode(Trajectory, json.loads(line))
        known = Memory(session=run.id or "", customer=run.customer)
        for number, turn in enumerate(run.turns, 1):
            known.asked.append(turn.asked)
            intents = tuple(intent.name for intent in turn.intents)
            place = {"id": run.id, "turn": number, "calls": [call.name for call in turn.tool_calls]}
            for call in turn.tool_calls:
                if every_call:
                    bare = ToolCall(name=call.name, arguments=call.arguments)
                    yield Step(point="tool_call", call=bare, intents=intents, memory=_copy(known), metadata=place)
                    yield Step(point="tool_result", call=call, memory=_copy(known), metadata=place)
                known.calls.append(call)
                known.made[call.name] += 1
            yield Step(
                point="output",
                text=turn.answer,
                intents=intents,
                sources=turn.sources,
                memory=_copy(known),
                metadata=place,
            )
            known.sources.extend(turn.sources)
            known.said.append(turn.answer)


def _copy(known: Memory) -> Memory:
    made = Memory(session=known.session, customer=known.customer)
    for name in ("asked", "said", "calls", "sources"):
        getattr(made, name).extend(getattr(known, name))
    made.made.update(known.made)
    return made


def _written(name: str) -> Any:
    return YAML(typ="safe").load(Path("benchmarks", name).read_text(encoding="utf-8"))


def _drafts(count: int, seed: int) -> Iterator[tuple[str, Step]]:
    """Drafts with what they are: verbatim, reworded, or wrong (one wrong sentence among right ones)."""
    dice = random.Random(seed)
    texts: dict[str, Source] = {}
    for file in ("policies", "faqs"):
        with (DESK / "data" / f"{file}.csv").open(encoding="utf-8") as opened:
            for row in csv.DictReader(opened):
                if not row.get("valid_to"):
                    date = row.get("valid_from") or row.get("date")
                    title = row.get("title") or row.get("question")
                    texts[row["id"]] = Source(id=row["id"], text=row["text"], date=date, title=title)
    written: Mapping[str, Mapping[str, list[str]]] = _written("guard_drafts.yaml")
    for number in range(count):
        kind = ("verbatim", "reworded", "wrong", "reworded", "verbatim")[number % 5]
        ids = dice.sample(sorted(written), dice.choice((2, 3)))
        said = []
        for each in ids[: dice.choice((1, 2, 3))]:
            own = texts[each].text.split(". ")
            said.append(
                dice.choice(own).rstrip(".") + "." if kind != "reworded" else dice.choice(written[each]["same"])
            )
        if kind == "wrong":
            said[-1] = dice.choice(written[ids[len(said) - 1]]["wrong"])
        closing = dice.choice(("", " Is there anything else I can do for you?", " Have a good trip!"))
        known = Memory(session=str(number), customer="C-1")
        known.asked.append("How does it work?")
        yield (
            kind,
            Step(point="output", text=" ".join(said) + closing, sources=tuple(texts[i] for i in ids), memory=known),
        )


async def output(count: int, seed: int) -> None:
    entailer, grounder = Counted(local_model("entailer")), Counted(local_model("grounder"))
    grounding = gate("grounding")
    object.__setattr__(grounding.grounded, "entailer", entailer)
    object.__setattr__(grounding.grounded, "grounder", grounder)
    prompt = (DESK / "prompts" / "desk.prompty").read_text(encoding="utf-8")
    gates = [
        grounding,
        gate("commitments"),
        gate("citations"),
        gate("leak", prompt=prompt, canaries=["ZX-QUILL-7731-OMBRE"], embedder=local_model("embedder")),
    ]
    await _warm(gates)
    taken: dict[str, list[float]] = defaultdict(list)
    rules, decided, missed = list[float](), Counter[tuple[str, str, str]](), list[str]()
    entailer.lines = grounder.lines = 0
    seen, drafts = set[str](), list(_drafts(count, seed))
    cpu = time.process_time()
    for kind, step in drafts:
        start = time.perf_counter()
        for each in gates:
            networks, before = entailer.seconds + grounder.seconds, time.perf_counter()
            verdict = await each.check(step)
            spent = time.perf_counter() - before
            taken[each.name].append(spent)
            if each is grounding:
                rules.append(spent - (entailer.seconds + grounder.seconds - networks))
            decided[each.name, kind, verdict.action] += 1
            if (verdict.action == "allow") == (kind == "wrong") and each is grounding and step.text not in seen:
                missed.append(f"    {kind:8} {verdict.action:8} {step.text[:150]} | {verdict.reason[:90]}")
                seen.add(step.text)
        taken["all, one after the other"].append(time.perf_counter() - start)
    cpu = (time.process_time() - cpu) / count
    print(f"output gate, {count} drafts of 1 to 4 sentences with 2 or 3 sources; {1000 * cpu:.1f} ms of CPU a draft")
    for name, seconds in taken.items():
        print(f"  {name:26} {spread(seconds)}")
    print(f"  grounding without networks {spread(rules)}")
    print(f"  lines asked: support {grounder.lines}, entailment {entailer.lines}; drafts {count}")
    asked = [each for each, bare in zip(taken["grounding"], rules, strict=True) if each - bare > 1e-4]
    print(f"  drafts for which a network was run: {len(asked)}; those: {spread(asked) if asked else '-'}")
    for (name, kind, action), times in sorted(decided.items()):
        print(f"  {name:12} {kind:9} {action:9} {times}")
    print("\n".join(missed))


async def unseen() -> None:
    """One sentence of other trades at a time, beside two sources on other matters."""
    rows = _written("guard_drafts_unseen.yaml")
    sources = [Source(id=f"s-{number}", text=row["text"]) for number, row in enumerate(rows)]
    grounding = gate("grounding")
    counts: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(rows):
        beside = (sources[number], sources[(number + 2) % len(rows)], sources[(number + 5) % len(rows)])
        for kind in ("same", "wrong"):
            for sentence in row[kind]:
                verdict = await grounding.check(Step(point="output", text=sentence, sources=beside))
                doubt = verdict.action == "allow" and bool(verdict.findings)
                counts[kind, "noted" if doubt else verdict.action] += 1
                if (verdict.action == "allow") == (kind == "wrong"):
                    print(f"    {kind:6} {verdict.action:9} {sentence[:90]} | {verdict.reason[:80]}")
    print("unseen sentences:", {" ".join(key): times for key, times in sorted(counts.items())})


async def _warm(gates: Sequence[Any]) -> None:
    source = Source(id="a", text="The sun rises in the east and sets in the west.")
    step = Step(point="output", text="A refund of the booking is paid whenever you like.", sources=(source,))
    for each in gates:
        await each.check(step)


async def desk() -> None:
    """What each gate stops in the recorded conversations, by turn."""
    prompt = (DESK / "prompts" / "desk.prompty").read_text(encoding="utf-8")
    by_point = {
        "tool_call": [
            gate("permissions", matrix=MATRIX, read_only={"booking_management": ["modify_booking"]}),
            gate("arguments", tools=TOOLS),
            gate("rate", session={"modify_booking": 5}),
        ],
        "tool_result": [gate("arguments", tools=TOOLS)],
        "output": [
            gate("grounding", known=KNOWN),
            gate("commitments"),
            gate("citations"),
            gate("leak", prompt=prompt, embedder=local_model("embedder")),
        ],
    }
    for name in ("clean", "failing"):
        counts: Counter[str] = Counter()
        for step in _desk(name, every_call=True):
            counts[step.point] += 1
            for each in by_point[step.point]:
                verdict = await each.check(step)
                if verdict.action != "allow":
                    counts[f"{each.name} {verdict.action}"] += 1
                    place = f"{step.metadata['id']} turn {step.metadata['turn']}"
                    print(
                        f"  {name:8} {place:40} {step.point:12} {each.name:12} {verdict.action:9} {verdict.reason[:90]}"
                    )
        print(f"{name}: {dict(counts)}")


async def words() -> None:
    """What the gates of language find and what they take amiss, each on sentences written for it."""
    told = _written("guard_words.yaml")
    claims = [(language, text) for language, many in told["claims"].items() for text in many]
    ordinary = [(language, text) for language, many in told["ordinary"].items() for text in many]
    await _counted(
        "premises, claims", gate("premises"), [(who, Step(point="input", text=text)) for who, text in claims]
    )
    await _counted(
        "premises, ordinary", gate("premises"), [(who, Step(point="input", text=text)) for who, text in ordinary]
    )
    for letters_only in (True, False):
        embedder = None if letters_only else local_model("embedder")
        gates = [gate("leak", prompt=each, embedder=embedder) for each in told["prompts"]]
        name = "leak by letters" if letters_only else "leak"
        for kind in ("retold", "honest"):
            rows = [(row.get("language", ""), gates[row["prompt"]], row["text"]) for row in told[kind]]
            await _counted(f"{name}, {kind}", None, [(who, (one, text)) for who, one, text in rows])
    injection = gate("injection", injection=local_model("injection"))
    around = told["around"]
    orders = [f"{around[number % len(around)]}{order}" for number, order in enumerate(told["orders"])]
    for name, texts in (("orders", orders), ("notes", told["notes"])):
        steps = [("", Step(point="tool_result", text=text)) for text in texts]
        await _counted(f"injection, {name} in documents", injection, steps)


async def _counted(name: str, one: Any, rows: Sequence[tuple[str, Any]]) -> None:
    stopped, spent = Counter[str](), list[float]()
    for who, row in rows:
        asked, step = (one, row) if one is not None else (row[0], Step(point="output", text=row[1]))
        start = time.process_time()
        verdict = await asked.check(step)
        spent.append(time.process_time() - start)
        stopped[who] += verdict.action != "allow"
    of = Counter(who for who, _ in rows)
    by = ", ".join(f"{who} {stopped[who]}/{of[who]}" for who in of if who)
    print(f"  {name:32} {stopped.total()} of {len(rows)}; CPU {spread(spent)}" + (f"; {by}" if by else ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("tools", "output", "unseen", "desk", "words"), action="append")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    parts = options.part or ["tools", "output", "unseen", "desk", "words"]
    if "tools" in parts:
        asyncio.run(tools(options.rounds))
    if "output" in parts:
        asyncio.run(output(options.count, options.seed))
    if "unseen" in parts:
        asyncio.run(unseen())
    if "desk" in parts:
        asyncio.run(desk())
    if "words" in parts:
        asyncio.run(words())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
