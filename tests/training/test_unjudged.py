"""Lines that only a teacher judges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training.unjudged import judged_answers, unjudged_answers, unjudged_claims

from training import unjudged


def test_turns_of_agents_and_written_answers_are_asked_about_each_once() -> None:
    found = unjudged_answers(3)
    texts = [text for _, text in found]
    assert len(texts) == len(set(texts)) > 10
    customers = [customer for customer, _ in found]
    assert "" in customers
    assert any(customers)


def test_a_turn_is_held_against_what_was_told_before_it() -> None:
    found = unjudged_claims(3)
    assert len(found) == len(set(found)) > 10
    assert all(evidence and len(evidence) <= 4000 and len(claim) >= 1 for evidence, claim in found)


def test_kept_judgements_find_their_texts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for _, text in unjudged_answers(None)][:40]
    keys = np.array([unjudged._key(text) for text in texts[:30]], np.uint64)
    np.savez(tmp_path / "kept.npz", texts=keys, logits=np.linspace(-3, 3, 30).astype(np.float16))
    monkeypatch.setattr(unjudged, "JUDGED", tmp_path / "kept.npz")
    found = judged_answers()
    assert {text for text, _ in found} == set(texts[:30])
    assert min(logit for _, logit in found) == -3


def test_what_is_kept_is_still_found() -> None:
    with np.load(unjudged.JUDGED) as kept:
        assert len(judged_answers()) > 0.95 * len(kept["texts"])
