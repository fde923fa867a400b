"""Real servers for the tests: `proctor serve` as a process, and an OpenAI-compatible model."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from proctor.core.event_row import EventRow
from proctor.store.event_log import FOLDER, EventLog

__all__ = ["Served", "environment", "model_server", "post", "rows_in", "serve"]


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment with some more variables."""
    return {**os.environ, **more}  # noqa: TID251 - of a program that the test starts


class Served:
    """A running `proctor serve`."""

    def __init__(self, folder: Path, *, port: int = 0, env: dict[str, str] | None = None) -> None:
        self.folder = folder
        program = "from proctor.cli.main import main; main()"
        command = [sys.executable, "-c", program, "serve", "--port", str(port)]
        self.process = subprocess.Popen(
            command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment(**(env or {}))
        )
        self.said: list[str] = []
        try:
            self.url = self._address()
        except BaseException:
            self.process.kill()
            self.process.communicate()
            raise

    def _address(self) -> str:
        assert self.process.stderr is not None
        until = time.monotonic() + 60
        with (
            selectors.DefaultSelector() as waiting
        ):  # select() takes no file above 1023, and other tests leave some open
            waiting.register(self.process.stderr, selectors.EVENT_READ)
            while time.monotonic() < until:
                if not waiting.select(1):
                    continue
                line = self.process.stderr.readline()
                self.said.append(line)
                if "receiving at " in line:
                    return line.rpartition(" ")[2].strip()
                if not line:
                    break
        raise AssertionError("".join(self.said))

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """Kill it as a crash would."""
        self.process.kill()
        self._wait()

    def stop(self, *, patience: float = 60) -> int:
        """Stop it as a person would; return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self._wait(patience)

    def _wait(self, patience: float = 60) -> int:
        code = self.process.wait(patience)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as answer:
            return json.loads(answer.read())


@contextmanager
def serve(folder: Path, **more: Any) -> Iterator[Served]:
    """Run `proctor serve` in a folder."""
    served = Served(folder, **more)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.stop()


def rows_in(folder: Path) -> list[EventRow]:
    """Return what the log of a project holds."""
    return list(EventLog(folder / ".proctor" / FOLDER).read())


def post(url: str, body: bytes, kind: str = "application/json", **headers: str) -> tuple[int, Any]:
    """Send a request; return its status and its answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body, headers={"Content-Type": kind, **named}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


class _Model(BaseHTTPRequestHandler):
    """Calls a tool for a question, and answers after the tool."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message: dict[str, Any] = {"role": "assistant", "content": "Your order ships tomorrow."}
        if asked["messages"][-1]["role"] == "user":
            call = {"name": "find_order", "arguments": '{"order":"A-17"}'}
            message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        told = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1789000000,
            "model": "gpt-4o-mini-2024-07-18",
            "choices": [choice],
            "usage": {"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38},
        }
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def model_server() -> Iterator[str]:
    """Run an OpenAI-compatible server; give its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
