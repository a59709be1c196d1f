#!/usr/bin/env python3
"""Compares graft's executor with ONNX Runtime on whole models.

Usage: evaluate_test.py RUN_MODEL [MODEL ...]

RUN_MODEL is the program graft_run_model. Without models, those of $GRAFT_TEST_DATA/models are taken, and the graphs for
graph transformations that ONNX Runtime itself runs. Fails where an output is further from the runtime's than the
tolerance, as a fraction of its largest magnitude.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

SKIPPED = 77
TOLERANCE = 1e-4
HALF_TOLERANCE = 5e-3  # two runtimes round float16 at different places
QUANTIZED_TOLERANCE = 0.05  # a rounding that falls the other way moves what comes after by steps
SYMBOL = 1  # the extent of a dim that is not given

# Outputs that are not to be compared.
LEFT_OUT = {
    "dropout.onnx": "the mask of Dropout, which no one defines at inference",
}


def random_inputs(model, session):
    """One array for each input that the session wants fed, the same on every run."""
    random = np.random.default_rng(0)
    types = {value.name: value.type.tensor_type for value in model.graph.input}
    arrays = []
    for value in session.get_inputs():
        dims = [dim.dim_value if dim.dim_value > 0 else SYMBOL for dim in types[value.name].shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(types[value.name].elem_type)
        array = random.standard_normal(dims) if dtype.kind == "f" else random.integers(0, 2, dims)
        arrays.append(np.asarray(array, dtype))
    return arrays


def distance(ours, theirs):
    """The largest difference over the largest magnitude."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return float("inf")
    if theirs.size == 0:
        return 0.0
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    difference = np.max(np.where(same, 0, np.abs(ours - theirs)))
    return float(difference / max(np.max(np.abs(theirs)), 1e-30)) if difference > 0 else float(difference)


def miscomputes_unsigned_weights():
    """Whether the runtime is wrong about a QLinearConv of unsigned weights, as 1.24.4 is on processors with AMX."""
    random = np.random.default_rng(0)
    x = random.integers(0, 256, (1, 96, 8, 8), np.uint8)
    w = random.integers(0, 256, (24, 96, 1, 1), np.uint8)
    parameters = {"x_scale": np.float32(1), "x_zero_point": np.uint8(120), "w": w, "w_scale": np.float32(1),
                  "w_zero_point": np.uint8(126), "y_scale": np.float32(2048), "y_zero_point": np.uint8(110)}
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("QLinearConv", ["x", *parameters], ["y"])], "probe",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, x.shape)],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.UINT8, [1, 24, 8, 8])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in parameters.items()])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    sums = (w.reshape(24, 96).astype(int) - 126) @ (x.reshape(96, 64).astype(int) - 120)
    exact = np.clip(np.rint(sums / 2048) + 110, 0, 255).reshape(1, 24, 8, 8)
    return bool((session.run(None, {"x": x})[0] != exact).any())


def has_unsigned_weights(path):
    graph = onnx.load(path, load_external_data=False).graph
    unsigned = {tensor.name for tensor in graph.initializer if tensor.data_type == onnx.TensorProto.UINT8}
    return any(node.op_type == "QLinearConv" and node.input[3] in unsigned for node in graph.node)


def compare(program, path):
    """(the largest distance or None, what there is to say)"""
    model = onnx.load(path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        arrays = random_inputs(model, session)
        expected = session.run(None, {value.name: array for value, array in zip(session.get_inputs(), arrays)})
    except Exception as error:  # the runtime's own exceptions have no common base
        return None, f"ONNX Runtime does not run it: {str(error).splitlines()[0][:80]}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for i, array in enumerate(arrays):
            (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
        result = subprocess.run([program, str(path), str(folder)], capture_output=True, text=True)
        if result.returncode != 0:
            return float("inf"), result.stderr.strip()
        distances = []
        for i, theirs in enumerate(expected):
            proto = onnx.TensorProto()
            proto.ParseFromString((folder / f"graft_{i}.pb").read_bytes())
            distances.append(distance(numpy_helper.to_array(proto), theirs))
    return max(distances), ""


def tolerance(path):
    graph = onnx.load(path, load_external_data=False).graph
    types = {tensor.data_type for tensor in graph.initializer} | {v.type.tensor_type.elem_type for v in graph.input}
    if any(node.op_type.startswith("QLinear") for node in graph.node):
        return QUANTIZED_TOLERANCE
    return HALF_TOLERANCE if onnx.TensorProto.FLOAT16 in types else TOLERANCE


def main():
    program, *paths = sys.argv[1:]
    required = True
    if not paths:
        data = os.environ.get("GRAFT_TEST_DATA")
        if not data or not pathlib.Path(data).is_dir():
            print("skipped: there is no test data")
            return SKIPPED
        required = False
        paths = [*sorted(pathlib.Path(data, "models").glob("*.onnx")),
                 *sorted(pathlib.Path(data, "fixtures/transform").rglob("*.onnx"))]
    failed = compared = 0
    runtime_is_wrong = miscomputes_unsigned_weights()
    for path in map(pathlib.Path, paths):
        if not required and path.name in LEFT_OUT:
            print(f"left out  {path.name}: {LEFT_OUT[path.name]}")
            continue
        if runtime_is_wrong and has_unsigned_weights(path):
            print(f"left out  {path.name}: ONNX Runtime miscomputes QLinearConv of unsigned weights on this processor")
            continue
        largest, message = compare(program, path)
        if largest is None and path.parent.name != "models":
            print(f"left out  {path.name}: {message}")
            continue
        compared += 1
        good = largest is not None and largest <= tolerance(path)
        failed += not good
        print(f"{'ok      ' if good else 'FAILED  '}  {path.name}: {largest} {message}")
    print(f"{compared} compared, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
