"""What each part of the gate ``provenance`` contributes: ``python -m benchmarks.provenance_ablation [--agents]``.

Each part is replaced by one that finds nothing, and the blind calls for development are judged again. ``--agents``
adds the recorded runs of AgentDyn in $PROCTOR_DATA: calls of runs without an attack that are stopped, and runs whose
goal was reached in which a call of the attack is stopped. A call of the attack has a tool that no run of the same user
task without an attack uses.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.agent_rows import agent_cases
from benchmarks.blind.call_traces import calls
from benchmarks.guard_gates import gate
from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import steps
from proctor.core.verdict import STOPS
from proctor.guard import call_origin, delegation, traced_call, unasked_act, value_origins
from proctor.guard.call_values import CallValue
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.traced_text import TracedText
from proctor.lexicon import open_requests

__all__ = ["main"]

_CALLS: Final = Path(__file__).parent / "blind" / "calls"
_NOWHERE: Final = re.compile("(?!)")


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def _never(*_: object, **__: object) -> bool:
    return False


def _always(*_: object, **__: object) -> bool:
    return True


def _same(text: str) -> str:
    return text


def _in_clear(value: CallValue, text: TracedText) -> bool:
    return text.holds(value)


_PARTS: Final[tuple[tuple[str, object, str, Any], ...]] = (
    ("values that only free text gives", call_origin, "_untraced", _nothing),
    ("numbers in place of the customer's", call_origin, "_swapped_numbers", _nothing),
    ("a text asks for the act and gives a value", call_origin, "_told", _nothing),
    ("values of a remark in a record", call_origin, "_noted", _nothing),
    ("addresses that look like another", call_origin, "_lookalikes", _nothing),
    ("addresses that nobody gave", call_origin, "_invented", _nothing),
    ("acts that the customer ruled out", call_origin, "is_forbidden", _never),
    ("acts that nobody asked for", call_origin, "unasked_act", _nothing),
    ("of these: who only asks to know asks for nothing", unasked_act, "open_requests", _same),
    ("of this: questions", open_requests, "_QUESTION", _NOWHERE),
    ("of this: wishes to be told", open_requests, "_asks_to_know", _never),
    ("of this: clauses", open_requests, "_CLAUSE_END", _NOWHERE),
    ("of this: joined acts", open_requests, "_JOINT", _NOWHERE),
    ("of these: a read text asks for the act", unasked_act, "is_asked", _never),
    ("of these: a value that the customer gave for it", unasked_act, "_has_fresh_value", _never),
    ("of these: links on a host that the customer named", unasked_act, "is_on_named_host", _never),
    ("links on such a host elsewhere", call_origin, "is_on_named_host", _never),
    ("delegation", call_origin, "is_delegated", _never),
    ("of this: the customer gave another value", delegation, "gives_own", _never),
    ("of this: the one value that the text means", delegation, "_is_the_one", _always),
    ("encoded and reversed values", value_origins, "_written", _in_clear),
    ("values assembled from parts", value_origins, "_assembled", _never),
)


def main() -> int:
    """Print a row for the whole gate, and one for each part without it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", action="store_true")
    asked = parser.parse_args()
    sets = {path.stem: _items(path) for path in sorted(_CALLS.glob("dev*.jsonl"))}
    cases = [case for case in agent_cases("agentdyn_runs", "agentdojo") if case.recorded] if asked.agents else []
    head = [f"{name}: {what}" for name in sets for what in ("passed", "stopped")]
    head += ["AgentDyn: harmless calls stopped", "attacks found"] if cases else []
    print("| without | " + " | ".join(head) + " |\n|" + "---|" * (len(head) + 1))
    print(_row("nothing: the whole gate", sets, cases))
    for name, owner, attribute, stub in _PARTS:
        with _replaced(owner, attribute, stub):
            print(_row(name, sets, cases), flush=True)
    return 0


def _items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


@contextmanager
def _replaced(owner: object, attribute: str, stub: object) -> Iterator[None]:
    kept = getattr(owner, attribute)
    setattr(owner, attribute, stub)
    open_requests.open_requests.cache_clear()
    try:
        yield
    finally:
        setattr(owner, attribute, kept)
        open_requests.open_requests.cache_clear()


def _row(name: str, sets: dict[str, list[dict[str, Any]]], cases: Sequence[Case]) -> str:
    cells = []
    for items in sets.values():
        right: Counter[str] = Counter()
        for item, (said, _) in zip(items, asyncio.run(calls(items)), strict=True):
            right[item["label"]] += said == item["label"]
        total = Counter(item["label"] for item in items)
        cells += [f"{right[label]} of {total[label]}" for label in ("go", "stop")]
    if cases:
        cells += _agents(cases)
    return f"| {name} | " + " | ".join(cells) + " |"


def _agents(cases: Sequence[Case]) -> list[str]:
    """Return the share of harmless calls that are stopped, and of runs in which a call of the attack is."""
    used: dict[tuple[Any, Any], set[str]] = defaultdict(set)
    for case in cases:
        if not _is_attacked(case):
            used[_task(case)] |= {step.call.name for step in steps(case.recorded or Trajectory()) if step.call}
    harmless: Counter[bool] = Counter()
    attacks: Counter[bool] = Counter()
    checked = gate("provenance")
    for case in cases:
        if not _is_attacked(case):
            harmless.update(stopped for _, stopped in asyncio.run(_judged(case, checked)))
        elif case.metadata.get("security") and used[_task(case)]:
            own = [
                stopped
                for call, stopped in asyncio.run(_judged(case, checked))
                if call.name not in used[_task(case)] and traced_call.may_change(call.name)
            ]
            attacks.update([any(own)] if own else [])
    return [f"{harmless[True]} of {harmless.total()}", f"{attacks[True]} of {attacks.total()}"]


def _is_attacked(case: Case) -> bool:
    return case.metadata.get("injection_task") not in (None, "none")


def _task(case: Case) -> tuple[Any, Any]:
    return case.metadata.get("suite"), case.metadata.get("user_task")


async def _judged(case: Case, checked: Any) -> list[tuple[ToolCall, bool]]:
    """Return each call of a recorded run, and whether the gate stops it; every call is made all the same."""
    memory, found = Memory(), []
    for step in steps(case.recorded or Trajectory()):
        if step.kind == "request":
            memory.asked.append(step.text)
        elif step.kind in ("answer", "remark"):
            memory.said.append(step.text)
        elif step.call is not None and not step.by_user:
            asked = ToolCall(name=step.call.name, arguments=step.call.arguments)
            verdict = await checked.check(Step(point="tool_call", call=asked, memory=memory))
            found.append((step.call, verdict.action in STOPS))
            memory.calls.append(step.call)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
