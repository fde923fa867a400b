from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.forked import Started
from tests.cli.in_process import call
from tests.cli.server import KEY, ChatServer

PROGRAM = [sys.executable, "-c", "from proctor.cli.main import main; main()"]


@dataclass(kw_only=True)
class Project:
    """A project folder, and the program called in it as a user calls it."""

    folder: Path
    server: ChatServer
    environment: dict[str, str] = field(default_factory=dict)
    started: list[Started] = field(default_factory=list)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *words: str, code: int | None = None, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Call the program inside this process."""
        done = call(words, folder=self.folder, env=self.variables(), given=input)
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return done

    def run_process(self, *words: str, code: int | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
        """Call the program in a process of its own; ``more`` goes to `subprocess.run`."""
        done = subprocess.run(
            [*PROGRAM, *words],
            cwd=self.folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **more,
        )
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return done

    def start(self, *words: str) -> Started:
        """Start the program in a process of its own, for tests that send signals or talk to it while it runs."""
        process = Started(words, folder=self.folder, env=self.variables())
        self.started.append(process)
        return process

    def variables(self) -> dict[str, str]:
        kept: Mapping[str, str] = os.environ  # noqa: TID251 - the program gets what this test has
        return {**kept, "STUB_KEY": KEY, "COLUMNS": "120", "PYTHONPATH": str(Path.cwd()), **self.environment}

    def last_run(self) -> str:
        return self.run("list", "-n", "1", code=0).stdout.splitlines()[1].split("\t")[0]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Iterator[Project]:
    made = Project(folder=tmp_path, server=server)
    made.write(
        "proctor.yaml",
        f"""\
model: stub
judge: stub
models:
  stub: {{provider: compatible, base_url: "{server.url}", model: stub, api_key_env: STUB_KEY, timeout: 20, attempts: 3}}
""",
    )
    yield made
    for process in made.started:
        process.end()


@pytest.fixture
def suite_of(project: Project) -> Any:
    def write(count: int, *, judge: bool = False, name: str = "suite.jsonl", bad: tuple[int, ...] = ()) -> str:
        """Cases whose right answer is their own number; those in ``bad`` expect another."""
        lines = []
        for number in range(count):
            wanted = f"wrong{number}" if number in bad else f"n{number}"
            checks = f'[{{"exact": "{wanted}"}}' + (', {"judge": "is right"}]' if judge else "]")
            lines.append(f'{{"id": "c{number}", "input": "say n{number}", "checks": {checks}}}')
        project.write(name, "\n".join(lines) + "\n")
        return name

    return write


def interrupt(process: Started) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)


@pytest.fixture
def http_echo() -> Iterator[str]:
    """An agent that answers with everything it was sent; a question with "fail" in it gets status 500."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            told = f"{self.path} {dict(self.headers)} {body.decode()}"
            self.send_response(500 if b"fail" in body else 200)
            self.end_headers()
            self.wfile.write(told.encode() if b"fail" in body else json.dumps({"answer": told}).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
