#!/usr/bin/env python3
"""Compares graft's executor with ONNX Runtime on whole models.

Usage: evaluate_test.py RUN_MODEL [MODEL ...]

RUN_MODEL is the program graft_run_model. Without models, those below $GRAFT_TEST_DATA are taken, all that ONNX Runtime
loads, and the onnx package's light_* models with random weights. Fails where
an output is further from the runtime's than the tolerance of its dtype, as a fraction of its largest magnitude; where
one of the two refuses inputs and the other does not; and where no inputs were found that both take.

Integers are equal. They could be a step apart where a number to be rounded lies within a float's precision of the
middle between two integers, and then all that follows would be moved. For those ties graft rounds floats in the order
of the runtime's kernels: QLinearConv, QLinearMatMul and QLinearGlobalAveragePool multiply the sum by one float, the
quotient of the scales; QLinearAdd takes the steps of the runtime's kernel for AVX2. Every tensor that a QLinear
operator makes is compared, not the outputs alone.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import light_models
import numpy as np
import onnx
import sessions
from onnx import numpy_helper

SKIPPED = 77
TOLERANCES = {np.dtype(np.float32): 1e-4, np.dtype(np.float16): 5e-3}  # two runtimes round float16 at different places
REFUSED = float("inf")

# What is fed. A dim that is not given, or that this table does not name, is first of one extent, then of the other.
EXTENTS = 1, 3
DIMS = {"x": 128, "input_dim_2": 30}
# Standard deviations that the nets were trained for, where it is not 1; images of digits go to 255.
DEVIATIONS = {"mnist.onnx": 100, "squeezenet.onnx": 60, "squeezenet_fp16.onnx": 60}
# How many values indices may have; where this table does not name the input, integers of more than 8 bits are 0 or 1.
INDICES = {"input_ids": 99, "token_type_ids": 2, "x1": 100, "x2": 100, "x3": 100}
# Whose inputs are all of dims that do not fit.
NEVER_RUN = {"reshape_fusion_multiple_values_in_initializer_tensor_1.onnx": "neither reshapes 6000 elements to 4000",
             **{f"embed_layer_norm_format{i}.onnx": "neither splits a width of 3 into 12 heads" for i in (1, 2, 4)}}

# Whose Attention ONNX Runtime 1.24 refuses: a mask that is broadcast along the queries.
REFUSED_BY_RUNTIME = {"bert2_sdpa_erf_dyn23.onnx"}


def random_inputs(model, session, extent, deviation):
    """One array for each input that the session needs, the same on every run."""
    random = np.random.default_rng(extent)
    types = {value.name: value.type.tensor_type for value in model.graph.input}
    arrays = []
    for value in session.get_inputs():
        dims = [dim.dim_value or DIMS.get(dim.dim_param, extent) for dim in types[value.name].shape.dim]
        dims = [extent if dim < 0 else dim for dim in dims]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(types[value.name].elem_type)
        if dtype.kind == "f":
            array = random.standard_normal(dims) * deviation
        else:
            array = random.integers(0, 256 if dtype.itemsize == 1 else INDICES.get(value.name, 2), dims)
        arrays.append(np.asarray(array, dtype))
    return arrays


def distance(ours, theirs):
    """The largest difference over the largest magnitude, in tolerances of the dtype."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return REFUSED
    if theirs.size == 0:
        return 0.0
    tolerance = TOLERANCES.get(theirs.dtype, 1e-30)
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    difference = np.max(np.where(same, 0, np.abs(ours - theirs)))
    return float(difference / max(np.max(np.abs(theirs)), 1e-30) / tolerance) if difference > 0 else float(difference)


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
    sums = (w.reshape(24, 96).astype(int) - 126) @ (x.reshape(96, 64).astype(int) - 120)
    exact = np.clip(np.rint(sums / 2048) + 110, 0, 255).reshape(1, 24, 8, 8)
    return bool((start(model.SerializeToString()).run(None, {"x": x})[0] != exact).any())


