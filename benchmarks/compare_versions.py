"""Runs the accuracy benchmarks with two checkouts, one process at a time, and shows which lines of output differ.

Run ``python -m benchmarks.compare_versions OLD NEW [--only pii,gate]``. OLD and NEW are checkouts of this repository,
``$PROCTOR_DATA`` is the folder of data. Samples are small, so that the whole takes about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

__all__ = ["main"]

_HERE = Path(__file__).resolve().parent
_SAMPLES = ("promptpex", "samples")
_HEADS = ("--", "++", "@@")
_TIMES = re.compile(
    r"µs|processor time| ms each|\bm?s \||^\| patterns( \+ tagger)? \| \d+ \|"
)  # differ from run to run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--only", default="", help="only these benchmarks, by comma")
    options = parser.parse_args()
    chosen = {name: words for name, words in _commands().items() if name in (options.only or name).split(",")}
    differing = 0
    for name, words in chosen.items():
        before, after = (_output(checkout.resolve(), words) for checkout in (options.old, options.new))
        differs = [line for line in difflib.unified_diff(before, after, lineterm="", n=0) if line[:2] not in _HEADS]
        differing += bool(differs)
        print(f"{name}: {len(after)} lines, {'the same' if not differs else 'these differ:'}", flush=True)
        print("".join(f"  {line}\n" for line in differs), end="")
    return int(differing > 0)


def _commands() -> Mapping[str, tuple[str, ...]]:
    data = _data()
    return {
        "extraction": ("-m", "benchmarks.extraction", str(data.joinpath(*_SAMPLES))),
        "extraction of our own prompts": ("-m", "benchmarks.extraction"),
        "recorded": ("-m", "benchmarks.recorded", "--data", str(data)),
        "local models": (str(_HERE / "model_accuracy.py"), "400"),
        "pii": ("-m", "benchmarks.pii", "--data", str(data), "--rows", "100"),
        "contradiction": ("-m", "benchmarks.contradiction", "--data", str(data), "--count", "300", "--seed", "7"),
        "injection": ("-m", "benchmarks.injection", "--data", str(data), "--only", "sources", "--benign", "60"),
        "injection_followed": ("-m", "benchmarks.injection_followed", "--data", str(data)),
        "solved": ("-m", "benchmarks.solved", "--data", str(data)),
        "gate": ("-m", "benchmarks.gate", "--times", "40", "--drops", "10", "--points", "1", "--jobs", "1"),
    }


def _data() -> Path:
    return Path(os.environ.get("PROCTOR_DATA", "../shared/data")).resolve()  # noqa: TID251 - not the program


def _output(checkout: Path, words: tuple[str, ...]) -> list[str]:
    """What a benchmark prints when it runs with the code and the entry points of a checkout, without times."""
    with tempfile.TemporaryDirectory() as site:
        _write_entry_points(checkout, Path(site))
        places = (str(checkout / "src"), str(checkout), site)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PROCTOR_DATA": str(_data())}  # noqa: TID251
        done = subprocess.run(
            [sys.executable, *words], cwd=checkout, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
    return [line for line in done.stdout.splitlines() if not _TIMES.search(line)]


def _write_entry_points(checkout: Path, site: Path) -> None:
    """Metadata of the checkout, found before that of the installed package."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site / f"proctor-{project.get('version', '0')}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n", encoding="utf-8")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        line for group, parts in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in parts.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
