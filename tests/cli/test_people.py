"""proctor people: who may sign in."""

from __future__ import annotations

import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from proctor.config import open_config
from proctor.store.people import People
from proctor.store.server_address import told_address
from tests.cli.in_process import call
from tests.server.ingest.servers import environment, serve


def _people(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return call(["people", *words], folder=folder, env=environment(), given=given)


def test_people_come_change_and_go(tmp_path: Path) -> None:
    assert "nobody yet" in _people(tmp_path, "list").stderr
    assert _people(tmp_path, "add", "ada", "--role", "admin", given="correct horse\n").returncode == 0
    assert _people(tmp_path, "add", "ben", "--no-password").returncode == 0
    assert _people(tmp_path, "role", "ben", "auditor").returncode == 0
    assert _people(tmp_path, "password", "ben", given="another horse\n").returncode == 0
    told = _people(tmp_path, "list").stdout.splitlines()
    assert told[1:] == ["ada\tadmin\tyes\t0\tnever", "ben\tauditor\tyes\t0\tnever"]
    link = _people(tmp_path, "link", "ben", "--url", "https://desk.example/").stdout.strip()
    assert link.startswith("https://desk.example/ui/enter?key=")
    assert _people(tmp_path, "remove", "ben").returncode == 0
    assert "ben" not in _people(tmp_path, "list", "--json").stdout


def test_a_link_without_a_name_is_for_whoever_runs_the_server(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("")
    link = _people(tmp_path, "link").stdout.strip()
    with People(open_config(tmp_path).store) as people:
        session = people.use_link(link.partition("key=")[2], time.time())
        assert session is not None
        visitor = people.visitor(session, time.time())
        assert people.use_link(link.partition("key=")[2], time.time()) is None
    assert visitor is not None
    assert visitor.role == "admin"
    assert "nobody yet" in _people(tmp_path, "list").stderr


def test_a_link_leads_to_the_server_that_runs(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("")
    with serve(tmp_path) as server:
        found = _people(tmp_path, "link")
        assert found.stdout.startswith(f"{server.url}/ui/enter?key=")
        assert not found.stderr
        server.kill()
    left = _people(tmp_path, "link")
    assert left.stdout.startswith("http://127.0.0.1:4318/ui/enter?key=")
    assert "no server of this project runs on this machine" in left.stderr
    assert "--url" in left.stderr
    with told_address(open_config(tmp_path).store) as tell:
        tell("http://0.0.0.0:4390")
        everywhere = _people(tmp_path, "link")
        assert "the server listens at http://0.0.0.0:4390" in everywhere.stderr
        assert everywhere.stdout.startswith("http://127.0.0.1:4390/ui/enter?key=")
        with told_address(open_config(tmp_path).store) as tell_second:
            tell_second("http://127.0.0.1:1")
        assert "0.0.0.0:4390" in _people(tmp_path, "link").stderr
        tell("http://192.0.2.7:4390")
        named = _people(tmp_path, "link")
        assert "the server listens at http://192.0.2.7:4390" in named.stderr
        assert named.stdout.startswith("http://192.0.2.7:4390/ui/enter?key=")
        tell("http://127.0.0.2:4390")
        near = _people(tmp_path, "link")
        assert not near.stderr
        assert near.stdout.startswith("http://127.0.0.2:4390/ui/enter?key=")


def test_a_link_leads_to_the_second_server_when_the_first_has_ended(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("")
    store = open_config(tmp_path).store
    with ExitStack() as servers:
        with told_address(store) as tell_first:
            tell_first("http://127.0.0.1:4001")
            servers.enter_context(told_address(store))("http://127.0.0.1:4002")
            servers.enter_context(told_address(store))("http://127.0.0.1:4003")
            assert _people(tmp_path, "link").stdout.startswith("http://127.0.0.1:4001/")
        assert _people(tmp_path, "link").stdout.startswith("http://127.0.0.1:4002/")
        with told_address(store) as tell_again:
            tell_again("http://127.0.0.1:4004")
            assert _people(tmp_path, "link").stdout.startswith("http://127.0.0.1:4004/")
    assert "no server of this project runs on this machine" in _people(tmp_path, "link").stderr


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    short = _people(tmp_path, "add", "ada", given="short\n")
    assert (short.returncode, "10 to 1000 characters" in short.stderr) == (2, True)
    assert "short" not in short.stderr.replace("characters", "")
    for words in (("link", "zed"), ("role", "zed", "admin"), ("password", "zed", "--remove"), ("remove", "zed")):
        done = _people(tmp_path, *words)
        assert (done.returncode, "there is no person 'zed'" in done.stderr) == (2, True)
    assert _people(tmp_path, "add", "zed", "--role", "owner").returncode == 2
    _people(tmp_path, "add", "zed", "--no-password")
    assert _people(tmp_path, "link", "zed", "--url", "javascript:1").returncode == 2


def test_other_machines_need_people_too(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("monitor: {ingest: {tokens: {desk: '${DESK}'}}}\n")
    done = call(["serve", "--host", "0.0.0.0", "--port", "0"], folder=tmp_path, env=environment(DESK="a-long-token"))
    assert (done.returncode, "nobody may sign in" in done.stderr) == (2, True)
