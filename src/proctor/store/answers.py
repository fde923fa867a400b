"""The recorded answers behind a baseline: one file beside it, so that they can be scored again on any machine."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from proctor.core.codec import dumps, encode, loads
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, NotFoundError, StoreError
from proctor.core.trajectory import Trajectory

__all__ = ["Answer", "answers_path", "read_answers", "write_answers"]

Answer = tuple[str, int, Trajectory]  # case id, sample, trajectory
_HASH_LENGTH = 16


def answers_path(baseline: Path) -> Path:
    """Return the path of a baseline's answers."""
    return baseline.with_suffix(".answers.jsonl")


@contextmanager
def write_answers(path: Path, answers: Iterable[Answer]) -> Iterator[str]:
    """Write one answer per line and yield a hash of them all; the file is replaced when the block has ended well.

    A target can replay the file: `targets: {before: {recording: baselines/SUITE.answers.jsonl}}`.

    Raises:
        StoreError: the folder or the disk is not writable.
    """
    digest = hashlib.sha256()
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("xb") as out:
                for case, sample, trajectory in answers:
                    # The raw reply and the session's id do not affect the score.
                    kept = encode(replace(trajectory, raw=None, session=None))
                    line = dumps({"case": case, "sample": sample, "trajectory": kept})
                    digest.update(line)
                    out.write(line + b"\n")
                out.flush()
                os.fsync(out.fileno())
            yield digest.hexdigest()[:_HASH_LENGTH]
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        hint = "check the folder, its permissions and the free space"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error


def read_answers(path: Path, expected: str) -> Iterator[Answer]:
    """Yield the answers of a file, in order.

    Raises:
        NotFoundError: there is no such file.
        InputError: it is not the file that was written with the baseline.
    """
    if not path.is_file():
        raise NotFoundError("the recorded answers are not there", file=str(path), hint="bless a run again")
    try:
        with path.open("rb") as lines:
            digest = hashlib.sha256()
            for line in lines:
                digest.update(line.rstrip(b"\r\n"))
        if digest.hexdigest()[:_HASH_LENGTH] != expected:
            raise InputError(
                "these are not the answers of the baseline beside it", file=str(path), hint="bless a run again"
            )
        with path.open("rb") as lines:
            for line in lines:
                row = loads(line)
                yield str(row["case"]), int(row["sample"]), decode(Trajectory, row["trajectory"])
    except (ValueError, KeyError, TypeError, MalformedError) as error:
        raise InputError(f"cannot be used: {error}", file=str(path), hint="bless a run again") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), hint="check the path") from error
