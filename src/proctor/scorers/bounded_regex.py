"""Run users' regular expressions with bounded time.

A pattern with a small worst case on the given text runs here; one that RE2 supports runs in linear time on a thread.
Any other runs in a child process with a CPU limit: Python's engine holds the interpreter while it matches, so neither a
thread nor a task could be stopped.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Final, Literal

from proctor.text.patterns import compiled, most_steps
from proctor.text.user_patterns import UserPattern, linear_pattern

__all__ = ["LONGEST_TEXT", "PatternError", "first_matches"]

Manner = Literal["search", "fullmatch"]

LONGEST_TEXT: Final = 2_000_000
STEPS_HERE: Final = 25_000_000
CPU_SECONDS: Final = 2
# A busy machine may start the child late; this limit is only for a child that is stuck.
WALL_SECONDS: Final = 30.0

_CHILD: Final = """
import json, re, sys
job = json.load(sys.stdin)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 1))
except (ImportError, OSError, ValueError):
    pass  # no such limits here, or lower ones already: the parent's clock stays
match = getattr(re.compile(job["pattern"], job["flags"]), job["manner"])
print(json.dumps([found and found.span() for found in map(match, job["texts"])]))
"""


class PatternError(Exception):
    """A pattern could not be matched within the limits."""


async def first_matches(
    pattern: str,
    texts: Sequence[str],
    *,
    manner: Manner = "search",
    ignore_case: bool = False,
    seconds: int = CPU_SECONDS,
) -> list[tuple[int, int] | None]:
    """Return the first match of the pattern in each text.

    Raises:
        PatternError: a text is too long, or the match took more than ``seconds`` of processor time.
    """
    longest = max(map(len, texts), default=0)
    if longest > LONGEST_TEXT:
        raise PatternError(f"the text has {longest:,} characters; a pattern is tried on {LONGEST_TEXT:,} at most")
    engine = compiled(pattern, ignore_case=ignore_case)
    steps = sum(most_steps(pattern, len(text), anywhere=manner == "search") for text in texts)
    if steps <= STEPS_HERE:
        match = engine.search if manner == "search" else engine.fullmatch
        return [found.span() if (found := match(text)) else None for text in texts]
    if (linear := linear_pattern(pattern, ignore_case=ignore_case)) is not None:
        return await asyncio.to_thread(_match_linear, linear, texts, manner)
    job = {"pattern": pattern, "flags": engine.flags & ~re.UNICODE, "manner": manner, "texts": list(texts)}
    return await asyncio.to_thread(_match_in_child, json.dumps({**job, "seconds": math.ceil(seconds)}), seconds)


def _match_linear(pattern: UserPattern, texts: Sequence[str], manner: Manner) -> list[tuple[int, int] | None]:
    if manner == "fullmatch":
        return [(0, len(text)) if pattern.fullmatch(text) else None for text in texts]
    return [found.span() if (found := pattern.search_whole(text)) else None for text in texts]


def _match_in_child(job: str, seconds: int) -> list[tuple[int, int] | None]:
    # Without POSIX CPU limits, only a wall-clock limit is possible.
    wall = WALL_SECONDS if sys.platform != "win32" else float(seconds)
    too_slow = f"the pattern took more than {seconds} s on this text; a repeat inside a repeat is the usual cause"
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own program; the pattern is data
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=job.encode(),
            capture_output=True,
            timeout=wall,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PatternError(too_slow) from None
    except (OSError, ValueError) as error:
        raise PatternError(f"no process could be started to try the pattern safely: {error}") from None
    if done.returncode < 0:  # killed by the limit's signal
        raise PatternError(too_slow)
    if done.returncode:
        raise PatternError(f"the pattern could not be tried: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return [tuple(span) if span else None for span in json.loads(done.stdout)]
