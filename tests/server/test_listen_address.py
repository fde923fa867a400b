"""A busy port is found before a server loads its models."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from proctor.cli.main import cli
from proctor.core.errors import InputError
from proctor.server.listen_address import check_address


def _taken() -> socket.socket:
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen()
    return made


def test_a_free_address_stays_free() -> None:
    with _taken() as taken:
        port = taken.getsockname()[1]
    check_address("127.0.0.1", port)
    check_address("127.0.0.1", port)
    check_address("127.0.0.1", 0)
    with socket.socket() as later:
        later.bind(("127.0.0.1", port))


def test_an_address_that_cannot_be_had_is_explained() -> None:
    with _taken() as taken, pytest.raises(InputError, match="something listens there already") as told:
        check_address("127.0.0.1", taken.getsockname()[1])
    assert told.value.hint == "choose another --port"
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:4000") as told:
        check_address("192.0.2.1", 4000)  # no machine has it
    assert told.value.hint == "check --host and --port"
    with pytest.raises(InputError, match=r"cannot listen on no-such-host\.invalid:4000"):
        check_address("no-such-host.invalid", 4000)


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--demo"),
        ("guard", "serve"),
        ("proxy", "--upstream", "http://127.0.0.1:1"),
        ("guard", "mcp", "--upstream", "http://127.0.0.1:1"),
    ],
)
def test_a_server_says_so_before_it_loads_a_model(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proctor.yaml").write_text("guard: {input: [injection]}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("proctor.wiring.guard.Guard.from_config", pytest.fail)
    monkeypatch.setattr("proctor.cli.demo_project.fill_demo", pytest.fail)
    with _taken() as taken:
        given = [*words, "--port", str(taken.getsockname()[1])]
        with pytest.raises(InputError, match="something listens there already"):
            CliRunner().invoke(cli, given, standalone_mode=False, catch_exceptions=False)
