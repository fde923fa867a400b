"""Terse messages of ordinary life, in twelve languages: the input gates neither stop nor change any of them."""

from __future__ import annotations

from pathlib import Path

from proctor import Guard
from proctor.config import Environment, load_config

MESSAGES = Path(__file__).with_name("terse_messages.tsv")


async def test_no_terse_message_is_stopped_or_masked(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("guard: {profile: general, timeout: 60}\n", encoding="utf-8")
    config = load_config(tmp_path / "proctor.yaml", Environment(values={}), start=tmp_path)
    texts = [line.split("\t")[1] for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    wrong = []
    async with Guard.from_config(config, record=False, inline=True) as guard:
        for text in texts:
            verdict = await guard.session().input(text)
            if verdict.action != "allow":
                wrong.append((text, verdict.action, verdict.by))
    assert len(texts) > 120
    assert wrong == []
