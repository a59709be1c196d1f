#!/usr/bin/env python3
"""Compares what ONNX Runtime computes of converted models with what the Python package qonnx computes of QONNX.

Usage: qonnx_convert_test.py CONVERT_QONNX

CONVERT_QONNX is the program graft_convert_qonnx. Fails where values differ at all, where a node is left that was to be
converted, where the runtime or onnx.checker refuses a model, or where an import of QONNX's domain is left. The runtime
does not optimize: it computes node by node, as qonnx does.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import sessions

try:
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes
except ImportError:
    print("skipped: there is no package qonnx")
    sys.exit(77)

warnings.filterwarnings("ignore", module="qonnx")  # of shapes that were not declared
DOMAIN = "qonnx.custom_op.general"
ALIASES = (DOMAIN, "onnx.brevitas", "finn.custom_op.general")
MODES = ("ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN")
random = np.random.default_rng(0)


class Net:
    """Nodes, constants and inputs on their way to a model."""

    def __init__(self, opset):
        self.opset, self.nodes, self.constants, self.inputs, self.outputs = opset, [], [], [], []
        self.feeds = {}

    def input(self, name, array):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape))
        self.feeds[name] = array
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, *inputs, domain="", **attributes):
        names = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, names, [name], domain=domain, name=f"n{len(self.nodes)}", **attributes))
        return name

    def quant(self, x, scale=1.0, zero_point=0.0, bits=4.0, signed=True, narrow=False, mode="ROUND", op="Quant"):
        numbers = [np.asarray(n, np.float32) for n in (scale, zero_point, bits)]
        return self.node(op, x, *numbers, domain=DOMAIN, signed=int(signed), narrow=int(narrow), rounding_mode=mode)

    def output(self, name, rank):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank))

    def model(self):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(DOMAIN, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def by_qonnx(model, feeds):
    """As the package computes it, which needs all shapes."""
    wrapper = ModelWrapper(onnx.ModelProto.FromString(model.SerializeToString())).transform(InferShapes())
    results = execute_onnx(wrapper, dict(feeds))
    return [results[output.name] for output in model.graph.output]


def by_runtime(model, feeds):
    return sessions.session(model.SerializeToString(), optimize=False).run(None, feeds)


def ops(model):
    return [node.op_type for node in model.graph.node]


class Converter:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def __call__(self, model, *steps):
        """The converted model, which is valid, and what was printed."""
        source, result = self.folder / "model.onnx", self.folder / "result.onnx"
        onnx.save(model, source)
        done = subprocess.run([self.program, source, result, *steps], check=True, capture_output=True, text=True)
        converted = onnx.load(result)
        onnx.checker.check_model(converted, full_check=True)
        used = {node.domain for node in converted.graph.node}
        imported = {opset.domain for opset in converted.opset_import}
        assert not (imported - used) & set(ALIASES), f"{imported} imported, {used} used\n{done.stdout}"
        return converted, done.stdout


def same(what, given, wanted):
    for i, (a, b) in enumerate(zip(given, wanted, strict=True)):
        assert a.shape == b.shape, f"{what}: output {i} has shape {a.shape}, not {b.shape}"
        if not np.array_equal(a, b):
            at = np.argwhere(a != b)[0]
            raise AssertionError(f"{what}: output {i} differs at {np.sum(a != b)} of {a.size} places, "
                                 f"first at {at}: {a[tuple(at)]} instead of {b[tuple(at)]}")


def grid(scale, dims):
    """Numbers from below the range of 8 bits to above it, ties among them."""
    steps = random.integers(-1200, 1200, dims) / 4
    steps = np.where(random.random(dims) < 0.3, steps + random.standard_normal(dims), steps)
    return (steps * np.float32(scale)).astype(np.float32)


def scales(dims):
    """A scale for the whole tensor, or for each index of some axis, in one of the shapes that broadcast."""
    axis = random.integers(-1, len(dims))
    if axis < 0:
        return np.float32(random.choice([0.25, 0.1, 1.0, 3.0]))
    shape = [1] * len(dims)
    shape[axis] = dims[axis]
    shape = shape[random.integers(0, axis + 1):]
    return (2.0 ** random.integers(-3, 2, shape) * random.choice([1.0, 0.7])).astype(np.float32)


def random_quants(convert, exact):
    """exact: what QCDQ expresses; else what is lowered to floats."""
    for case in range(40):
        dims = (2, 3, 4, 5)[:random.integers(1, 5)]
        net = Net(opset=int(random.choice([13, 17])))
        chosen = {
            "scale": scales(dims),
            "bits": float(random.choice([2, 3, 4, 5, 7, 8, 7.5, 3.3, 5.7])),
            "signed": bool(random.integers(2)), "narrow": bool(random.integers(2)),
            "op": str(random.choice(["Quant", "IntQuant"]))}
        if not exact:
            chosen |= {"mode": str(random.choice(MODES[1:])), "zero_point": float(random.choice([0, 1, -3, 0.5]))}
        x = net.input("x", grid(np.max(chosen["scale"]), dims))
        net.output(net.quant(x, **chosen), len(dims))
        model = net.model()
        converted, text = convert(model, "quant_to_qcdq" if exact else "quant_to_qcdq=lower_rest")
        assert DOMAIN not in {node.domain for node in converted.graph.node}, f"{chosen}\n{text}"
        assert ("QuantizeLinear" in ops(converted)) == exact, f"{chosen}\n{text}"
        wanted = by_qonnx(model, net.feeds)
        same(f"{chosen} of {dims}", by_runtime(converted, net.feeds), wanted)
        if exact:
            back, _ = convert(converted, "qdq_to_quant")
            assert ops(back) == ["Quant"], ops(back)
            same(f"{chosen}, there and back", by_qonnx(back, net.feeds), wanted)
            if chosen["bits"] == int(chosen["bits"]):
                same("the bit width", [numpy_helper.to_array(t) for t in back.graph.initializer
                                       if t.name == back.graph.node[0].input[3]], [np.float32(chosen["bits"])])
        apart, _ = convert(model, "extract_quant_scale_zero_point")
        assert np.all(chosen["scale"] == 1) or len(ops(apart)) > 1
        same(f"{chosen}, extracted", by_qonnx(apart, net.feeds), wanted)


def random_constants(convert):
    for case in range(30):
        dims = (3, 4, 2, 5)[:random.integers(1, 5)]
        net = Net(opset=13)
        x = net.input("x", grid(1, dims))
        chosen = {
            "scale": scales(dims), "mode": str(random.choice(MODES)),
            "zero_point": float(random.choice([0, 0, 3])),
            "bits": float(random.choice([1, 2, 4, 8, 6.5, 12, 16])),
            "signed": bool(random.integers(2)), "narrow": bool(random.integers(2))}
        w = grid(np.max(chosen["scale"]), dims)
        net.output(net.node("Add", x, net.quant(w, **chosen)), len(dims))
        model = net.model()
        wanted = by_qonnx(model, net.feeds)
        for steps in (["quant_to_qcdq"], ["quant_to_qdq"], ["quant_to_qcdq=clip_constants"],
                      ["raise_opset=21", "quant_to_qcdq=narrow_types"],
                      ["raise_opset=25", "quant_to_qcdq=narrow_types"]):
            converted, text = convert(model, *steps)
            assert "QuantizeLinear" not in ops(converted) and "DequantizeLinear" in ops(converted), text
            same(f"{chosen} of a constant, {steps}", by_runtime(converted, net.feeds), wanted)
            if steps == ["raise_opset=25", "quant_to_qcdq=narrow_types"] and chosen["bits"] == 2:
                assert TensorProto.INT2 in {t.data_type for t in converted.graph.initializer} or not chosen["signed"] \
                    or chosen["zero_point"], text
            back, _ = convert(converted, "qdq_to_quant")
            assert "DequantizeLinear" not in ops(back)
            same(f"{chosen} of a constant, {steps}, there and back", by_qonnx(back, net.feeds), wanted)


def narrow_types(convert):
    for bits, opset in ((4, 21), (4, 25), (2, 25), (16, 21)):
        for signed in (True, False):
            net = Net(opset=13)
            x = net.input("x", grid(0.1, (50,)) * (100 if bits == 16 else 1))
            net.output(net.quant(x, 0.1, bits=bits, signed=signed), 1)
            model = net.model()
            converted, text = convert(model, f"raise_opset={opset}", "quant_to_qcdq=narrow_types")
            assert ops(converted) == ["QuantizeLinear", "DequantizeLinear"], text
            wanted = by_qonnx(model, net.feeds)
            same(f"{bits} bits in opset {opset}", by_runtime(converted, net.feeds), wanted)
            back, _ = convert(converted, "qdq_to_quant")
            same(f"{bits} bits in opset {opset}, there and back", by_qonnx(back, net.feeds), wanted)


def bipolar(convert):
    net = Net(opset=13)
    x = net.input("x", grid(1, (4, 6)))
    a = net.node("BipolarQuant", x, np.float32(0.3), domain=DOMAIN)
    b = net.node("BipolarQuant", grid(1, (6, 5)), np.full((1, 5), 0.7, np.float32), domain=DOMAIN)
    net.output(net.node("MatMul", a, b), 2)
    net.output(net.quant(x, 0.5, 1.0, 1), 2)
    net.output(net.quant(net.node("Sub", x, np.float32(1)), 0.5, 0.0, 1, signed=False), 2)
    model = net.model()
    converted, text = convert(model, "quant_to_qcdq=lower_rest")
    assert ops(converted).count("Where") == 2 and ops(converted).count("DequantizeLinear") == 2, text
    same("1 bit", by_runtime(converted, net.feeds), by_qonnx(model, net.feeds))


def random_truncs(convert):
    """Of both versions, every mode, in float operators."""
    for case in range(28):
        net = Net(opset=13)
        x, mode = net.input("x", grid(0.25, (3, 4, 5)) * np.float32(16)), MODES[case % 7]
        scale = np.float32(0.25) if case % 3 else random.choice([0.25, 0.5], (4, 1)).astype(np.float32)
        zero_point, in_bits, out_bits = (np.float32(random.choice(each)) for each in ([0, 1, 4], [8, 10.5], [3, 4, 6]))
        parameters, attributes, version = [scale, zero_point, in_bits], {"rounding_mode": mode}, 1 + case % 2
        if version == 2:
            parameters.append(np.asarray(scale * np.float32(random.choice([1, 4, 16, 3.1])), np.float32))
            attributes |= {"signed": int(random.integers(2)), "narrow": int(random.integers(2))}
        net.output(net.node("Trunc", x, *parameters, out_bits, domain=DOMAIN, **attributes), 3)
        model = net.model()
        model.opset_import[1].version = version
        converted, text = convert(model, "quant_to_qcdq=lower_rest")
        assert DOMAIN not in {node.domain for node in converted.graph.node}, text
        same(f"Trunc {version}, {parameters}, {attributes}", by_runtime(converted, net.feeds),
             by_qonnx(model, net.feeds))


def random_float_quants(convert):
    """Formats, modes and overflows in float operators. Away from where the package rounds its logarithm."""
    formats = [(4, 3, 7, 448), (5, 2, 15, 57344), (4, 3, 8, np.inf), (2, 1, 1, np.inf), (8, 7, 127, 1e38),
               (3, 4, 0, 20)]
    saturating = {"saturation": 1, "has_inf": 0, "has_nan": 0, "has_subnormal": 1}
    overflows = [saturating | each for each in ({}, {"saturation": 0, "has_inf": 1}, {"saturation": 0, "has_nan": 1})]
    for case in range(len(formats) * len(MODES)):
        net = Net(opset=13)
        scale = np.float32(0.3) if case % 2 else random.choice([0.25, 0.7], (4, 1)).astype(np.float32)
        x = np.ldexp(random.standard_normal((3, 4, 50)), random.integers(-20, 20, (3, 4, 50))).astype(np.float32)
        x[0, 0, :8] = [0, 1, 448, 57344, 3e37, -3e37, 1e-38, -1e-44]
        magnitude = np.abs(x / scale) + np.finfo(np.float32).tiny
        x = np.where(np.floor(np.log2(magnitude)) == np.frexp(magnitude)[1] - 1, x, 1).astype(np.float32)
        numbers = [np.float32(number) for number in formats[case % len(formats)]]
        attributes = {"rounding_mode": MODES[case % 7]} | overflows[case % 3]
        net.output(net.node("FloatQuant", net.input("x", x), scale, *numbers, domain=DOMAIN, **attributes), 3)
        model = net.model()
        converted, text = convert(model, "quant_to_qcdq=lower_rest")
        assert DOMAIN not in {node.domain for node in converted.graph.node}, text
        (given,), (wanted,) = by_runtime(converted, net.feeds), by_qonnx(model, net.feeds)
        np.testing.assert_array_equal(given, wanted, f"FloatQuant of {numbers}, {attributes}")


def even_zero_points(convert):
    """Away from ties, which a zero point would move where float32 rounds the sum."""
    for zero_point in (2.0, 128.0, -128.0):
        net = Net(opset=13)
        x = net.input("x", (np.round(grid(1, (500,)) * 4) / 4 + np.float32(0.125)).astype(np.float32))
        net.output(net.quant(x, 1.0, zero_point, 8, signed=zero_point < 0), 1)
        model = net.model()
        converted, text = convert(model, "quant_to_qcdq")
        assert ops(converted) == ["QuantizeLinear", "DequantizeLinear"] and "its zero point is not 0" in text, text
        same(f"zero point {zero_point}", by_runtime(converted, net.feeds), by_qonnx(model, net.feeds))


def conv_net(convert):
    """Weights for each channel, biases of 16 bits, activations between: a QONNX net as exporters write it."""
    net = Net(opset=11)
    x = net.quant(net.input("x", grid(0.05, (2, 3, 9, 9))), 0.05, bits=8)
    channels = 3
    for width, bits in ((8, 4), (5, 3), (6, 2)):
        w = net.quant(random.standard_normal((width, channels, 3, 3)).astype(np.float32),
                      random.uniform(0.1, 0.5, (width, 1, 1, 1)), bits=bits, narrow=True)
        b = net.quant(random.standard_normal(width).astype(np.float32), 0.001, bits=16)
        x = net.node("Relu", net.node("Conv", x, w, b, pads=[1, 1, 1, 1], strides=[2, 2]))
        x = net.quant(x, random.uniform(0.05, 0.5, (1, width, 1, 1)) if bits != 2 else 0.1, bits=bits, signed=False)
        channels = width
    net.output(net.node("Flatten", x), 2)
    model = net.model()
    wanted = by_qonnx(model, net.feeds)
    converted, text = convert(model, "raise_opset=13", "quant_to_qcdq")
    assert text.rstrip().endswith("QCDQ"), text
    assert DOMAIN not in {node.domain for node in converted.graph.node}, text
    assert {TensorProto.INT8, TensorProto.INT32} <= {t.data_type for t in converted.graph.initializer}
    same("a net of Convs", by_runtime(converted, net.feeds), wanted)
    back, text = convert(converted, "qdq_to_quant=least_bits_of_constants")
    assert ops(back).count("Quant") == ops(model).count("Quant") and text.rstrip().endswith("QONNX"), text
    same("a net of Convs, there and back", by_qonnx(back, net.feeds), wanted)


def asymmetric_qdq(convert):
    """A QDQ model that was never QONNX: odd zero points of uint8, away from ties, and weights of all codes."""
    net = Net(opset=13)
    x = net.input("x", (np.round(grid(1, (7, 6)) * 2) / 2 + np.float32(0.125)).astype(np.float32))
    pair = (np.float32(1.0), np.uint8(117))
    x = net.node("DequantizeLinear", net.node("QuantizeLinear", x, *pair), *pair)
    w = net.node("DequantizeLinear", random.integers(0, 256, (6, 5)).astype(np.uint8),
                 random.uniform(0.1, 1, 5).astype(np.float32), random.integers(0, 256, 5).astype(np.uint8), axis=1)
    b = net.node("DequantizeLinear", random.integers(-2**31, 2**31, 5).astype(np.int32), np.float32(1e-7))
    net.output(net.node("Add", net.node("MatMul", x, w), b), 2)
    model = net.model()
    converted, text = convert(model, "qdq_to_quant")
    assert ops(converted).count("Quant") == 3 and "DequantizeLinear" not in ops(converted), text
    same("asymmetric QDQ", by_qonnx(converted, net.feeds), by_runtime(model, net.feeds))
    back, text = convert(converted, "quant_to_qcdq=any_zero_point")
    assert ops(back).count("DequantizeLinear") == 3, text
    same("asymmetric QDQ, there and back", by_runtime(back, net.feeds), by_runtime(model, net.feeds))


def published_nets(convert):
    folder = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "qonnx"
    for path in sorted(folder.glob("*.onnx")):
        model = onnx.load(path)
        (name,) = {i.name for i in model.graph.input} - {i.name for i in model.graph.initializer}
        feeds = {name: random.random((1, 1, 28, 28)).astype(np.float32)}
        wanted = by_qonnx(model, feeds)
        converted, text = convert(model, "freeze_inputs", "raise_opset=13", "quant_to_qcdq=lower_rest")
        assert set(ALIASES).isdisjoint(node.domain for node in converted.graph.node), text
        same(path.name, by_runtime(converted, feeds), wanted)
        back, text = convert(converted, "qdq_to_quant")
        assert "DequantizeLinear" not in ops(back), text
        same(f"{path.name}, there and back", by_qonnx(back, feeds), wanted)
        print(f"{path.name}: {ops(model).count('Quant') + ops(model).count('BipolarQuant')} Quants, "
              f"{ops(converted).count('QuantizeLinear')} QuantizeLinear, "
              f"{ops(converted).count('DequantizeLinear')} DequantizeLinear, {ops(converted).count('Where')} Where")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        convert = Converter(program, folder)
        random_quants(convert, exact=True)
        random_quants(convert, exact=False)
        random_constants(convert)
        narrow_types(convert)
        bipolar(convert)
        random_truncs(convert)
        random_float_quants(convert)
        even_zero_points(convert)
        conv_net(convert)
        asymmetric_qdq(convert)
        published_nets(convert)


if __name__ == "__main__":
    main(*sys.argv[1:])
