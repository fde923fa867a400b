from __future__ import annotations

import os
from pathlib import Path

import pytest

from proctor.core.chat import Message, Reply, Request
from proctor.core.errors import StoreError
from proctor.store.calls import CallLog
from proctor.workflows.run.recording_file import write_recording


def test_a_recording_that_a_full_disk_cuts_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, log = tmp_path / "calls.jsonl", CallLog(tmp_path / "log.ndjson", whole=True)
    request = Request(messages=(Message(role="user", content="wo\u2028?"),))
    log.put("0" * 16, request, Reply(text="dort"), model="m")
    write_recording(log, path)
    before = path.read_bytes()
    log.put("1" * 16, request, Reply(text="hier"), model="m")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space"):
            write_recording(log, path)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["calls.jsonl", "log.ndjson"]
    write_recording(log, path)
    assert path.read_bytes().count(b"\n") == 2
    log.close()


def test_a_recording_goes_to_a_terminal_as_it_is(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "log.ndjson", whole=True)
    log.put("0" * 16, Request(messages=(Message(role="user", content="?"),)), Reply(text="hier"), model="m")
    ours, theirs = os.openpty()
    write_recording(log, Path(os.ttyname(theirs)))
    assert b"hier" in os.read(ours, 4096)
    os.close(ours)
    os.close(theirs)
    log.close()
