"""Record in an export what its format cannot hold, so that our own files are read back without loss.

The record has a hash of every file beside it. Once a file was edited the record no longer applies, and the files are
read as those of any other author.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from proctor.core.case import Case, Check
from proctor.core.codec import content_id, dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, PromptError
from proctor.core.generated_test import GeneratedTest, with_metadata
from proctor.core.rule import Rule
from proctor.prompts.load import parse_prompt
from proctor.suites.exchange.bundle import Bundle, Recorded, accepted_reference

__all__ = [
    "RECORD",
    "bundle_from",
    "content_hash",
    "has_changed",
    "read_record",
    "record_of",
    "with_record",
    "without_doubt",
]

RECORD: Final = "proctor-export.json"
_FORMAT = 1
_KEY = "proctor_export"
_LISTS: Mapping[str, Any] = {"rules": Rule, "checks": Check, "cases": Case, "baseline": Case, "recorded": Recorded}
_TEXTS = ("name", "description", "intent")


def record_of(bundle: Bundle) -> dict[str, Any]:
    """Return the bundle as plain data; an expected answer that was not accepted is left out, as in every export."""
    cases = {"cases": bundle.cases, "baseline": bundle.baseline}
    doubtless = {name: [without_doubt(case) for case in given] for name, given in cases.items()}
    lists = {name: [loads(dumps(each)) for each in doubtless.get(name) or getattr(bundle, name)] for name in _LISTS}
    return {
        _KEY: _FORMAT,
        **{name: getattr(bundle, name) for name in _TEXTS},
        **{name: value for name, value in lists.items() if value},
        "inputs": {name: list(lines) for name, lines in bundle.inputs.items()},
        "models": list(bundle.models),
        "judge": bundle.judge,
        "file": list(bundle.file) if bundle.file else None,
        "prompt_name": bundle.prompt.name if bundle.prompt else "",
    }


def bundle_from(data: Any) -> Bundle | None:
    """Return the bundle of a record; ``None`` if it is none, or was made by a newer version."""
    if not isinstance(data, Mapping) or data.get(_KEY) != _FORMAT:
        return None
    try:
        lists: dict[str, Any] = {
            name: tuple(decode(kind, each, strict=True) for each in data.get(name) or ())
            for name, kind in _LISTS.items()
        }
        file = (str(data["file"][0]), str(data["file"][1])) if data.get("file") else None
        prompt = parse_prompt(file[1], name=str(data["prompt_name"])) if file and file[0] == ".prompty" else None
    except (MalformedError, PromptError, KeyError, IndexError, TypeError):
        return None
    inputs = data.get("inputs") or {}
    texts: dict[str, Any] = {name: str(data.get(name) or "") for name in _TEXTS}
    return Bundle(
        **texts,
        **lists,
        inputs={str(name): tuple(map(str, lines)) for name, lines in inputs.items()},
        models=tuple(data.get("models") or ()),
        judge=data.get("judge"),
        file=file,
        prompt=prompt,
    )


def with_record(bundle: Bundle, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files together with the record of what they were made from."""
    hashes = {name: _hash(text.encode("utf-8", "surrogatepass")) for name, text in files.items()}
    text = json.dumps({**record_of(bundle), "files": hashes}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return {**files, RECORD: text}


def read_record(folder: Path) -> Bundle | None:
    """Return the bundle that this folder was exported from; ``None`` without a record, or if a file was edited."""
    data = _data(folder)
    if data is None or has_changed(folder):
        return None
    return bundle_from(data)


def has_changed(folder: Path) -> bool:
    """Whether the folder has a record, and one of its files is no longer as it was exported."""
    data = _data(folder)
    files = data.get("files") if data is not None else None
    if not isinstance(files, Mapping):
        return False
    return any(_hash(_bytes(folder / str(name))) != wanted for name, wanted in files.items())


def _data(folder: Path) -> Mapping[str, Any] | None:
    try:
        data = json.loads(_bytes(folder / RECORD))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, Mapping) and data.get(_KEY) == _FORMAT else None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def without_doubt(case: Case) -> Case:
    """Return the case without an expected answer that was not accepted."""
    test = GeneratedTest.of(case)
    if not test.has_rejected_truth:
        return case
    kept = {key: value for key, value in (test.groundtruth or {}).items() if key not in ("text", "candidate")}
    expect = replace(case.expect, reference=accepted_reference(case))
    return with_metadata(replace(case, expect=expect), groundtruth=kept)


def content_hash(*parts: Any) -> str:
    """Return the hash of the parts of a file that a record in the same file stands for."""
    return content_id(list(parts), length=40)
