"""Opening a store a second time in a process must not drop the locks of the first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.store.private_files import private_database

_WRITER = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], timeout=0)
try:
    base.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("got the lock")
"""


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_the_lock_of_an_open_connection_survives_another_opening(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "store.db"
    private_database(path)
    held = sqlite3.connect(path)
    held.execute("CREATE TABLE t (x)")
    held.execute("BEGIN IMMEDIATE")
    private_database(path)
    done = subprocess.run([sys.executable, "-c", _WRITER, str(path)], capture_output=True, text=True, check=True)
    held.close()
    assert done.stdout.strip() == "database is locked"
    assert path.stat().st_mode & 0o777 == 0o600
