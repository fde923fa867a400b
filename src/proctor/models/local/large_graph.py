"""The large network as ONNX operations: products in int8, everything between them in float32."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proctor.models.local.onnx_model import OnnxModel

__all__ = ["FINE_LAYERS", "LargeShape", "large_graph", "rotation"]

# The input of `down` has a few numbers there that are hundreds of times the others: eight bits for all lose 30 %.
FINE_LAYERS: Final = (1, 2, 3)
STEPS: Final = 127  # of a number in eight bits
FINE_STEPS: Final = 254  # of the rest that the first eight bits leave
ZERO: Final = 128

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeShape:
    """The sizes of the network."""

    width: int
    heads: int
    groups: int
    size: int  # of one head
    inner: int
    layers: int
    outputs: int
    theta: float
    epsilon: float


def rotation(shape: LargeShape, places: Array) -> tuple[Array, Array]:
    """Return the cosines and sines of some places of a line."""
    turn = shape.theta ** -(np.arange(0, shape.size, 2, dtype=np.float64) / shape.size)
    angle = np.tile(places.astype(np.float64)[:, None] * turn, 2)[:, None]
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def large_graph(shape: LargeShape, values: Mapping[str, Array]) -> bytes:
    """Return the model; the numbers of ``values`` are declared, and given to the session by name.

    It reads a part of a line, given what the parts before it left: keys and values of each layer, and the total of the
    states.
    """
    return _Graph(shape, values).model.written()


class _Graph:
    def __init__(self, shape: LargeShape, values: Mapping[str, Array]) -> None:
        self.model, self._shape = OnnxModel(), shape
        for name, value in values.items():
            self.model.external(name, value)
        own = self.model
        x = own.input("states", ["length", shape.width])
        self._cos = own.input("cos", ["length", 1, shape.size])
        self._sin = own.input("sin", ["length", 1, shape.size])
        self._hidden = own.input("hidden", ["length", "whole"])  # far below 0 where a token must not look
        for at in range(shape.layers):
            x = self._layer(x, f"layers.{at}", fine=at in FINE_LAYERS)
        x = self._norm(x, "norm")
        # At each mark as if the line ended there: the state, and the mean of all states up to it.
        marks, count = own.input("marks", ["marks"], np.int64), own.input("count", ["marks", 1])
        last = own.node("Gather", [x, marks], axis=0)
        before = own.input("total.before", [1, shape.width])
        total = own.node("Add", [own.node("CumSum", [x, own.constant(np.array(0, np.int64))]), before])
        own.node("Gather", [total, self._numbers(-1)], name="total", axis=0)
        own.output("total", [1, shape.width])
        mean = own.node("Div", [own.node("Gather", [total, marks], axis=0), count])
        both = own.node("Concat", [last, mean], axis=1)
        own.node("Gemm", [both, "head.weight", "head.bias"], name="outputs", transB=1)
        own.output("outputs", ["marks", shape.outputs])

    def _layer(self, x: str, name: str, *, fine: bool) -> str:
        own, shape = self.model, self._shape
        q, k, v = self._products(self._norm(x, f"{name}.before"), *(f"{name}.{each}" for each in "qkv"), biased=True)
        q = self._turned(own.node("Reshape", [q, self._numbers(0, shape.heads, shape.size)]))
        k = self._turned(own.node("Reshape", [k, self._numbers(0, shape.groups, shape.size)]))
        v = own.node("Reshape", [v, self._numbers(0, shape.groups, shape.size)])
        k, v = self._after_before(k, f"{name}.keys"), self._after_before(v, f"{name}.values")
        # All heads that share keys are one product.
        q = own.node("Transpose", [q], perm=[1, 0, 2])
        q = own.node("Reshape", [q, self._numbers(shape.groups, -1, shape.size)])
        near = own.node("MatMul", [q, own.node("Transpose", [k], perm=[0, 2, 1])])
        near = own.node("Mul", [near, own.constant(np.array(shape.size**-0.5, np.float32))])
        sides = own.node("Shape", [self._hidden])
        heads = own.node("Concat", [self._numbers(shape.heads), sides], axis=0)
        near = own.node("Add", [own.node("Reshape", [near, heads]), self._hidden])
        seen = own.node("Softmax", [near], axis=-1)
        rows = own.node(
            "Concat", [self._numbers(shape.groups, -1), own.node("Slice", [sides, *map(self._numbers, (1, 2))])], axis=0
        )
        seen = own.node("MatMul", [own.node("Reshape", [seen, rows]), v])
        line = own.node("Concat", [self._numbers(shape.heads, -1), self._numbers(shape.size)], axis=0)
        seen = own.node("Transpose", [own.node("Reshape", [seen, line])], perm=[1, 0, 2])
        seen = own.node("Reshape", [seen, self._numbers(0, shape.heads * shape.size)])
        x = own.node("Add", [x, self._row_product(seen, f"{name}.o")])
        gate, up = self._products(self._norm(x, f"{name}.between"), f"{name}.gate", f"{name}.up")
        inner = own.node("Mul", [own.node("QuickGelu", [gate], domain="com.microsoft", alpha=1.0), up])
        down = self._fine_product if fine else self._row_product
        return str(own.node("Add", [x, down(inner, f"{name}.down")]))

    def _after_before(self, y: str, name: str) -> str:
        """Keys or values of all heads after those of the part of the line before; also what the next part is given."""
        own, shape = self.model, self._shape
        before = own.input(f"{name}.before", [shape.groups, "before", shape.size])
        own.output(name, [shape.groups, "whole", shape.size])
        return str(own.node("Concat", [before, own.node("Transpose", [y], perm=[1, 0, 2])], name=name, axis=1))

    def _norm(self, x: str, name: str) -> str:
        return str(
            self.model.node("SimplifiedLayerNormalization", [x, name], axis=-1, epsilon=float(self._shape.epsilon))
        )

    def _turned(self, x: str) -> str:
        own, half = self.model, self._shape.size // 2
        one, two = own.node("Split", [x, self._numbers(half, half)], count=2, axis=2)
        turned = own.node("Concat", [own.node("Neg", [two]), one], axis=2)
        return str(own.node("Add", [own.node("Mul", [x, self._cos]), own.node("Mul", [turned, self._sin])]))

    def _products(self, x: str, *names: str, biased: bool = False) -> list[str]:
        """The products with an input in eight bits, one scale for all of it."""
        codes, scale, zero = self.model.node("DynamicQuantizeLinear", [x], count=3)
        found = []
        for name in names:
            inputs = [codes, name, scale, f"{name}.scale", zero, *(["", f"{name}.bias"] if biased else [])]
            found.append(str(self.model.node("MatMulIntegerToFloat", inputs, domain="com.microsoft")))
        return found

    def _row_product(self, x: str, name: str) -> str:
        """The product with an input whose rows are of very different size: each has a scale of its own."""
        own = self.model
        largest = self._largest(x)
        (product,) = self._products(own.node("Div", [x, largest]), name)
        return str(own.node("Mul", [product, largest]))

    def _largest(self, x: str) -> str:
        """The largest number of each row, which is not 0."""
        own = self.model
        largest = own.node("ReduceMax", [own.node("Abs", [x])], axes=[1], keepdims=1)
        return str(own.node("Max", [largest, own.constant(np.array(1e-20, np.float32))]))

    def _fine_product(self, x: str, name: str) -> str:
        """The product with each row of the input in sixteen bits: eight, and eight for what they leave."""
        own = self.model
        largest = self._largest(x)
        steps = own.constant(np.array(STEPS, np.float32))
        y = own.node("Mul", [own.node("Div", [x, largest]), steps])
        first = own.node("Round", [y])
        left = own.node("Mul", [own.node("Sub", [y, first]), own.constant(np.array(FINE_STEPS, np.float32))])
        both = own.node("Concat", [first, own.node("Round", [left])], axis=0)
        codes = own.node("Cast", [own.node("Add", [both, own.constant(np.array(ZERO, np.float32))])], to=2)
        sums = own.node("MatMulInteger", [codes, name, own.constant(np.array(ZERO, np.uint8))])
        one, two = own.node("Split", [own.node("Cast", [sums], to=1)], count=2, axis=0)
        two = own.node("Mul", [two, own.constant(np.array(1 / FINE_STEPS, np.float32))])
        scaled = own.node("Mul", [own.node("Add", [one, two]), own.node("Div", [largest, steps])])
        return str(own.node("Mul", [scaled, f"{name}.scale"]))

    def _numbers(self, *values: int) -> str:
        return self.model.constant(np.array(values, np.int64))
