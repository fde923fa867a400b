"""Whatever is put to a model gets a result or a clear error, with an amount of work that is bounded."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from proctor.core.errors import InputError
from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.entities import LocalTagger
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.injection import InjectionClassifier
from proctor.models.local.intents import LocalIntents
from proctor.models.local.network import Network
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.reader import reader_of
from proctor.models.local.run_entailment import judge_of
from tests.tables import table

MEGABYTE = 1_000_000
ODD = {
    "empty": "",
    "blanks": " \n\t\u3000\u00a0",
    "emoji": "👩‍👩‍👧‍👦👍🏽🇯🇵" * 50,
    "surrogates": "lone \ud800 and \udfff halves",
    "right to left": "\u202eabc\u202c שלום، الطلب رقم ١٢٣",
    "mixed scripts": "שלום مرحبا hello こんにちは привет สวัสดี नमस्ते",
    "control": "".join(map(chr, range(32))) * 10 + "\x7f\u2028\ufeff",
    "marks": "e" + "\u0301" * 2000,
    "binary": random.Random(1).randbytes(4000).decode("utf-8", "replace"),
    "no pieces": "\u200b\u200c\u200d\ufeff" * 20,
    "one word": "a" * 20_000,
}
HUGE = {
    "words": "the box was wet but the books were fine. " * (MEGABYTE // 41),
    "one letter": "a" * MEGABYTE,
    # Slow to cut into tokens, so a part of a megabyte: what is read of a long text does not grow with it.
    "stops": "a。" * (MEGABYTE // 8),
    "binary": random.Random(2).randbytes(MEGABYTE // 4).decode("utf-8", "replace"),
    "lines": "\n" * (MEGABYTE - 1) + "x",
    "quotes": "." + '"' * (MEGABYTE - 1),
}


class Counted:
    """Stands for a network: counts what it is asked and answers with zeros in the right shapes."""

    def __init__(self) -> None:
        self.lines = 0
        self.outputs = 1  # of the network when all are asked for

    def run(self, _network: Network, lines: Sequence[Any], outputs: Sequence[str] | None = None) -> list[Any]:
        import numpy as np

        self.lines += len(lines)
        assert all(len(line.ids) <= 288 for line in lines)
        shapes: dict[tuple[str, ...], list[tuple[int, ...]]] = {
            ("vector",): [(384,)],
            ("tokens",): [(288, 384)],
        }
        wanted = shapes.get(tuple(outputs or ()), [(7,)] if self.outputs == 1 else [(5,), (162, 9)])
        return [tuple(np.zeros(shape, np.float32) for shape in wanted) for _ in lines]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    made = Counted()
    for shared in (reader_of, judge_of):  # what they remember is true, and what they will hear is not
        shared.cache_clear()
    monkeypatch.setattr(Network, "run", lambda self, lines, outputs=None: made.run(self, lines, outputs))
    yield made
    for shared in (reader_of, judge_of):
        shared.cache_clear()


@table("name", ODD)
async def test_odd_input_gets_a_result_from_every_model(name: str) -> None:
    text = ODD[name]
    (row,) = await InjectionClassifier().classify([text])
    assert 0 <= row["injection"] <= 1
    (intent,) = await LocalIntents().classify([text[:3000]])
    assert sum(intent.values()) > 0
    assert all(0 <= share <= 1 for share in intent.values())
    (vector,) = await LocalEmbedder().embed([text[:3000]])
    assert math.isclose(sum(x * x for x in vector), 1, abs_tol=1e-3)
    (names,) = await LocalTagger().entities([text[:3000]])
    assert all(text[each.start : each.end] == each.text for each in names)
    for pair in ((text[:2000], "a claim"), ("a passage", text[:2000]), (text[:500], text[:500])):
        (shares,) = await LocalEntailer().entails([pair])
        assert math.isclose(sum(shares.values()), 1, abs_tol=1e-6)
        (support,) = await LocalGrounder().supports([pair])
        assert 0 <= support <= 1


@pytest.mark.parametrize("name", HUGE)
async def test_a_megabyte_is_bounded_work_for_the_models_that_take_it(counted: Counted, name: str) -> None:
    text = HUGE[name]
    await InjectionClassifier().classify([text])
    assert counted.lines <= 8 * 4
    counted.lines = 0
    await LocalEmbedder().embed([text])
    assert counted.lines <= 24
    counted.lines = 0
    await LocalEntailer().entails([(text, "The books were fine.")])
    assert counted.lines <= 2
    counted.lines = 0
    await LocalGrounder().supports([(text, "The books were fine. The box was wet.")])
    assert counted.lines <= 3


ASK: dict[str, Callable[[str], Any]] = {
    "intents": lambda text: LocalIntents().classify([text]),
    "tagger": lambda text: LocalTagger().entities([text]),
    "hypothesis": lambda text: LocalEntailer().entails([("x", text)]),
    "grounded text": lambda text: LocalGrounder().supports([("x", text)]),
    "passage": lambda text: LocalGrounder().supports([(text * 3, "x")]),
    "premise": lambda text: LocalEntailer().entails([(text * 3, "x")]),
    "injection": lambda text: InjectionClassifier().classify([text * 3]),
}


@pytest.mark.parametrize("name", ASK)
async def test_what_would_be_judged_only_in_part_is_refused(counted: Counted, name: str) -> None:
    with pytest.raises(InputError, match="too long") as seen:
        await ASK[name](HUGE["words"])
    assert seen.value.hint
    assert counted.lines == 0


async def test_the_longest_text_that_is_taken_is_bounded_work(counted: Counted) -> None:
    await LocalGrounder().supports([("x " * 5000, "語。" * 6000)])
    assert 0 < counted.lines <= 200
    counted.outputs, counted.lines = 2, 0
    await LocalIntents().classify(["語" * 40_000])
    assert 0 < counted.lines <= 400
    counted.lines = 0
    await LocalTagger().entities(["the box was wet. " * 11_000])
    assert counted.lines <= 2000


async def test_no_texts_are_no_work(counted: Counted) -> None:
    assert list(await InjectionClassifier().classify([])) == []
    assert list(await LocalIntents().classify([])) == []
    assert list(await LocalEmbedder().embed([])) == []
    assert list(await LocalTagger().entities([])) == []
    assert list(await LocalEntailer().entails([])) == []
    assert list(await LocalGrounder().supports([])) == []
    assert counted.lines == 0
