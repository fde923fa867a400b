"""Whether a file that another file names lies where it may be read from; links are followed before that is decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proctor.core.errors import InputError, SuiteError

__all__ = ["FileBoundary", "project_around"]

_PROJECT_HOLDS = ("proctor.yaml", ".git")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBoundary:
    """The folder that files named by ``source`` must lie in. ``hint`` says how to lift it, where that is possible."""

    folder: Path
    source: str
    hint: str = "copy the file into this folder"
    lifted: bool = False
    error: type[InputError] = SuiteError

    def check(self, path: Path, field: str | None = None) -> Path:
        """The path, when it lies inside.

        Raises:
            InputError: of the class ``error``: it lies outside.
        """
        if self.lifted or self.holds(path):
            return path
        raise self.error(
            f"{path} is outside of {self.folder}, and is not read", file=self.source, field=field, hint=self.hint
        )

    def holds(self, path: Path) -> bool:
        """Whether the path lies inside, once every link in it was followed."""
        try:
            return path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError, ValueError):  # a loop of links, a zero byte
            return False


def project_around(folder: Path) -> Path:
    """The nearest folder above that is a project (it has a proctor.yaml or a .git); else the folder itself."""
    here = folder.absolute()
    around = (each for each in (here, *here.parents) if any((each / name).exists() for name in _PROJECT_HOLDS))
    return next(around, here)
