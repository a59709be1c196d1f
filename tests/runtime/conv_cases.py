"""Small models of one quantized Conv, each with one condition varied."""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

DTYPES = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16}
MIDDLE = {"u8": 128, "i8": 0, "u16": 32768, "i16": 0}
LOWEST = {"u8": 0, "i8": -128, "u16": 0, "i16": -32768}
RELU, RELU6 = ("Relu",), (("Clip", 0, 6),)
STEP6 = float(np.float32(6 / 255))


class Case:
    """x -> Q -> DQ -> Conv(weight, bias) -> activations -> Q -> DQ -> Neg, with one thing or another changed."""

    defaults = {
        "opset": 13,
        "domain": "",
        "group": 1,
        "zero_points": True,
        "x": "u8",
        "x_from": "pair",
        "x_scale": "scalar",
        "x_users": "one",
        "weight": "i8",
        "channels": "per_channel",
        "weight_zero": "middle",
        "axis": 0,
        "bias": "int32",
        "activations": (),
        "users": "one",
        "y": "u8",
        "y_scale": STEP6,
        "y_zero": "lowest",
        "y_scale_is": "scalar",
        "y_to": "Neg",
    }

    def __init__(self, **changes):
        self.changes = changes
        vars(self).update({**self.defaults, **changes})

    def __str__(self):
        return ", ".join(f"{name}={value}" for name, value in self.changes.items()) or "nothing changed"

    def model(self):
        self.random = np.random.default_rng(7)
        self.initializers, self.nodes, self.outputs = [], [], []
        self.inputs = [self.info("x", TensorProto.FLOAT, [1, 4, 8, 8])]
        x = self.make_input()
        y = self.make_kernel(x, "conv")
        if self.x_users == "two":
            other = self.make_kernel(x, "other")
            self.output(self.pair(other, self.y, STEP6, LOWEST[self.y])[1])
        self.tap("conv", y)
        for i, activation in enumerate(self.activations):
            y = self.make_activation(activation, y, f"activation{i}")
        if self.activations:
            self.tap("activation", y)
        self.make_output(y)
        graph = helper.make_graph(self.nodes, "case", self.inputs, self.outputs, self.initializers)
        opsets = [helper.make_opsetid("", self.opset)] + ([helper.make_opsetid(self.domain, 1)] if self.domain else [])
        return helper.make_model(graph, opset_imports=opsets, ir_version=8 if self.opset < 19 else 10)

    def make_input(self):
        if self.x_from == "float":
            return "x"
        if self.x_from == "integers":
            dtype = helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[self.x]))
            self.inputs = [self.info("x", dtype, [1, 4, 8, 8])]
            return self.dequantize("x", self.scalar("x_s", 0.02), [self.zero("x_z", self.x, MIDDLE[self.x])])
        if self.x_from == "dynamic scale":
            self.inputs.append(self.info("given", TensorProto.FLOAT, []))
        quantized, result = self.pair("x", self.x, 0.02, MIDDLE[self.x], self.x_scale, self.x_from == "dynamic scale")
        if self.x_users == "output":
            self.output(result)
        if self.x_users == "quantized output":
            self.output(quantized, helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[self.x])))
        return result

    def make_kernel(self, x, name):
        shape = (4, 4 // self.group, 3, 3)
        codes = self.random.integers(-127, 128, shape)
        scale = np.float32(0.01)
        if self.weight == "float":
            weight = self.constant((codes * scale).astype(np.float32), name + "_w")
        elif self.weight == "given":
            self.inputs.append(self.info(name + "_w", TensorProto.FLOAT, shape))
            weight = name + "_w"
        else:
            weight, scale = self.make_weight(codes, name)
        inputs = [x, weight] + self.make_bias(scale, name)
        return self.op("Conv", inputs, name, pads=[1, 1, 1, 1], group=self.group)

    def make_weight(self, codes, name):
        dtype = DTYPES[self.weight]
        middle = MIDDLE[self.weight]
        scale = np.float32(self.random.uniform(0.005, 0.02, 4))
        zero = np.full(4, middle + (3 if self.weight_zero == "shifted" else 0), dtype)
        if self.weight_zero == "differs":
            zero[1] += 1
        if self.channels == "per_tensor":
            scale, zero = np.asarray(scale[0]), np.asarray(zero[0])
        attributes = {"axis": self.axis} if self.channels == "per_channel" else {}
        zeros = [self.constant(zero, name + "_w_z")] if self.zero_points else []
        quantized = self.constant((codes + middle).astype(dtype), name + "_w_q")
        return self.dequantize(quantized, self.constant(scale, name + "_w_s"), zeros, **attributes), scale

    def make_bias(self, weight_scale, name):
        if self.bias == "none":
            return []
        if self.bias == "given":
            self.inputs.append(self.info(name + "_b", TensorProto.FLOAT, [4]))
            return [name + "_b"]
        codes = self.random.integers(-2000, 2000, 4).astype(np.int32)
        scale = np.asarray(np.float32(0.02) * weight_scale)
        if self.bias == "float":
            return [self.constant(np.broadcast_to(codes * scale, 4).astype(np.float32), name + "_b")]
        if self.bias == "an ulp off":
            scale = np.nextafter(scale, np.float32(1))
        if self.bias == "wrong scale":
            scale = scale * np.float32(1.5)
        if self.bias == "off by a thousandth":
            scale = scale * np.float32(1.001)
        zeros = (
            [self.constant(np.zeros(scale.shape, np.int32), name + "_b_z")] if self.bias == "with zero point" else []
        )
        attributes = {"axis": 0} if scale.ndim else {}
        return [
            self.dequantize(
                self.constant(codes, name + "_b_q"), self.constant(scale, name + "_b_s"), zeros, **attributes
            )
        ]

    def make_activation(self, activation, x, name):
        op, *bounds = (activation,) if isinstance(activation, str) else activation
        if op != "Clip":
            return self.op(op, [x], name)
        if bounds == ["given"]:
            self.inputs.append(self.info(name + "_max", TensorProto.FLOAT, []))
            return self.op(op, [x, "", name + "_max"], name)
        if self.opset < 11:
            return self.op(op, [x], name, min=float(bounds[0]), max=float(bounds[1]))
        return self.op(
            op, [x] + ["" if b is None else self.scalar(f"{name}_{i}", b) for i, b in enumerate(bounds)], name
        )

    def make_output(self, y):
        if self.y_to == "float":
            return self.output(y)
        zero = LOWEST[self.y] if self.y_zero == "lowest" else self.y_zero
        dynamic = self.y_scale_is == "dynamic"
        if dynamic:
            self.inputs.append(self.info("given_y", TensorProto.FLOAT, []))
        quantized, result = self.pair(y, self.y, self.y_scale, zero, self.y_scale_is, dynamic)
        if self.y_to == "integers":
            dtype = helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[self.y]))
            self.nodes.pop()
            return self.output(quantized, dtype)
        if self.y_to == "output":
            return self.output(result)
        self.output(self.op("Neg", [result], "negated"))
        if self.y_to == "two users":
            self.output(self.op("Abs", [result], "absolute"))
        if self.y_to == "output and Neg":
            self.output(result)
        if self.y_to in ("equal pair", "another pair"):
            self.output(
                self.pair(y, self.y, self.y_scale * (1 if self.y_to == "equal pair" else 2), zero, name="again")[1]
            )
        if self.y_to == "half a pair":
            scale = self.scalar("again_s", self.y_scale)
            self.output(self.dequantize(self.op("QuantizeLinear", [y, scale, y + "_z"], "again"), scale, [y + "_z"]))

    def tap(self, where, value):
        if self.users == where + " with another user":
            self.output(self.op("Neg", [value], "tap"))
        if self.users == where + " as output":
            self.output(value)

    def pair(self, value, dtype, scale, zero, scale_is="scalar", dynamic=False, name=None):
        name = name or value
        if dynamic:
            given = "given" if value == "x" else "given_y"
            scale = self.op("Mul", [given, self.scalar(name + "_half", 0.5)], name + "_s")
        else:
            scale = self.constant(np.float32([scale] if scale_is == "list of one" else scale), name + "_s")
        shape = (1,) if scale_is == "list of one" else ()
        zeros = [self.zero(name + "_z", dtype, zero, shape)] if self.zero_points else []
        quantized = self.op("QuantizeLinear", [value, scale] + zeros, name + "_q", domain=self.domain)
        return quantized, self.dequantize(quantized, scale, zeros)

    def dequantize(self, quantized, scale, zeros, **attributes):
        return self.op(
            "DequantizeLinear", [quantized, scale] + zeros, quantized + "_dq", domain=self.domain, **attributes
        )

    def op(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name="node_" + output, **attributes))
        return output

    def constant(self, array, name):
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def scalar(self, name, value):
        return self.constant(np.float32(value), name)

    def zero(self, name, dtype, value, shape=()):
        return self.constant(np.full(shape, value, DTYPES[dtype]), name)

    def output(self, name, dtype=TensorProto.FLOAT):
        self.outputs.append(self.info(name, dtype, None))

    @staticmethod
    def info(name, dtype, shape):
        return helper.make_tensor_value_info(name, dtype, shape)


