"""Baselines: the results of a blessed run, as one committed file with a case on each line."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proctor.core.errors import InputError, NotFoundError, StoreError

__all__ = ["baseline_path", "read_baseline", "write_baseline"]

FORMAT = 1
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")


def baseline_path(folder: Path, suite: str, target: str | None = None) -> Path:
    """Return the path of a suite's baseline; with several targets, each has its own."""
    name = _NOT_IN_FILE_NAMES.sub("-", suite).strip("-.") or "suite"
    if target:
        name += "@" + (_NOT_IN_FILE_NAMES.sub("-", target).strip("-.") or "target")
    return folder / f"{name}.json"


def write_baseline(path: Path, header: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> None:
    """Write the file: keys sorted, one case per line, so that a diff shows only the changed cases.

    Raises:
        StoreError: the folder or the disk is not writable; the existing file is unchanged.
    """
    lines = sorted((str(case["case"]), _line(case)) for case in cases)
    body = ",\n".join(line for _, line in lines)
    top = ",\n".join(f'"{key}": {_line(value)}' for key, value in sorted({**header, "format": FORMAT}.items()))
    text = f'{{\n{top},\n"cases": [\n{body}\n]\n}}\n'
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("x", encoding="utf-8", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        hint = "check the folder, its permissions and the free space"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error


def read_baseline(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the cases of a baseline.

    Raises:
        NotFoundError: there is no such file.
        InputError: it is not a baseline.
    """
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFoundError(
            "there is no such baseline", file=str(path), hint="`proctor bless RUN` makes one of a run you trust"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), hint="check the path") from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        hint = "a conflict left in it? Bless the run again"
        raise InputError(f"is not JSON: {error}", file=str(path), line=line, hint=hint) from error
    cases = data.pop("cases", None) if isinstance(data, dict) else None
    if not isinstance(cases, list) or not all(isinstance(case, dict) and "case" in case for case in cases):
        raise InputError("is not a baseline", file=str(path), hint="`proctor bless RUN` writes one")
    if data.pop("format", None) != FORMAT:
        raise InputError(f"has another format than {FORMAT}", file=str(path), hint="bless the run again, or upgrade")
    return data, cases


def _line(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    # Half a surrogate pair has no UTF-8: JSON needs it escaped.
    return text if text.isprintable() else json.dumps(value, sort_keys=True, allow_nan=False)
