from __future__ import annotations

from pathlib import Path

from proctor.store.comparisons import ChangeRow, ComparisonStore


def _row(case: str, kind: str = "worse", intent: str = "faq") -> ChangeRow:
    return ChangeRow(
        kind=kind, case_id=case, intent=intent, was_outcome="pass", outcome="fail", figure="relevance", was=1.0,
        now=0.2, was_key=1, key=2, reason=f"why {case}",
    )  # fmt: skip


def test_a_comparison_is_kept_found_and_replaced(tmp_path: Path) -> None:
    with ComparisonStore(tmp_path) as store:
        assert store.get("k") is None
        store.keep("k", made=1.0, head={"a": 1}, changes=[_row("x"), _row("y", "better", "returns"), _row("z")])
        kept = store.get("k")
        assert kept is not None
        assert (kept.head, kept.kinds, kept.problem) == ({"a": 1}, {"better": 1, "worse": 2}, "")
        assert [each.case_id for each in store.changes(kept, kind="worse")] == ["x", "z"]
        assert [each.case_id for each in store.changes(kept, limit=1, offset=1)] == ["y"]
        assert store.count(kept, intent="returns") == store.count(kept, text="WHY Y") == 1
        store.keep("k", made=2.0, head={}, problem="no case in common")
        again = store.get("k")
        assert again is not None
        assert (again.problem, again.kinds) == ("no case in common", {})
    assert (tmp_path / "comparisons.db").stat().st_mode & 0o077 == 0


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    with ComparisonStore(tmp_path) as store:
        for number in range(53):
            store.keep(f"k{number}", made=1.0, head={}, changes=[_row("x")])
        assert store.get("k2") is None
        assert store.get("k3") is not None
