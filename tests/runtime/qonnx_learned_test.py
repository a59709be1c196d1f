#!/usr/bin/env python3
"""Runs nets of few bits, with learned rounding, in graft and in the Python package qonnx.

Usage: qonnx_learned_test.py GRAFT_QUANTIZE RUN_QONNX

Each Quant must give bit for bit what the package's own function gives for the same input. Sums of a Conv may be added
in another order, and so differ by some ulps, and a Quant behind it by a step: the outputs of whole nets are nearly
equal.
"""

import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

try:
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.custom_op.general.intquant import int_quant
    from qonnx.transformation.infer_shapes import InferShapes
except ImportError:
    print("skipped: there is no package qonnx")
    sys.exit(77)

warnings.simplefilter("ignore")  # of the package
random = np.random.default_rng(1)
SHAPE = (1, 4, 8, 8)
WIDTHS = (["--weight-bits", "4", "--activation-bits", "4"], ["--weight-bits", "3", "--activation-bits", "8"],
          ["--weight-bits", "2", "--activation-bits", "8"], ["--bops-at-most", "700000"])


def write_net(path):
    weights = {"v": (8, 4, 3, 3), "w": (8, 1, 3, 3), "u": (4, 8, 1, 1)}
    arrays = [numpy_helper.from_array(random.standard_normal(dims).astype(np.float32), name)
              for name, dims in weights.items()]
    nodes = [helper.make_node("Conv", ["x", "v"], ["a"], "first", pads=[1] * 4),
             helper.make_node("Relu", ["a"], ["r"], "relu"),
             helper.make_node("Conv", ["r", "w"], ["b"], "depthwise", pads=[1] * 4, group=8),
             helper.make_node("Relu", ["b"], ["s"], "other_relu"),
             helper.make_node("Conv", ["s", "u"], ["c"], "last"),
             helper.make_node("Add", ["c", "x"], ["y"], "sum")]
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in "xy"]
    graph = helper.make_graph(nodes, "net", info[:1], info[1:], arrays)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def compare(run_qonnx, path, folder, name):
    """The number of Quants, and whether each is exact and the output is near."""
    model = onnx.load(path)
    wrapper = ModelWrapper(str(path)).transform(InferShapes())
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    known = {output.name for output in model.graph.output}
    made = [output for node in model.graph.node for output in node.output]
    model.graph.output.extend(helper.make_empty_tensor_value_info(one) for one in made if one not in known)
    x = random.standard_normal(SHAPE).astype(np.float32)
    here = folder / name
    here.mkdir()
    onnx.save(model, here / "model.onnx")
    (here / "input_0.pb").write_bytes(numpy_helper.from_array(x).SerializeToString())
    subprocess.run([run_qonnx], input=f"{here}\n", text=True, check=True)
    if (here / "error.txt").exists():
        return [(here / "error.txt").read_text()]
    tensors = {"x": x} | constants
    for i, output in enumerate(model.graph.output):
        tensors[output.name] = numpy_helper.to_array(TensorProto.FromString((here / f"output_{i}.pb").read_bytes()))
    failures, quants, widths = [], 0, set()
    for node in model.graph.node:
        if node.op_type != "Quant":
            continue
        quants += 1
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        arguments = [tensors[one] for one in node.input]
        widths.add(float(arguments[3]))
        wanted = int_quant(*arguments, attributes["signed"], attributes["narrow"],
                           attributes["rounding_mode"].decode())
        if not np.array_equal(np.asarray(wanted, np.float32), tensors[node.output[0]]):
            failures.append(f"{name}: {node.output[0]} differs")
    theirs = execute_onnx(wrapper, {"x": x})["y"]
    if not np.allclose(theirs, tensors["y"], atol=1e-4) and np.mean((theirs - tensors["y"]) ** 2) > 1e-3 * theirs.var():
        failures.append(f"{name}: the outputs differ")
    print(f"{name}: {quants} Quants of {sorted(widths)} bits, {len(failures)} failures")
    return failures if quants >= 7 else failures + [f"{name}: {quants} Quants"]


def main():
    graft_quantize, run_qonnx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_net(folder / "net.onnx")
        samples = folder / "samples"
        samples.mkdir()
        for i in range(16):
            np.save(samples / f"{i:02}.npy", random.standard_normal(SHAPE).astype(np.float32))
        for number, widths in enumerate(WIDTHS):
            result = folder / f"quant{number}.onnx"
            subprocess.run([graft_quantize, folder / "net.onnx", "-o", result, "--calibration", samples, "--target",
                            "ort-cpu-x64", "--placement", "all-supported", "--format", "qonnx", "--reconstruct",
                            *widths], check=True, capture_output=True)
            failures += compare(run_qonnx, result, folder, "_".join(widths).replace("--", ""))
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
