"""Small models of one quantized operator that is not a Conv, each with one condition varied."""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from conv_cases import DTYPES, LOWEST, MIDDLE


class OperatorCase:
    """operands -> Q -> DQ -> operator -> activations -> Q -> DQ -> Neg, with one thing or another changed."""

    defaults = {
        "opset": 13,
        "inputs": ("pair",),
        "dtypes": ("u8",),
        "scales": (0.02, 0.03, 0.05),
        "zero": "middle",
        "extra": (),
        "first": (),
        "shape": (1, 4, 6, 6),
        "attributes": {},
        "outputs": 1,
        "added": None,
        "activations": (),
        "y": "u8",
        "y_scale": 0.04,
        "y_to": "Neg",
        "with_zero": True,
        "lists": False,
    }

    def __init__(self, op, **changes):
        self.op, self.changes = op, changes
        vars(self).update({**self.defaults, **changes})

    def __str__(self):
        return f"{self.op}: " + ", ".join(f"{name}={value}" for name, value in self.changes.items())

    def model(self):
        self.initializers, self.nodes, self.outs, self.ins = [], [], [], []
        names = [self.array(f"first{i}", array) for i, array in enumerate(self.first)]
        for i, kind in enumerate(self.inputs):
            names.append(self.operand(i, kind, self.dtypes[min(i, len(self.dtypes) - 1)]))
        names += [self.array(f"extra{i}", array) for i, array in enumerate(self.extra)]
        results = self.node(self.op, names, "op", self.outputs, **self.attributes)
        for i, result in enumerate(results):
            self.result(i, result)
        graph = helper.make_graph(self.nodes, "case", self.ins, self.outs, self.initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8 if self.opset < 19 else 10)

    def operand(self, i, kind, dtype):
        shape = self.shapes[i] if hasattr(self, "shapes") else self.shape
        random = np.random.default_rng(i)
        if kind == "float constant":
            return self.array(f"x{i}", random.normal(size=shape).astype(np.float32))
        if kind.startswith("constant"):
            data = self.array(f"x{i}", random.integers(1, 100, shape).astype(DTYPES[dtype]))
            axis = int(kind.split()[1]) if " " in kind else None
            return self.dequantize(data, f"x{i}", dtype, self.scales[i], axis, shape)
        if kind == "bias" or kind == "bias wrong":
            scale = np.float32(self.scales[0]) * np.float32(self.scales[1]) * (2 if kind == "bias wrong" else 1)
            data = self.array(f"x{i}", np.arange(shape[-1], dtype=np.int32).reshape(shape))
            return self.node("DequantizeLinear", [data, self.array(f"x{i}_s", np.float32(scale))], f"x{i}_dq")[0]
        if kind == "bias per channel":
            scale = np.full(shape[-1], np.float32(self.scales[0]) * np.float32(self.scales[1]))
            data = self.array(f"x{i}", np.arange(shape[-1], dtype=np.int32))
            names = [data, self.array(f"x{i}_s", scale), self.array(f"x{i}_z", np.zeros(shape[-1], np.int32))]
            return self.node("DequantizeLinear", names, f"x{i}_dq", axis=0)[0]
        if kind == "integers":
            tensor_dtype = helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[dtype]))
            self.ins.append(helper.make_tensor_value_info(f"x{i}", tensor_dtype, shape))
            return self.dequantize(f"x{i}", f"x{i}", dtype, self.scales[i])
        self.ins.append(helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, shape))
        if kind == "float":
            return f"x{i}"
        result = self.pair(f"x{i}", dtype, self.scales[i], self.zero)
        if kind == "shared":
            self.output(self.node("Neg", [result], f"other{i}")[0])
        return result

    def sum(self, y):
        """Of the result and an array, or an input of such a shape."""
        if isinstance(self.added, np.ndarray):
            return self.node("Add", [y, self.array("added", self.added)], "sum")[0]
        self.ins.append(helper.make_tensor_value_info("added", TensorProto.FLOAT, self.added))
        return self.node("Add", ["added", y], "sum")[0]

    def result(self, i, y):
        if self.added is not None:
            y = self.sum(y)
        for k, op in enumerate(self.activations):
            (y,) = self.node(op, [y], f"activation{i}_{k}")
        if self.y_to == "float":
            return self.output(y)
        if self.y_to == "Abs":
            return self.output(self.node("Abs", [y], f"absolute{i}")[0])
        if self.y_to == "two in float":
            self.output(self.node("Abs", [y], f"absolute{i}")[0])
            return self.output(self.node("Neg", [y], f"negated{i}")[0])
        result = self.pair(y, self.y, self.y_scale, "lowest" if self.activations else self.zero)
        if self.y_to == "another user":
            self.output(self.node("Abs", [y], f"absolute{i}")[0])
        if self.y_to == "output as well":
            self.output(y)
        if self.y_to == "another pair":
            self.output(self.pair(y, self.y, self.y_scale * 2, self.zero, y + "_again"))
        if self.y_to == "moved":
            (result,) = self.node("Transpose", [result], f"moved{i}")
        return self.output(self.node("Neg", [result], f"negated{i}")[0])

    def pair(self, value, dtype, scale, zero, name=None):
        name = name or value
        names = self.qparams(name, dtype, scale, zero)
        (quantized,) = self.node("QuantizeLinear", [value, *names], name + "_q")
        return self.node("DequantizeLinear", [quantized, *names], name + "_dq")[0]

    def dequantize(self, data, name, dtype, scale, axis=None, shape=()):
        names = self.qparams(name, dtype, scale, "middle", shape[axis] if axis is not None else None)
        attributes = {} if axis is None else {"axis": axis}
        return self.node("DequantizeLinear", [data, *names], name + "_dq", **attributes)[0]

    def qparams(self, name, dtype, scale, zero, channels=None):
        value = {"middle": MIDDLE, "lowest": LOWEST}[zero][dtype] if isinstance(zero, str) else zero
        shape = (channels,) if channels else (1,) if self.lists else ()
        names = [self.array(name + "_s", np.full(shape, scale, np.float32))]
        if self.with_zero:
            names.append(self.array(name + "_z", np.full(shape, value, DTYPES[dtype])))
        return names

    def node(self, op, inputs, name, outputs=1, **attributes):
        results = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, name="node_" + name, **attributes))
        return results

    def array(self, name, array):
        if array is None:
            return ""
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def output(self, name):
        self.outs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))


