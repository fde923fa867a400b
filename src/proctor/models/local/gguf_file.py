"""Read tensors of a GGUF file as float32, with numpy alone: single, in four or in six bits a weight."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from proctor.core.errors import StoreError

__all__ = ["GgufFile"]

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
ALIGNMENT: Final = 32  # bytes, unless the file names another
MAX_DIMENSIONS: Final = 4
STRING, ARRAY = 8, 9
SCALARS: Final = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
HINT: Final = "use the file that `proctor models add` fetches"

Array = np.ndarray[Any, Any]


def _flat(weights: Array) -> Array:
    return weights.reshape(-1)


def _single(raw: Array) -> Array:
    whole: Array = raw.view(np.float32)
    return whole


def _four_bits(raw: Array) -> Array:
    """Unfold blocks of Q4_K: 144 bytes for 256 weights."""
    blocks = raw.reshape(-1, 144)
    scale, least = (blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32) for at in (0, 2))
    low, middle, high = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    factor = np.concatenate([low & 63, (high & 15) | ((low >> 6) << 4)], 1).astype(np.float32)
    offset = np.concatenate([middle & 63, (high >> 4) | ((middle >> 6) << 4)], 1).astype(np.float32)
    nibbles = blocks[:, 16:].reshape(-1, 4, 32)
    weights = np.stack([nibbles & 15, nibbles >> 4], 2).reshape(-1, 8, 32).astype(np.float32)
    weights *= (scale * factor)[:, :, None]
    weights -= (least * offset)[:, :, None]
    return _flat(weights)


def _six_bits(raw: Array) -> Array:
    """Unfold blocks of Q6_K: 210 bytes for 256 weights."""
    blocks = raw.reshape(-1, 210)
    low, high = blocks[:, :128].reshape(-1, 2, 64), blocks[:, 128:192].reshape(-1, 2, 1, 32)
    factor = blocks[:, 192:208].copy().view(np.int8).astype(np.float32)
    scale = blocks[:, 208:210].copy().view(np.float16).astype(np.float32)
    nibbles = np.stack([low & 15, low >> 4], 2).reshape(-1, 2, 4, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    weights = (nibbles | (((high >> shifts) & 3) << 4)).astype(np.float32).reshape(-1, 16, 16)
    weights -= 32
    weights *= (scale * factor)[:, :, None]
    return _flat(weights)


@dataclass(frozen=True, slots=True)
class _Form:
    """How weights are packed: so many of them in so many bytes."""

    weights: int
    size: int
    unfold: Callable[[Array], Array]


FORMS: Final[Mapping[int, _Form]] = {
    0: _Form(1, 4, _single),
    12: _Form(256, 144, _four_bits),
    14: _Form(256, 210, _six_bits),
}


@dataclass(frozen=True, slots=True)
class _Tensor:
    """Where a tensor lies; ``shape`` is rows first, as numpy has it."""

    shape: tuple[int, ...]
    form: int
    offset: int


class GgufFile:
    """A GGUF file, open for reading: its fields, and its tensors as float32. Use it as a context manager.

    Raises:
        StoreError: it is no GGUF file, is cut off, or a tensor is missing or packed in a way that is not read here.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise StoreError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
        except ValueError:
            raise StoreError("the file is empty", file=str(path), hint=HINT) from None
        self._at = 0
        try:
            self.fields, self._tensors, self._start = self._header()
        except (struct.error, KeyError, UnicodeDecodeError, OverflowError, ValueError) as broken:
            self._pages.close()
            raise self._error(f"the GGUF file cannot be read: {broken}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pages.close()

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the sides of a tensor, rows first."""
        return self._found(name).shape

    def tensor(self, name: str) -> Array:
        """Return a tensor as float32."""
        found = self._found(name)
        return self._unfolded(name, found, 0, int(np.prod(found.shape))).reshape(found.shape)

    def rows(self, name: str, numbers: Sequence[int]) -> Array:
        """Return some rows of a matrix as float32, in that order."""
        found = self._found(name)
        if len(found.shape) != 2:
            raise self._error(f"{name} is no matrix")
        many, width = found.shape
        if min(numbers, default=0) < 0 or max(numbers, default=0) >= many:
            raise self._error(f"{name} has {many} rows, fewer than are asked for")
        return np.stack([self._unfolded(name, found, number * width, width) for number in numbers])

    def _unfolded(self, name: str, found: _Tensor, first: int, count: int) -> Array:
        form = FORMS.get(found.form)
        if form is None:
            raise self._error(f"{name} is packed in form {found.form}, which is not read here")
        if first % form.weights or count % form.weights:
            raise self._error(f"{name} has rows that end within a block")
        start = self._start + found.offset + first // form.weights * form.size
        end = start + count // form.weights * form.size
        if end > len(self._pages):
            raise self._error(f"the file ends before {name} does")
        # A copy: a view into the map would keep it open.
        return form.unfold(np.frombuffer(self._pages[start:end], np.uint8))

    def _found(self, name: str) -> _Tensor:
        if name not in self._tensors:
            raise self._error(f"there is no tensor {name}")
        return self._tensors[name]

    def _error(self, what: str) -> StoreError:
        return StoreError(what, file=str(self.path), hint=HINT)

    def _header(self) -> tuple[dict[str, Any], dict[str, _Tensor], int]:
        if self._pages[:4] != MAGIC:
            raise ValueError("it does not begin with GGUF")
        self._at = 4
        version, tensors, fields = self._scalar("<I"), self._scalar("<Q"), self._scalar("<Q")
        if version not in VERSIONS:
            raise ValueError(f"version {version} is not known")
        found: dict[str, Any] = {}
        for _ in range(fields):
            name = self._string()
            found[name] = self._value(self._scalar("<I"))
        places: dict[str, _Tensor] = {}
        for _ in range(tensors):
            name, dimensions = self._string(), self._scalar("<I")
            if dimensions > MAX_DIMENSIONS:
                raise ValueError(f"{name} has {dimensions} dimensions")
            shape = tuple(self._scalar("<Q") for _ in range(dimensions))
            places[name] = _Tensor(shape[::-1], self._scalar("<I"), self._scalar("<Q"))
        step = int(found.get("general.alignment", ALIGNMENT))
        return found, places, -(-self._at // step) * step

    def _scalar(self, form: str) -> Any:
        (value,) = struct.unpack_from(form, self._pages, self._at)
        self._at += struct.calcsize(form)
        return value

    def _string(self) -> str:
        size = self._scalar("<Q")
        if self._at + size > len(self._pages):
            raise ValueError("a text goes beyond the end of the file")
        self._at += size
        return self._pages[self._at - size : self._at].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == STRING:
            return self._string()
        if kind != ARRAY:
            return self._scalar(SCALARS[kind])
        inner, count = self._scalar("<I"), self._scalar("<Q")
        if inner not in SCALARS:
            return [self._value(inner) for _ in range(count)]
        form = SCALARS[inner]
        end = self._at + count * struct.calcsize(form)
        if end > len(self._pages):
            raise ValueError("a list goes beyond the end of the file")
        values = np.frombuffer(self._pages[self._at : end], np.dtype(form)).tolist()
        self._at = end
        return values
