#!/usr/bin/env python3
"""Compares the operators of QONNX with the Python package of that name, bit for bit.

Usage: qonnx_operators_test.py RUN_QONNX

RUN_QONNX is the program graft_run_qonnx. The vectors are seeded: operators by rounding modes, widths, signs, zero
points, broadcasts, and numbers that lie half-way between integers or are none. Expected is what the package's own
functions compute; where these raise or are wrong, what the lines of numpy below do, which follow the operators'
definition. NaN equals NaN, and 0 equals -0: the package's sign of 0 depends on the mode.

The TFC nets below $GRAFT_TEST_DATA are run whole, and compared tensor by tensor.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.custom_op.general.bipolar_quant import binary_quant
from qonnx.custom_op.general.floatquant import float_quant
from qonnx.custom_op.general.intquant import int_quant, resolve_rounding_mode
from qonnx.custom_op.general.trunc import trunc_v1, trunc_v2
from qonnx.custom_op.general.xnorpopcount import xnorpopcountmatmul
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.infer_shapes import InferShapes

DOMAINS = ["qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"]
CHANNELS_LAST = "qonnx.custom_op.channels_last"
MODES = ["ROUND", "HALF_EVEN", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN", "half_up"]
PER_MODEL = 100
SKIPPED = 77

random = np.random.default_rng(20220607)
np.seterr(all="ignore")
warnings.simplefilter("ignore")  # of the package
onnxruntime.set_default_logger_severity(4)  # the package runs operators of opset 1


class Case:
    def __init__(self, op_type, inputs, expected, attributes=None, domain=None, version=1):
        self.op_type, self.attributes, self.version = op_type, attributes or {}, version
        self.domain = domain or DOMAINS[random.integers(3)]
        self.inputs = [np.asarray(array, np.float32) for array in inputs]
        self.expected = np.asarray(expected, np.float32)

    def __str__(self):
        shapes = " ".join(f"{array.ravel()[:4]}{list(array.shape)}" for array in self.inputs[1:])
        return f"{self.domain}::{self.op_type}-{self.version} {self.attributes} {shapes}"


def tensors(shape, scale=1.0, zero_point=0.0):
    """Numbers of every kind that a quantizer of that scale meets."""
    x = random.standard_normal(shape) * 10.0 ** random.integers(-1, 3)
    half_way = random.integers(-20, 20, shape) + 0.5
    special = random.choice([0.0, -0.0, 0.49999997, 1e-45, -1e-38, 1e30, 8388609.0, np.inf, -np.inf, np.nan], shape)
    kind = random.integers(0, 8, shape)
    steps = np.where(kind < 3, half_way, np.where(kind == 3, special, x)).astype(np.float32)
    return (steps - np.float32(zero_point)) * np.asarray(scale, np.float32)


SHAPES = [(2, 3, 4, 5), (6, 20), (7,), (1, 3, 40, 9), ()]


def parameters(shape):
    """A shape that broadcasts to that one: of one number, of channels, of the last axis, of some axes, or of all."""
    choice = random.integers(0, 6)
    if choice < 2 or not shape:
        return () if choice else (1,) * min(1, len(shape))
    if choice == 2 and len(shape) > 2:
        return (shape[1],) + (1,) * (len(shape) - 2)
    if choice == 3:
        return shape[-1:]
    if choice == 4:
        return tuple(extent if random.integers(2) else 1 for extent in shape)
    return shape


def scales(shape):
    powers = 2.0 ** random.integers(-6, 3, shape)
    return np.where(random.integers(0, 2, shape) == 0, powers, random.uniform(0.01, 2.0, shape)).astype(np.float32)


def quantized(x, scale, zero_point, bits, signed, narrow, mode):
    """Quant as it is defined, in float32, of a width that may differ from element to element."""
    v = x / scale + zero_point
    half, whole, one = np.exp2(bits - np.float32(1)), np.exp2(bits), np.float32(1)
    lowest = (one - half if narrow else -half) if signed else np.zeros_like(bits)
    highest = half - one if signed else whole - (2 * one if narrow else one)
    clamped = np.where(v > highest, highest, v)
    clamped = np.where(clamped < lowest, lowest, clamped)
    rounded = resolve_rounding_mode(mode)(clamped)
    if signed:
        rounded = np.where(bits == 1, np.where(v >= 0, one, -one), rounded)
    return ((rounded - zero_point) * scale).astype(np.float32)


def quant_cases():
    widths = [1, 2, 3, 4, 7.5, 3.3, 8, 1.58, 16, 24, 25, 32]
    for mode, bits, signed, narrow in itertools.product(MODES, widths, (0, 1), (0, 1)):
        shape = SHAPES[random.integers(len(SHAPES))]
        scale = scales(parameters(shape))
        zero_point = np.float32(random.choice([0, 0, 1, 3, -2, 0.5, 7]))
        if random.integers(2):
            zero_point = np.full(parameters(shape), zero_point) + random.integers(0, 3)
        zero_point = np.asarray(zero_point, np.float32)
        x = np.asarray(tensors(shape, scale, zero_point), np.float32)
        attributes = {"signed": signed, "narrow": narrow, "rounding_mode": mode}
        width = np.asarray(bits, np.float32)
        expected = int_quant(x, scale, zero_point, width, signed, narrow, mode)
        np.testing.assert_array_equal(expected, quantized(x, scale, zero_point, width, signed, narrow, mode))
        yield Case(["Quant", "IntQuant"][random.integers(2)], [x, scale, zero_point, width], expected, attributes)


def elementwise_width_cases():
    """The package raises for more than one width."""
    for mode, signed, narrow in itertools.product(MODES, (0, 1), (0, 1)):
        for _ in range(4):
            shape = SHAPES[random.integers(len(SHAPES) - 1)]
            scale = scales(parameters(shape))
            bits = random.choice(np.asarray([1, 1, 2, 4, 5.5, 8, 25], np.float32), shape[-1:])
            zero_point = random.integers(-2, 3, parameters(shape)).astype(np.float32)
            x = tensors(shape, scale, zero_point)
            attributes = {"signed": signed, "narrow": narrow, "rounding_mode": mode}
            yield Case("Quant", [x, scale, zero_point, bits],
                       quantized(x, scale, zero_point, bits, signed, narrow, mode), attributes)


def bipolar_cases():
    for _ in range(40):
        shape = SHAPES[random.integers(len(SHAPES))]
        x, scale = np.asarray(tensors(shape), np.float32), scales(parameters(shape))
        yield Case("BipolarQuant", [x, scale], binary_quant(x, scale))


def trunc_cases():
    for mode, (narrow, signed), _ in itertools.product(MODES, itertools.product((0, 1), (0, 1)), range(5)):
        shape = SHAPES[random.integers(len(SHAPES))]
        scale = scales(parameters(shape))
        zero_point = np.float32(random.choice([0, 1, -3, 4]))
        x = np.asarray(tensors(shape, scale, zero_point) * np.float32(16), np.float32)
        in_bits, out_bits = (np.asarray(bits, np.float32) for bits in (random.integers(6, 17), random.integers(2, 6)))
        expected = trunc_v1(x, scale, zero_point, in_bits, out_bits, mode)
        yield Case("Trunc", [x, scale, zero_point, in_bits, out_bits], expected, {"rounding_mode": mode})

        out_scale = np.asarray(scale * np.float32(random.choice([1, 2, 4, 16, 3.1, 0.5])), np.float32)
        expected = trunc_v2(x, scale, zero_point, in_bits, narrow, signed, out_scale, out_bits, mode)
        yield Case("Trunc", [x, scale, zero_point, in_bits, out_scale, out_bits], expected,
                   {"rounding_mode": mode, "narrow": narrow, "signed": signed}, version=2)


def rounded_to_format(x, scale, exponent, mantissa, bias, max_val, mode, beyond):
    """FloatQuant as it is defined. The package rounds the logarithm, which is too great right below powers of two."""
    v = x / scale
    magnitude = np.abs(v) + np.finfo(np.float32).tiny
    power = np.where(np.isfinite(magnitude), np.frexp(magnitude)[1] - np.float32(1), np.float32(np.inf))
    step = np.exp2(np.maximum(power - mantissa, 1 - bias - mantissa)).astype(np.float32)
    q = step * resolve_rounding_mode(mode)(v / step)
    highest = np.minimum((2 - np.exp2(-mantissa)) * np.exp2(np.exp2(exponent) - 1 - bias), max_val)
    beyond = highest if beyond is None else np.float32(beyond)
    q = np.where(q > highest, beyond, np.where(q < -highest, -beyond, q))
    return (q * scale).astype(np.float32)


def float_quant_cases():
    formats = [(4, 3, 7, 448), (5, 2, 15, 57344), (4, 3, 8, np.inf), (2, 1, 1, np.inf), (3, 2, 3, 28),
               (8, 0, 127, 1e38), (8, 7, 127, np.inf), (3, 4, 0, np.inf)]
    overflows = [{"saturation": 1}, {"saturation": 0, "has_inf": 1}, {"saturation": 0, "has_nan": 1}]
    for numbers, mode, overflow in itertools.product(formats, MODES, overflows):
        shape = SHAPES[random.integers(len(SHAPES) - 1)]
        scale = scales(parameters(shape))
        exponent, mantissa, bias, max_val = (np.asarray(number, np.float32) for number in numbers)
        x = tensors(shape, scale) * np.float32(2.0 ** random.integers(-8, 3))
        below = np.nextafter(np.exp2(random.integers(-6, 8, shape)), 0, dtype=np.float32) * scale
        x = np.where(random.integers(0, 6, shape) == 0, below, x).astype(np.float32)
        beyond = None if overflow["saturation"] else np.inf if "has_inf" in overflow else np.nan
        expected = rounded_to_format(x, scale, exponent, mantissa, bias, max_val, mode, beyond)
        package = float_quant(x, scale, exponent, mantissa, bias, True, max_val, overflow.get("has_inf", 0),
                              overflow.get("has_nan", 0), False, mode, overflow["saturation"])
        magnitude = np.abs(x / scale) + np.finfo(np.float32).tiny
        right = np.floor(np.log2(magnitude)) == np.where(np.isfinite(magnitude), np.frexp(magnitude)[1] - 1, np.inf)
        np.testing.assert_array_equal(expected[right], np.asarray(package, np.float32)[right])
        yield Case("FloatQuant", [x, scale, exponent, mantissa, bias, max_val], expected,
                   {"rounding_mode": mode, **overflow})


def by_package(op_type, inputs, attributes, domain, version, output_shape):
    """The package runs a node in a context of all its tensors."""
    names = [f"i{i}" for i in range(len(inputs))]
    node = helper.make_node(op_type, names, ["y"], domain=domain, **attributes)
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in zip(names, inputs)]
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", TensorProto.FLOAT, output_shape)])
    context = dict(zip(names, inputs)) | {"y": np.zeros(output_shape, np.float32)}
    getCustomOp(node, onnx_opset_version=version).execute_node(context, graph)
    return context["y"]


def threshold_cases():
    layouts = [((2, 6), ""), ((2, 5, 6), ""), ((2, 6, 3, 4), ""), ((2, 6, 3, 4), "NCHW"), ((2, 3, 4, 6), "NHWC")]
    for (shape, layout), steps, shared, _ in itertools.product(layouts, (1, 3, 15, 255), (False, True), range(2)):
        thresholds = np.sort(random.integers(-40, 40, (1 if shared else 6, steps)), axis=1) / np.float32(4)
        x = np.where(random.integers(0, 3, shape) == 0, random.integers(-40, 40, shape) / 4, tensors(shape))
        attributes = {"out_dtype": "INT8", "data_layout": layout, "out_scale": float(random.choice([1.0, 0.1, 0.3])),
                      "out_bias": float(random.choice([0.0, -8.0, -0.7]))}
        inputs = [np.asarray(x, np.float32), np.asarray(thresholds, np.float32)]
        yield Case("MultiThreshold", inputs, by_package("MultiThreshold", inputs, attributes, DOMAINS[0], 1, shape),
                   attributes)


def pool_cases():
    widths, layouts = ((4, 4), (8, 4), (2, 8)), ("NCHW", "NHWC")
    for kernel, stride, bits, layout in itertools.product((1, 2, 3), (1, 2), widths, layouts):
        shape = (2, 3, 7, 6) if layout == "NCHW" else (2, 7, 6, 3)
        x = random.integers(0, 2 ** bits[0], shape).astype(np.float32)
        if random.integers(2):
            x -= 2 ** (bits[0] - 1)
        attributes = {"kernel": kernel, "stride": stride, "ibits": bits[0], "obits": bits[1], "data_layout": layout}
        places = [(extent - kernel) // stride + 1 for extent in (7, 6)]
        output = (2, 3, *places) if layout == "NCHW" else (2, *places, 3)
        yield Case("QuantAvgPool2d", [x], by_package("QuantAvgPool2d", [x], attributes, DOMAINS[0], 1, output),
                   attributes)


def finn_cases():
    for rows, depth, columns in [(1, 1, 1), (4, 100, 7), (3, 64, 64)]:
        a, b = (random.integers(0, 2, shape).astype(np.float32) for shape in ((rows, depth), (depth, columns)))
        yield Case("XnorPopcountMatMul", [a, b], xnorpopcountmatmul(a, b))
    for kernel, stride, dilation, pads, n in itertools.product(
            ([1, 1], [3, 2]), ([1, 1], [2, 1]), ([1, 1], [1, 2]), ([0, 0, 0, 0], [1, 0, 2, 1]), (1, 2)):
        x = random.integers(-8, 8, (n, 6, 7, 3)).astype(np.float32)
        attributes = {"kernel_size": kernel, "stride": stride, "dilations": dilation, "pad_amount": pads,
                      "pad_value": 0, "input_shape": "(1,6,7,3)"}
        yield Case("Im2Col", [x], windows(x, kernel, stride, dilation, pads), attributes)
    for kernel, stride, pads in itertools.product(([2, 2], [3, 2]), ([1, 1], [2, 2]), ([0, 0, 0, 0], [1, 0, 1, 0])):
        x = random.standard_normal((2, 6, 7, 3)).astype(np.float32)
        attributes = {"kernel_shape": kernel, "strides": stride, "pads": pads}
        places = [(x.shape[i + 1] + 2 * pads[i] - kernel[i]) // stride[i] + 1 for i in range(2)]
        yield Case("MaxPoolNHWC", [x], by_package("MaxPoolNHWC", [x], attributes, DOMAINS[0], 1, (2, *places, 3)),
                   attributes)
        yield Case("MaxPool", [x], by_package("MaxPool", [x], attributes, CHANNELS_LAST, 10, (2, *places, 3)),
                   attributes, CHANNELS_LAST, 10)
        # Sums of small integers are exact in whatever order.
        weight, bias = (random.integers(-8, 8, dims).astype(np.float32) for dims in ((4, *kernel, 3), (4,)))
        x = random.integers(-8, 8, x.shape).astype(np.float32)
        attributes |= {"dilations": [1, 1], "group": 1}
        inputs = [x, weight, bias]
        expected = by_package("Conv", inputs, attributes, CHANNELS_LAST, 1, (2, *places, 4))
        yield Case("Conv", inputs, expected, attributes, CHANNELS_LAST, 1)


def windows(x, kernel, stride, dilation, pads):
    """Im2Col as it is defined. The package mixes up the images of a batch."""
    x = np.pad(x, ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)))
    places = [(x.shape[i + 1] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
    columns = [x[:, i * dilation[0] : i * dilation[0] + places[0] * stride[0] : stride[0],
                 j * dilation[1] : j * dilation[1] + places[1] * stride[1] : stride[1]][:, : places[0], : places[1]]
               for i in range(kernel[0]) for j in range(kernel[1])]
    return np.concatenate(columns, axis=-1)


def save(array, path):
    path.write_bytes(numpy_helper.from_array(np.asarray(array)).SerializeToString())


def load(path):
    return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))


def run(program, folders):
    subprocess.run([program], input="\n".join(map(str, folders)) + "\n", text=True, check=True)


def same(ours, theirs):
    """Bit for bit, except the sign of 0 and the kind of NaN."""
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and np.array_equal(ours, theirs, equal_nan=True)


def write_model(cases, folder, imports=True):
    """One model of all the cases, each a node; every other parameter is an initializer."""
    folder.mkdir()
    nodes, inputs, outputs, initializers = [], [], [], []
    for number, case in enumerate(cases):
        names = [f"case{number}_input{i}" for i in range(len(case.inputs))]
        for i, (name, array) in enumerate(zip(names, case.inputs)):
            if (number + i) % 2 and i:
                initializers.append(numpy_helper.from_array(array, name))
            else:
                save(array, folder / f"input_{len(inputs)}.pb")
                inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape))
        outputs.append(helper.make_tensor_value_info(f"y{number}", TensorProto.FLOAT, case.expected.shape))
        nodes.append(helper.make_node(case.op_type, names, [f"y{number}"], domain=case.domain, **case.attributes))
    graph = helper.make_graph(nodes, "cases", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", 13)]
    if imports:
        opsets += [helper.make_opsetid(d, cases[0].version) for d in {case.domain for case in cases}]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / "model.onnx")


def compare_operators(program, folder):
    cases = [case for make in (quant_cases, elementwise_width_cases, bipolar_cases, trunc_cases, float_quant_cases,
                               threshold_cases, pool_cases, finn_cases) for case in make()]
    groups = {}
    for case in cases:
        groups.setdefault((case.version, case.domain == CHANNELS_LAST), []).append(case)
    models = [group[i : i + PER_MODEL] for group in groups.values() for i in range(0, len(group), PER_MODEL)]
    for number, model in enumerate(models):  # some models import nothing of QONNX
        write_model(model, folder / f"model{number}", imports=number % 4 != 3 or model[0].domain == CHANNELS_LAST)
    run(program, [folder / f"model{number}" for number in range(len(models))])
    counts, failures = {}, []
    for number, model in enumerate(models):
        error = folder / f"model{number}" / "error.txt"
        if error.exists():
            failures.append(error.read_text().strip())
            continue
        for i, case in enumerate(model):
            counts[case.op_type] = counts.get(case.op_type, 0) + 1
            ours = load(folder / f"model{number}" / f"output_{i}.pb")
            if not same(ours, case.expected):
                differ = ~((ours == case.expected) | (np.isnan(ours) & np.isnan(case.expected)))
                where = np.flatnonzero(differ)[:3]
                x = np.broadcast_to(case.inputs[0], ours.shape).ravel()[where] if len(case.inputs[0].ravel()) else []
                failures.append(f"{case}: {differ.sum()} of {ours.size} differ, of {x}: {ours.ravel()[where]} "
                                f"and not {case.expected.ravel()[where]}")
    print(", ".join(f"{count} {op_type}" for op_type, count in sorted(counts.items())), "of", len(cases), "vectors")
    return failures


def digits(data, count):
    records = np.fromfile(data / "images" / "mnist.data", np.float32).reshape(-1, 794)
    return records[:count, :784].reshape(-1, 1, 1, 28, 28) / np.float32(255)


def compare_net(program, path, images, folder):
    """Every tensor of a net. Sums of products are exact, as the factors are small integers. Those of BatchNormalization
    are not: ONNX Runtime multiplies by the reciprocal of the deviation."""
    wrapper = ModelWrapper(str(path)).transform(InferShapes())
    model = onnx.load(path)
    made_by = {name: node.op_type for node in model.graph.node for name in node.output}
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in made_by if name not in known)
    folders = []
    for i, image in enumerate(images):
        folders.append(folder / f"{path.stem}_{i}")
        folders[-1].mkdir()
        onnx.save(model, folders[-1] / "model.onnx")
        save(image, folders[-1] / "input_0.pb")
    plain = folder / path.stem
    plain.mkdir()
    (plain / "model.onnx").write_bytes(path.read_bytes())
    save(images[0], plain / "input_0.pb")
    run(program, [*folders, plain])
    # The file itself is refused: it does not import the domain of its quantizers.
    onnx.checker.check_model(onnx.load(plain / "canonical.onnx"), full_check=True)
    failures, compared, close = [], 0, 0
    for image, where in zip(images, folders):
        if (where / "error.txt").exists():
            return [(where / "error.txt").read_text().strip()]
        theirs = execute_onnx(wrapper, {model.graph.input[0].name: image}, return_full_exec_context=True)
        for i, output in enumerate(model.graph.output):
            ours, wanted = load(where / f"output_{i}.pb"), np.asarray(theirs[output.name])
            compared += 1
            if same(ours, wanted):
                continue
            if made_by[output.name] == "BatchNormalization" and np.allclose(ours, wanted, rtol=1e-6, atol=1e-6):
                close += 1
            else:
                failures.append(f"{where.name}: {made_by[output.name]} {output.name} differs")
    print(f"{path.name}: {len(images)} images, {compared - close - len(failures)} tensors equal, {close} of "
          f"BatchNormalization within 1e-6, {len(failures)} different")
    return failures


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures = compare_operators(program, folder)
        data = os.environ.get("GRAFT_TEST_DATA")
        nets = sorted(pathlib.Path(data).glob("qonnx/TFC_*.onnx")) if data else []
        for net in nets:
            noise = random.uniform(0, 1, (15, 1, 1, 28, 28)).astype(np.float32)
            failures += compare_net(program, net, np.concatenate([digits(pathlib.Path(data), 15), noise]), folder)
        if not nets:
            print("there are no TFC nets")
    print("\n".join(failures[:40]))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
