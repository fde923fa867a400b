"""A table goes through every row and names each one that fails."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.tables import table


def test_every_row_is_tried_and_every_miss_is_listed() -> None:
    seen = []

    @table(("text", "length"), [("a", 1), ("bb", 1), ("cc", 2), ("dd", 4)])
    def check(text: str, length: int) -> None:
        seen.append(text)
        assert len(text) == length

    with pytest.raises(AssertionError) as failed:
        check()
    assert seen == ["a", "bb", "cc", "dd"]
    told = str(failed.value)
    assert "2 of 4 rows failed" in told
    assert "row 1: 'bb', 1" in told
    assert "row 3: 'dd', 4" in told
    assert "'cc'" not in told


def test_an_error_is_a_miss_too_and_other_rows_go_on() -> None:
    @table("number", [0, 1])
    def check(number: int) -> None:
        assert 1 / number == 1

    with pytest.raises(AssertionError, match="1 of 2 rows failed:\nrow 0: 0\n    ZeroDivisionError"):
        check()


def test_tables_stand_on_one_another_as_parameters_do() -> None:
    seen = []

    @table("one", "ab")
    @table("two", [1, 2], ids=str)
    def check(one: str, two: int) -> None:
        seen.append((one, two))

    check()
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert not inspect.signature(check).parameters


def test_each_row_has_a_folder_and_patches_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []

    @table("number", [1, 2])
    def check(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not hasattr(table, "patched")
        monkeypatch.setattr(table, "patched", number, raising=False)
        assert not list(tmp_path.iterdir())
        folders.append(tmp_path)

    check(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert len(set(folders)) == 2
    assert all(folder.parent == tmp_path for folder in folders)
    assert not hasattr(table, "patched")


async def test_coroutines_are_awaited() -> None:
    @table("number", [1, 2])
    async def check(number: int) -> None:
        assert number == 1

    with pytest.raises(AssertionError, match="1 of 2 rows"):
        await check()


@pytest.mark.parametrize(
    ("names", "rows", "told"),
    [("text", [], "without rows"), ("wrong", ["a"], "no parameter wrong"), ("text, more", [("a",)], "1 values for 2")],
)
def test_a_table_that_cannot_test_is_refused(names: str, rows: list[object], told: str) -> None:
    with pytest.raises(AssertionError, match=told):

        @table(names, rows)
        def check(text: str) -> None:
            pass


def test_a_row_may_have_a_name_of_its_own() -> None:
    @table("text", [pytest.param("a", id="first"), pytest.param("b")])
    def check(text: str) -> None:
        assert not text

    with pytest.raises(AssertionError, match=r"(?s)row 0: first\n.*row 1: 'b'\n"):
        check()


def test_ids_may_be_anything_that_is_gone_through() -> None:
    @table("text", ["a", "b"], ids={"first": 1, "second": 2})
    def check(text: str) -> None:
        assert text == "a"

    with pytest.raises(AssertionError, match="row 1: second"):
        check()


def test_a_value_that_cannot_be_written_is_named_by_its_kind() -> None:
    @table("number", [10**5000])
    def check(number: int) -> None:
        assert not number

    with pytest.raises(AssertionError, match="row 0: <int>"):
        check()


def test_marks_are_refused() -> None:
    with pytest.raises(AssertionError, match="marks"):
        table("text", [pytest.param("a", marks=pytest.mark.slow)])
