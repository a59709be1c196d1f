#!/usr/bin/env python3
"""Features of different units against ONNX Runtime: models that bring them to one scale in front of the first product,
or have that folded into its weight, quantized in every mode.

Usage: scaled_inputs_test.py GRAFT_QUANTIZE

The runtime computes the quantized model as near to the float one as its own quantizers do, and as near as the same
model over features of one unit.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from sessions import session

failures = []
SAMPLES = 12
MODES = {
    "default": ["--calibration"],
    "fast": ["--fast", "--calibration"],
    "all supported": ["--fast", "--placement", "all-supported", "--calibration"],
    "dynamic": ["--dynamic"],
    "8 bits": ["--weight-only", "8"],
    "4 bits": ["--weight-only", "4"],
}


def model(nodes, constants, dims, opset=17):
    result = [None] * len(dims)
    graph = helper.make_graph(
        nodes,
        "scaled",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
        [numpy_helper.from_array(numpy.asarray(value, numpy.float32), name) for name, value in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(made)
    return made


class Net:
    """Layers over features, or channels, of different units."""

    def __init__(self, units, means, extents):
        self.random = numpy.random.default_rng(5)
        self.units, self.means = numpy.asarray(units, float), numpy.asarray(means, float)
        self.features, self.extents = len(units), extents
        self.constants, self.nodes = {}, []

    def along(self, values):
        return numpy.reshape(values, [self.features] + [1] * len(self.extents))

    def normal(self, *dims, fan=1.0):
        return self.random.standard_normal(dims) / numpy.sqrt(fan)

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def front(self, kind):
        self.constants.update(unit=self.along(self.units), mean=self.along(self.means))
        if kind == "div":
            return self.add("Div", [self.add("Sub", ["x", "mean"], "centred"), "unit"], "front")
        if kind == "mul":
            self.constants["unit"] = self.along(1 / self.units)
            return self.add("Mul", [self.add("Sub", ["x", "mean"], "centred"), "unit"], "front")
        if kind == "normalization":
            flat = dict(scale=numpy.ones(self.features), bias=0.1 * self.normal(self.features))
            self.constants.update(flat, mean=self.means, unit=self.units**2)
            return self.add("BatchNormalization", ["x", "scale", "bias", "mean", "unit"], "front")
        return "x"

    def layer(self, x, inputs, outputs, name, pads):
        kernel = [3] * len(self.extents)
        weight = self.normal(outputs, inputs, *kernel, fan=inputs * numpy.prod(kernel))
        if x == "x":  # folded
            weight /= numpy.reshape(self.units, [1, inputs] + [1] * len(kernel))
        bias = 0.1 * self.normal(outputs)
        self.constants.update({name + "_b": bias, name + "_w": weight if kernel else weight.T})
        if kernel:
            padding = [1 if pads else 0] * (2 * len(kernel))
            return self.add("Conv", [x, name + "_w", name + "_b"], name, pads=padding)
        return self.add("Gemm", [x, name + "_w", name + "_b"], name)

    def build(self, kind, pads=False, widths=(48, 48, 8)):
        value, inputs = self.front(kind), self.features
        for i, outputs in enumerate(widths):
            last = i + 1 == len(widths)
            value = self.layer(value, inputs, outputs, "y" if last else f"layer{i}", pads or i > 0)
            value, inputs = value if last else self.add("Relu", [value], f"active{i}"), outputs
        rows = 1 if self.extents else 32
        used = {name for node in self.nodes for name in node.input}
        constants = {name: value for name, value in self.constants.items() if name in used}
        return model(self.nodes, constants, [rows if self.extents else None, self.features, *self.extents])

    def samples(self):
        rows = 1 if self.extents else 32
        draw = lambda: self.random.standard_normal((rows, self.features, *self.extents))  # noqa: E731
        values = (self.along(self.means) + self.along(self.units) * draw() for _ in range(SAMPLES))
        return [value.astype(numpy.float32) for value in values]


def cosine(exact, rounded):
    a, b = (numpy.concatenate([part.ravel() for part in parts]).astype(float) for parts in (exact, rounded))
    return float(a @ b / numpy.linalg.norm(a) / numpy.linalg.norm(b)) if numpy.isfinite(b).all() else 0.0


def results(path, samples):
    loaded = session(str(path))
    return [loaded.run(None, {"x": x})[0] for x in samples]


class Reader(CalibrationDataReader):
    def __init__(self, samples):
        self.feeds = iter([{"x": x} for x in samples])

    def get_next(self):
        return next(self.feeds, None)


def of_the_runtime(path, samples, folder):
    """What its own quantizers reach with samples, and without."""
    made = folder / "own.onnx"
    quantize_dynamic(path, made, weight_type=QuantType.QInt8, per_channel=True)
    dynamic = cosine(results(path, samples), results(made, samples))
    quantize_static(path, made, Reader(samples), quant_format=QuantFormat.QDQ, per_channel=True)
    return cosine(results(path, samples), results(made, samples)), dynamic


def check_net(program, name, net, kind, pads, least, folder):
    path, data, made = folder / "model.onnx", folder / name, folder / "quantized.onnx"
    onnx.save(net.build(kind, pads), path)
    samples = net.samples()
    for i, x in enumerate(samples):
        (data / f"test_data_set_{i}").mkdir(parents=True)
        (data / f"test_data_set_{i}" / "input_0.pb").write_bytes(numpy_helper.from_array(x, "x").SerializeToString())
    exact = results(path, samples)
    static, dynamic = of_the_runtime(path, samples, folder)
    for mode, options in MODES.items():
        given = [*options, data] if options[-1] == "--calibration" else options
        subprocess.run([program, path, "-o", made, *given], check=True, capture_output=True)
        reached = cosine(exact, results(made, samples))
        own = static if options[-1] == "--calibration" else dynamic if mode == "dynamic" else 0
        bound = max(own - 0.001, least if mode != "4 bits" else 0.98)
        if not reached >= bound:
            failures.append(name)
            print(f"FAIL {name}, {mode}: cosine {reached:.4f}, expected {bound:.4f}")


def main():
    program = sys.argv[1]
    units = numpy.logspace(-3, 4, 24)[numpy.random.default_rng(1).permutation(24)]
    bins = numpy.exp(numpy.random.default_rng(2).normal(0, 1.5, 40))
    none = numpy.zeros(24)
    cases = {
        "a table, Sub and Div": (Net(units, 5 * units, []), "div", False),
        "a table, Sub and Mul": (Net(units, none, []), "mul", False),
        "a table, BatchNormalization": (Net(units, -3 * units, []), "normalization", False),
        "a table, folded": (Net(units, none, []), "folded", False),
        "a table, offsets": (Net(numpy.ones(8), [300, 2020, 0, -40, 1000, 7, 1, 0], []), "div", False),
        "bins, BatchNormalization": (Net(bins, bins - 6, [48]), "normalization", False),
        "bins, BatchNormalization, padded": (Net(bins, bins - 6, [48]), "normalization", True),
        "channels, BatchNormalization": (Net(units[:16], none[:16], [16, 16]), "normalization", False),
        "channels, Mul, padded": (Net(units[:16], none[:16], [16, 16]), "mul", True),
        "channels, folded": (Net(units[:16], none[:16], [16, 16]), "folded", True),
        "an image": (Net([58.4, 57.1, 57.4], [123.7, 116.3, 103.5], [24, 24]), "div", False),
        "an image, padded": (Net([58.4, 57.1, 57.4], [123.7, 116.3, 103.5], [24, 24]), "div", True),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (net, kind, pads) in cases.items():
            check_net(program, name, net, kind, pads, 0.995, pathlib.Path(folder))
    print(f"{len(cases)} nets, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
