"""Support of a text by a passage, dangerous intents, and long hypotheses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import proctor.models.local as shipped
from proctor.core.sockets import Classifier, Grounder, Tagger
from proctor.models.local.entities import LocalTagger
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.intents import LocalIntents
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.reader import INTENTS

PASSAGE = (
    "Refunds are paid within five days after the parcel has come back. Shipping to Japan costs 12 euros. "
    "The store in Leeds is open from Monday to Friday."
)


async def test_what_stands_in_the_passage_is_supported_and_what_does_not_is_not() -> None:
    right, wrong, mixed = await LocalGrounder().supports(
        [
            (PASSAGE, "Refunds are paid within five days. Shipping to Japan costs 12 euros."),
            (PASSAGE, "Refunds are paid within ninety days. Shipping to Japan is free of charge."),
            (PASSAGE, "Refunds are paid within five days. The store in Leeds sells live elephants."),
        ]
    )
    assert right > wrong
    assert right > mixed


async def test_a_false_claim_far_back_in_a_long_text_is_read() -> None:
    true = "Refunds are paid within five days. Shipping to Japan costs 12 euros. "
    good, bad = await LocalGrounder().supports(
        [(PASSAGE, true * 8), (PASSAGE, true * 8 + "The store in Leeds was burnt down by elephants in 1820.")]
    )
    assert good > bad


async def test_intents_are_told_apart() -> None:
    model = LocalIntents()
    rows = await model.classify(
        [
            "I will sue your company and my lawyer will contact you.",
            "I will tell the newspapers and post this everywhere.",
            "The charger caught fire and burnt my hand.",
            "I do not want to live any more.",
            "Where is my parcel?",
        ]
    )
    assert [max(row, key=lambda label: row[label]) for row in rows] == [*INTENTS[1:], "none"]
    for row in rows:
        assert math.isclose(sum(row.values()), 1, abs_tol=1e-5)
    assert 1 - rows[-1]["none"] < model.threshold("0.1%") <= 1


async def test_a_threat_far_inside_a_long_text_counts() -> None:
    story = "The parcel was late and the box was wet, but the books were fine. " * 40
    plain, risky = await LocalIntents().classify(
        [story, f"{story} I will sue your company and my lawyer will contact you. {story}"]
    )
    assert risky["legal_threat"] > 0.5 > plain["legal_threat"]
    assert risky["none"] <= plain["none"]


async def test_a_long_hypothesis_is_judged_to_its_end() -> None:
    premise = "A man is playing a guitar on a stage. The stage is red."
    true = "A man is playing a guitar on a stage. "
    good, bad = await LocalEntailer().entails([(premise, true * 20), (premise, true * 20 + "Nobody is on the stage.")])
    assert bad["contradiction"] > good["contradiction"]
    assert bad["entailment"] <= good["entailment"]
    for row in (good, bad):
        assert sum(row.values()) == pytest.approx(1)


async def test_a_second_network_reads_each_pair_too() -> None:
    pairs = [
        ("Der Umtausch ist innerhalb von 30 Tagen möglich.", "Man kann 30 Tage lang umtauschen."),
        ("Der Umtausch ist innerhalb von 30 Tagen möglich.", "Man kann nichts umtauschen."),
    ]
    alone, both = LocalEntailer().readings(pairs), LocalEntailer(second=True).readings(pairs)
    for shares in (*alone, *both):
        assert sum(shares) == pytest.approx(1)
    assert alone[0] != both[0]
    assert both[0][0] > 0.5 > both[1][0]
    assert both[1][2] > 0.5
    one, two = LocalGrounder().readings(pairs), LocalGrounder(second=True).readings(pairs)
    assert one != two
    assert 1 > two[0] > two[1] > 0


async def test_a_text_of_several_sentences_is_read_whole_and_in_parts_by_both() -> None:
    passage = "The return takes 30 days. Shipping costs 5 euros."
    good, bad = LocalGrounder(second=True).readings(
        [
            (passage, "Returns take 30 days. You pay 5 euros for shipping."),
            (passage, "Returns take 30 days. Shipping is free and we also pay for your taxi."),
        ]
    )
    assert good > bad


def test_weights_without_a_mixture_are_read_by_one_network(tmp_path: Path) -> None:
    copy, folder = tmp_path / "weights", Path(shipped.__file__).parent / "weights"
    copy.mkdir()
    for file in folder.iterdir():
        if file.name != "manifest.json":
            (copy / file.name).symlink_to(file)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    del manifest["settings"]["nli"]["mixture"], manifest["settings"]["nli"]["support"]["mixture"]
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    pair = [("The return takes 30 days.", "Returns take a month.")]
    assert LocalEntailer(folder=copy, second=True).readings(pair) == LocalEntailer().readings(pair)
    assert LocalGrounder(folder=copy, second=True).readings(pair) == LocalGrounder().readings(pair)


def test_they_fit_their_sockets() -> None:
    assert isinstance(LocalGrounder(), Grounder)
    assert isinstance(LocalTagger(), Tagger)
    assert isinstance(LocalIntents(), Classifier)
