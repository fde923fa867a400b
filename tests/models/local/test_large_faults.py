"""A whole conversation read with the large network."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.core.talk_event import TalkEvent
from proctor.models.local import large
from proctor.models.local.large_adapter import open_adapter
from proctor.models.local.large_conversion import convert, tokens_of
from proctor.models.local.large_files import conversion_folder
from proctor.models.local.model_registry import weights_of
from proctor.models.local.probabilities import sigmoid
from proctor.models.local.talk_faults import large_talk_faults
from proctor.models.local.talk_lines import talk_lines
from tests.models.local.tiny_large import adapter_arrays, base_tensors, write_base, write_weights

TALK = [
    TalkEvent(who="source", text="Returns within 14 days."),
    TalkEvent(who="customer", text="Where is it?"),
    TalkEvent(who="call", text='find {"id": "A-1"}', result='{"state": "sent"}'),
    TalkEvent(who="agent", text="It was sent."),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("faults")
    weights, models = write_weights(folder / "weights", adapter_arrays()), folder / "models"
    models.mkdir()
    base = write_base(folder / "base.gguf", base_tensors())
    tokens = tokens_of(weights / "multilingual.tokenizer.json")
    convert(base, open_adapter(weights / "large.npz"), tokens, conversion_folder(models, weights_of(weights)))
    return {"folder": weights, "large": models}


async def test_the_probability_is_that_of_the_networks_output_at_the_mark(places: dict[str, Any]) -> None:
    assert large.FAULT_AT == 31  # where training puts it
    network = large.large_network(places["large"], places["folder"])
    reader = large_talk_faults(**places)
    (line,) = talk_lines(network.frames.numbers, TALK, notes=reader.notes)
    rows = network.at_marks(line.ids, [place for place, _ in line.marks])
    found = await reader.faults(TALK)
    assert [each.event for each in found] == [2, 3]
    wanted = [sigmoid(reader.slope * each.fault + reader.offset) for each in rows]
    assert [each.probability for each in found] == pytest.approx(wanted)
