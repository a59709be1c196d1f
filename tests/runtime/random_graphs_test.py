#!/usr/bin/env python3
"""Loads random graphs into ONNX Runtime: they are valid, and graft computes what it computes.

Usage: random_graphs_test.py FUZZ

FUZZ is the program fuzz_rules, which writes the graphs, inputs, and what graft makes of them. Fails for a graph that
onnx.checker or ONNX Runtime refuses, unless it lacks a kernel, and where an output is more than 1e-3 off, relative to
the largest of it. Elements that differ where an operator jumps, and those of other dtypes than ONNX Runtime computes
in, are what fuzz_rules leaves out.
"""

import concurrent.futures
import concurrent.futures.process
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

COUNT = 400
NOT_THERE = ("NOT_IMPLEMENTED", "Could not find an implementation", "is not a registered function/op",
             "No corresponding Numpy type",  # of bfloat16
             "OrtValue indexes should have been populated")  # a graph of constants alone


def read(path):
    return numpy_helper.to_array(onnx.load_tensor(str(path)))


def difference(wanted, got):
    if wanted.dtype != got.dtype or wanted.shape != got.shape:
        return f"is {got.dtype}{list(got.shape)}, was {wanted.dtype}{list(wanted.shape)}"
    if not wanted.size or wanted.dtype.kind in "biu":
        return "" if (wanted == got).all() else "is of other integers"
    a, b = wanted.astype(np.float64), got.astype(np.float64)
    if not np.isfinite(a).all():
        return ""  # sums in another order overflow elsewhere
    most = (1e-2 if wanted.dtype.itemsize == 2 else 1e-3) * max(1.0, np.abs(a).max())
    return "" if np.abs(a - b).max() <= most else f"is {np.abs(a - b).max()} off"


def is_runtimes_own(model, name, got):
    """Whether the runtime leaves the standard: NonZero of a scalar is [1, n] there, as in numpy; a Gemm that sums over
    nothing takes no beta; Resize aligns corners by the extent that is made, not by the product of extent and scale."""
    node = next(node for node in model.graph.node if name in node.output)
    if node.op_type == "NonZero":
        return got.shape[0] == 1
    if node.op_type == "Resize":
        has_scales = len(node.input) > 2 and node.input[2] != ""
        return has_scales and any(attribute.s == b"align_corners" for attribute in node.attribute)
    empty = {tensor.name for tensor in model.graph.initializer if 0 in tensor.dims}
    return node.op_type == "Gemm" and not empty.isdisjoint(node.input)


def check(folder):
    """What is wrong with a graph; None if ONNX Runtime has no kernel for it."""
    model = onnx.load(folder / "model.onnx")
    try:
        if all(node.op_type != "SimplifiedLayerNormalization" for node in model.graph.node):  # the runtime's own
            onnx.checker.check_model(model)
    except Exception as error:  # the checker's errors have no common class
        return f"onnx.checker: {error}"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        feeds = {value.name: read(folder / f"input_{i}.pb") for i, value in enumerate(session.get_inputs())}
        results = session.run(None, feeds)
    except Exception as error:
        return None if any(text in str(error) for text in NOT_THERE) else f"ONNX Runtime: {error}"
    for i, got in enumerate(results):
        name = session.get_outputs()[i].name
        text = difference(got, read(folder / f"output_{i}.pb"))
        if text and not is_runtimes_own(model, name, got):
            return f"output {name} {text}"
    return ""


def check_all(folders):
    """What is wrong with each graph, by its name. The runtime may crash: another process goes on with the next one."""
    found = {}
    while len(found) < len(folders):
        left = [folder for folder in folders if folder.name not in found]
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            try:
                for folder, text in zip(left, pool.map(check, left)):
                    found[folder.name] = text
            except concurrent.futures.process.BrokenProcessPool:
                crashed = next(folder.name for folder in left if folder.name not in found)
                print(f"random_graph({crashed}): ONNX Runtime crashes")
                found[crashed] = None
    return found


def main(fuzz):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fuzz, "--write", folder, "--count", str(COUNT)], check=True)
        found = check_all(sorted(pathlib.Path(folder).iterdir()))
    wrong = {name: text for name, text in found.items() if text}
    without = sum(text is None for text in found.values())
    for name, text in wrong.items():
        print(f"random_graph({name}): {text}")
    print(f"{len(found)} graphs, {without} without a kernel, {len(wrong)} wrong")
    return 1 if wrong or without > len(found) / 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
