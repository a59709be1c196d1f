#!/usr/bin/env python3
"""Compares data types, inference costs and ranges with the Python package qonnx.

Usage: qonnx_cost_test.py QONNX_COST

QONNX_COST is the program graft_qonnx_cost. The networks are the TFC nets below $GRAFT_TEST_DATA, as they are and as the
package's cleanup leaves them, and those of Table III of the QONNX paper with made-up weights, which the program writes.
Costs are the package's to the last digit, dense and with zeros discounted; data types are compared tensor by tensor,
ranges channel by channel.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.transformation.infer_datatypes import InferDataTypes
from qonnx.transformation.infer_shapes import InferShapes
from qonnx.util.cleanup import cleanup_model
from qonnx.util.inference_cost import inference_cost
from qonnx.util.range_analysis import range_analysis

NETWORKS = ["tfc_w1a2", "cnv_w2a2", "mobilenet_w4a4"]  # the others differ in bit widths alone
# Its layers take minutes in the package's range analysis, which runs each on whole tensors.
WITHOUT_RANGES = {"mobilenet_w4a4"}
INPUT_RANGE = (-1.0, 1.0)

onnxruntime.set_default_logger_severity(4)
failures = []


def check(what, is_right, *details):
    if not is_right:
        failures.append(what)
        print("FAILED:", what, *details)


def graft(program, path, *arguments):
    return json.loads(subprocess.run([program, path, *arguments], check=True, capture_output=True, text=True).stdout)


def costs(model, discount_sparsity):
    """The numbers of the package; a type of which there is nothing is left out."""
    total = inference_cost(ModelWrapper(model.model), discount_sparsity=discount_sparsity)["total_cost"]
    return {key: value for key, value in total.items() if isinstance(value, float) and value != 0}


def compare_costs(name, found, model):
    for is_sparse in (False, True):
        kind = "sparse" if is_sparse else "dense"
        own = {key: value for key, value in found[kind].items() if value != 0}
        expected = costs(model, is_sparse)
        is_equal = own.keys() == expected.keys() and all(
            abs(own[key] - value) <= 1e-9 * value for key, value in expected.items())
        check(f"{name}: the {kind} costs", is_equal, own, expected)
        print(f"{name}: {kind}: {own['total_macs']:.0f} MACs, {own['total_bops']:.0f} BOPs,"
              f" {own['total_mem_w_bits']:.0f} bits of weights")


def compare_types(name, found, model):
    typed = model.transform(InferShapes()).transform(InferDataTypes(allow_scaledint_dtypes=True))
    expected = {output: typed.get_tensor_datatype(output).name for node in typed.graph.node for output in node.output}
    differing = {output: (found["types"].get(output), dtype) for output, dtype in expected.items()
                 if found["types"].get(output) != dtype}
    check(f"{name}: the data types", not differing and found["types"], differing)


def compare_ranges(name, found, model):
    """The package folds constants first, and writes one range for a tensor whose channels are alike."""
    expected = range_analysis(ModelWrapper(model.model), irange=INPUT_RANGE, report_mode="range")
    compared = 0
    for tensor, ends in expected.items():
        if tensor not in found["ranges"]:
            continue
        for own, theirs in zip(found["ranges"][tensor], ends):
            own, theirs = np.broadcast_arrays(np.asarray(own, np.float64), np.asarray(theirs, np.float64))
            check(f"{name}: the range of {tensor}", np.allclose(own, theirs, rtol=1e-4, atol=1e-4), own, theirs)
        compared += 1
    check(f"{name}: ranges of most tensors", compared >= 10, compared)
    stuck = range_analysis(ModelWrapper(model.model), irange=INPUT_RANGE, report_mode="stuck_channel")
    theirs = {(tensor, int(channel)) for tensor, channels in stuck.items() for channel, _ in channels}
    own = {(tensor, channel) for tensor, channel, _ in found["stuck"]}
    check(f"{name}: stuck channels", theirs <= own, theirs - own)
    print(f"{name}: ranges of {compared} tensors, {len(theirs)} stuck channels, accumulators:",
          " ".join(found["accumulators"].values()))


def compare(program, name, path, folder):
    model = cleanup_model(ModelWrapper(str(path)))
    cleaned = folder / "cleaned.onnx"
    model.save(str(cleaned))
    compare_costs(name, graft(program, path), model)
    found = graft(program, cleaned, model.graph.input[0].name, *map(str, INPUT_RANGE))
    compare_costs(name + ", cleaned up", found, model)
    compare_types(name, found, ModelWrapper(str(cleaned)))
    if name not in WITHOUT_RANGES:
        compare_ranges(name, found, ModelWrapper(str(cleaned)))


def main():
    program = sys.argv[1]
    data = os.environ.get("GRAFT_TEST_DATA", "")
    files = sorted(pathlib.Path(data).glob("qonnx/TFC_*.onnx")) if data else []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in files:
            compare(program, path.stem, path, folder)
        for network in NETWORKS:
            path = folder / "network.onnx"
            subprocess.run([program, "--write", network, path], check=True)
            compare(program, network, path, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
