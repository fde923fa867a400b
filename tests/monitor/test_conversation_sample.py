from __future__ import annotations

from collections import Counter

from proctor.core.trajectory import Trajectory
from proctor.monitor.conversation_sample import ConversationSample


def _drawn(size: int, seed: int, names: list[str]) -> list[str | None]:
    sample = ConversationSample(size=size, seed=seed)
    for name in names:
        sample.offer(Trajectory(id=name))
    assert sample.seen == len(names)
    return [run.id for run in sample.drawn]


def test_the_draw_depends_on_ids_and_seed_and_not_on_the_order() -> None:
    names = [f"s{number}" for number in range(200)]
    found = _drawn(10, 1, names)
    assert len(set(found)) == 10
    assert _drawn(10, 1, names[::-1]) == found
    assert _drawn(5, 1, names) == found[:5], "a part of the sample is a sample"
    assert _drawn(10, 2, names) != found


def test_every_conversation_is_equally_likely() -> None:
    names = [f"s{number}" for number in range(20)]
    counts = Counter(name for seed in range(400) for name in _drawn(5, seed, names))
    assert set(counts) == set(names)
    assert max(counts.values()) < 150, "each is expected 100 times"
    assert min(counts.values()) > 60


def test_few_conversations_are_all_taken_and_none_if_none_are_wanted() -> None:
    assert sorted(_drawn(10, 1, ["a", "b"]), key=str) == ["a", "b"]
    assert _drawn(0, 1, ["a", "b"]) == []
