"""Measures what each heuristic earns on public data: the figure with it, without it, and an interval of the difference.

Run ``python -m benchmarks.ablation [--measure NAME ...] [--only PART] [--all]``. A heuristic is a module-level pattern,
word list or function of the modules that a measure names (``ablation_measures.py``, ``ablation_talks.py``). It is
switched off from here: a pattern never matches, a list is empty, a function returns nothing (a yes-or-no function is
tried both ways). Rows are samples with a fixed seed, the same with and without; the interval is a paired bootstrap of
95 %. The data is read from ``--data`` (default: ``$PROCTOR_DATA``, else ../shared/data). The table is Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import inspect
import operator
import pkgutil
import re
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ablation_measures import TEXT_MEASURES, Counts, Measure
from benchmarks.ablation_talks import TALK_MEASURES
from benchmarks.agent_rows import data_folder
from proctor.text.lazy_pattern import Lazy

__all__ = ["Difference", "Heuristic", "difference", "heuristics", "main", "switched_off"]

MEASURES: Mapping[str, Measure] = {**TEXT_MEASURES, **TALK_MEASURES}
_DRAWS = 1000
_SEED = 18
_NEVER = re.compile(r"(?!)")
_EMPTY: Mapping[str, Any] = {
    "Iterator": iter(()),
    "Sequence": (),
    "tuple": (),
    "list": [],
    "frozenset": frozenset(),
    "set": set(),
    "dict": {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heuristic:
    """A name of a module, and what stands in its place when it is off."""

    module: str
    name: str
    off: Any

    @property
    def label(self) -> str:
        """Where it is, as the table names it; a yes-or-no function with the answer it is made to give."""
        answer = f" = {self.off}" if isinstance(self.off, bool) else ""
        return f"{self.module.removeprefix('proctor.')}:{self.name}{answer}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a figure loses without a heuristic, and the bounds between which that lies."""

    figure: str
    with_it: float
    without: float
    low: float
    high: float
    changed: int

    @property
    def earns(self) -> bool:
        """Whether something is lost for sure."""
        return self.low > 0


def heuristics(names: Sequence[str]) -> Iterator[Heuristic]:
    """Every heuristic of some modules; a package stands for all the modules in it."""
    for name in names:
        found = importlib.import_module(name)
        inside = pkgutil.iter_modules(found.__path__, f"{name}.") if hasattr(found, "__path__") else ()
        for module in (name, *(each.name for each in inside if not each.ispkg)):
            yield from _in_module(importlib.import_module(module))


def _in_module(module: types.ModuleType) -> Iterator[Heuristic]:
    for name, value in vars(module).items():
        if isinstance(value, (re.Pattern, Lazy)):
            yield Heuristic(module=module.__name__, name=name, off=_NEVER)
        elif isinstance(value, (frozenset, dict, tuple)) and name.strip("_").isupper():
            yield Heuristic(module=module.__name__, name=name, off=type(value)())
        elif (function := _function(value)) is not None and function.__module__ == module.__name__:
            for off in _answers(function):
                yield Heuristic(module=module.__name__, name=name, off=off)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for inside, held in vars(value).items():
                for off in _answers(held) if isinstance(held, types.FunctionType) and inside[:2] != "__" else ():
                    yield Heuristic(module=module.__name__, name=f"{name}.{inside}", off=off)


def _function(value: Any) -> types.FunctionType | None:
    value = inspect.unwrap(value) if callable(value) and hasattr(value, "__wrapped__") else value
    return value if isinstance(value, types.FunctionType) else None


def _answers(function: types.FunctionType) -> Sequence[Any]:
    """What a function may answer when it is off, by its annotation; nothing where that would break its callers."""
    said = str(function.__annotations__.get("return", ""))
    if inspect.iscoroutinefunction(function):
        return ()
    if said == "bool":
        return (False, True)
    if said.endswith("| None"):
        return (None,)
    if said == "str" and next(iter(function.__annotations__.values()), "") == "str":
        return ("same",)
    kind = said.partition("[")[0]
    return (_EMPTY[kind],) if kind in _EMPTY and (kind != "tuple" or "..." in said) else ()


@contextlib.contextmanager
def switched_off(one: Heuristic) -> Iterator[None]:
    """Run with the heuristic off, wherever it was imported to; what was remembered with or without it is forgotten."""
    module = sys.modules[one.module]
    value = operator.attrgetter(one.name)(module)
    function = _function(value)
    _forget()
    if function is not None:
        before, function.__code__ = function.__code__, _stub(one.off)
        try:
            yield
        finally:
            function.__code__ = before
            _forget()
        return
    places = [
        (other, name)
        for at, other in list(sys.modules.items())
        if at.startswith("proctor")
        for name, held in list(vars(other).items())
        if held is value
    ]
    for place, name in places:
        setattr(place, name, one.off)
    try:
        yield
    finally:
        for place, name in places:
            setattr(place, name, value)
        _forget()


