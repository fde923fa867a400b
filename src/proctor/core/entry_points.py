"""Find the entry points of installed packages that offer parts for Proctor.

`importlib.metadata` parses the files of every package and loads the email and zip modules. Here a file is parsed only
if it names a group of Proctor. Where packages are not in plain folders, `importlib.metadata` is asked.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["EntryPoint", "entry_points"]

_PREFIX = "proctor."
_ENDINGS = (".dist-info", ".egg-info")


class EntryPoint:
    """One name in one group: the object that it stands for, and the folder with the metadata of its package."""

    def __init__(self, *, name: str, group: str, value: str, metadata: Path | str) -> None:
        self.name, self.group, self.value, self._metadata = name, group, value, metadata

    @property
    def module(self) -> str:
        """The module of the object."""
        return self._parts()[0]

    def load(self) -> Any:
        """Import the module and return the object."""
        module, attributes = self._parts()
        found: Any = import_module(module)
        for attribute in filter(None, attributes.split(".")):
            found = getattr(found, attribute)
        return found

    def _parts(self) -> tuple[str, str]:
        module, _, attributes = self.value.partition("[")[0].partition(":")
        return module.strip(), attributes.strip()

    @cached_property
    def package(self) -> str:
        """The name of the package that offers it."""
        if isinstance(self._metadata, str):
            return self._metadata
        for file in ("METADATA", "PKG-INFO"):
            try:
                lines = (self._metadata / file).read_text(encoding="utf-8").splitlines()
            except OSError:
                continue
            return next((line[5:].strip() for line in lines if line.startswith("Name:")), "unknown")
        return "unknown"


def entry_points(places: Iterable[str]) -> list[EntryPoint]:
    """Return the entry points in the groups ``proctor.*`` of the packages on a module search path."""
    places = list(places)
    if _is_plain(places):
        return list(_points_of(places))
    from importlib.metadata import entry_points as all_points  # noqa: PLC0415 - slow to import

    return [
        EntryPoint(
            name=point.name,
            group=point.group,
            value=point.value,
            metadata=point.dist.name if point.dist else "unknown",
        )
        for group in all_points().groups
        if group.startswith(_PREFIX)
        for point in all_points(group=group)
    ]


def _points_of(places: Iterable[str]) -> Iterator[EntryPoint]:
    """Yield what the packages in these folders offer; of a package found twice the first counts, as for an import."""
    seen: set[str] = set()
    for place in map(os.path.abspath, places):
        try:
            changed = os.stat(place).st_mtime_ns
        except OSError:
            continue
        for package, points in _packages_in(place, changed):
            if package not in seen:
                seen.add(package)
                yield from points


def _is_plain(places: Iterable[str]) -> bool:
    """Whether all packages are in folders: no zip file, no egg, and no finder of another kind."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if any(getattr(finder, "__name__", "") != "PathFinder" for finder in finders):
        return False
    return not any(place.endswith(".egg") or os.path.isfile(place) for place in places)


@lru_cache(maxsize=64)  # a project's folder, which is on the path, changes often; those of packages do not
def _packages_in(place: str, changed: int) -> tuple[tuple[str, tuple[EntryPoint, ...]], ...]:
    """Return the entry points of each package in a folder; ``changed`` is its modification time."""
    try:
        children = os.listdir(place)
    except OSError:
        return ()
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for child in children:
        low = child.lower()
        if low.endswith(_ENDINGS):
            name = re.sub("[-_.]+", "_", low.rpartition(".")[0].partition("-")[0])
            if name not in found:
                found[name] = tuple(_read(Path(place, child)))
    return tuple(found.items())


def _read(folder: Path) -> Iterator[EntryPoint]:
    try:
        text = (folder / "entry_points.txt").read_text(encoding="utf-8")
    except OSError:
        return
    if f"[{_PREFIX}" not in text:
        return
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group.startswith(_PREFIX) and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield EntryPoint(name=name.strip(), group=group, value=value.strip(), metadata=folder)
