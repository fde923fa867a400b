from __future__ import annotations

from pathlib import Path

from benchmarks.mutation import measured, table
from benchmarks.obedient.model import MODEL

from proctor.workflows.mutate.mutation import MutationJob

PROMPT = "---\nname: short\n---\nsystem:\nAnswer with at most 12 words.\n\nuser:\n{{text}}\n"


async def test_a_prompt_is_measured_from_its_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "short.prompty"
    path.write_text(PROMPT)
    folder = tmp_path / "work"
    folder.mkdir()
    row = await measured(path, folder, MutationJob(prompt=path, model=MODEL))
    assert row.found.model == MODEL
    assert row.damage is not None
    assert 0 < row.damage.hits == row.damage.total
    assert row.found.count("killed") >= 3
    assert not (tmp_path / "short.tests").exists()
    head, _, line = table([row]).splitlines()
    assert head.count("|") == line.count("|")
    assert "short" in line
