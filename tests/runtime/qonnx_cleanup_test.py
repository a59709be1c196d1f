#!/usr/bin/env python3
"""Cleans QONNX models up with graft and with the Python package qonnx, and runs both with the package.

Usage: qonnx_cleanup_test.py TIDY

TIDY is the program graft_qonnx_tidy. Models are those under $GRAFT_TEST_DATA/qonnx, and small convolutional ones that
are made here. Without the package the test is skipped.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

try:
    import qonnx.core.onnx_exec as package_exec
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.transformation.channels_last import ConvertToChannelsLastAndClean
    from qonnx.util.cleanup import cleanup_model
except ImportError:
    print("skipped: there is no package qonnx")
    sys.exit(77)

RANDOM = numpy.random.default_rng(7)
QONNX = "qonnx.custom_op.general"


class Tidy:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, pathlib.Path(folder), 0

    def __call__(self, model, *words):
        """The model after the passes; checked by ONNX, whose checker knows no other domain's operators."""
        self.count += 1
        given, out = (self.folder / f"{self.count}{name}.onnx" for name in ("", "_out"))
        onnx.save(model, given)
        done = subprocess.run([self.program, str(given), str(out), *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip())
        result = onnx.load(out)
        onnx.checker.check_model(result)
        return result


def shape_of(value):
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def inputs_of(model):
    known = {tensor.name for tensor in model.graph.initializer}
    return [given for given in model.graph.input if given.name not in known]


def run(model, *arrays):
    """What the package makes of the inputs, in the order of the outputs."""
    feeds = {given.name: array for given, array in zip(inputs_of(model), arrays)}
    outputs = package_exec.execute_onnx(ModelWrapper(model), feeds)
    return [outputs[output.name] for output in model.graph.output]


def operators(model):
    return collections.Counter(node.op_type for node in model.graph.node)


def check_same(case, expected, got, tolerance=0.0):
    assert len(expected) == len(got), case
    for one, other in zip(expected, got):
        numpy.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance, err_msg=case)


def check_names(case, model):
    """Every node and tensor is called as the package would call it, except the signature."""
    counts = collections.Counter()
    signature = {value.name for value in [*model.graph.input, *model.graph.output]}
    known = {tensor.name for tensor in model.graph.initializer}
    reads = collections.Counter(name for node in model.graph.node for name in node.input)
    for node in model.graph.node:
        assert node.name == f"{node.op_type}_{counts[node.op_type]}", f"{case}: {node.name}"
        counts[node.op_type] += 1
        for i, name in enumerate(node.output):
            assert name in signature or name == f"{node.name}_out{i}", f"{case}: {name}"
        parameters = [name for name in node.input if name in known]
        for i, name in enumerate(parameters):
            assert name == f"{node.name}_param{i}" and reads[name] == 1, f"{case}: {name}"


def check_zoo(tidy, path):
    model = onnx.load(path)
    case = path.name
    clean = tidy(model, "cleanup")
    by_package = cleanup_model(ModelWrapper(str(path))).model
    image = RANDOM.random(shape_of(inputs_of(by_package)[0]), dtype=numpy.float32)
    check_same(case, run(by_package, image), run(clean, image))
    assert operators(clean) == operators(by_package), f"{case}: {operators(clean)}, not {operators(by_package)}"
    assert [value.name for value in clean.graph.input] == [model.graph.input[0].name], case
    assert [value.name for value in clean.graph.output] == [value.name for value in model.graph.output], case
    check_names(case, clean)
    assert tidy(clean, "cleanup").SerializeToString() == clean.SerializeToString(), f"{case}: not idempotent"
    renamed = tidy(model, "cleanup_renamed")
    assert renamed.graph.input[0].name == "global_in" and renamed.graph.output[0].name == "global_out", case
    folded = tidy(model, "cleanup_folded")
    assert sum(operators(folded)[op] for op in ("Quant", "BipolarQuant")) == 4, f"{case}: {operators(folded)}"
    check_same(case, run(by_package, image), run(folded, image))
    for words in (["batch_norms_to_affine"], ["subs_to_adds", "divs_to_muls"], ["dequantize_down"]):
        check_same(f"{case} {words}", run(by_package, image), run(tidy(clean, *words, "cleanup"), image), 1e-4)
    print(case, dict(operators(clean)))


def constant(name, values):
    return numpy_helper.from_array(numpy.asarray(values, numpy.float32), name)


def quant(x, y, scale, bits=4):
    parameters = [constant(f"{y}_{what}", value) for what, value in (("scale", scale), ("zero", 0), ("bits", bits))]
    names = [tensor.name for tensor in parameters]
    return helper.make_node("Quant", [x, *names], [y], domain=QONNX, signed=1, narrow=0,
                            rounding_mode="ROUND"), parameters


