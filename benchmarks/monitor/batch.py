"""What a shard of `proctor batch` costs beyond its conversations, on a local pool and on Ray.

The same conversations are scored in one shard and in many, by one worker. The difference by the number of shards is
the overhead of a shard. Ray runs on a cluster that it starts on this machine.

    python -m benchmarks.monitor.batch --conversations 2000 --shards 200 --on local --on ray
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from proctor.config import load_config, read_environment
from proctor.workflows.batch.batch import BatchProgress, BatchRequest, score_batch
from proctor.workflows.batch.batch_job import BatchJob


def write(folder: Path, conversations: int, shards: int) -> None:
    """Write the conversations in this number of files."""
    folder.mkdir()
    each = conversations // shards
    for number in range(shards):
        with (folder / f"log{number:05d}.jsonl").open("w") as out:
            for index in range(number * each, (number + 1) * each):
                said = []
                for turn in range(4):
                    said.append({"role": "user", "content": f"Where is my order {index}-{turn}? I paid by card."})
                    said.append({"role": "assistant", "content": f"Order {index}-{turn} arrives in {turn + 2} days."})
                out.write(json.dumps({"id": f"c{index}", "messages": said}) + "\n")


def measure(folder: Path, shards: int, on: str, scorers: tuple[str, ...], workers: int) -> tuple[float, float, bytes]:
    """Return the seconds from the first shard's start to the end, those of the start, and all output."""
    out = folder / f"out-{on}-{shards}-{workers}"
    job = BatchJob(out=str(out), scorers=scorers, light=True, folder=str(folder))
    request = BatchRequest(patterns=(f"in{shards}",), job=job, on=on, workers=workers)  # type: ignore[arg-type]
    ended: list[float] = []
    progress = BatchProgress(ended=lambda _: ended.append(time.perf_counter()))
    begun = time.perf_counter()
    outcome = score_batch(load_config(None, read_environment(folder), start=folder), request, progress)
    assert outcome.finished == shards, outcome
    files = sorted((out / "scores").iterdir())
    facts = [json.loads(path.read_bytes()) for path in (out / "facts").iterdir()]
    inside = sum(each["seconds"] for each in facts)
    # The first shard also waits for the worker; the others are paced by the one that works.
    paced = (ended[-1] - ended[0]) if shards > 1 else inside
    return paced, ended[0] - begun - facts[0]["seconds"], b"".join(path.read_bytes() for path in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=2000)
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--scorer", action="append", default=None)
    parser.add_argument("--on", action="append", choices=["local", "ray"], default=None)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    scorers = tuple(given.scorer or ("pii_shown",))
    seen: dict[int, bytes] = {}
    print(f"{given.conversations} conversations of 4 turns, {', '.join(scorers)}, {given.workers} worker(s),")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shards in (1, given.shards):
            write(folder / f"in{shards}", given.conversations, shards)
        for on in given.on or ["local"]:
            whole, start, data = measure(folder, 1, on, scorers, given.workers)
            assert seen.setdefault(1, data) == data, "the output differs"
            split, again, data = measure(folder, given.shards, on, scorers, given.workers)
            assert seen.setdefault(given.shards, data) == data, "the output differs"
            per_shard = (split - whole * (given.shards - 1) / given.shards) / (given.shards - 1)
            rate = given.conversations / whole
            print(
                f"{on}: start {max(start, again):.1f} s, {rate:,.0f} conversations/s a worker,"
                f" {1000 * per_shard:.1f} ms a shard"
            )
    assert len(set(seen.values())) == 1, "the output of one shard and of many differs"
    print("the output is the same, byte by byte: local and Ray, one shard and many")


if __name__ == "__main__":
    main()
