"""PostgreSQL for the state of several servers: a connection that our stores use as they use SQLite's."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import sqlite3
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from proctor.core.errors import ConfigError, StoreError
from proctor.store.postgres_cursor import PostgresCursor
from proctor.store.postgres_dialect import FUNCTIONS, postgres_query, postgres_schema, postgres_values
from proctor.text.known_secrets import hide_secrets_in_json

__all__ = [
    "PostgresConnection",
    "advisory_key",
    "connect_postgres",
    "is_postgres",
    "password_of",
    "place_of",
]

_CONNECT_SECONDS: Final = 10.0
_STATEMENT_SECONDS: Final = 60.0
_KEPT_STATEMENTS: Final = 200
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,40}")
_DEFINING: Final = "define proctor's schemas"
_LOST: Final = "the connection to the database was lost"
Result = TypeVar("Result")


def is_postgres(where: str) -> bool:
    """Whether a setting names a PostgreSQL database."""
    return where.startswith(("postgresql://", "postgres://"))


def place_of(url: str) -> str:
    """Return host and database of a URL, for messages: never its user or password."""
    parts = urlsplit(url)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"postgresql://{parts.hostname or 'local'}{port}{parts.path}"


def password_of(url: str) -> str | None:
    """Return the password in a URL, which is to be masked."""
    found = urlsplit(url).password
    return unquote(found) if found else None


def advisory_key(name: str) -> int:
    """Return the number of a lock by its name: the same in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


