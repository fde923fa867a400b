"""Who may use the dashboard: people with roles and passwords, one-time links, and sessions.

Passwords are kept as scrypt hashes, links and sessions as hashes of their keys: the file opens no door.
"""

from __future__ import annotations

import builtins
import hashlib
import hmac
import re
import secrets
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proctor.core.errors import InputError, NotFoundError
from proctor.core.person import ROLES, Person, Role
from proctor.store.db import explained
from proctor.store.sqlite_store import SqliteStore

__all__ = ["MAX_PASSWORD", "PEOPLE_FILE", "Account", "People"]

PEOPLE_FILE: Final = "people.db"
_SESSION: Final = 14 * 86_400.0  # seconds without a visit
_LONGEST: Final = 90 * 86_400.0  # seconds of a session at most
_LINK: Final = 900.0
_NAME: Final = re.compile(r"[\w.@+-]{1,60}")
_SHORTEST: Final = 10
MAX_PASSWORD: Final = 1000  # characters
_COST: Final = {"n": 2**14, "r": 8, "p": 1}  # 16 MiB and some 50 ms a try
_NOBODY: Final = (b"\0" * 16, b"\0" * 32)

# Append only. Never edit a released migration: existing files have applied it.
_MIGRATIONS: Final = (
    """
    CREATE TABLE people (
        name    TEXT PRIMARY KEY,
        role    TEXT NOT NULL,
        salt    BLOB,
        hash    BLOB,
        created REAL NOT NULL
    ) STRICT;
    CREATE TABLE links (key BLOB PRIMARY KEY) STRICT;
    CREATE TABLE sessions (key BLOB PRIMARY KEY) STRICT;
    """,
    # Guests are known by their link, and a session has an end. Who was signed in signs in again.
    """
    DROP TABLE links;
    DROP TABLE sessions;
    CREATE TABLE links (
        key      BLOB PRIMARY KEY,
        name     TEXT NOT NULL,
        role     TEXT NOT NULL,
        is_guest INTEGER NOT NULL,
        expires  REAL NOT NULL
    ) STRICT;
    CREATE TABLE sessions (
        key      BLOB PRIMARY KEY,
        name     TEXT NOT NULL,
        role     TEXT NOT NULL,
        is_guest INTEGER NOT NULL,
        began    REAL NOT NULL,
        seen     REAL NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_name ON sessions (name);
    """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person of the list: role, whether they have a password, open sessions, and when they were last there."""

    name: str
    role: Role
    has_password: bool
    sessions: int
    seen: float | None


class People(SqliteStore):
    """The people of a project.

    A session ends after 14 days without a visit, after 90 days, and when its person is removed. A guest is on no list:
    the link that `proctor serve` prints signs in the person who started it.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / PEOPLE_FILE, _MIGRATIONS)

    # --- people --------------------------------------------------------------------------------------

    def add(self, name: str, role: Role, password: str | None, now: float) -> None:
        """Add a person; without a password only one-time links let them in.

        Raises:
            InputError: the name is taken or has odd characters, the role is unknown, or the password is short.
        """
        self.check_new(name, role)
        salt, made = self._hashed(password) if password is not None else (None, None)
        with explained(self.path):
            try:
                self.database.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?)", (name, role, salt, made, now))
            except sqlite3.IntegrityError:
                raise _taken(name) from None

    def check_new(self, name: str, role: Role) -> None:
        """Check what can be checked before a password is asked for.

        Raises:
            InputError: the name is taken or has odd characters, or the role is unknown.
        """
        if not _NAME.fullmatch(name):
            raise InputError("the name must be 1 to 60 letters, digits or . _ @ + -", field="name")
        if role not in ROLES:
            raise InputError(f"there is no role {role!r}", field="role", hint=f"use {', '.join(ROLES)}")
        if any(each.name == name for each in self.list()):
            raise _taken(name)

    def set_password(self, name: str, password: str | None) -> None:
        """Give a person a new password, or none, and end their sessions and links.

        Raises:
            NotFoundError: there is no such person.
            InputError: the password is short.
        """
        self.find(name)
        salt, made = self._hashed(password) if password is not None else (None, None)
        with explained(self.path):
            self.database.execute("UPDATE people SET salt = ?, hash = ? WHERE name = ?", (salt, made, name))
            self.database.execute("DELETE FROM links WHERE name = ?", (name,))
        self.end_sessions(name)

    def set_role(self, name: str, role: Role) -> None:
        """Give a person another role, from their next request on.

        Raises:
            NotFoundError: there is no such person.
            InputError: the role is unknown.
        """
        if role not in ROLES:
            raise InputError(f"there is no role {role!r}", field="role", hint=f"use {', '.join(ROLES)}")
        self.find(name)
        with explained(self.path):
            self.database.execute("UPDATE people SET role = ? WHERE name = ?", (role, name))

    def remove(self, name: str) -> None:
        """Remove a person and end their sessions.

        Raises:
            NotFoundError: there is no such person.
        """
        self.find(name)
        with explained(self.path):
            self.database.execute("DELETE FROM people WHERE name = ?", (name,))
            self.database.execute("DELETE FROM links WHERE name = ?", (name,))
        self.end_sessions(name)

    def find(self, name: str) -> Person:
        """Return a person.

        Raises:
            NotFoundError: there is no such person.
        """
        with explained(self.path):
            row = self.database.execute("SELECT name, role FROM people WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise NotFoundError(f"there is no person {name[:60]!r}", hint="`proctor people list` shows who there is")
        return Person(name=row["name"], role=row["role"])

    def list(self) -> list[Person]:
        """Return everybody, by name."""
        with explained(self.path):
            rows = self.database.execute("SELECT name, role FROM people ORDER BY name").fetchall()
        return [Person(name=row["name"], role=row["role"]) for row in rows]

    def accounts(self) -> builtins.list[Account]:
        """Return everybody with what is known of their visits, by name."""
        with explained(self.path):
            rows = self.database.execute(
                """SELECT p.name, p.role, p.salt IS NOT NULL AS has_password, count(s.key) AS sessions,
                   max(s.seen) AS seen FROM people p LEFT JOIN sessions s ON s.name = p.name
                   GROUP BY p.name ORDER BY p.name"""
            ).fetchall()
        return [
            Account(
                name=row["name"],
                role=row["role"],
                has_password=bool(row["has_password"]),
                sessions=row["sessions"],
                seen=row["seen"],
            )
            for row in rows
        ]

    def check(self, name: str, password: str) -> Person | None:
        """Return the person if the password is theirs. An unknown name takes as long as a wrong password."""
        with explained(self.path):
            row = self.database.execute("SELECT role, salt, hash FROM people WHERE name = ?", (name,)).fetchone()
        salt, kept = (row["salt"], row["hash"]) if row is not None and row["salt"] is not None else _NOBODY
        given = hashlib.scrypt(_bytes(password), salt=salt, **_COST)[:32]
        if not hmac.compare_digest(given, kept) or row is None or row["salt"] is None:
            return None
        return Person(name=name, role=row["role"])

    def _hashed(self, password: str) -> tuple[bytes, bytes]:
        if not _SHORTEST <= len(password) <= MAX_PASSWORD:
            raise InputError(f"the password must have {_SHORTEST} to {MAX_PASSWORD} characters", field="password")
        salt = secrets.token_bytes(16)
        return salt, hashlib.scrypt(_bytes(password), salt=salt, **_COST)[:32]

    # --- links and sessions --------------------------------------------------------------------------

    def make_link(self, person: Person, now: float, *, is_guest: bool = False) -> str:
        """Return the key of a link that lets a person in once, within fifteen minutes."""
        key = secrets.token_urlsafe(32)
        with explained(self.path):
            self.database.execute("DELETE FROM links WHERE expires < ?", (now,))
            self.database.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, ?)", (_key(key), person.name, person.role, is_guest, now + _LINK)
            )
        return key

    def use_link(self, key: str, now: float) -> str | None:
        """End a link and begin a session; return its key, or nothing if the link was used or is too old."""
        with explained(self.path):
            row = self.database.execute(
                "DELETE FROM links WHERE key = ? RETURNING name, role, is_guest, expires", (_key(key),)
            ).fetchone()
        if row is None or row["expires"] < now:
            return None
        return self.begin_session(Person(name=row["name"], role=row["role"]), now, is_guest=bool(row["is_guest"]))

    def begin_session(self, person: Person, now: float, *, is_guest: bool = False) -> str | None:
        """Return the key of a new session; nothing if the person was removed meanwhile."""
        key = secrets.token_urlsafe(32)
        with explained(self.path):
            self.database.execute("DELETE FROM sessions WHERE seen < ? OR began < ?", (now - _SESSION, now - _LONGEST))
            if is_guest:
                self.database.execute(
                    "INSERT INTO sessions VALUES (?, ?, ?, 1, ?, ?)", (_key(key), person.name, person.role, now, now)
                )
                return key
            made = self.database.execute(
                "INSERT INTO sessions SELECT ?, name, role, 0, ?, ? FROM people WHERE name = ?",
                (_key(key), now, now, person.name),
            )
        return key if made.rowcount else None

    def visitor(self, key: str, now: float) -> Person | None:
        """Return whose session it is, with the role they have now."""
        with explained(self.path):
            row = self.database.execute(
                """SELECT s.name, s.is_guest, s.began, s.seen, s.role AS link_role, p.role FROM sessions s
                   LEFT JOIN people p ON p.name = s.name WHERE s.key = ?""",
                (_key(key),),
            ).fetchone()
            if row is None or row["seen"] < now - _SESSION or row["began"] < now - _LONGEST:
                return None
            if row["role"] is None and not row["is_guest"]:
                return None
            if now - row["seen"] > 60:
                self.database.execute("UPDATE sessions SET seen = ? WHERE key = ?", (now, _key(key)))
        # Somebody who is on the list has the role that the list says, also with the link of `proctor serve`.
        return Person(name=row["name"], role=row["role"] or row["link_role"])

    def end_session(self, key: str) -> None:
        """End one session."""
        with explained(self.path):
            self.database.execute("DELETE FROM sessions WHERE key = ?", (_key(key),))

    def end_sessions(self, name: str) -> None:
        """End every session of a person."""
        with explained(self.path):
            self.database.execute("DELETE FROM sessions WHERE name = ?", (name,))


def _taken(name: str) -> InputError:
    return InputError(f"{name} is there already", field="name", hint="choose another name, or change role or password")


def _key(key: str) -> bytes:
    return hashlib.sha256(_bytes(key)).digest()


def _bytes(text: str) -> bytes:
    """Return what a browser sent, also if it is no text."""
    return text.encode("utf-8", "surrogatepass")