POOL = {"kernel_shape": [2, 2]}
ENDS = ("float", "Abs", "two in float", "another user", "output as well", "another pair", "moved")


def ints(*values):
    return np.array(values, np.int64)


def one_dtype_cases():
    one, two = {"inputs": ("pair",)}, {"inputs": ("pair", "pair")}
    kinds = {
        "Add": two,
        "Mul": two,
        "Concat": {"inputs": ("pair",) * 3, "attributes": {"axis": 1}},
        "Where": {"first": (np.array([True, False] * 3),), **two},
        "AveragePool": {"attributes": POOL, **one},
        "GlobalAveragePool": one,
        "LeakyRelu": one,
        "Sigmoid": one,
        "Softmax": {"attributes": {"axis": 1}, **one},
        "Sub": two,
        "Max": two,
        "Tanh": one,
        "HardSigmoid": one,
        "GlobalMaxPool": one,
    }
    for op, kind in kinds.items():
        several = len(kind["inputs"]) > 1
        for dtype in ("u8", "i8"):
            for opset in (10, 11, 12, 13, 14, 17, 19, 21, 22):
                if not (op in ("LeakyRelu",) and opset < 10):
                    yield OperatorCase(op, opset=opset, dtypes=(dtype,), y=dtype, **kind)
            for y_to in ENDS:
                yield OperatorCase(op, dtypes=(dtype,), y=dtype, y_to=y_to, **kind)
            for activations in (("Relu",), ("Relu", "Relu"), ("Tanh",)):
                yield OperatorCase(op, dtypes=(dtype,), y=dtype, activations=activations, **kind)
            for inputs in ("float", "integers", "shared", "constant", "float constant"):
                changed = (inputs,) if not several else (*kind["inputs"][:-1], inputs)
                yield OperatorCase(op, dtypes=(dtype,), y=dtype, **{**kind, "inputs": changed})
                if several:
                    changed = (inputs, *kind["inputs"][1:])
                    yield OperatorCase(op, dtypes=(dtype,), y=dtype, **{**kind, "inputs": changed})
            yield OperatorCase(op, dtypes=(dtype,), y=dtype, with_zero=False, **kind)
            yield OperatorCase(op, dtypes=(dtype,), y=dtype, lists=True, **kind)
        yield OperatorCase(op, dtypes=("u8",), y="i8", **kind)
        yield OperatorCase(op, dtypes=("i8",), y="u8", **kind)
        for wide in ("u16", "i16"):
            yield OperatorCase(op, opset=21, dtypes=(wide,), y=wide, **kind)
            yield OperatorCase(op, opset=21, dtypes=("u8",), y=wide, **kind)
        if several:
            yield OperatorCase(op, dtypes=("u8", "i8"), **kind)
            yield OperatorCase(op, dtypes=("u8", "i8"), **{**kind, "inputs": (*kind["inputs"][:-1], "constant")})
            yield OperatorCase(op, opset=21, dtypes=("u8", "u16"), **kind)
    for dilations in ([1, 1], [2, 2]):
        yield OperatorCase("AveragePool", opset=19, attributes={**POOL, "dilations": dilations})
        yield OperatorCase("AveragePool", opset=19, inputs=("float",), attributes={**POOL, "dilations": dilations})
    counted = {"count_include_pad": 1, "pads": [1, 1, 1, 1]}
    for changes in ({"ceil_mode": 1}, counted, {"auto_pad": "SAME_UPPER"}, {**counted, "ceil_mode": 1}):
        for opset in (13, 19):
            yield OperatorCase("AveragePool", opset=opset, attributes={**POOL, **changes})


