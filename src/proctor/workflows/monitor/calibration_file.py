"""Read the mapping that an agent uses."""

from __future__ import annotations

from pathlib import Path

from proctor.calibration import CalibrationMap, load
from proctor.core.errors import InputError, NotFoundError

__all__ = ["read_mapping"]


def read_mapping(path: Path) -> CalibrationMap:
    """Return the mapping of a file.

    Raises:
        NotFoundError: there is no such file.
        InputError: it is not a calibration file.
    """
    try:
        return load(path)
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path after --mapping") from None
    except (OSError, ValueError) as error:
        raise InputError(str(error), hint="`proctor calibrate fit -o calibration.json` writes one") from None
