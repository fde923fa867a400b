"""Write a small ONNX model as bytes, without the onnx package: nodes, constants, and initializers given elsewhere."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

__all__ = ["OnnxModel"]

IR_VERSION: Final = 8
OPSETS: Final = {"": 17, "com.microsoft": 1}
TYPES: Final = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
TEXT_TYPE, INTEGER_TYPE, FLOAT_TYPE, INTEGERS_TYPE = 3, 2, 1, 7  # of an attribute
EXTERNAL: Final = 1

Array = np.ndarray[Any, Any]
Attribute = int | float | str | Sequence[int]


class OnnxModel:
    """A model that is built node by node; the names of the values are chosen by the caller."""

    def __init__(self) -> None:
        self._graph = bytearray()
        self._count = 0

    def input(self, name: str, sides: Sequence[int | str], kind: type[np.generic] = np.float32) -> str:
        """Add an input; a side that is a text may have any length."""
        self._graph += _message(11, _value(name, sides, kind))
        return name

    def output(self, name: str, sides: Sequence[int | str]) -> None:
        """Name a value of float32 that the model returns."""
        self._graph += _message(12, _value(name, sides, np.float32))

    def constant(self, value: Array) -> str:
        """Add a small constant and return its name."""
        name = self._name("constant")
        shape = b"".join(_integer(1, side) for side in value.shape)
        kind = _integer(2, TYPES[value.dtype])
        self._graph += _message(5, shape + kind + _text(8, name) + _message(9, value.tobytes()))
        return name

    def external(self, name: str, value: Array) -> str:
        """Declare an initializer of that shape and type, whose numbers the session is given by name."""
        shape = b"".join(_integer(1, side) for side in value.shape)
        place = _message(13, _text(1, "location") + _text(2, "given-to-the-session"))
        self._graph += _message(
            5, shape + _integer(2, TYPES[value.dtype]) + _text(8, name) + place + _integer(14, EXTERNAL)
        )
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        *,
        count: int = 1,
        name: str | None = None,
        domain: str = "",
        **options: Any,
    ) -> Any:
        """Add an operation and return the name of its output, or the names of its outputs if there are several."""
        outputs = [name] if name else [self._name(kind) for _ in range(count)]
        written = b"".join(_text(1, each) for each in inputs) + b"".join(_text(2, each) for each in outputs)
        written += _text(3, outputs[0]) + _text(4, kind) + _text(7, domain)
        written += b"".join(_message(5, _attribute(key, value)) for key, value in options.items())
        self._graph += _message(1, written)
        return outputs[0] if count == 1 else outputs

    def written(self) -> bytes:
        """Return the model."""
        opsets = b"".join(_message(8, _text(1, domain) + _integer(2, version)) for domain, version in OPSETS.items())
        return _integer(1, IR_VERSION) + _message(7, bytes(self._graph) + _text(2, "large")) + opsets

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as their complement
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _attribute(name: str, value: Attribute) -> bytes:
    start = _text(1, name)
    if isinstance(value, int):
        return start + _integer(3, value) + _integer(20, INTEGER_TYPE)
    if isinstance(value, float):
        return start + _varint(2 << 3 | 5) + struct.pack("<f", value) + _integer(20, FLOAT_TYPE)
    if isinstance(value, str):
        return start + _text(4, value) + _integer(20, TEXT_TYPE)
    return start + b"".join(_integer(8, each) for each in value) + _integer(20, INTEGERS_TYPE)


def _value(name: str, sides: Sequence[int | str], number: type[np.generic]) -> bytes:
    shape = b"".join(_message(1, _text(2, side) if isinstance(side, str) else _integer(1, side)) for side in sides)
    kind = _integer(1, TYPES[np.dtype(number)]) + _message(2, shape)
    return _text(1, name) + _message(2, _message(1, kind))
