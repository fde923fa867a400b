"""Hold large matrices in an unnamed temporary file, so that their pages can leave memory once a session copied them."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["UnfoldedFile"]

Array = np.ndarray[Any, Any]


class UnfoldedFile:
    """Matrices of whole numbers over a file that is gone with the process.

    A session keeps a rearranged copy of its matrices and a reference to the originals. Those would double its memory;
    here they are pages of a file, which ``release`` gives back and which the system reads again should anybody ask.
    """

    def __init__(self, matrices: Iterable[Array]) -> None:
        shapes: list[tuple[int, ...]] = []
        with tempfile.TemporaryFile(prefix="proctor-") as file:
            for each in matrices:
                shapes.append(each.shape)
                file.write(each.tobytes())
            file.flush()
            self._pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        whole, at = np.frombuffer(self._pages, np.int8), 0
        self.arrays: list[Array] = []
        for shape in shapes:
            size = int(np.prod(shape))
            self.arrays.append(whole[at : at + size].reshape(shape))
            at += size

    def release(self) -> None:
        """Give the pages back to the system, where it can take them."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._pages.madvise(mmap.MADV_DONTNEED)
