"""Small quantized models of what oneDNN fuses beyond single operators: sums, rows, movements, shared quantizers."""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Nodes, and the quantizers around them, of one scale and zero point unless another is given."""

    def __init__(self):
        self.nodes, self.inputs, self.outputs, self.constants = [], [], [], []

    def input(self, name, shape=(1, 4, 6, 6)):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, array, name):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name="node_" + name, **attributes))
        return name

    def qparams(self, name):
        return [self.constant(np.float32(0.02), name + "_s"), self.constant(np.uint8(128), name + "_z")]

    def quantize(self, value):
        return self.op("QuantizeLinear", [value, *self.qparams(value)], value + "_q")

    def dequantize(self, quantized, name):
        return self.op("DequantizeLinear", [quantized, *self.qparams(name)], name)

    def pair(self, value):
        return self.dequantize(self.quantize(value), value + "_dq")

    def weight(self, name, shape, axis, zeros=None, dtype=np.int8):
        scale = np.full(shape[axis], 0.01, np.float32)
        zero = np.zeros(shape[axis], dtype) if zeros is None else np.asarray(zeros, dtype)
        names = [
            self.constant(np.ones(shape, dtype), name + "_w"),
            self.constant(scale, name + "_ws"),
            self.constant(zero, name + "_wz"),
        ]
        return self.op("DequantizeLinear", names, name + "_wdq", axis=axis)

    def kernel(self, op, x, name, **weight):
        if op in ("Conv", "ConvTranspose"):
            bias = self.constant(np.ones(4, np.float32), name + "_b")
            weight = self.weight(name, (4, 4, 1, 1), 0 if op == "Conv" else 1, **weight)
            return self.op(op, [x, weight, bias], name)
        return self.op(op, [x, self.weight(name, (6, 6), 1, **weight)], name)

    def model(self, *outputs):
        for name in outputs:
            self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        graph = helper.make_graph(self.nodes, "case", self.inputs, self.outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def binary(kernel, op, is_first, other, behind):
    """A kernel's result and another tensor, then activations."""
    net = Builder()
    y = net.kernel(kernel, net.pair(net.input("x")), "y")
    full = np.ones((1, 4, 6, 6), np.float32)
    other = {
        "dequantized": lambda: net.pair(net.input("r")),
        "broadcast": lambda: net.pair(net.input("r", (1, 4, 1, 1))),
        "float": lambda: net.input("r"),
        "constant": lambda: net.constant(full, "r"),
        "kernel": lambda: net.kernel(kernel, net.pair(net.input("r")), "other"),
        "quantized kernel": lambda: net.pair(net.kernel(kernel, net.pair(net.input("r")), "other")),
    }[other]()
    value = net.op(op, [y, other] if is_first else [other, y], "z")
    for i in range(behind):
        value = net.op("Relu", [value], f"a{i}")
    return net.model(net.pair(value))


def shared(kernel, own):
    """A tensor that two kernels read, dequantized for each or once."""
    net = Builder()
    quantized = net.quantize(net.input("x"))
    first = net.dequantize(quantized, "first")
    second = net.dequantize(quantized, "second") if own else first
    return net.model(net.pair(net.kernel(kernel, first, "y")), net.pair(net.kernel(kernel, second, "z")))


def block(own):
    """A residual block: two convolutions, and the input added to their result."""
    net = Builder()
    quantized = net.quantize(net.input("x"))
    first = net.dequantize(quantized, "first")
    y = net.pair(net.op("Relu", [net.kernel("Conv", first, "y")], "a"))
    residual = net.dequantize(quantized, "second") if own else first
    total = net.op("Add", [net.kernel("Conv", y, "z"), residual], "sum")
    return net.model(net.pair(net.op("Relu", [total], "b")))


def row(kernel, activations):
    net = Builder()
    value = net.kernel(kernel, net.pair(net.input("x")), "y")
    for i, op in enumerate(activations):
        value = net.op(op, [value], f"a{i}")
    return net.model(net.pair(value))


def weight(kernel, zeros, dtype):
    net = Builder()
    return net.model(net.pair(net.kernel(kernel, net.pair(net.input("x")), "y", zeros=zeros, dtype=dtype)))


def moved(pool, movements):
    """A pool whose result is moved before it is quantized."""
    net = Builder()
    attributes = {} if pool.startswith("Global") else {"kernel_shape": [6, 6]}
    value = net.op(pool, [net.pair(net.input("x"))], "y", **attributes)
    for i, op in enumerate(movements):
        more = {"Reshape": [1, -1, 1, 1], "Squeeze": [2], "Unsqueeze": [0]}.get(op)
        inputs = [value] + ([net.constant(np.int64(more), f"to{i}")] if more else [])
        value = net.op(op, inputs, f"m{i}")
    return net.model(net.pair(value))


def cases():
    """(what it is, the model)"""
    for kernel, op, is_first in itertools.product(
        ("Conv", "MatMul"), ("Add", "Mul", "Max", "Min", "Sub", "Div", "Pow"), (True, False)
    ):
        for other in ("dequantized", "broadcast", "float", "constant"):
            yield (kernel, op, is_first, other), binary(kernel, op, is_first, other, 0)
    for other, is_first, behind in itertools.product(("kernel", "quantized kernel"), (True, False), (0, 1)):
        yield ("Conv", other, is_first, behind), binary("Conv", "Add", is_first, other, behind)
    for behind in (1, 2, 3, 4):
        yield ("Mul", behind), binary("Conv", "Mul", True, "dequantized", behind)
    for kernel, own in itertools.product(("Conv", "ConvTranspose", "MatMul"), (True, False)):
        yield (kernel, "own" if own else "shared"), shared(kernel, own)
    for own in (True, False):
        yield ("block", "own" if own else "shared"), block(own)
    for kernel, length in itertools.product(("Conv", "ConvTranspose", "MatMul"), range(6)):
        yield (kernel, length), row(kernel, ["Relu"] * length)
    for op in ("Abs", "Elu", "Exp", "HardSigmoid", "HardSwish", "LeakyRelu", "Log", "Round", "Sigmoid", "Softplus",
               "Softsign", "Sqrt", "Tanh", "Neg", "Identity", "Softmax", "Reciprocal", "Sin"):  # fmt: skip
        for kernel in ("Conv", "ConvTranspose", "MatMul"):
            yield (kernel, op), row(kernel, [op])
    for kernel in ("Conv", "ConvTranspose"):
        for zeros in ([0] * 4, [1, 0, 0, 0], [1] * 4):
            yield (kernel, zeros), weight(kernel, zeros, np.int8)
        yield (kernel, "u8"), weight(kernel, [0] * 4, np.uint8)
    for pool in ("GlobalAveragePool", "AveragePool", "MaxPool"):
        for movements in (
            ("Reshape",), ("Transpose",), ("Flatten",), ("Squeeze",), ("Unsqueeze",), ("Reshape", "Flatten"),
            ("Identity",), ("Relu",),
        ):  # fmt: skip
            yield (pool, *movements), moved(pool, movements)