def window(kernel, pad):
    """All attributes of a Conv: the package knows no defaults."""
    return {"kernel_shape": [kernel] * 2, "pads": [pad] * 4, "strides": [1, 1], "dilations": [1, 1], "group": 1}


def convolutional():
    """A residual block of quantized convolutions, a pool and a classifier."""
    nodes, constants = [], []

    def add(node, parameters=()):
        nodes.append(node)
        constants.extend(parameters)

    def weight(name, dims, scale):
        constants.append(constant(name, RANDOM.normal(size=dims)))
        add(*quant(name, f"{name}_q", scale))

    add(*quant("x", "xq", 0.25))
    weight("w0", (4, 2, 3, 3), RANDOM.uniform(0.1, 0.5, (4, 1, 1, 1)))
    add(helper.make_node("Conv", ["xq", "w0_q"], ["c0"], **window(3, 1)))
    for name in ("gamma", "beta", "mean"):
        constants.append(constant(name, RANDOM.normal(size=4)))
    constants.append(constant("variance", RANDOM.uniform(0.5, 2, 4)))
    add(helper.make_node("BatchNormalization", ["c0", "gamma", "beta", "mean", "variance"], ["n0"]))
    add(helper.make_node("Relu", ["n0"], ["r0"]))
    add(*quant("r0", "q0", 0.125))
    weight("w1", (4, 4, 1, 1), 0.25)
    add(helper.make_node("Conv", ["q0", "w1_q"], ["c1"], **window(1, 0)))
    add(helper.make_node("Add", ["c1", "q0"], ["s1"]))
    add(helper.make_node("MaxPool", ["s1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4))
    add(*quant("p1", "q1", 0.5))
    add(helper.make_node("Flatten", ["q1"], ["f1"]))
    weight("w2", (36, 5), 0.25)
    add(helper.make_node("MatMul", ["f1", "w2_q"], ["y"]))
    graph = helper.make_graph(nodes, "block", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 6, 6])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], constants)
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid(QONNX, 1)])


def check_channels_last(tidy):
    clean = tidy(convolutional(), "cleanup")
    image = RANDOM.normal(size=(1, 2, 6, 6)).astype(numpy.float32)
    expected = run(clean, image)
    last = tidy(clean, "to_channels_last", "cleanup")
    check_same("to_channels_last", expected, run(last, image), 1e-4)
    by_package = ModelWrapper(clean).transform(ConvertToChannelsLastAndClean()).model
    ours, theirs = operators(last), operators(by_package)
    assert ours["Transpose"] <= theirs["Transpose"], f"{ours}, not {theirs}"
    ours.pop("Transpose"), theirs.pop("Transpose")
    assert ours == theirs, f"{ours}, not {theirs}"
    down = tidy(clean, "dequantize_down", "cleanup")
    check_same("dequantize_down", expected, run(down, image), 1e-4)
    for node in down.graph.node:
        if node.op_type == "Quant":
            scale = [t for t in down.graph.initializer if t.name == node.input[1]][0]
            assert numpy.all(numpy_helper.to_array(scale) == 1), node.name


def check_pruning(tidy):
    """The package needs weights without quantizers."""
    folded = tidy(convolutional(), "cleanup_folded")
    convs = [node for node in folded.graph.node if node.op_type == "Conv"]
    image = RANDOM.normal(size=(1, 2, 6, 6)).astype(numpy.float32)
    weight = convs[0].input[1]
    ours = tidy(tidy(folded, "prune", weight, 1, 3), "cleanup")
    shapes = {tensor.name: list(tensor.dims) for tensor in ours.graph.initializer}
    assert sorted(dims for dims in shapes.values() if len(dims) == 4) == [[2, 2, 1, 1], [2, 2, 3, 3]], shapes
    assert [18, 5] in shapes.values(), shapes
    # What is gone counts as 0 where it is read.
    zeroed = onnx.ModelProto()
    zeroed.CopyFrom(folded)
    for tensor in zeroed.graph.initializer:
        values = numpy_helper.to_array(tensor).copy()
        if tensor.name == convs[1].input[1]:
            values[:, [1, 3]] = 0
        elif list(values.shape) == [36, 5]:
            values.reshape(4, 9, 5)[[1, 3]] = 0
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    check_same("prune", run(zeroed, image), run(ours, image), 1e-4)


def main():
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "qonnx"
    with tempfile.TemporaryDirectory() as folder:
        tidy = Tidy(sys.argv[1], folder)
        for path in sorted(data.glob("*.onnx")):
            check_zoo(tidy, path)
        check_channels_last(tidy)
        check_pruning(tidy)


if __name__ == "__main__":
    main()
