"""A real PostgreSQL server for tests: started in a temporary folder, on a unix socket, by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import pytest

__all__ = ["PASSWORD", "PostgresServer", "postgres", "postgres_programs"]

PASSWORD = "correct-horse-battery"
_PLACES = ("/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin")


def postgres_programs() -> Path | None:
    """Return the folder of initdb and pg_ctl, if there is one."""
    found = shutil.which("pg_ctl")
    places = [*_PLACES, str(Path(found).parent)] if found else _PLACES
    return next((Path(place) for place in places if (Path(place) / "initdb").exists()), None)


class PostgresServer:
    """A server with its own data; ``url`` of a new database, ``kill`` and ``start`` as often as a test likes."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs is not None
        self._programs = programs
        self._user = _unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="proctor-pg-", dir="/tmp"))
        self._databases = 0
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        data = str(self.folder / "data")
        words = ["-D", data, "-U", "proctor", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", *words, f"--pwfile={secret}")
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = (
            f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off -c shared_buffers=16MB"
            " -c max_connections=60 -c full_page_writes=off"
        )
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-l", log, "-o", options, "-w", "-t", "60", "start")

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def url(self, database: str | None = None, *, password: str = PASSWORD) -> str:
        """Return the URL of a database; of a new one, if none is named."""
        if database is None:
            self._databases += 1
            database = f"test{self._databases}_{time.monotonic_ns()}"
            self.psql(f"CREATE DATABASE {database}", "postgres")
        return f"postgresql://proctor:{quote(password)}@/{database}?host={quote(str(self.folder))}"

    def psql(self, query: str, database: str) -> str:
        """Run a query as its administrator does, and return what is printed."""
        words = ["-h", str(self.folder), "-U", "proctor", "-d", database, "-At", "-c", query]
        return self._run("psql", *words, PGPASSWORD=PASSWORD)

    def close(self) -> None:
        """Stop the server and remove its data."""
        subprocess.run(
            self._words("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop"),
            capture_output=True,
            check=False,
            cwd="/",
        )
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> PostgresServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, program: str, *words: str, **env: str) -> str:
        # Output goes to a file: the server inherits it, and a pipe would stay open as long as the server runs.
        with tempfile.TemporaryFile("w+") as out:
            given = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **env}
            done = subprocess.run(
                self._words(program, *words), stdout=out, stderr=subprocess.STDOUT, env=given, cwd="/", check=False
            )
            out.seek(0)
            told = out.read()
        assert done.returncode == 0, f"{program}: {told}"
        return told

    def _words(self, program: str, *words: str) -> Sequence[str]:
        line = [str(self._programs / program), *words]
        if self._user is None:
            return line
        uid, gid = self._user.pw_uid, self._user.pw_gid
        return ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--", *line]


def _unprivileged() -> pwd.struct_passwd | None:
    """Return the user that runs the server: PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError("there is no user to run PostgreSQL as")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, one per test session and worker."""
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed (apt install postgresql-15)")
    pytest.importorskip("asyncpg")
    with PostgresServer() as running:
        yield running
