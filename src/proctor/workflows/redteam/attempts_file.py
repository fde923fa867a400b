"""Files of attempts: ordinary suites in the store, named by their content, so that a run's file never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.core.attack import ATTACK, AttackAttempt, Scope, attempt_of
from proctor.core.case import Case
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import NotFoundError, StoreError
from proctor.store.private_files import replace_private
from proctor.suites.append import written
from proctor.suites.jsonl import HEADER, canonical
from proctor.suites.load import open_suite
from proctor.workflows.redteam.campaign import campaign_folder

__all__ = ["SUITE_PREFIX", "AttemptsFacts", "attempts_facts", "attempts_in", "keep_attempts", "suite_name"]

SUITE_PREFIX = "redteam-"
_HASH_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsFacts:
    """How attempts were planned, kept in the header of their file, so that a resumed run goes on in the same way."""

    scopes: tuple[Scope, ...] = ()
    only: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    seed: int = 0
    held_out: float = 0.0
    rotation: str = ""
    notes: tuple[str, ...] = ()


def suite_name(campaign: str) -> str:
    """Return the name under which the runs of a campaign are listed."""
    return f"{SUITE_PREFIX}{campaign}"


def keep_attempts(store: Path, campaign: str, cases: Sequence[Case], facts: AttemptsFacts) -> str:
    """Write attempts as a suite and return its path below the store; equal attempts have the same file.

    Raises:
        StoreError: the file cannot be written.
    """
    header = {
        HEADER: {
            "name": suite_name(campaign),
            "scorers": [ATTACK],
            "metadata": {"campaign": campaign, "plan": encode(facts)},
        }
    }
    data = b"".join((canonical(header), *(canonical(written(case)) for case in cases)))
    path = campaign_folder(store, campaign) / f"attempts-{hashlib.sha256(data).hexdigest()[:_HASH_CHARS]}.jsonl"
    if not path.exists():
        _write(path, data)
    return path.relative_to(store).as_posix()


def attempts_facts(store: Path, name: str) -> AttemptsFacts:
    """Return how the attempts of a file were planned.

    Raises:
        NotFoundError: the file was removed.
    """
    metadata = open_suite(_present(store, name)).suite.metadata
    return decode(AttemptsFacts, metadata.get("plan") or {})


def attempts_in(store: Path, name: str) -> Iterator[tuple[Case, AttackAttempt]]:
    """Yield the attempts of a file of the store.

    Raises:
        NotFoundError: the file was removed.
        SuiteError: the file was damaged.
    """
    for case in open_suite(_present(store, name)).cases():
        attempt = attempt_of(case)
        if attempt is not None:
            yield case, attempt


def _present(store: Path, name: str) -> Path:
    path = store / name
    if not path.is_file():
        raise NotFoundError(
            "the attempts of this campaign run are gone", hint="start a new run with `proctor redteam run`"
        )
    return path


def _write(path: Path, data: bytes) -> None:
    """Write a file that appears only when it is complete; it has held-out goals, so only the owner may read it."""
    try:
        replace_private(path, data)
    except OSError as error:
        raise StoreError(
            f"the attempts cannot be written: {error.strerror}", file=str(path), hint="check the folder under `store:`"
        ) from error
