"""LangSmith's multipart bodies."""

from __future__ import annotations

import pytest

from proctor.server.ingest.multipart_runs import read_multipart

KIND = "multipart/form-data; boundary=b0"


def _body(*parts: tuple[str, bytes]) -> bytes:
    made = b""
    for name, data in parts:
        head = f'--b0\r\nContent-Disposition: form-data; name="{name}"\r\nContent-Type: application/json\r\n\r\n'
        made += head.encode() + data + b"\r\n"
    return made + b"--b0--\r\n"


def test_runs_are_put_together_from_their_parts() -> None:
    found = read_multipart(
        KIND,
        _body(
            ("post.r1", b'{"trace_id": "t1", "run_type": "llm"}'),
            ("post.r1.inputs", b'{"q": "Where?\\r\\n--b1"}'),
            ("patch.r1", b'{"end_time": "2026-11-17T10:00:00Z"}'),
            ("patch.r1.outputs", b'{"a": 1}'),
            ("post.r1.attachments.photo", b"\xff\xd8"),
            ("attachment.r1.photo", b"\xff\xd8"),
            ("feedback.f1", b'{"key": "helpful", "score": 1}'),
        ),
    )
    assert found.runs == {
        ("post", "r1"): {"id": "r1", "trace_id": "t1", "run_type": "llm", "inputs": {"q": "Where?\r\n--b1"}},
        ("patch", "r1"): {"id": "r1", "end_time": "2026-11-17T10:00:00Z", "outputs": {"a": 1}},
    }
    assert found.feedback == [{"key": "helpful", "score": 1}]
    assert found.rejected == 0


def test_a_part_that_cannot_be_read_is_counted_and_the_rest_is_kept() -> None:
    found = read_multipart(KIND, _body(("post.r1", b"{"), ("post.r2", b'{"trace_id": "t"}'), ("other", b"1")))
    assert (list(found.runs), found.rejected) == ([("post", "r2")], 2)
    assert "post.r1" in found.why


@pytest.mark.parametrize(("kind", "body"), [("multipart/form-data", b""), (KIND, b""), (KIND, b"--b0--")])
def test_what_is_no_multipart_is_refused(kind: str, body: bytes) -> None:
    with pytest.raises(ValueError, match="multipart"):
        read_multipart(kind, body)