MOVEMENTS = {
    "MaxPool": {"attributes": POOL},
    "Resize": {"attributes": {"mode": "linear"}, "extra": (None, np.float32([1, 1, 2, 2]))},
    "ReduceMax": {"attributes": {"axes": [2]}},
    "ReduceMin": {"attributes": {"axes": [2]}},
    "DepthToSpace": {"attributes": {"blocksize": 2}},
    "SpaceToDepth": {"attributes": {"blocksize": 2}},
    "Split": {"attributes": {"axis": 1}, "extra": (ints(2, 2),), "outputs": 2},
    "Transpose": {"attributes": {"perm": [0, 2, 3, 1]}},
    "Reshape": {"extra": (ints(1, 4, 36, 1),)},
    "Flatten": {},
    "Squeeze": {"extra": (ints(0),)},
    "Unsqueeze": {"extra": (ints(0),)},
    "Slice": {"extra": (ints(0), ints(2), ints(1))},
    "Gather": {"attributes": {"axis": 1}, "extra": (ints(0, 2),)},
    "GatherElements": {"attributes": {"axis": 1}, "extra": (np.zeros((1, 4, 6, 6), np.int64),)},
    "Expand": {"extra": (ints(2, 4, 6, 6),)},
    "Tile": {"extra": (ints(1, 2, 1, 1),)},
    "Pad": {"extra": (ints(0, 0, 1, 1, 0, 0, 1, 1),)},
}


def movement_cases():
    same = {"y_scale": 0.02}
    for op, kind in MOVEMENTS.items():
        for dtype in ("u8", "i8"):
            base = {"dtypes": (dtype,), "y": dtype, **kind}
            yield OperatorCase(op, **base)
            yield OperatorCase(op, **base, **same)
            for y_to in ENDS:
                if y_to != "moved" or op not in ("Split", "Transpose", "Unsqueeze"):
                    yield OperatorCase(op, y_to=y_to, **base, **same)
            for inputs in ("float", "integers", "shared"):
                yield OperatorCase(op, inputs=(inputs,), **base, **same)
            for zero in ("middle", "lowest"):
                yield OperatorCase(op, activations=("Relu",), zero=zero, **base, **same)
            yield OperatorCase(op, activations=("Tanh",), **base, **same)
            yield OperatorCase(op, with_zero=False, **base, **same)
            yield OperatorCase(op, lists=True, **base, **same)
        yield OperatorCase(op, dtypes=("u8",), y="i8", **kind, **same)
        if op == "Resize":
            twice, roi, linear = np.float32([1, 1, 2, 2]), np.float32([0, 0, 0, 0, 1, 1, 1, 1]), {"mode": "linear"}
            crop = {"coordinate_transformation_mode": "tf_crop_and_resize"}
            for attributes, extra in (
                ({**linear, "axes": [2, 3]}, (None, None, ints(12, 12))),
                ({**linear, "antialias": 1}, (None, twice)),
                ({**linear, **crop}, (roi, twice)),
                ({"mode": "cubic"}, (None, twice)),
                ({"mode": "nearest"}, (None, twice)),
                ({"mode": "nearest", "axes": [2, 3]}, (None, None, ints(12, 12))),
                ({"mode": "nearest", **crop}, (roi, twice)),
            ):
                yield OperatorCase(op, opset=18, attributes=attributes, extra=extra, **same)
        if op not in ("Split", "ReduceMax", "ReduceMin"):
            for wide in ("u16", "i16"):
                yield OperatorCase(op, opset=21, dtypes=(wide,), y=wide, **kind, **same)
    for opset in (11, 12, 13, 17, 19, 21, 22):
        yield OperatorCase("MaxPool", opset=opset, attributes=POOL, **same)
        yield OperatorCase("MaxPool", opset=opset, attributes=POOL, y_to="float")
        yield OperatorCase("Transpose", opset=opset, attributes={"perm": [0, 2, 3, 1]}, **same)
        yield OperatorCase("Flatten", opset=opset, **same)
        yield OperatorCase("Slice", opset=opset, extra=(ints(0), ints(2), ints(1)), **same)


