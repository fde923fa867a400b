"""Map names to factories by entry point; nothing is imported before it is used.

Built-ins and third-party plugins use the same entry points. A name offered by two packages is an error.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from proctor.core.decode import closest
from proctor.core.entry_points import EntryPoint, entry_points
from proctor.core.errors import ConfigError, NotFoundError, ProctorError
from proctor.core.record import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proctor.core.sockets import Kit

__all__ = ["GROUPS", "RegisteredPart", "connect", "describe", "find", "load", "names"]

GROUPS = ("models", "targets", "catalogues", "scorers", "attacks", "gates", "importers")
_NEEDED = {  # what is read of a part before it is made
    "scorers": ("name", "version", "threshold", "primary", "score"),
    "gates": ("name", "version", "points", "primary", "check"),
}
_ONE_ONLY = "uninstall one of them"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredPart:
    """One registered part: its name, its package, and its description for users."""

    name: str
    group: str
    package: str
    where: str
    about: str
    error: str | None = None
    hint: str | None = None


def _points(group: str) -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in _scan(tuple((place, _changed(place)) for place in sys.path)):
        if point.group != f"proctor.{group}":
            continue
        # A package can be found twice (an editable install and its build folder). The value is the same, so it is one
        # part.
        if all(point.value != other.value for other in found.setdefault(point.name, [])):
            found[point.name].append(point)
    return found


@lru_cache(maxsize=1)
def _scan(places: tuple[tuple[str, int], ...]) -> list[EntryPoint]:
    """Return the entry points of all installed packages; cached, because all metadata folders are listed.

    ``places`` is the module search path with the modification time of each folder, so packages installed later are
    found.
    """
    return entry_points(place for place, _ in places)


def _changed(place: str) -> int:
    try:
        return os.stat(place or ".").st_mtime_ns
    except OSError:
        return 0


def names(group: str) -> list[str]:
    """Return all registered names of a group, sorted."""
    return sorted(_points(group))


def find(group: str, name: str) -> EntryPoint:
    """Return the entry point of that name.

    Raises:
        NotFoundError: nothing is registered under the name; the hint names the closest.
        ConfigError: two packages offer the same name.
    """
    points = _points(group)
    if name not in points:
        guess = closest(name, points)
        known = ", ".join(sorted(points)) or "none"
        raise NotFoundError(
            f"no {group.rstrip('s')} is called {name!r}",
            hint=f"did you mean {guess!r}? Known: {known}" if guess else f"known: {known}",
        )
    if len(points[name]) > 1:
        raise ConfigError(_offered_twice(group, points[name]), hint=_ONE_ONLY)
    return points[name][0]


def load(group: str, name: str) -> Any:
    """Import and return the factory registered under that name.

    Raises:
        ConfigError: the plugin cannot be imported, or lacks what such a part needs.
    """
    point = find(group, name)
    what = f"the {group.rstrip('s')} {name!r} of package {point.package}"
    try:
        part = point.load()
    except (Exception, SystemExit) as error:  # third-party code may raise anything, and may end the program
        told = str(error) if isinstance(error, (ImportError, AttributeError)) else f"{type(error).__name__}: {error}"
        raise ConfigError(f"{what} cannot be loaded: {told}", hint=_reinstalled(point)) from error
    if lacking := _lacking(group, part):
        raise ConfigError(f"{what} cannot be used: {lacking}", hint=_corrected(point))
    return part


def connect(group: str, name: str, kit: Kit) -> Any:
    """Return what the factory registered under that name makes of these settings.

    Raises:
        ConfigError: the plugin cannot be imported, or its factory failed.
        InputError: the settings are wrong.
    """
    make = load(group, name)
    try:
        return make(kit)
    except ProctorError:
        raise
    except Exception as error:  # third-party code may raise anything
        point = find(group, name)
        raise ConfigError(
            f"the {group.rstrip('s')} {name!r} of package {point.package} cannot be made: "
            f"{type(error).__name__}: {error}",
            hint=f"{point.value} raised this; look at the settings of {kit.name!r}",
        ) from error


def _lacking(group: str, part: Any) -> str:
    """Return what a part lacks of its group's protocol; empty if nothing."""
    if group not in _NEEDED:
        return ""
    missing = [f"no `{each}`" for each in _NEEDED[group] if not hasattr(part, each)]
    if not hasattr(part, "__dataclass_fields__"):
        missing.insert(0, "no fields, because it is not a dataclass")
    return f"it has {', '.join(missing)}" if missing else ""


def describe(group: str) -> list[RegisteredPart]:
    """Return every part of a group with the first line of its docstring, or the error of a broken plugin."""
    entries = []
    for name, points in sorted(_points(group).items()):
        for point in points:
            about, failure, hint = "", None, None
            try:
                part = point.load()
                about, failure = _first_line(part), _lacking(group, part) or None
                hint = _corrected(point) if failure else None
            except (Exception, SystemExit) as error:  # third-party code may raise anything; the list must still print
                failure, hint = f"{type(error).__name__}: {error}", _reinstalled(point)
            if len(points) > 1 and failure is None:
                failure, hint = _offered_twice(group, points), _ONE_ONLY
            entries.append(
                RegisteredPart(
                    name=name,
                    group=group,
                    package=point.package,
                    where=point.value,
                    about=about,
                    error=failure,
                    hint=hint,
                )
            )
    return entries


def _offered_twice(group: str, points: Sequence[EntryPoint]) -> str:
    offers = " and ".join(sorted(f"{point.value} ({point.package})" for point in points))
    return f"two packages offer the {group.rstrip('s')} {points[0].name!r}: {offers}"


def _reinstalled(point: EntryPoint) -> str:
    return f"reinstall {point.package}, or uninstall it"


def _corrected(point: EntryPoint) -> str:
    return f"correct {point.value} as docs/plugins.md shows"


def _first_line(part: Any) -> str:
    """Return the description of a part: its title if it has one, else the first line of its docstring."""
    title = getattr(part, "title", None)
    return title if isinstance(title, str) else (part.__doc__ or "").strip().partition("\n")[0]
