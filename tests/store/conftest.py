from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres_server import PostgresServer, postgres_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, one per test session and worker."""
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed (apt install postgresql-15)")
    pytest.importorskip("asyncpg")
    with PostgresServer() as running:
        yield running
