"""Small models with what only OpenVINO does: activations behind a Conv, sums, concatenations, products."""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def concerns(case):
    """Whether the runtime model has an answer to a case that was made for other runtimes."""
    inputs = getattr(case, "inputs", ())
    if not inputs:
        return True
    if all("constant" in kind for kind in inputs):
        return False  # the plugin fails, or computes it when it loads the model
    attributes = case.attributes
    if attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        return False  # it does not load
    if attributes.get("dilations") == [1, 1]:
        return False  # pools have no dilations; those of 1 are none
    if case.op in ("MatMul", "Gemm"):
        # Equal scales along the other axis are taken for one; quantizers of 16 bits vanish like others.
        other_axis = "constant 1" if attributes.get("transB") else "constant 0"
        return other_axis not in inputs and case.y not in ("u16", "i16")
    return True


class Net:
    """Nodes that are added one by one; convolutions of 16 channels are quantized per channel."""

    def __init__(self, opset=17):
        self.opset = opset
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.random = np.random.default_rng(0)

    def input(self, name="x", shape=(1, 16, 14, 14)):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, array):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(self, op, *inputs, name=None, **attributes):
        name = name or f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name + "_out"], name=name, **attributes))
        return name + "_out"

    def pair(self, x, scale=0.02, zero=128, dtype=np.uint8):
        names = [self.constant(np.float32(scale)), self.constant(np.array(zero, dtype))]
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, *names), *names)

    def weight(self, shape, axis=0, dtype=np.int8, zero=0):
        channels = () if axis is None else shape[axis]
        scale = self.random.uniform(0.005, 0.02, channels).astype(np.float32)
        names = [self.constant(self.random.integers(-127, 128, shape).astype(dtype)), self.constant(scale)]
        names.append(self.constant(np.full(channels, zero, dtype)))
        return self.op("DequantizeLinear", *names, **({} if axis is None else {"axis": axis}))

    def conv(self, x, channels=16, results=16, kernel=1, group=1, axis=0, **attributes):
        weight = self.weight((results, channels // group, kernel, kernel), axis)
        bias = self.constant(self.random.normal(size=results).astype(np.float32))
        return self.op("Conv", x, weight, bias, group=group, pads=[kernel // 2] * 4, **attributes)

    def behind(self, result):
        """The model whose last operator is a Conv that reads the quantized tensor."""
        self.outputs.append(self.conv(self.pair(result)))
        return self.model()

    def model(self):
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "case", self.inputs, outputs, self.constants)
        domains = {node.domain for node in self.nodes} - {""}
        opsets = [helper.make_opsetid("", self.opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8 if self.opset < 19 else 10)


ACTIVATIONS = ("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Elu", "HardSwish", "Abs", "Sqrt", "Round", "HardSigmoid",
               "Selu", "Softplus", "Softsign", "Exp", "Log", "ThresholdedRelu")


def activation_cases():
    for op in ACTIVATIONS:
        net = Net()
        yield op, net.behind(net.op(op, net.conv(net.pair(net.input()))))
    for op, attributes in (("Mish", {}), ("Gelu", {}), ("Gelu", {"approximate": "tanh"})):
        net = Net(20)
        yield f"{op} {attributes}", net.behind(net.op(op, net.conv(net.pair(net.input())), **attributes))
    for op, attributes in (("Gelu", {}), ("QuickGelu", {"alpha": 1.0}), ("QuickGelu", {"alpha": 1.702})):
        net = Net()
        y = net.op(op, net.conv(net.pair(net.input())), domain="com.microsoft", **attributes)
        yield f"com.microsoft's {op} {attributes}", net.behind(y)
    for count in (2, 3, 4, 6):
        net = Net()
        y = net.conv(net.pair(net.input()))
        for _, op in zip(range(count), itertools.cycle(("Tanh", "LeakyRelu", "Sigmoid"))):
            y = net.op(op, y)
        yield f"{count} in a row", net.behind(y)
    net = Net()
    slope = net.constant(np.full((16, 1, 1), 0.1, np.float32))
    yield "PRelu", net.behind(net.op("PRelu", net.conv(net.pair(net.input())), slope))


def sum_cases():
    """Of operands that are quantized, in either order; a bottleneck reads the tensor that it adds to."""
    kinds = {
        "conv": lambda net, x: net.pair(net.conv(x)),
        "relu": lambda net, x: net.pair(net.op("Relu", net.conv(x)), zero=0),
        "pool": lambda net, x: net.pair(net.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4), zero=0),
        "shared": lambda net, x: x,
    }
    for (left, right), op, relu in itertools.product(itertools.product(kinds, repeat=2), ("Add",), (False, True)):
        if {left, right} <= {"shared", "pool"}:
            continue
        net = Net()
        x = net.pair(net.op("Relu", net.conv(net.pair(net.input()))), zero=0)
        y = net.op(op, kinds[left](net, x), kinds[right](net, x))
        yield f"{op} of {left} and {right}, {relu=}", net.behind(net.op("Relu", y) if relu else y)


def concat_cases():
    for (scale, after), last in itertools.product(itertools.product((0.02, 0.03), (0.02, 0.025)), ("conv", "float")):
        net = Net()
        x = net.pair(net.op("Relu", net.conv(net.pair(net.input()))), zero=0)
        parts = [net.pair(net.op("Relu", net.conv(x)), s, 0) for s in (0.02, scale)]
        y = net.pair(net.op("Concat", *parts, axis=1), after, 0)
        net.outputs.append(net.conv(y, 32) if last == "conv" else net.op("Neg", y))
        yield f"Concat {scale=} {after=} {last}", net.model()


def conv_shapes():
    for channels, results, group, kernel in (
        (1, 8, 1, 3), (3, 16, 1, 3), (3, 32, 1, 7), (16, 16, 16, 3), (16, 32, 16, 3), (16, 16, 4, 3), (16, 16, 2, 1),
        (12, 12, 12, 5), (3, 3, 3, 3), (2, 3, 1, 3), (5, 7, 1, 1)):
        for dtype, zero in ((np.uint8, 128), (np.uint8, 0), (np.int8, 0)):
            net = Net()
            x = net.pair(net.input(shape=(1, channels, 14, 14)), 0.02, zero, dtype)
            net.outputs.append(net.op("Neg", net.pair(net.conv(x, channels, results, kernel, group))))
            yield f"Conv {channels=} {results=} {group=} {kernel=} {dtype.__name__} {zero}", net.model()
    for shape, kernel, attributes in (
        ((1, 16, 20), 3, {}), ((1, 16, 6, 6, 6), 3, {}), ((1, 16, 14, 14), 3, {"dilations": [2, 2]}),
        ((1, 16, 14, 14), 3, {"strides": [2, 2], "auto_pad": "SAME_UPPER"}), ((4, 16, 14, 14), 3, {})):
        net = Net()
        weight = net.weight((16, 16) + (kernel,) * (len(shape) - 2))
        y = net.op("Conv", net.pair(net.input(shape=shape)), weight, **attributes)
        net.outputs.append(net.op("Neg", net.pair(y)))
        yield f"Conv over {shape} {attributes}", net.model()


def product_cases():
    for shape, axis in (((16, 8), 1), ((16, 8), 0), ((16, 8), None)):
        net = Net()
        x = net.pair(net.input(shape=(4, 8, 16)))
        net.outputs.append(net.op("Neg", net.pair(net.op("MatMul", x, net.weight(shape, axis)))))
        yield f"MatMul with {shape} along {axis}", net.model()
    for attributes in ({"alpha": 2.0}, {"beta": 2.0}, {"transA": 1}, {"transB": 1}):
        net = Net()
        x = net.pair(net.input(shape=(16, 5) if "transA" in attributes else (5, 16)))
        turned = "transB" in attributes
        weight = net.weight((8, 16) if turned else (16, 8), 0 if turned else 1)
        bias = net.constant(np.ones(8, np.float32))
        net.outputs.append(net.op("Neg", net.pair(net.op("Gemm", x, weight, bias, **attributes))))
        yield f"Gemm {attributes}", net.model()


ZEROS = ((np.uint8, 128), (np.uint8, 0), (np.int8, 0), (np.int8, 5))


def transposed_cases():
    """Transposed convolutions of 16 channels, unless stated otherwise."""
    def case(text, dtype=np.uint8, zero=0, shape=(1, 16, 14, 14), results=16, kernel=2, group=1, axis=1, weight_zero=0,
             bias=True, behind=None, **attributes):
        net = Net()
        x = net.pair(net.input(shape=shape), 0.02, zero, dtype)
        weight = net.weight((shape[1], results // group) + (kernel,) * (len(shape) - 2), axis, zero=weight_zero)
        added = [net.constant(np.ones(results, np.float32))] if bias else []
        y = net.op("ConvTranspose", x, weight, *added, group=group, strides=[2] * (len(shape) - 2), **attributes)
        net.outputs.append(net.op("Neg", net.pair(net.op(behind, y) if behind else y)))
        return f"ConvTranspose {text}", net.model()

    for dtype, zero in ZEROS:
        for shape in (1, 16, 14, 14), (1, 3, 14, 14):
            yield case(f"{shape} {dtype.__name__} {zero}", dtype, zero, shape)
    for group, kernel in (16, 2), (4, 3), (2, 2):
        yield case(f"{group=} {kernel=}", group=group, kernel=kernel)
    for axis in 0, 1, None:
        yield case(f"{axis=}", axis=axis, results=24)
    yield case("weight with a zero point", weight_zero=3)
    yield case("no bias", bias=False)
    for op in "Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSwish", "Elu":
        yield case(op, behind=op)
    for attributes in ({"pads": [1] * 4}, {"output_padding": [1, 1]}, {"dilations": [2, 2]},
                       {"auto_pad": "SAME_UPPER"}, {"output_shape": [28, 28]}):
        yield case(str(attributes), kernel=3, **attributes)
    for shape in (1, 16, 20), (1, 16, 6, 6, 6), (4, 16, 14, 14):
        yield case(str(shape), shape=shape)


def factor_cases():
    """Products of two tensors."""
    def case(op, left, right, shapes=((2, 4, 8, 16), (2, 4, 16, 8)), behind=None):
        net = Net()
        a, b = (net.pair(net.input(name, shape), 0.02, zero, dtype)
                for name, shape, (dtype, zero) in zip("ab", shapes, (left, right)))
        y = net.op(op, a, b)
        net.outputs.append(net.op("Neg", net.pair(net.op(behind, y) if behind else y)))
        kinds = " and ".join(f"{dtype.__name__} {zero}" for dtype, zero in (left, right))
        return f"{op} of {kinds}, {shapes} {behind or ''}", net.model()

    for left, right in itertools.product(ZEROS, repeat=2):
        yield case("MatMul", left, right)
    for shapes in (((8, 16), (16, 8)), ((4, 8, 16), (16, 8)), ((1, 4, 8, 16), (2, 4, 16, 8))):
        for left in (np.uint8, 128), (np.int8, 0):
            yield case("MatMul", left, (np.int8, 0), shapes)
    for op in "Relu", "Tanh":
        yield case("MatMul", (np.uint8, 0), (np.int8, 0), behind=op)
    for left in (np.uint8, 128), (np.int8, 0):
        yield case("Gemm", left, (np.int8, 0), ((8, 16), (16, 8)))


def moved_cases():
    """Convolutions that read what was moved, or averaged, without another pair."""
    def of(name, op, *more, shape=(1, 16, 14, 14), **attributes):
        net = Net()
        x = net.pair(net.input(shape=shape))
        net.outputs.append(net.op("Neg", net.pair(net.conv(net.op(op, x, *map(net.constant, more), **attributes)))))
        return name, net.model()

    yield of("MaxPool, Conv", "MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    yield of("Transpose, Conv", "Transpose", shape=(1, 14, 14, 16), perm=[0, 3, 1, 2])
    yield of("Reshape, Conv", "Reshape", np.array([1, 16, 7, 28]))
    yield of("Slice, Conv", "Slice", np.array([2]), np.array([9]), np.array([2]))
    yield of("Relu, Conv", "Relu")
    for mode in ("nearest", "linear", "cubic"):
        net = Net()
        x = net.pair(net.input())
        y = net.op("Resize", x, "", net.constant(np.float32([1, 1, 2, 2])), mode=mode)
        yield f"Resize {mode}", net.behind(y)


def cases():
    several = (activation_cases, sum_cases, concat_cases, conv_shapes, product_cases, transposed_cases, factor_cases,
               moved_cases)
    return itertools.chain.from_iterable(kind() for kind in several)