class PostgresConnection:
    """One connection, on an event loop of its own, for plain code. Threads may share it, one at a time.

    A transaction that was begun with BEGIN IMMEDIATE holds the lock of the schema until its end: as with SQLite, one
    process writes at a time, so that what it has read in the transaction stays true. Texts are stored without the
    secrets that this process knows.
    """

    def __init__(self, url: str, schema: str, *, beside: Sequence[str] = ()) -> None:
        _asyncpg()
        if not _NAME.fullmatch(schema):
            raise ConfigError(f"{schema!r} is no name of a schema", hint="use small letters, digits and `_`")
        self.schema = schema
        self._path = ", ".join((schema, *beside, "public"))  # where names without a schema are looked up
        self.place = place_of(url)
        self._url = url
        self._lock = threading.RLock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"postgres-{schema}", daemon=True)
        self._thread.start()
        self._connection: Any = None
        self._statements: dict[str, Any] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        self._held: set[str] = set()  # locks of this session
        self.in_transaction = False
        try:
            self._wait(self._connect())
        except BaseException:
            self._stop()
            raise

    # --- as a connection of SQLite -------------------------------------------------------------------

    def execute(self, sql: str, parameters: Any = (), /) -> PostgresCursor:
        """Execute one statement.

        Raises:
            sqlite3.IntegrityError: a key or a reference is violated, as SQLite says it.
            StoreError: the database failed, or cannot be reached.
        """
        with self._lock:
            word = sql.strip().upper()
            if word.startswith("BEGIN"):
                return self._begin()
            if word in ("COMMIT", "ROLLBACK"):
                return self._end(word)
            if word.startswith("PRAGMA"):
                return PostgresCursor(self, (), 0)  # settings of SQLite
            if self._connection.is_closed() and not self.in_transaction:
                self._again()
            query, values = postgres_query(sql, postgres_values(_masked(parameters)), self._keys)
            rows, status = self._wait(self._fetch(query, values))
            return PostgresCursor(self, rows, _count(status))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> PostgresCursor:
        """Execute one statement for many rows."""
        with self._lock:
            rows = [postgres_values(_masked(each)) for each in parameters]
            if not rows:
                return PostgresCursor(self, (), 0)
            query, _ = postgres_query(sql, rows[0], self._keys, typed=False)
            self._wait(self._many(query, rows))
            return PostgresCursor(self, (), len(rows))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of a block or nothing; one inside another is part of it."""
        if self.in_transaction:
            yield
            return
        self._begin()
        try:
            yield
        except BaseException:
            with contextlib.suppress(StoreError):
                self._end("ROLLBACK")
            raise
        self._end("COMMIT")

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with self._lock:
            if self._thread.is_alive():
                with contextlib.suppress(StoreError):
                    self._wait(self._disconnect())
                self._stop()

    # --- locks ---------------------------------------------------------------------------------------

    def try_lock(self, name: str) -> bool:
        """Take a lock of the session, if no other session has it; it ends with the connection.

        Taking it again when it is held is true too. If the connection is lost, what the lock protected fails with
        StoreError, also when the database is back.
        """
        with self._lock:
            self.execute("SELECT 1")  # finds out whether the session, and so the lock, is still there
            if name not in self._held:
                row = self.execute("SELECT pg_try_advisory_lock(?)", (advisory_key(name),)).fetchone()
                if not row[0]:
                    return False
                self._held.add(name)
            return True

    def unlock(self, name: str) -> None:
        """Release a lock of the session, if it is held."""
        with self._lock:
            if name in self._held:
                self._held.discard(name)
                self.execute("SELECT pg_advisory_unlock(?)", (advisory_key(name),))

    def migrate(self, migrations: Sequence[str]) -> None:
        """Create the schema, or bring it up to date. Several processes may do so at once.

        Raises:
            StoreError: it was written by a newer version.
        """
        script = (
            f"CREATE SCHEMA IF NOT EXISTS {self.schema};\n{FUNCTIONS}\n"
            "CREATE TABLE IF NOT EXISTS schema_version"
            " (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL);"
        )
        with self._defining():
            self._wait(self._script(script))
            row = self.execute("SELECT version FROM schema_version").fetchone()
            version = int(row[0]) if row else 0
            if version > len(migrations):
                raise StoreError(
                    f"was written by a newer Proctor (format {version}, this one knows {len(migrations)})",
                    file=f"{self.place} ({self.schema})",
                    hint="upgrade Proctor, or name another database",
                )
            for number in range(version, len(migrations)):
                self._wait(self._script(postgres_schema(migrations[number])))
            self.execute(
                "INSERT INTO schema_version VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET version = excluded.version",
                (len(migrations),),
            )
        with self._lock:
            self._keys = self._primary_keys()

    def define(self, script: str) -> None:
        """Create what no migration does, all of it or nothing. Several processes may do so at once.

        Raises:
            StoreError: the database failed, or refuses.
        """
        with self._defining():
            self._wait(self._script(script))

    @contextlib.contextmanager
    def _defining(self) -> Iterator[None]:
        """Have a transaction that creates tables, schemas or extensions: one at a time in the whole database.

        IF NOT EXISTS does not help two that create the same at once: the second one fails with a violated key of a
        catalogue of PostgreSQL, which is no key of ours.
        """
        with self._lock:
            self._begin(_DEFINING)
            try:
                yield
                self._end("COMMIT")
            except BaseException as error:
                with contextlib.suppress(StoreError):
                    self._end("ROLLBACK")
                if isinstance(error, sqlite3.IntegrityError):
                    file, hint = f"{self.place} ({self.schema})", "check the database's log"
                    raise StoreError(str(error).splitlines()[0], file=file, hint=hint) from None
                raise

    def _primary_keys(self) -> dict[str, tuple[str, ...]]:
        rows = self.execute(
            "SELECT t.relname, a.attname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid"
            " JOIN pg_namespace n ON n.oid = t.relnamespace"
            " JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)"
            " WHERE i.indisprimary AND n.nspname = ?"
            " ORDER BY t.relname, array_position(i.indkey::int[], a.attnum::int)",
            (self.schema,),
        )
        found: dict[str, tuple[str, ...]] = {}
        for table, column in rows:
            found[table] = (*found.get(table, ()), column)
        return found

    # --- the event loop ------------------------------------------------------------------------------

    def _begin(self, *locks: str) -> PostgresCursor:
        """Begin a transaction with these locks, and then that of who writes in the schema."""
        if self._connection.is_closed():
            self._again()
        self._wait(self._script("BEGIN"))
        self.in_transaction = True
        try:
            for name in (*locks, f"write {self.schema}"):
                self.execute("SELECT pg_advisory_xact_lock(?)", (advisory_key(name),))
        except BaseException:  # not free in time, or the connection was lost: nothing has begun
            with contextlib.suppress(StoreError):
                self._end("ROLLBACK")
            raise
        return PostgresCursor(self, (), 0)

    def _again(self) -> None:
        """Connect again after the connection was lost.

        Raises:
            StoreError: the database cannot be reached; or a lock was lost with the connection, which is told once.
        """
        had, self._held = self._held, set()
        self._wait(self._connect())
        if had:
            hint = "it is tried again"
            raise StoreError(f"{_LOST}, and with it {', '.join(sorted(had))}", file=self.place, hint=hint)

    def _end(self, word: str) -> PostgresCursor:
        self.in_transaction = False
        self._wait(self._script(word))
        return PostgresCursor(self, (), 0)

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        import asyncpg  # noqa: PLC0415 - an extra

        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(_STATEMENT_SECONDS + _CONNECT_SECONDS)
        except asyncpg.IntegrityConstraintViolationError as error:
            raise sqlite3.IntegrityError(str(error)) from None
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            raise self._explained(error) from None

    def _explained(self, error: Exception) -> StoreError:
        import asyncpg  # noqa: PLC0415

        if isinstance(error, (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError)):
            told, hint = "the database refused the user or the password", "check the URL under `monitor: state:`"
        elif isinstance(error, asyncpg.InvalidCatalogNameError):
            told, hint = "there is no such database", "create it: createdb NAME"
        elif isinstance(error, asyncpg.InsufficientPrivilegeError):
            told, hint = f"the user lacks a right: {error}", "let the user create schemas in this database"
        elif isinstance(error, TimeoutError):
            told, hint = "the database did not answer in time", "check that it is running and can be reached"
        elif isinstance(error, (asyncpg.InterfaceError, OSError, asyncpg.PostgresConnectionError)):
            told = _LOST if self._connection is not None else "the database cannot be reached"
            hint = "check that it is running, and its address"
        else:
            told, hint = str(error).splitlines()[0], "check the database's log"
        return StoreError(told, file=f"{self.place} ({self.schema})", hint=hint)

    async def _connect(self) -> None:
        asyncpg = _asyncpg()
        self._statements.clear()
        self.in_transaction = False
        self._connection = await asyncpg.connect(
            self._url,
            timeout=_CONNECT_SECONDS,
            command_timeout=_STATEMENT_SECONDS,
            server_settings={"search_path": self._path, "application_name": "proctor"},
        )

    async def _fetch(self, query: str, values: Sequence[Any]) -> tuple[Sequence[Any], str]:
        statement = self._statements.get(query)
        if statement is None:
            statement = await self._connection.prepare(query)
            if len(self._statements) >= _KEPT_STATEMENTS:
                self._statements.pop(next(iter(self._statements)))
            self._statements[query] = statement
        rows = await statement.fetch(*values)
        return rows, statement.get_statusmsg()

    async def _many(self, query: str, rows: Sequence[Any]) -> None:
        await self._connection.executemany(query, rows)

    async def _script(self, script: str) -> None:
        await self._connection.execute(script)

    async def _disconnect(self) -> None:
        if self._connection is not None and not self._connection.is_closed():
            await self._connection.close(timeout=5)

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._loop.is_running():
            self._loop.close()


def connect_postgres(
    url: str, schema: str, migrations: Sequence[str], *, beside: Sequence[str] = ()
) -> PostgresConnection:
    """Open a schema of a PostgreSQL database, creating or migrating it as needed.

    Queries also see the tables of the schemas ``beside``, if they are not in the own one.

    Raises:
        ConfigError: the driver is not installed, or the URL is wrong.
        StoreError: the database cannot be reached, or refuses.
    """
    connection = PostgresConnection(url, schema, beside=beside)
    try:
        connection.migrate(migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _asyncpg() -> Any:
    try:
        import asyncpg  # noqa: PLC0415 - an extra
    except ImportError:
        hint = "pip install 'proctor[postgres]'"
        raise ConfigError("PostgreSQL needs asyncpg, which is not installed", hint=hint) from None
    return asyncpg


def _masked(parameters: Any) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _hidden(value) for name, value in parameters.items()}
    return [_hidden(value) for value in parameters]


def _hidden(value: Any) -> Any:
    return hide_secrets_in_json(value) if isinstance(value, str) else value


def _count(status: str) -> int:
    last = status.rsplit(" ", 1)[-1] if status else ""
    return int(last) if last.isdigit() else -1
