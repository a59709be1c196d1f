"""Measures the times of a runtime's kernels in float and in integers, on one thread.

These are the costs in the target's table. With them, min-cost placement compares the gain of an integer kernel with the
conversions around it. Each operator runs once and several times in a row, at several sizes. The difference is fitted by
nanoseconds of a call, an element, a product, an element of a weight, which is read once for any number of rows, and, of
the first layer of images, a piece: a row of taps.

  kernel_costs.py [OPERATOR ...] [--runs 30] [--runtime onnxruntime|openvino]
"""

import argparse
import itertools
import math
import sys
import time

import numpy
import onnx
from onnx import TensorProto, helper

MAPS = [(1, 8, 14, 14), (1, 16, 28, 28), (1, 16, 112, 112), (1, 96, 112, 112), (1, 64, 56, 56), (1, 144, 28, 28),
        (1, 256, 14, 14), (1, 512, 7, 7)]
IMAGES = [(1, 1, 28, 28), (1, 3, 32, 32), (1, 3, 64, 64), (1, 3, 112, 112), (1, 3, 224, 224), (1, 1, 240, 240),
          (1, 3, 300, 300)]
ROWS = [(16, 64), (64, 256), (128, 512), (256, 1024)]
FEW_ROWS = [(1, 512), (1, 1024), (1, 2048), (4, 1024)]  # of weights that no second-level cache holds
TIMES = 5


def in_onnxruntime(model, feeds, fetches=None):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(fetches, feeds)