def product_cases():
    wide, bias = (2, 4), (3,)
    for op in ("MatMul", "Gemm"):
        for transposed in (0, 1) if op == "Gemm" else (0,):
            attributes = {"transB": 1} if transposed else {}
            weight = (3, 4) if transposed else (4, 3)
            base = {"attributes": attributes, "shapes": (wide, weight, bias)}
            biases = ((), ("bias",), ("float constant",)) if op == "Gemm" else ((),)
            for last, dtype, kind, y_to in itertools.product(
                biases,
                ("u8", "i8"),
                ("constant", "constant 0", "constant 1", "float constant", "pair", "float"),
                ("Neg", *ENDS),
            ):
                last = ("bias per channel",) if last == ("bias",) and kind[-1] in "01" else last
                yield OperatorCase(op, inputs=("pair", kind, *last), dtypes=("u8", dtype), y_to=y_to, **base)
            for x, y in itertools.product(("u8", "i8", "u16", "i16"), repeat=2):
                yield OperatorCase(op, opset=21, inputs=("pair", "constant"), dtypes=(x, "i8"), y=y, **base)
            for activations in (("Relu",), ("Tanh",), ("Relu", "Tanh")):
                for last in biases:
                    yield OperatorCase(
                        op, inputs=("pair", "constant", *last), dtypes=("u8", "i8"), activations=activations, **base
                    )
            for first in ("float", "shared", "integers", "constant", "float constant"):
                yield OperatorCase(op, inputs=(first, "pair"), **base)
            for y_to in ("Neg", "float"):
                yield OperatorCase(
                    op, inputs=("pair", "constant"), dtypes=("u8",), with_zero=False, y_to=y_to, **base
                )
    base = {"dtypes": ("u8", "i8"), "shapes": (wide, (4, 3), bias)}
    for attributes in ({"alpha": 2.0}, {"beta": 2.0}):
        for last in ((), ("bias",), ("float constant",)):
            yield OperatorCase("Gemm", inputs=("pair", "constant", *last), attributes=attributes, **base)
    for shape in ((1, 3), (1,), ()):
        for kind in ("bias", "float constant"):
            if shape or kind != "bias":
                shapes = (wide, (4, 3), shape)
                yield OperatorCase("Gemm", inputs=("pair", "constant", kind), dtypes=("u8", "i8"), shapes=shapes)
    for x, y_to in itertools.product(((2, 4), (5, 2, 4), ("N", 4), ("N", 2, 4), (1, 4), (4,)), ("float", "Neg")):
        for shape in ((3,), (1,), (), (1, 3), (2, 3), (2, 1), (1, 1), (1, 1, 3)):
            kinds = {"inputs": ("pair", "constant"), "dtypes": ("u8", "i8"), "shapes": (x, (4, 3)), "y_to": y_to}
            yield OperatorCase("MatMul", added=np.ones(shape, np.float32), **kinds)
            if not (x == (4,) and len(shape) > 1):
                yield OperatorCase("MatMul", added=shape, **kinds)
                yield OperatorCase("MatMul", added=shape, activations=("Relu",), **kinds)
    transposed = {"attributes": {"transA": 1}, "shapes": ((4, 2), (4, 3))}
    yield OperatorCase("Gemm", inputs=("pair", "constant"), dtypes=("u8", "i8"), **transposed)


def cases():
    return itertools.chain(one_dtype_cases(), movement_cases(), product_cases())