def _stub(off: Any) -> types.CodeType:
    """The code of a function that takes anything and answers this, or its first argument."""

    def same(text: str, *args: Any, **named: Any) -> str:
        return text

    def answered(*args: Any, **named: Any) -> Any:
        return "off"

    if off == "same":
        return same.__code__
    code = answered.__code__
    return code.replace(co_consts=tuple(off if each == "off" else each for each in code.co_consts))


def _forget() -> None:
    for at, module in list(sys.modules.items()):
        if at.startswith("proctor"):
            for value in list(vars(module).values()):
                if (
                    hasattr(value, "cache_clear")
                    and hasattr(value, "__wrapped__")
                    and at != "proctor.wiring.local_models"
                ):
                    value.cache_clear()


def difference(name: str, figure: Callable[[Counts], Counts], one: Counts, other: Counts) -> Difference:
    """What is lost from ``one`` to ``other``: rows of counts, of the same rows of data, drawn together."""
    dice = np.random.default_rng(_SEED)
    rows = len(one)
    weights = dice.multinomial(rows, np.full(rows, 1 / rows), size=_DRAWS).astype(float)
    lost = figure(weights @ one) - figure(weights @ other)
    low, high = np.nanpercentile(lost, (2.5, 97.5))
    totals = (float(figure(each.sum(axis=0, keepdims=True))[0]) for each in (one, other))
    changed = int((one != other).any(axis=1).sum())
    with_it, without = totals
    return Difference(figure=name, with_it=with_it, without=without, low=float(low), high=float(high), changed=changed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--measure", action="append", choices=sorted(MEASURES), help="only these")
    parser.add_argument("--only", nargs="*", default=[""], help="only heuristics whose names hold one of these")
    parser.add_argument("--together", action="store_true", help="switch all of them off at once")
    parser.add_argument(
        "--groups", action="store_true", help="switch off the groups that the measure names, not each one"
    )
    parser.add_argument("--all", action="store_true", help="print those that change no row too")
    parser.add_argument("--list", action="store_true", help="print the heuristics and measure nothing")
    options = parser.parse_args()
    for name in options.measure or MEASURES:
        measure = MEASURES[name]
        chosen = [one for one in heuristics(measure.modules) if any(part in one.label for part in options.only)]
        if options.list:
            print("\n".join(f"{name}: {one.label}" for one in chosen))
            continue
        groups = [("all of them", chosen)] if options.together else [(one.label, [one]) for one in chosen]
        if options.groups:
            groups = [
                (title, [one for one in chosen if any(part in one.label for part in parts)])
                for title, parts in measure.groups.items()
            ]
        asyncio.run(_measure(name, measure, groups, options.data or data_folder(), everything=options.all))
    return 0


async def _measure(
    name: str, measure: Measure, groups: Sequence[tuple[str, Sequence[Heuristic]]], data: Path, *, everything: bool
) -> None:
    rows = measure.load(data)
    base = await measure.count(rows)
    start = time.perf_counter()
    again = await measure.count(rows)
    if not np.array_equal(base, again):
        print(f"<!-- {name}: {int((base != again).any(axis=1).sum())} rows differ between two equal runs -->")
    spent = time.perf_counter() - start
    figures = ", ".join(
        f"{title} {figure(base.sum(axis=0, keepdims=True))[0]:.3f}" for title, figure in measure.figures.items()
    )
    print(f"\n### {name}\n\n{measure.data}; {len(rows)} rows, {spent:.1f} s a run; {figures}\n", flush=True)
    print(
        "| heuristic | rows changed | " + " | ".join(f"{title} lost (95 %)" for title in measure.figures) + " | earns |"
    )
    print("|---|---|" + "---|" * len(measure.figures) + "---|", flush=True)
    unchanged = 0
    for label, group in groups:
        try:
            with contextlib.ExitStack() as stack:
                for one in group:
                    stack.enter_context(switched_off(one))
                without = await measure.count(rows)
        except Exception as error:  # it cannot be left out alone; that is told
            print(f"| {label} | needed: {type(error).__name__} |" + " |" * (len(measure.figures) + 1), flush=True)
            continue
        found = [difference(title, figure, again, without) for title, figure in measure.figures.items()]
        if not found[0].changed and not everything:
            unchanged += 1
            continue
        cells = " | ".join(
            f"{each.with_it - each.without:+.4f} ({each.low:+.4f} to {each.high:+.4f})" for each in found
        )
        print(f"| {label} | {found[0].changed} | {cells} | {_verdict(found)} |", flush=True)
    if unchanged:
        print(f"\n{unchanged} heuristics change no row.")


def _verdict(found: Sequence[Difference]) -> str:
    if not found[0].changed:
        return "no row"
    return "yes" if any(each.earns for each in found) else "no"


if __name__ == "__main__":
    raise SystemExit(main())