def in_openvino(model, feeds, fetches=None):
    """Uses float32 where the plugin would choose a 16-bit float."""
    import openvino

    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model), "CPU",
                                  {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer(feeds)
    return request.infer


RUNTIMES = {"onnxruntime": in_onnxruntime, "openvino": in_openvino}
runtime = "onnxruntime"


class Net:
    """Operators in series or in parallel, in float or between quantizers."""

    def __init__(self, dims, quantized, zero_point=128):
        self.dims, self.quantized = dims, quantized
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.names = (f"v{i}" for i in itertools.count())
        self.qparams = [self.constant(numpy.float32(0.05)), self.constant(numpy.uint8(zero_point))]

    def constant(self, array):
        name = next(self.names)
        self.constants.append(onnx.numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def node(self, op, inputs, **attributes):
        output = next(self.names)
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def quantize(self, x):
        return self.node("QuantizeLinear", [x, *self.qparams]) if self.quantized else x

    def dequantize(self, x):
        return self.node("DequantizeLinear", [x, *self.qparams]) if self.quantized else x

    def input(self):
        self.inputs.append(next(self.names))
        return self.dequantize(self.inputs[-1])

    def output(self, x):
        self.outputs.append(self.quantize(x))

    def weight(self, *dims):
        seed = len(self.constants)  # of equal operators the runtime would make one
        values = numpy.random.default_rng(seed).integers(-127, 128, dims).astype(numpy.int8)
        if not self.quantized:
            return self.constant(values.astype(numpy.float32) / 100)
        return self.node("DequantizeLinear", [self.constant(v) for v in (values, numpy.float32(0.01), numpy.int8(0))])

    def runner(self, types=None, fetches=None):
        of = types or [TensorProto.UINT8 if self.quantized else TensorProto.FLOAT] * 2
        inputs = [helper.make_tensor_value_info(name, of[0], self.dims) for name in self.inputs]
        outputs = [helper.make_tensor_value_info(name, of[1], None) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "net", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        values = numpy.random.default_rng(1).integers(0, 256, self.dims)
        x = values.astype(numpy.uint8) if of[0] == TensorProto.UINT8 else ((values - 128) * 0.05).astype(numpy.float32)
        feeds = {name: x for name in self.inputs}
        return RUNTIMES[runtime](model.SerializeToString(), feeds, fetches)


def conv(kernel, depthwise=False):
    def build(net, x, _):
        channels = net.dims[1]
        weight = net.weight(channels, 1 if depthwise else channels, kernel, kernel)
        return net.node("Conv", [x, weight], group=channels if depthwise else 1, pads=[kernel // 2] * 4)

    return build, MAPS, lambda dims: kernel * kernel * (1 if depthwise else dims[1])


def image_conv(filters, kernel):
    """A row of taps is copied at once; fewer than 16 filters take the products of 16."""
    def build(net, x, _):
        weight = net.weight(filters, net.dims[1], kernel, kernel)
        return net.node("Conv", [x, weight], strides=[2, 2], pads=[kernel // 2] * 4)

    def elements(dims):
        return math.prod(dims[2:]) * max(dims[1], filters / 4)

    return (build, IMAGES, lambda dims: math.prod(dims[1:]) * kernel**2 * max(filters, 16) / 4 / elements(dims),
            elements, lambda dims: math.prod(dims[2:]) // 4 * kernel)


def conv_transpose(kernel, stride):
    """There are stride^2 times as many results, and each has the products of every stride-th tap."""
    def build(net, x, _):
        weight = net.weight(net.dims[1], net.dims[1], kernel, kernel)
        return net.node("ConvTranspose", [x, weight], strides=[stride] * 2, pads=[(kernel - stride) // 2] * 4)

    return (build, MAPS, lambda dims: dims[1] * kernel * kernel / stride**2,
            lambda dims: math.prod(dims) * stride**2)


def pointwise(net, x, channels, stride=1):
    y = net.node("Conv", [x, net.weight(channels, net.dims[1], 1, 1)], strides=[stride, stride])
    return net.dequantize(net.quantize(y))


def product(op):
    def build(net, x, _):
        return net.node(op, [x, net.weight(net.dims[1], net.dims[1])])

    return build, ROWS + FEW_ROWS, lambda dims: dims[1]


def block_product(bits, block=32):
    """MatMulNBits, which quantizes activations to int8 block by block."""
    def build(net, x, _):
        k = net.dims[1]
        codes = numpy.random.default_rng(0).integers(0, 256, (k, k // block, block * bits // 8)).astype(numpy.uint8)
        scales = numpy.full(k * k // block, 0.01, numpy.float32)
        return net.node("MatMulNBits", [x, net.constant(codes), net.constant(scales)], domain="com.microsoft", K=k, N=k,
                        bits=bits, block_size=block, accuracy_level=4)

    return build, ROWS + FEW_ROWS, lambda dims: dims[1]


def unary(op, shapes=MAPS, **attributes):
    return lambda net, x, _: net.node(op, [x], **attributes), shapes, None


def binary(op, **attributes):
    return lambda net, x, first: net.node(op, [x, first], **attributes), MAPS, None


def concat(net, x, _):
    """Concatenates two halves, so that the convolutions do the work of one."""
    return net.node("Concat", [pointwise(net, x, net.dims[1] // 2) for _ in range(2)], axis=1)


def where(net, x, first):
    condition = net.constant(numpy.arange(math.prod(net.dims)).reshape(net.dims) % 2 == 0)
    return net.node("Where", [condition, x, first])


def resize(mode):
    more = {"nearest_mode": "floor"} if mode == "nearest" else {}
    scales = numpy.float32([1, 1, 2, 2])
    return lambda net, x, _: net.node("Resize", [x, "", net.constant(scales)], mode=mode, **more), MAPS[2:6], None


def reshape(net, x, _):
    return net.node("Reshape", [x, net.constant(numpy.int64([net.dims[0], -1, *net.dims[2:]]))])


CASES = {
    "Conv": [conv(1), conv(3)],
    "Conv narrow": [conv(3, True), conv(5, True)],
    "Conv image": [image_conv(2, 3), image_conv(8, 7), image_conv(16, 3), image_conv(32, 3), image_conv(64, 7)],
    "ConvTranspose": [conv_transpose(2, 2), conv_transpose(4, 2)],
    "Gemm": [product("Gemm")],
    "MatMul": [product("MatMul")],
    "MatMulNBits 4": [block_product(4)],
    "MatMulNBits 8": [block_product(8)],
    "Add": [binary("Add")],
    "Mul": [binary("Mul")],
    "Where": [(where, MAPS, None)],
    "Concat": [(concat, MAPS, None)],
    "AveragePool": [unary("AveragePool", kernel_shape=[3, 3], pads=[1] * 4)],
    "GlobalAveragePool": [unary("GlobalAveragePool")],
    "LeakyRelu": [unary("LeakyRelu", alpha=0.1)],
    "Sigmoid": [unary("Sigmoid")],
    "Softmax": [unary("Softmax", ROWS, axis=-1)],
    "MaxPool": [unary("MaxPool", kernel_shape=[3, 3], pads=[1] * 4)],
    "Resize nearest": [resize("nearest")],
    "Resize linear": [resize("linear")],
    "ReduceMax": [unary("ReduceMax", axes=[2, 3])],
    "ReduceMin": [unary("ReduceMin", axes=[2, 3])],
    "DepthToSpace": [unary("DepthToSpace", blocksize=2)],
    "Transpose": [unary("Transpose", perm=[0, 2, 3, 1])],
    "Reshape": [(reshape, MAPS, None)],
}


ALONE = ("Conv", "Gemm", "MatMul", "MatMulNBits", "Softmax")
IN_FLOAT = ("MatMulNBits 4", "MatMulNBits 8")  # of activations in float alone, and of onnxruntime
SIDE_BY_SIDE = ("Conv image", "GlobalAveragePool", "ReduceMax", "ReduceMin", "DepthToSpace", "Transpose", "Reshape")


def operators(op, build, dims, quantized, count):
    """count of them: each on an input of its own, one behind the other, behind pointwise convolutions, of which there
    are TIMES whatever the count is and in whose layout the runtime then computes, or all of them behind one, where
    maps grow: their means are taken, for a smaller output, and count as part of the operator."""
    name = op.split()[0]
    net = Net(dims, quantized, 0 if name == "ConvTranspose" else 128)  # OpenVINO takes no other
    if op in SIDE_BY_SIDE:
        for _ in range(count):
            net.output(build(net, net.input(), None))
        return net.runner()
    first = x = net.input()
    if name == "ConvTranspose":
        x = pointwise(net, x, dims[1])
        for _ in range(count):
            y = net.dequantize(net.quantize(build(net, x, first)))
            net.output(net.node("GlobalAveragePool", [y]))
        return net.runner()
    shrinks = False
    for i in range(count if name in ALONE else TIMES):
        if name not in ALONE and not (name == "Concat" and i < count):
            x = pointwise(net, x, dims[1], 2 if shrinks else 1)
        if i < count:
            x = net.dequantize(net.quantize(build(net, x, first)))
        shrinks = name == "Resize" and i < count
    net.outputs.append(net.nodes[-1].input[0] if quantized else x)
    return net.runner()


def conversions(op, dims, count):
    """Converts one tensor to different integers, or back. Fetches one result only, because fetching takes longer."""
    net = Net(dims, False)
    net.inputs.append(next(net.names))
    for i in range(count):
        qparams = [net.constant(numpy.float32(0.05 + i / 100)), net.qparams[1]]
        net.outputs.append(net.node(op, [net.inputs[0], *qparams]))
    types = [TensorProto.FLOAT, TensorProto.UINT8]
    return net.runner(types if op == "QuantizeLinear" else types[::-1], net.outputs[:1])


def dynamic_conversions(dims, count):
    """Converts computed tensors; there are always TIMES of them, for any count."""
    net = Net(dims, False)
    net.inputs.append(next(net.names))
    for i in range(TIMES):
        x = net.node("Mul", [net.inputs[0], net.constant(numpy.float32(1 + i / 10))])
        if i < count:
            net.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], [f"q{i}", f"s{i}", f"z{i}"]))
        elif i > 0:
            continue
        net.outputs.append(f"q{i}")
    return net.runner([TensorProto.FLOAT, TensorProto.UINT8], net.outputs[:1])


def nanoseconds(once, often, runs):
    """The time of each further operator; the two nets take turns, so that a busy machine slows both."""
    best = [math.inf, math.inf]
    for _ in range(runs):
        for i, run in enumerate((once, often)):
            start = time.perf_counter_ns()
            run()
            best[i] = min(best[i], time.perf_counter_ns() - start)
    return (best[1] - best[0]) / (TIMES - 1)


def fit(rows):
    """By calls, elements, products, weights and pieces, none below 0, with the least squares of relative errors; below
    a fifth of a nanosecond an element, where differences of nets are lost in noise, of absolute ones."""
    terms = numpy.array([[1, *work] for *work, _ in rows], float)
    took = numpy.array([took for *_, took in rows])
    scale = numpy.abs(took) + 0.2 * terms[:, 1]
    terms, took = terms / scale[:, None], took / scale
    used = [i for i in range(5) if terms[:, i].any()]
    while len(found := numpy.linalg.lstsq(terms[:, used], took, rcond=None)[0]) and found.min() < 0:
        del used[int(found.argmin())]
    costs = numpy.zeros(5)
    costs[used] = found
    return costs


def measure(make, cases, runs):
    rows = []
    for build, shapes, contraction, *counts in cases:
        for dims in shapes:
            elements = counts[0](dims) if counts else math.prod(dims)
            products = elements * contraction(dims) if contraction else 0
            weights = dims[1] * contraction(dims) if contraction and len(dims) == 2 else 0
            pieces = counts[1](dims) if len(counts) > 1 else 0
            took = nanoseconds(make(build, dims, 1), make(build, dims, TIMES), runs)
            rows.append((elements, products, weights, pieces, took))
    return rows


def show(name, kinds):
    """kinds: rows of one kind of kernel each. Ratio: of the time of all sizes in float to that in integers."""
    costs = ", ".join("{{{:.0f}, {:.2f}, {:.4f}, {:.4f}, {:.1f}}}".format(*fit(rows)) for rows in kinds)
    times = [sum(took for *_, took in rows) for rows in kinds]
    print(f"{name:21} {costs:70}" + (f" {times[0] / times[1]:6.2f}" if len(times) == 2 else ""), flush=True)


def main():
    global runtime
    parser = argparse.ArgumentParser()
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--runtime", choices=RUNTIMES, default=runtime)
    arguments = parser.parse_args()
    runtime = arguments.runtime
    print("nanoseconds {a call, an element, a product, an element of a weight, a piece} in float, the same in "
          "integers, float over integers in all")
    sizes = [(None, MAPS + ROWS, None)]
    for op in ("QuantizeLinear", "DequantizeLinear"):
        show(op, [measure(lambda _, dims, count: conversions(op, dims, count), sizes, arguments.runs)])
    if runtime == "onnxruntime":
        show("DynamicQuantizeLinear", [measure(lambda _, *net: dynamic_conversions(*net), sizes, arguments.runs)])
    for op in arguments.operators or CASES:
        if op in IN_FLOAT and runtime != "onnxruntime":
            continue
        show(op, [measure(lambda build, dims, count: operators(op, build, dims, quantized, count), CASES[op],
                          arguments.runs) for quantized in ([False] if op in IN_FLOAT else [False, True])])


if __name__ == "__main__":
    sys.exit(main())
