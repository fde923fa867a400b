"""People, their passwords, links and sessions."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.core.errors import InputError, NotFoundError
from proctor.core.person import Person
from proctor.store.people import PEOPLE_FILE, People

NOW = 1_789_000_000.0
DAY = 86_400.0
PASSWORD = "correct horse"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with People(tmp_path) as opened:
        opened.add("ada", "admin", PASSWORD, NOW)
        opened.add("ben", "auditor", None, NOW)
        yield opened


def _session(people: People, name: str = "ada", now: float = NOW) -> str:
    key = people.begin_session(people.find(name), now)
    assert key is not None
    return key


def test_the_password_lets_only_its_person_in(people: People) -> None:
    assert people.check("ada", PASSWORD) == Person(name="ada", role="admin")
    for name, given in (("ada", "wrong horse!"), ("ada", ""), ("nobody", PASSWORD), ("ben", ""), ("ben", PASSWORD)):
        assert people.check(name, given) is None
    assert people.check("ada", "\udcff odd bytes") is None


def test_the_file_is_private_and_opens_no_door(people: People, tmp_path: Path) -> None:
    key, link = _session(people), people.make_link(people.find("ben"), NOW)
    people.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in tmp_path.glob(f"{PEOPLE_FILE}*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        held = path.read_bytes()
        assert not any(secret.encode() in held for secret in (PASSWORD, key, link))


@pytest.mark.parametrize("name", ["", "a b", "x" * 61, "a/b", "<b>", "a\n"])
def test_an_odd_name_is_refused(people: People, name: str) -> None:
    with pytest.raises(InputError):
        people.add(name, "viewer", None, NOW)


def test_what_is_wrong_with_a_new_person_is_named(people: People) -> None:
    with pytest.raises(InputError, match="there already"):
        people.add("ada", "viewer", None, NOW)
    with pytest.raises(InputError, match="10 to 1000 characters"):
        people.add("cleo", "viewer", "short", NOW)
    with pytest.raises(InputError, match="no role"):
        people.add("cleo", "owner", None, NOW)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        people.find("cleo")


def test_a_link_works_once_and_for_fifteen_minutes(people: People) -> None:
    link = people.make_link(people.find("ben"), NOW)
    key = people.use_link(link, NOW + 60)
    assert key is not None
    assert people.visitor(key, NOW + 60) == Person(name="ben", role="auditor")
    assert people.use_link(link, NOW + 61) is None
    assert people.use_link(people.make_link(people.find("ben"), NOW), NOW + 901) is None
    assert people.use_link("made up", NOW) is None


def test_a_link_is_used_by_one_of_many_at_once(people: People, tmp_path: Path) -> None:
    link = people.make_link(people.find("ben"), NOW)
    found: list[str | None] = []

    def use() -> None:
        with People(tmp_path) as own:
            found.append(own.use_link(link, NOW))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(key is not None for key in found) == 1


def test_a_session_ends_when_nobody_comes_and_after_ninety_days(people: People) -> None:
    key = _session(people)
    assert people.visitor(key, NOW + 13 * DAY) is not None
    assert people.visitor(key, NOW + 26 * DAY) is not None  # seen in between
    assert people.visitor(key, NOW + 41 * DAY) is None
    key = _session(people)
    for day in range(0, 90, 10):
        assert people.visitor(key, NOW + day * DAY) is not None
    assert people.visitor(key, NOW + 91 * DAY) is None
    assert people.visitor("made up", NOW) is None
    assert people.visitor("\udcff", NOW) is None


def test_a_role_counts_from_the_next_request_on(people: People) -> None:
    key = _session(people, "ben")
    people.set_role("ben", "viewer")
    visitor = people.visitor(key, NOW)
    assert visitor is not None
    assert (visitor.may("viewer"), visitor.may("auditor")) == (True, False)


def test_a_new_password_ends_sessions_and_links(people: People) -> None:
    key, link = _session(people), people.make_link(people.find("ada"), NOW)
    people.set_password("ada", "another horse")
    assert people.visitor(key, NOW) is None
    assert people.use_link(link, NOW) is None
    assert people.check("ada", PASSWORD) is None
    people.set_password("ada", None)
    assert people.check("ada", "another horse") is None


def test_somebody_who_is_removed_is_out_at_once(people: People) -> None:
    ben = people.find("ben")
    key, link = _session(people, "ben"), people.make_link(ben, NOW)
    people.remove("ben")
    assert people.visitor(key, NOW) is None
    assert people.use_link(link, NOW) is None
    assert people.begin_session(ben, NOW) is None  # removed between the check and the session


def test_a_guest_is_on_no_list_but_gets_in(people: People) -> None:
    key = people.use_link(people.make_link(Person(name="root", role="admin"), NOW, is_guest=True), NOW)
    assert key is not None
    assert people.visitor(key, NOW) == Person(name="root", role="admin")
    assert [each.name for each in people.list()] == ["ada", "ben"]
    people.end_session(key)
    assert people.visitor(key, NOW) is None


def test_accounts_tell_who_was_there(people: People) -> None:
    _session(people, now=NOW + 5)
    told = {each.name: (each.has_password, each.sessions, each.seen) for each in people.accounts()}
    assert told == {"ada": (True, 1, NOW + 5), "ben": (False, 0, None)}