def with_signed_weights(model):
    """The same integers for the runtime: weights and zero points of QLinearConv, 128 less."""
    convs = [node for node in model.graph.node if node.op_type == "QLinearConv"]
    unsigned = {name for node in convs for name in (node.input[3], node.input[5])}
    for tensor in model.graph.initializer:
        if tensor.name in unsigned and tensor.data_type == onnx.TensorProto.UINT8:
            array = (numpy_helper.to_array(tensor).astype(np.int16) - 128).astype(np.int8)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def start(model):
    return sessions.session(model, optimize=False)


def expose(model):
    """Makes what QLinear operators make outputs too. Whether there is any."""
    outputs = {value.name for value in model.graph.output}
    inner = [node.output[0] for node in model.graph.node if node.op_type.startswith("QLinear")]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner if name not in outputs)
    return bool(inner)


def read_outputs(folder, count):
    """What the program has left there; None if it failed."""
    paths = [folder / f"graft_{i}.pb" for i in range(count)]
    if not all(path.exists() for path in paths):
        return None
    return [numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes())) for path in paths]


def compare(program, path, folder, signed_weights):
    """(the largest distance in tolerances, what there is to say); None for the distance if the model is left out."""
    model = onnx.load(path, load_external_data=False)
    source = str(path)
    if expose(model):
        path = folder / path.name
        onnx.save(model, path)
        if signed_weights:
            with_signed_weights(model)
        source = model.SerializeToString()
    try:
        session = start(source)
    except Exception as error:  # the runtime's own exceptions have no common base
        return None, f"ONNX Runtime does not load it: {str(error).splitlines()[0]}"
    rounds = []
    for extent in EXTENTS:
        arrays = random_inputs(model, session, extent, DEVIATIONS.get(path.name, 1))
        try:
            theirs = session.run(None, {value.name: array for value, array in zip(session.get_inputs(), arrays)})
        except Exception:
            theirs = None
        rounds.append((folder / str(extent), theirs))
        rounds[-1][0].mkdir()
        for i, array in enumerate(arrays):
            (rounds[-1][0] / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    run = subprocess.run([program, path, *(place for place, _ in rounds)], stderr=subprocess.PIPE, text=True)
    distances = []
    for place, theirs in rounds:
        ours = read_outputs(place, len(session.get_outputs()))
        if theirs is None and path.name in REFUSED_BY_RUNTIME:
            continue
        if (ours is None) != (theirs is None):
            return REFUSED, run.stderr.strip() if ours is None else "ONNX Runtime refuses what graft takes"
        if ours is not None:
            distances += map(distance, ours, theirs)
    if path.name in NEVER_RUN:
        return (REFUSED if distances else 0.0), NEVER_RUN[path.name]
    return max(distances, default=REFUSED), "" if distances else "neither takes the inputs"


def paths_below(folder):
    """Except the models that show faults: some no runtime loads, or no memory holds. Other tests have them."""
    return sorted(path for path in pathlib.Path(folder).rglob("*.onnx") if not {"faults", "reports"} & {*path.parts})


def main():
    program, *paths = sys.argv[1:]
    light = []
    if not paths:
        data = os.environ.get("GRAFT_TEST_DATA")
        if not data or not pathlib.Path(data).is_dir():
            print("skipped: there is no test data")
            return SKIPPED
        paths = paths_below(data)
        light = paths_below(light_models.FOLDER)
    failed = compared = 0
    signed_weights = miscomputes_unsigned_weights()
    if signed_weights:
        print("ONNX Runtime gets signed weights: it miscomputes QLinearConv of unsigned ones on this processor")
    for path in [*map(pathlib.Path, paths), *light]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            name = path.name
            if path in light:
                path = light_models.write(path, folder)
            largest, message = compare(program, path, folder, signed_weights)
        if largest is None:
            print(f"left out  {name}: {message}")
            continue
        compared += 1
        failed += not largest <= 1
        verdict = "ok" if largest <= 1 else "FAILED"
        print(f"{verdict:8}  {name}: {largest:.2g} of the tolerance {message}".rstrip())
    print(f"{compared} compared, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
