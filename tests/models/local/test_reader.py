"""One pass of the reader serves intents and names; what plainly holds neither is not read at all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor.models.local.entities import LocalTagger
from proctor.models.local.intents import LocalIntents
from proctor.models.local.linear_prefilter import LinearPrefilter
from proctor.models.local.network import Network
from proctor.models.local.reader import INTENTS, NOTHING, LocalReader, SpanReading, reader_of

NAMED = "Hello, my name is Jane Smith and I live at 14 Mill Lane, Leeds."
THREAT = "I will sue your company and my lawyer will contact you."


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many lines each run of a network had."""
    found: list[int] = []
    real = Network.run

    def run(self: Network, lines: Sequence[Any], outputs: Any = None) -> Any:
        found.append(len(lines))
        return real(self, lines, outputs)

    reader_of.cache_clear()
    monkeypatch.setattr(Network, "run", run)
    yield found
    reader_of.cache_clear()


async def test_intents_and_names_come_out_of_one_pass(runs: list[int]) -> None:
    (shares,), (names,) = await asyncio.gather(LocalIntents().classify([THREAT]), LocalTagger().entities([THREAT]))
    assert max(shares, key=lambda label: shares[label]) == "legal_threat"
    assert names == []
    (names,) = await LocalTagger().entities([NAMED])
    assert (names[0].text, names[0].kind) == ("Jane Smith", "PERSON")
    (shares,) = await LocalIntents().classify([NAMED])
    assert set(shares) == set(INTENTS)
    assert runs == [1, 1]


async def test_a_pass_says_what_each_would_have_said_alone(runs: list[int]) -> None:
    texts = [NAMED, THREAT, f"{THREAT} {NAMED} " * 12]
    reader = LocalReader(glance=False)
    together = reader.readings(texts)
    assert all(found.read for found in together)
    assert [reader.readings([text])[0] for text in texts] == together
    intents = LocalIntents(glance=False, second_opinion=False)
    assert intents.readings(texts) == [dict(zip(INTENTS, f.shares, strict=True)) for f in together]
    for found, names in zip(together, LocalTagger(glance=False).readings(texts), strict=True):
        assert names == tuple(each for each in found.entities if each.score >= 0.6)
    assert together[2].shares[1] >= 0.5  # a threat in one window of many


async def test_a_fainter_name_is_kept_for_who_asks_for_it() -> None:
    wide, narrow = LocalTagger(least=0.05), LocalTagger(least=0.99)
    many, few = [await tagger.entities([NAMED]) for tagger in (wide, narrow)]
    assert {each.start for each in few[0]} <= {each.start for each in many[0]}
    assert wide._reader is not narrow._reader  # the first look was not fitted to faint names


async def test_what_is_plainly_harmless_is_not_read_and_goes_to_no_thread(
    runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = reader_of()
    await reader.read([NAMED])  # everything is loaded now
    plain = "i need help to find out how to cancel my order"
    assert reader.readings([plain]) == [NOTHING]

    def fail(_texts: Sequence[str]) -> list[SpanReading]:
        raise AssertionError("nobody may be asked")

    monkeypatch.setattr(reader._batcher, "_compute", fail)
    assert await reader.read([plain]) == [NOTHING]
    (shares,) = await LocalIntents().classify([plain])
    assert shares == {"none": 1.0, "legal_threat": 0, "media_complaint": 0, "safety_incident": 0, "self_harm": 0}
    assert runs == [1]


def test_who_wants_every_text_read_has_it_read(runs: list[int]) -> None:
    (found,) = LocalReader(glance=False).readings(["i need help to find out how to cancel my order"])
    assert found.read
    assert 0 < found.shares[0] < 1
    assert runs == [1]


def test_a_text_of_no_pieces_holds_nothing(runs: list[int]) -> None:
    assert LocalReader(glance=False).readings([""]) == [NOTHING]
    assert runs == []


def test_one_reader_for_all_who_ask_alike(tmp_path: Path) -> None:
    assert LocalIntents()._reader is LocalTagger()._reader
    assert LocalIntents(threads=2)._reader is not LocalTagger()._reader
    assert LocalIntents(folder=tmp_path)._reader is not LocalTagger()._reader


async def test_a_text_that_the_prefilter_did_not_settle_is_looked_at_once(
    runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = LinearPrefilter.passes

    def passes(self: LinearPrefilter, text: str) -> bool:
        seen.append(text)
        return real(self, text)

    reader = LocalReader()
    reader.readings(["Where is my parcel?"])  # everything is loaded
    monkeypatch.setattr(LinearPrefilter, "passes", passes)
    (found,) = await reader.read([NAMED])
    assert found.read
    assert seen == [NAMED]
    assert not reader._unsettled
    assert reader.readings([NAMED]) == [found]
    assert seen == [NAMED, NAMED]
