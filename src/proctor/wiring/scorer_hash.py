"""Hash a scorer: its code, the modules it imports, their data files and its local models."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from proctor import registry
from proctor.core.network_choice import NetworkChoice, networks_in_force
from proctor.core.sockets import is_socket
from proctor.lexicon.project_concepts import ProjectConcepts, concepts_in_force
from proctor.wiring.local_models import PLACES

__all__ = ["scorer_hash"]

_OURS = "proctor"
# The top module and the socket protocols do not affect a score.
_NOT_SCORING = frozenset({_OURS, "proctor.core.sockets"})
_LENGTH = 12
_WEIGHTS = ("proctor", "models", "local", "weights")  # large; the manifest has the hash of every file
_NOT_DATA = frozenset({".py", ".pyc", ".pyi", ".so"})
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<base>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#]+)"
    r"|import[ \t]+(?P<whole>[^\n#]+))",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.]+")
_QUOTED = re.compile(r"""["'](\w+(?:\.\w+)+)[:"']""")  # a module imported by name


def scorer_hash(kind: type) -> str:
    """Return the hash of a scorer's class.

    It covers the class's module, all modules of the same package or of Proctor that it imports directly or indirectly,
    and the data files next to them. It also covers the scorers loaded by name (``loads``). For local models it covers
    the code and the manifest of the weights, and the large network if the project uses it. It covers what the project
    adds to the concepts of the lexicon that the code names.
    """
    return _scorer_hash(kind, concepts_in_force(), networks_in_force())


@cache
def _scorer_hash(kind: type, own: ProjectConcepts, networks: NetworkChoice) -> str:
    digest = hashlib.sha256(kind.__qualname__.encode())
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    roles = sorted(each.name for each in fields if is_socket(each) and each.name in PLACES)
    modules = {kind.__module__, *(f"proctor.models.local.{PLACES[role][0]}" for role in roles)}
    modules |= {registry.find("scorers", name).module for name in getattr(kind, "loads", ())}
    used = frozenset(_closure(modules))
    for name, content in sorted(_contents(used)):
        digest.update(f"{name}\0{content}\n".encode())
    for name in sorted(own.concepts):
        if any(_is_named(Path(f"{name}.yaml"), _read(path)) for path in _files_of(used).values()):
            digest.update(f"lexicon {name}\0{own.digest(name)}\n".encode())
    if roles:
        digest.update(_read(_folder_of(_OURS).joinpath(*_WEIGHTS[1:], "manifest.json")))
        if networks.large is not None:
            from proctor.models.local.large_files import conversion_folder  # noqa: PLC0415 - few projects use it

            digest.update(conversion_folder(networks.large).name.encode())
    return digest.hexdigest()[:_LENGTH]


def _closure(modules: set[str]) -> set[str]:
    """Return the modules and all modules of Proctor, or of their own packages, that they import."""
    tops = {_OURS, *(name.partition(".")[0] for name in modules)}
    found: set[str] = set()
    waiting = set(modules)
    while waiting:
        name = waiting.pop()
        if name in found or name in _NOT_SCORING or (path := _file_of(name)) is None:
            continue
        found.add(name)
        waiting |= {each for each in _imports(name, path) if each.partition(".")[0] in tops}
    return found


@cache
def _imports(module: str, path: Path) -> frozenset[str]:
    """Return the imports of a module, also those inside functions; may contain names that are not modules."""
    found: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    source = _read(path).decode("utf-8", "replace")
    found.update(_QUOTED.findall(source))
    for match in _IMPORT.finditer(source):
        if match["whole"]:
            found.update(_NAME.findall(match["whole"]))
            continue
        base = _absolute(match["base"], package)
        found.add(base)
        found.update(f"{base}.{name}" for name in _NAME.findall(match["names"]))
    # Importing a module runs the __init__.py of its package first.
    return frozenset(found | {name.rpartition(".")[0] for name in found if "." in name})


def _absolute(base: str, package: str) -> str:
    name = base.lstrip(".")
    up = len(base) - len(name)
    if not up:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - up + 1], *([name] if name else [])])


@cache
def _file_of(module: str) -> Path | None:
    """Return the source file of a module; none if there is no such module."""
    top, _, rest = module.partition(".")
    loaded = sys.modules.get(module)
    if loaded is not None and (file := getattr(loaded, "__file__", None)) and file.endswith(".py"):
        return Path(file)
    folder = _folder_of(top)
    if not rest or folder == Path():
        return None
    place = folder.joinpath(*rest.split("."))
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _folder_of(top: str) -> Path:
    """Return the folder of a top-level package; an empty path if it is a single file."""
    file = getattr(sys.modules.get(top), "__file__", None)
    return Path(file).parent if file and file.endswith("__init__.py") else Path()


@cache
def _contents(modules: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return the name and hash of every file of these modules."""
    files = _files_of(modules)
    folders: dict[Path, str] = {}
    for name, path in files.items():
        folders[path.parent] = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = {name: _digest(path) for name, path in files.items()}
    for folder, package in folders.items():
        used = _named_files(folder, files.values()) if package else ()
        found |= {f"{package}/{path.relative_to(folder).as_posix()}": _digest(path) for path in used}
    return tuple(found.items())


def _files_of(modules: frozenset[str]) -> dict[str, Path]:
    return {name: path for name in modules if (path := _file_of(name)) is not None}


def _named_files(folder: Path, code: Iterable[Path]) -> set[Path]:
    """The data files that the code names, or that such a file names: another module's word list is not among them."""
    used: set[Path] = set()
    waiting = set().union(*(_named_in(path, folder) for path in code))
    while waiting:
        used |= waiting
        waiting = set().union(*(_named_in(path, folder) for path in waiting if path.suffix == ".yaml")) - used
    return used


@cache  # scorers share most of their modules
def _named_in(file: Path, folder: Path) -> frozenset[Path]:
    """Return the data files next to the modules of a folder that this file names."""
    content = _read(file)
    return frozenset(path for path in _data_files(folder) if _is_named(path, content))


@cache
def _data_files(folder: Path) -> tuple[Path, ...]:
    """Return files next to modules that are not code, such as prompts and word lists."""
    found: list[Path] = []
    for path in folder.iterdir():
        if path.is_dir():
            inner = path.name != "__pycache__" and path.parts[-len(_WEIGHTS) :] != _WEIGHTS
            if inner and not (path / "__init__.py").exists():
                found += _data_files(path)
        elif path.suffix not in _NOT_DATA and not path.name.startswith("."):
            found.append(path)
    return tuple(found)


def _is_named(path: Path, code: bytes) -> bool:
    return any(name.encode() in code for name in (path.name, f'"{path.stem}"', f"'{path.stem}'"))


@cache
def _digest(path: Path) -> str:
    # Line endings may differ between checkouts.
    return hashlib.sha256(_read(path).replace(b"\r\n", b"\n")).hexdigest()


@cache
def _read(path: Path) -> bytes:
    return path.read_bytes()
