from __future__ import annotations

import pytest

from proctor.models.local import reader
from proctor.models.local.entities import LocalTagger
from proctor.wiring.guard_names import LogTagger

TEXT = "Please send it to Anna Berg, who asked for it yesterday."


async def test_it_finds_what_the_tagger_finds() -> None:
    (found,) = await LogTagger().entities([TEXT])
    assert [(each.kind, each.text) for each in found] == [("PERSON", "Anna Berg")]
    assert list(found) == (await LocalTagger().entities([TEXT]))[0]


async def test_what_a_gate_had_read_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = TEXT.replace("Anna", "Maria")
    (before,) = await LocalTagger().entities([known])
    assert before

    def fail(*told: object) -> None:
        raise AssertionError("it was read again")

    monkeypatch.setattr(reader, "read", fail)
    assert [list(each) for each in await LogTagger().entities([known, known])] == [before, before]
