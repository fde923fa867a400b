"""Plays every scene and writes the conversations down: `python -m examples.travel_desk.record`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from proctor.core.codec import dumps
from proctor.core.trajectory import Trajectory

from .lantern.scenes import RECORDED, perform, read_scenes

__all__ = ["main", "play"]


async def play() -> dict[str, list[Trajectory]]:
    """Every recording: the failures, their clean counterparts, and the hand-overs."""
    made: dict[str, list[Trajectory]] = {name: [] for name in RECORDED}
    for scene in read_scenes():
        made[scene.kind].append(await perform(scene))
        if scene.kind == "failing":
            made["clean"].append(await perform(scene, weak=False))
    return made


def write(place: Path, conversations: list[Trajectory]) -> None:
    """One conversation on a line."""
    place.write_bytes(b"".join(dumps(each) + b"\n" for each in conversations))


def main() -> None:
    """Write the recordings anew."""
    for name, conversations in asyncio.run(play()).items():
        write(RECORDED[name], conversations)
        print(f"{RECORDED[name].name}: {len(conversations)} conversations")


if __name__ == "__main__":
    main()
