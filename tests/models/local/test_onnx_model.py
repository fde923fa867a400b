"""A model that is written without the onnx package runs in onnxruntime."""

from __future__ import annotations

import numpy as np
import onnxruntime

from proctor.models.local.onnx_model import OnnxModel


def test_a_model_with_every_kind_of_part_runs() -> None:
    model = OnnxModel()
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = model.input("x", ["rows", 2])
    picked = model.input("picked", ["many"], np.int64)
    y = model.node("MatMul", [x, model.external("weight", weight)])
    y = model.node("LeakyRelu", [y], alpha=0.25)
    left, right = model.node("Split", [y, model.constant(np.array([1, 2], np.int64))], count=2, axis=1)
    y = model.node("Concat", [right, left], axis=-1)  # a negative number
    y = model.node("Transpose", [model.node("Gather", [y, picked], axis=0)], perm=[1, 0])
    model.node("QuickGelu", [y], name="found", domain="com.microsoft", alpha=1.0)
    model.output("found", [3, "many"])
    options = onnxruntime.SessionOptions()
    options.add_external_initializers(["weight"], [onnxruntime.OrtValue.ortvalue_from_numpy(weight)])
    session = onnxruntime.InferenceSession(model.written(), options, providers=["CPUExecutionProvider"])
    given = np.array([[1, -2], [3, 4], [-1, 0]], np.float32)
    (found,) = session.run(["found"], {"x": given, "picked": np.array([2, 0])})
    wanted = given @ weight
    wanted = np.where(wanted < 0, 0.25 * wanted, wanted)[[2, 0]][:, [1, 2, 0]].T
    assert np.allclose(found, wanted / (1 + np.exp(-wanted)), atol=1e-5)
    assert session.get_inputs()[0].shape == ["rows", 2]
