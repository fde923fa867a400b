"""A long text on record: no more of it is read than is kept and a margin, and no half of a value stays at the cut."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.verdict import Finding, Verdict
from proctor.store import mask_decisions
from proctor.store.mask_decisions import LONGEST, Masker, customer_key, masked, words_of
from proctor.text import redact as redact_module
from proctor.text.known_secrets import hide_secrets
from tests.tables import table

CARD = "4111 1111 1111 1111"
MEGABYTE = 1_000_000


def _event(text: str, **more: Any) -> Event:
    return Event(
        kind="gate",
        time=datetime(2026, 11, 15, 12, tzinfo=UTC),
        id="1",
        name="input",
        verdict=Verdict(action="block", gate="input"),
        metadata={"text": text},
        **more,
    )


def _row(event: Event) -> str:
    return json.dumps(masked(event, Masker(event), name=str))


def test_of_a_megabyte_no_pattern_reads_more_than_is_kept_and_a_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern holds the interpreter while it reads: the log must not do so for other sessions' time."""
    read: list[int] = []

    def hide(text: str) -> str:
        read.append(len(text))
        return hide_secrets(text)

    monkeypatch.setattr(redact_module, "hide_secrets", hide)
    part = f"Anna Berg, card {CARD}, token sk-abcdefghijklmnop, "
    text = part * (MEGABYTE // len(part))
    row = _row(_event(text, extra={"note": text}))
    assert 0 < max(read) < 2 * LONGEST
    assert "4111" not in row
    assert "abcdefgh" not in row
    assert len(words_of(_event(text))) < 2 * LONGEST


@table("shift", range(0, 60, 4))
def test_masks_that_make_a_text_shorter_bring_no_half_of_a_value_to_its_end(shift: int) -> None:
    """Each label is shorter than its value, so that what is read comes to less than what may be kept."""
    part = f"a.very.long.name.of.a.mailbox@an-equally-long-host-name.com and {CARD}; "
    text = "x" * shift + " " + part * (MEGABYTE // len(part))
    kept = Masker(_event(text)).text(text)
    assert "4111" not in kept
    assert "a.very" not in kept
    assert kept.endswith("…")


@pytest.mark.parametrize("before", [200, 1_000, 2_000])
def test_a_long_token_across_the_end_of_what_is_kept_is_masked(before: int) -> None:
    token = f"eyJ{'h' * 40}.{'p' * 3_000}.{'s' * 80}"
    text = "word " * ((LONGEST - before) // 5) + token + " word" * 10_000
    assert "ppp" not in _row(_event(text))
    assert "eyJ" not in _row(_event(text))


def test_a_key_in_which_a_known_value_stands_is_masked_whole() -> None:
    found = Finding(kind="person", detector="pii", text="Quartz")
    event = Event(
        kind="gate",
        time=datetime(2026, 11, 15, 12, tzinfo=UTC),
        id="1",
        verdict=Verdict(action="redact", findings=(found,)),
        metadata={"text": "the key is sk-Quartz-0123456789abcdef"},
    )
    assert "0123456789" not in _row(event)


def test_text_under_the_name_of_a_secret_is_masked_whole() -> None:
    row = _row(_event("hello", extra={"Authorization": "open sesame", "api_key": "plain words"}))
    assert "sesame" not in row
    assert "plain words" not in row


def test_a_key_that_a_full_disk_refuses_leaves_no_drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(mask_decisions, "write_private", full)
        with pytest.raises(StoreError, match="No space"):
            customer_key(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert len(customer_key(tmp_path)) == 32
