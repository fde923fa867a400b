"""What a shard of `proctor batch` costs beyond its conversations, on a local pool and on Ray.

One worker scores the same conversations in one shard, and in shards of one conversation each. On a local pool the
processor time of the worker is compared, which does not depend on what else the machine does. Ray starts a cluster on
this machine; its overhead is the median time from the end of one shard to the end of the next, less the time that a
conversation takes in the one shard.

    python -m benchmarks.monitor.batch --conversations 300 --on local --on ray
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

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


def measure(
    folder: Path, shards: int, on: str, scorers: tuple[str, ...], *, light: bool
) -> tuple[float, float, float, bytes]:
    """Return the processor seconds, the median seconds of a shard, those before the first, and all output."""
    out = folder / f"out-{on}-{shards}"
    job = BatchJob(out=str(out), scorers=scorers, light=light, folder=str(folder))
    request = BatchRequest(patterns=(f"in{shards}",), job=job, on=on, workers=1)  # type: ignore[arg-type]
    ended: list[float] = []
    progress = BatchProgress(ended=lambda _: ended.append(time.perf_counter()))
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = score_batch(load_config(None, read_environment(folder), start=folder), request, progress)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert outcome.finished == shards, outcome
    inside = median(json.loads(path.read_bytes())["seconds"] for path in (out / "facts").iterdir())
    paced = median(later - earlier for earlier, later in pairwise(ended)) if shards > 1 else inside
    data = b"".join(path.read_bytes() for path in sorted((out / "scores").iterdir()))
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, paced, ended[0] - begun - inside, data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=300)
    parser.add_argument("--scorer", action="append", default=None)
    parser.add_argument("--on", action="append", choices=["local", "ray"], default=None)
    parser.add_argument("--models", action="store_true", help="with the local models, where a scorer has some")
    given = parser.parse_args()
    scorers, count = tuple(given.scorer or ("pii_shown",)), given.conversations
    outputs: set[bytes] = set()
    print(f"{count} conversations of 4 turns, {', '.join(scorers)}, one worker,")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shards in (1, count):
            write(folder / f"in{shards}", count, shards)
        for on in given.on or ["local"]:
            used, whole, start, data = measure(folder, 1, on, scorers, light=not given.models)
            outputs.add(data)
            used_split, split, _, data = measure(folder, count, on, scorers, light=not given.models)
            outputs.add(data)
            if on == "local":
                # The first shard of a process also loads the scorers, in both runs.
                overhead = (used_split - used) / (count - 1)
                print(f"local: first shard after {start:.1f} s, {1000 * overhead:.1f} ms of processor time a shard")
            else:
                print(f"ray: first shard after {start:.1f} s, {1000 * (split - whole / count):.1f} ms a shard")
    assert len(outputs) == 1, "the output differs"
    print("the output is the same, byte by byte")


if __name__ == "__main__":
    main()
