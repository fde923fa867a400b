"""The fast writer says what the plain model says, and translations are believed only if nothing was lost."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers
from training.fast_qwen import Writer
from training.translate_pairs import asked, examples, parsed


def test_it_writes_what_the_model_writes() -> None:
    torch.manual_seed(0)
    config = transformers.Qwen2Config(
        vocab_size=120,
        hidden_size=48,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        tie_word_embeddings=True,
    )
    model = transformers.Qwen2ForCausalLM(config).eval()
    for param in model.parameters():
        torch.nn.init.normal_(param, std=0.3)
    shared, starts = [5, 9, 20, 33, 7], [[1, 2, 3], [9, 8, 7]]
    writer = Writer(model, 2, 16)
    writer.begin(shared)
    written = writer.write(starts, {119}, 6)
    line = torch.tensor([shared + start for start in starts])
    with torch.no_grad():
        for _ in range(6):
            line = torch.cat([line, model(line).logits[:, -1].argmax(-1, keepdim=True)], 1)
    wanted = [row[8:] for row in line.tolist()]
    assert [row[: len(text)] for row, text in zip(wanted, written, strict=True)] == written
    assert all(len(text) == 6 or text[-1] == 119 for text in written)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (" Das Haus hat 12 Zimmer.\nGerman 2: Es ist groß.\n\nEnglish 1:", ("Das Haus hat 12 Zimmer.", "Es ist groß.")),
        (" Das Haus hat 13 Zimmer.\nGerman 2: Es ist groß.\n\n", None),
        (" Das Haus hat 12 Zimmer.\n\n", None),
        (" The house has 12 rooms.\nGerman 2: Es ist groß.\n\n", None),
    ],
)
def test_a_translation_that_lost_something_is_left_out(text: str, pair: tuple[str, str] | None) -> None:
    assert parsed(text, "The house has 12 rooms.", "It is big.", "de") == pair


def test_examples_end_where_a_request_begins() -> None:
    assert (examples("ja") + asked("a", "b", "Japanese")).count("Japanese 1:") == 9
