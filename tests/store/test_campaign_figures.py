from __future__ import annotations

from pathlib import Path

from proctor.core.campaign import AttackFigures
from proctor.core.share import Share
from proctor.store.campaign_figures import keep_figures, read_figures

FIGURES = AttackFigures(name="all", goals=2, executed=1, rate=Share(hits=1, total=3, value=1 / 3, low=0.1, high=0.8))


def test_figures_are_read_as_they_were_kept(tmp_path: Path) -> None:
    keep_figures(tmp_path, "a/b", "summary-1", FIGURES)
    assert read_figures(tmp_path, "a/b", "summary-1", AttackFigures) == FIGURES
    assert read_figures(tmp_path, "a/b", "summary-1", Share, part=("rate",)) == FIGURES.rate
    assert read_figures(tmp_path, "a-b", "summary-1", AttackFigures) is None  # another campaign


def test_a_damaged_or_missing_file_is_counted_again(tmp_path: Path) -> None:
    keep_figures(tmp_path, "c", "summary-1", FIGURES)
    (path,) = tmp_path.rglob("*.json")
    path.write_text("{broken", encoding="utf-8")
    assert read_figures(tmp_path, "c", "summary-1", AttackFigures) is None
    path.write_text('{"name": 3}', encoding="utf-8")
    assert read_figures(tmp_path, "c", "summary-1", AttackFigures) is None
    assert read_figures(tmp_path, "c", "summary-2", AttackFigures) is None
    assert read_figures(tmp_path, "c", "summary-1", Share, part=("rate",)) is None


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "redteam").write_text("no folder", encoding="utf-8")
    keep_figures(tmp_path, "c", "summary-1", FIGURES)
    assert read_figures(tmp_path, "c", "summary-1", AttackFigures) is None
