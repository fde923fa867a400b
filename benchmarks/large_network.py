"""Prints what the optional large network costs: ``python -m benchmarks.large_network``. It must be installed.

CPU milliseconds of a line by its length (the middle of some runs, one thread), seconds to load, and resident memory.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import numpy as np

from benchmarks.processes import memory_of
from proctor.config import cache_folder, read_environment
from proctor.models.local.large import large_network

__all__ = ["main"]

LENGTHS = (30, 90, 300, 1_280)
RUNS = 5


def main() -> None:
    """Load it, run lines of random tokens, print the table."""
    models = cache_folder(read_environment(Path.cwd())) / "models"
    began = time.perf_counter()
    network = large_network(models)
    network.read(["Where is my parcel?"])
    print(f"loaded in {time.perf_counter() - began:.1f} s, {memory_of(os.getpid())[1]:,.0f} MB resident\n")
    print("| tokens | CPU ms a line | ms a token |\n|---|---|---|")
    dice = np.random.default_rng(1)
    for length in LENGTHS:
        spent = []
        for _ in range(RUNS):
            line = tuple(dice.integers(300, 30_000, length).tolist())  # no line is cached
            before = time.process_time()
            network.outputs(line)
            spent.append(1000 * (time.process_time() - before))
        middle = statistics.median(spent)
        print(f"| {length:,} | {middle:,.0f} | {middle / length:.1f} |")
    print(f"\n{memory_of(os.getpid())[1]:,.0f} MB resident at the end")


if __name__ == "__main__":
    main()
