"""Check that a file named by another file is inside an allowed folder, after resolving links."""

from __future__ import annotations

from pathlib import Path

from proctor.core.errors import InputError, SuiteError
from proctor.core.record import dataclass

__all__ = ["FileBoundary", "project_around"]

_PROJECT_HOLDS = ("proctor.yaml", ".git")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBoundary:
    """The folder that files named by ``source`` must be in. ``hint`` states how to lift it, if possible."""

    folder: Path
    source: str
    hint: str = "copy the file into this folder"
    lifted: bool = False
    error: type[InputError] = SuiteError

    def check(self, path: Path, field: str | None = None) -> Path:
        """Return the path if it is inside.

        Raises:
            InputError: of the class ``error``: it is outside.
        """
        if self.lifted or self.holds(path):
            return path
        raise self.error(
            f"{path} is outside of {self.folder}, and is not read", file=self.source, field=field, hint=self.hint
        )

    def holds(self, path: Path) -> bool:
        """Return whether the path is inside, after resolving every link."""
        try:
            return path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError, ValueError):  # a loop of links, a zero byte
            return False


def project_around(folder: Path) -> Path:
    """Return the nearest parent folder that is a project (with a proctor.yaml or a .git); else the folder itself."""
    here = folder.absolute()
    around = (each for each in (here, *here.parents) if any((each / name).exists() for name in _PROJECT_HOLDS))
    return next(around, here)