def cases():
    for opset, activations in itertools.product((10, 11, 12, 13, 14, 17, 19, 21, 22, 23), ((), RELU, RELU6)):
        yield Case(opset=opset, activations=activations, channels="per_tensor" if opset < 13 else "per_channel")
    for x, y, weight in itertools.product(("u8", "i8"), ("u8", "i8"), ("u8", "i8")):
        for channels, activations in itertools.product(("per_channel", "per_tensor"), ((), RELU)):
            yield Case(x=x, y=y, weight=weight, channels=channels, activations=activations)
    for dtype in ("u16", "i16"):
        for changes in ({"x": dtype, "y": dtype}, {"x": dtype}, {"y": dtype}, {"weight": dtype}):
            yield Case(opset=21, **changes)
        for changes in ({"activations": RELU}, {"activations": RELU6}, {"bias": "float"}, {"weight": "float"}):
            yield Case(opset=21, x=dtype, y=dtype, **changes)
        yield Case(opset=21, x=dtype, y=dtype, y_to="output")
    for y, zeros in (("u8", (0, 1, 5, 128, 255)), ("i8", (-128, -127, 0, 5, 127))):
        for zero in zeros:
            yield Case(x=y, y=y, y_zero=zero, activations=RELU)
            for bounds in ((0, 6), (-1, 1), (0, None), (None, 6), (None, None), (0.5, 6)):
                yield Case(x=y, y=y, y_zero=zero, activations=(("Clip", *bounds),))
    for factor in (0.5, 0.999, 1, 1 + 1e-7, 1 + 2e-7, 1 + 3e-7, 1 + 1e-6, 1 + 1e-4, 1 + 1e-3, 1 + 1.9e-3, 1.0021, 1.01):
        yield Case(y_scale=STEP6 * factor, activations=RELU6)
        yield Case(y_scale=STEP6 * factor, activations=("Relu", ("Clip", -1, 6)))
    for scale, zero in ((1 / 127, 128), (1 / 128, 128), (1 / 127.5, 128), (1 / 127.5, 127), (1 / 128, 127)):
        yield Case(y_scale=scale, y_zero=zero, activations=(("Clip", -1, 1),))
    for activation in (
        "LeakyRelu",
        "Sigmoid",
        "Tanh",
        "Elu",
        "Softplus",
        "HardSigmoid",
        "Neg",
        "Identity",
        ("Clip", "given"),
    ):
        yield Case(activations=(activation,))
    for opset, activation in ((14, "HardSwish"), (20, "Gelu"), (18, "Mish")):
        yield Case(opset=opset, activations=(activation,))
    for activations in (
        ("Relu", "Relu"),
        ("Relu", ("Clip", 0, 6)),
        ("Relu", ("Clip", 1, 6)),
        (("Clip", 0, 6), "Relu"),
        (("Clip", 0, 6), ("Clip", 0, 6)),
        ("Relu", "LeakyRelu"),
        ("LeakyRelu", "Relu"),
        ("Relu", "Relu", "Relu"),
        ("Relu", "Identity"),
        ("Identity", "Relu"),
    ):
        yield Case(activations=activations)
    for activations in ((), RELU, RELU6):
        yield Case(users="conv with another user", activations=activations)
        yield Case(users="conv as output", activations=activations)
        yield Case(zero_points=False, activations=activations)
        yield Case(x_scale="list of one", activations=activations)
        yield Case(y_scale_is="list of one", activations=activations)
        yield Case(y_scale_is="dynamic", activations=activations)
        yield Case(x_from="dynamic scale", activations=activations)
        yield Case(x_from="dynamic scale", bias="float", activations=activations)
        yield Case(x_from="dynamic scale", bias="none", activations=activations)
        for y_to in (
            "float",
            "integers",
            "output",
            "two users",
            "output and Neg",
            "equal pair",
            "half a pair",
            "another pair",
        ):
            for dtype in ("u8", "i8"):
                yield Case(y_to=y_to, x=dtype, y=dtype, activations=activations)
    for activations in (RELU, RELU6):
        yield Case(users="activation with another user", activations=activations)
        yield Case(users="activation as output", activations=activations)
    for x_from, x, y in itertools.product(("float", "integers"), ("u8", "i8"), ("u8", "i8")):
        yield Case(x_from=x_from, x=x, y=y)
    for x_users, dtype in itertools.product(("two", "output", "quantized output"), ("u8", "i8")):
        yield Case(x_users=x_users, x=dtype, y=dtype)
    for bias in ("none", "int32", "wrong scale", "with zero point", "an ulp off", "off by a thousandth", "float",
                 "given"):
        for channels in ("per_channel", "per_tensor"):
            yield Case(bias=bias, channels=channels)
        for weight in ("float", "given", "u8"):
            yield Case(bias=bias, weight=weight)
    for weight_zero, weight, channels in itertools.product(
        ("differs", "shifted"), ("u8", "i8"), ("per_channel", "per_tensor")
    ):
        yield Case(weight_zero=weight_zero, weight=weight, channels=channels)
    for axis, bias in itertools.product((0, 1, -4), ("int32", "float", "none")):
        yield Case(axis=axis, bias=bias)
    for group in (2, 4):
        yield Case(group=group)
    for activations in ((), RELU, RELU6):
        yield Case(domain="com.microsoft", activations=activations)
