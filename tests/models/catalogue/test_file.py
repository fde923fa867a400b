from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.errors import ConfigError, MalformedError, StoreError
from proctor.core.sockets import Catalogue
from proctor.models.catalogue.file import FileCatalogue, file
from tests.tables import table

if TYPE_CHECKING:
    from tests.models.conftest import KitOf

CSV = 'id,title,price\nHD-1,The Dusk Ward,770\nHD-2,"Paper, House of",748\n'
ROW = {"id": "HD-1", "title": "The Dusk Ward", "price": 770}


@table(
    ("name", "text"),
    [
        ("c.csv", "\ufeff" + CSV),
        ("c.tsv", CSV.replace(",", "\t").replace('"', "")),
        ("c.json", json.dumps([ROW])),
        ("c.json", json.dumps({"products": [ROW], "version": 1})),
        ("c.json", json.dumps({"HD-1": {"title": "The Dusk Ward", "price": 770}})),
        ("c.jsonl", json.dumps(ROW) + "\n\n"),
        ("c.yaml", "- {id: HD-1, title: The Dusk Ward, price: 770}\n"),
        ("c.yml", "products:\n  - {id: HD-1, title: The Dusk Ward, price: 770}\n"),
    ],
)
async def test_every_kind_of_file(tmp_path: Path, kit_of: KitOf, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    catalogue = file(kit_of({"file": str(tmp_path / name)}))
    assert isinstance(catalogue, Catalogue)
    for key in ("HD-1", "the dusk ward"):
        found = await catalogue.find(key)
        assert found is not None
        assert str(found["price"]) == "770"
    assert await catalogue.find("HD-9") is None


async def test_a_change_is_seen_at_the_next_question(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(CSV)
    catalogue = FileCatalogue(path=path)
    assert (await catalogue.find("HD-1") or {})["price"] == "770"
    path.write_text(CSV.replace("770", "7700"))
    assert (await catalogue.find("HD-1") or {})["price"] == "7700"
    path.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        await catalogue.find("HD-1")


@table(
    ("name", "text"),
    [("c.json", "{"), ("c.json", "3"), ("c.json", '{"a": [], "b": []}'), ("c.yaml", "a: ["), ("c.jsonl", "x")],
)
async def test_a_broken_file_is_an_error_and_no_answer(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(StoreError):
        await FileCatalogue(path=tmp_path / name).find("x")


async def test_rows_names_the_list(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"a": [], "b": [ROW]}))
    assert await FileCatalogue(path=tmp_path / "c.json", rows="b").find("HD-1") == ROW


@pytest.mark.parametrize(
    ("settings", "error"), [({"file": "c.xlsx"}, ConfigError), ({"file": "c.csv", "x": 1}, MalformedError)]
)
def test_wrong_settings(kit_of: KitOf, settings: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        file(kit_of(settings))
