"""Reads the weights of a shipped ONNX file back into float, by the names they had in training; needs numpy alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["state_of"]

GRAPH, NODE, TENSOR = 7, 1, 5  # fields of ModelProto and GraphProto
KINDS = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64}

Array = np.ndarray[Any, Any]


def state_of(file: Path) -> dict[str, Array]:
    """Every trained weight of the network in float32; a quantised product is multiplied by its scales."""
    nodes, tensors = _graph(memoryview(file.read_bytes()))
    found = {name: value for name, value in tensors.items() if name.endswith((".weight", ".bias"))}
    for name, value in tensors.items():
        if name.endswith(".weight_quantized"):  # a head, which kept its name
            found[name.removesuffix("_quantized")] = _whole(tensors, name.removesuffix("_quantized"), value).T
    made = {output: inputs for inputs, outputs in nodes for output in outputs}
    for inputs, _ in nodes:
        bias = next((name for name in inputs if name.endswith(".bias")), None)
        product = next((name for name in inputs if "MatMul_output" in name), None)
        if bias is None or product is None:
            continue
        source = _weight(product, made, tensors)
        if source is not None:
            found[bias.removesuffix("bias") + "weight"] = source.T
    return found


def _weight(product: str, made: dict[str, list[str]], tensors: dict[str, Array]) -> Array | None:
    """The matrix of a product: the first one on the way back from its output."""
    waiting, seen = [product], set[str]()
    while waiting:
        name = waiting.pop(0)
        for each in made.get(name, ()):
            if each in tensors and tensors[each].ndim == 2:
                base = each.removesuffix("_quantized")
                return _whole(tensors, base, tensors[each]) if each.endswith("_quantized") else tensors[each]
            if each not in seen and ("MatMul" in each or "cast" in each):
                seen.add(each)
                waiting.append(each)
    return None


def _whole(tensors: dict[str, Array], base: str, kept: Array) -> Array:
    zero, scale = tensors[f"{base}_zero_point"], tensors[f"{base}_scale"]
    found: Array = (kept.astype(np.float32) - zero.astype(np.float32)) * scale
    return found


def _graph(content: memoryview) -> tuple[list[tuple[list[str], list[str]]], dict[str, Array]]:
    graph = next(value for number, value in _fields(content) if number == GRAPH)
    nodes: list[tuple[list[str], list[str]]] = []
    tensors: dict[str, Array] = {}
    for number, value in _fields(graph):
        if number == NODE:
            parts = list(_fields(value))
            nodes.append(([_text(v) for n, v in parts if n == 1], [_text(v) for n, v in parts if n == 2]))
        elif number == TENSOR:
            name, tensor = _tensor(list(_fields(value)))
            tensors[name] = tensor
    return nodes, tensors


def _tensor(parts: list[tuple[int, Any]]) -> tuple[str, Array]:
    shape = [value for number, value in parts if number == 1]
    kind = KINDS[next(value for number, value in parts if number == 2)]
    name = next(_text(value) for number, value in parts if number == 8)
    for number, value in parts:
        if number == 9:
            return name, np.frombuffer(value, kind).reshape(shape)
        if number == 4:
            return name, np.frombuffer(value, np.float32).reshape(shape)
    packed = next((value for number, value in parts if number in (5, 7)), b"")
    numbers, at = [], 0
    while at < len(packed):
        one, at = _varint(packed, at)
        numbers.append(one - 2**64 if one >= 2**63 else one)
    return name, np.array(numbers, kind).reshape(shape)


def _fields(content: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a message of protocol buffers: number and value."""
    at = 0
    while at < len(content):
        key, at = _varint(content, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _varint(content, at)
        else:
            size = 8 if kind == 1 else 4
        yield key >> 3, content[at : at + size]
        at += size


def _varint(content: memoryview | bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _text(value: memoryview) -> str:
    return bytes(value).decode()
