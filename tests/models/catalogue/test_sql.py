from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.errors import ConfigError, MalformedError, StoreError
from proctor.core.sockets import Catalogue
from proctor.models.catalogue.sql import SqlCatalogue, SqlSettings, sql
from tests.tables import table

if TYPE_CHECKING:
    from tests.models.conftest import KitOf


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop #1.db"  # a name that a URI has to quote
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE products (id TEXT, title_en TEXT, title_ja TEXT, price_jpy INT, stock INT)")
        db.execute("INSERT INTO products VALUES ('HD-1', 'The Dusk Ward', '宵闇病棟', 770, 3)")
        db.execute("INSERT INTO products VALUES ('HD-2', 'HD-1', '別の本', 1, 0)")
    return path


@pytest.mark.parametrize("key", ["HD-1", "hd-1", "the dusk  ward", "宵闇病棟"])
async def test_a_table_is_searched_by_id_then_by_title(shop: Path, kit_of: KitOf, key: str) -> None:
    catalogue = sql(kit_of({"sql": str(shop), "table": "products"}))
    assert isinstance(catalogue, Catalogue)
    assert (await catalogue.find(key) or {})["price_jpy"] == 770


async def test_a_query_of_ones_own(shop: Path, kit_of: KitOf) -> None:
    query = "SELECT id, stock FROM products WHERE id = :key OR same_title(title_ja, :key)"
    catalogue = sql(kit_of({"sql": f"sqlite:///{shop}", "query": query}))
    assert await catalogue.find("別の本") == {"id": "HD-2", "stock": 0}
    assert await catalogue.find("'; DROP TABLE products; --") is None
    assert await catalogue.find("") is None


async def test_each_question_sees_the_database_as_it_is_now(shop: Path, kit_of: KitOf) -> None:
    catalogue = sql(kit_of({"sql": str(shop), "table": "products", "columns": ["id"]}))
    assert (await catalogue.find("HD-1") or {})["stock"] == 3
    with closing(sqlite3.connect(shop)) as db, db:
        db.execute("UPDATE products SET stock = 0 WHERE id = 'HD-1'")
    assert (await catalogue.find("HD-1") or {})["stock"] == 0


async def test_it_cannot_write(shop: Path, kit_of: KitOf) -> None:
    catalogue = sql(kit_of({"sql": str(shop), "query": "DELETE FROM products WHERE id = :key"}))
    with pytest.raises(StoreError, match="readonly"):
        await catalogue.find("HD-1")


async def test_what_is_missing_is_an_error_and_no_answer(tmp_path: Path, shop: Path, kit_of: KitOf) -> None:
    with pytest.raises(MalformedError, match=r"sql: there is no file .*none\.db"):
        sql(kit_of({"sql": str(tmp_path / "none.db"), "table": "products"}))
    with pytest.raises(StoreError, match="no such table"):
        await sql(kit_of({"sql": str(shop), "table": "nothing"})).find("x")
    gone = SqlCatalogue(settings=SqlSettings(sql="gone.db", table="products"), path=tmp_path / "gone.db")
    with pytest.raises(StoreError, match="the database failed: unable to open"):
        await gone.find("x")


@table(
    "settings",
    [
        {"sql": "a.db"},
        {"sql": "a.db", "table": "t", "query": "select :key"},
        {"sql": "a.db", "table": 't" --'},
        {"sql": "a.db", "table": "t", "columns": ["a;b"]},
        {"sql": "a.db", "query": "select 1"},
        {"sql": "postgresql://host/db", "query": "select :key"},
        {"sql": "postgresql://host/db", "driver": "sqlite3", "table": "t"},
    ],
)
def test_settings_that_do_not_fit_together(kit_of: KitOf, settings: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        sql(kit_of(settings))


def test_a_driver_that_is_not_installed(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError, match="not installed"):
        sql(kit_of({"sql": "x://y", "driver": "no_such_driver", "query": "select :key"}))


@pytest.fixture(params=["qmark", "named", "numeric"])
def driver(request: pytest.FixtureRequest) -> Iterator[str]:
    """SQLite under another name and with other marks: what a driver for another database looks like."""
    module = ModuleType("other_driver")
    module.paramstyle = request.param  # type: ignore[attr-defined]
    module.connect = sqlite3.connect  # type: ignore[attr-defined]
    sys.modules["other_driver"] = module
    yield "other_driver"
    del sys.modules["other_driver"]


async def test_any_driver_is_asked_by_a_query(shop: Path, kit_of: KitOf, driver: str) -> None:
    query = "SELECT id, price_jpy FROM products WHERE id = :key OR title_en = :key ORDER BY id"
    catalogue = sql(kit_of({"sql": str(shop), "driver": driver, "query": query}))
    assert await catalogue.find("The Dusk Ward") == {"id": "HD-1", "price_jpy": 770}
    assert await catalogue.find("nothing") is None
    broken = sql(kit_of({"sql": "/nowhere/secret/x.db", "driver": driver, "query": query}))
    with pytest.raises(StoreError) as caught:
        await broken.find("x")
    assert "secret" not in str(caught.value)
