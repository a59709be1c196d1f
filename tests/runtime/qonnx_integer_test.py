#!/usr/bin/env python3
"""Compares what ONNX Runtime computes before and after conversions to and from operators on integers, without
optimizations of its own, and what the package qonnx computes of Quant and MultiThreshold.

Usage: qonnx_integer_test.py INTEGER_MODEL RUN_QONNX

INTEGER_MODEL is the program graft_integer_model, RUN_QONNX graft_run_qonnx, whose QGemm is compared bit by bit.
Quantized results may be apart by one step of their scale, where what is rounded lies next to a tie; how many are is
printed. Operators on integers give the same floats except for rounding.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

MICROSOFT = "com.microsoft"
QONNX = "qonnx.custom_op.general"
IMAGES = 12  # whose best class is compared
CUT_IMAGES = 2  # of which every quantized tensor is
random = np.random.default_rng(0)


class Net:
    """Nodes that are added one after the other; arrays become constants."""

    def __init__(self, opset=13):
        self.nodes, self.constants, self.inputs, self.outputs, self.opset = [], {}, [], [], opset

    def input(self, *dims, dtype=np.float32):
        self.inputs.append(helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims))
        return "x"

    def op(self, op, *inputs, domain="", **attributes):
        names = []
        for value in inputs:
            if not isinstance(value, str):  # "" is an absent input
                name = f"c{len(self.constants)}"
                self.constants[name] = np.asarray(value)
                value = name
            names.append(value)
        output = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, names, [output], domain=domain, **attributes))
        return output

    def output(self, value):
        rank = len(self.inputs[0].type.tensor_type.shape.dim)
        dims = [f"D{axis}" for axis in range(rank)]
        self.outputs.append(helper.make_tensor_value_info(value, TensorProto.FLOAT, dims))

    def model(self):
        constants = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs, constants)
        opsets = [helper.make_opsetid(domain, 1) for domain in {node.domain for node in self.nodes} - {""}]
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset), *opsets], ir_version=8)


class Quantized:
    """Scale and zero point, and the dtype that it has."""

    def __init__(self, scale, zero, dtype):
        self.scale, self.zero, self.dtype = np.float32(scale), dtype(zero), dtype

    def quantize(self, net, value):
        return net.op("QuantizeLinear", value, self.scale, self.zero)

    def dequantize(self, net, value):
        return net.op("DequantizeLinear", value, self.scale, self.zero)


def weights(dtype, *dims, bits=8):
    """int8 ones in a symmetric range. Of 8 bits and beside uint8, their products saturate where there is no VNNI."""
    low, high = (1 - 2 ** (bits - 1), 2 ** (bits - 1)) if dtype == np.int8 else (0, 256)
    return random.integers(low, high, dims).astype(dtype)


def layer(kind, dtype, per_channel, bias, activation, clip, powers=False, quantized=True, bits=7):
    """One product between quantizers. powers: scales are powers of two, so that many sums lie on ties. bits: of int8
    weights beside uint8."""
    net = Net()
    signed = dtype == np.int8
    x = Quantized(1 / 64 if powers else 0.0173, -3 if signed else 121, dtype)
    zero = -128 if signed and activation == "Relu" else (0 if activation == "Relu" else (5 if signed else 131))
    y = Quantized(1 / 4 if powers else 0.2671, zero if clip != "shifted" else zero + 9, dtype)
    channels, w_dtype = 6, np.int8 if signed or per_channel else np.uint8
    w_dims = {"Conv": (channels, 4, 3, 3), "MatMul": (24, channels), "Gemm": (channels, 24)}[kind]
    axis = {"Conv": 0, "MatMul": 1, "Gemm": 0}[kind]
    count = channels if per_channel else 1
    scales = 2.0 ** -random.integers(7, 10, count) if powers else random.uniform(0.002, 0.008, count)
    scales = scales.astype(np.float32) if per_channel else np.float32(scales[0])
    w_zero = np.zeros(channels, w_dtype) if per_channel else w_dtype(0 if w_dtype == np.int8 else 125)
    value = x.dequantize(net, x.quantize(net, net.input(*((3, 4, 7, 7) if kind == "Conv" else (40, 24)))))
    w = weights(w_dtype, *w_dims, bits=8 if signed else bits)
    inputs = [value, net.op("DequantizeLinear", w, scales, w_zero, axis=axis)]
    if bias and kind != "MatMul":
        product = (x.scale * scales).astype(np.float32)
        integers = random.integers(-3000, 3000, channels).astype(np.int32)
        inputs.append(net.op("DequantizeLinear", integers, product, axis=0) if bias == "int32" else
                      (integers * product + 0.3 * product).astype(np.float32))
    attributes = {"Conv": {"pads": [1, 1, 1, 1], "strides": [2, 2]}, "MatMul": {}, "Gemm": {"transB": 1}}[kind]
    value = net.op(kind, *inputs, **attributes)
    if activation == "Relu":
        value = net.op("Relu", value)
    elif activation == "Clip":
        value = net.op("Clip", value, np.float32(-2.5), np.float32(6))
    if quantized:
        value = y.quantize(net, value)
        if clip == "4 bits":
            value = net.op("Clip", value, dtype(y.zero), dtype(y.zero + 15))
        value = y.dequantize(net, value)
    net.output(value)
    return net.model(), y.scale


def converted(program, passes, model, folder):
    given, result = folder / "given.onnx", folder / "converted.onnx"
    onnx.save(model, given)
    run = subprocess.run([program, passes, given, result], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stdout + run.stderr)
    model = onnx.load(result)
    onnx.checker.check_model(model)
    return model


def ran(model, feeds):
    outputs = [output.name for output in model.graph.output]
    return sessions.session(model.SerializeToString(), optimize=False).run(outputs, feeds)


def feeds_of(model):
    dims = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    return {"x": random.standard_normal(dims).astype(np.float32)}


def ops(model):
    return [node.op_type for node in model.graph.node]


class Steps:
    """How far quantized results are apart, in steps of their scale."""

    def __init__(self):
        self.elements = self.apart = self.most = 0

    def add(self, ours, theirs, scale):
        steps = np.rint(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / float(scale))
        self.elements += steps.size
        self.apart += int(np.count_nonzero(steps))
        self.most = max(self.most, int(steps.max()))

    def __str__(self):
        return f"{self.apart} of {self.elements} differ, by {self.most} steps at most"


def check(condition, message):
    if not condition:
        raise RuntimeError(message)


ACTIVATIONS = ("", ""), ("Relu", ""), ("Relu", "shifted"), ("Clip", ""), ("Relu", "4 bits")


def layers():
    for kind in "Conv", "MatMul", "Gemm":
        for dtype in np.uint8, np.int8:
            for per_channel in False, True:
                for bias in (None,) if kind == "MatMul" else (None, "int32", "float"):
                    for activation, clip in ACTIVATIONS:
                        yield kind, dtype, per_channel, bias, activation, clip


def there_and_back(program, folder):
    """QDQ to quantized operators, and from there to QDQ."""
    totals = {False: Steps(), True: Steps()}
    for case in layers():
        for powers in totals:
            model, scale = layer(*case, powers)
            feeds = feeds_of(model)
            quantized = converted(program, "qdq_to_quantized_operators", model, folder)
            expected = {"Conv": "QLinearConv", "MatMul": "QLinearMatMul", "Gemm": "QGemm"}[case[0]]
            check(expected in ops(quantized) and case[0] not in ops(quantized), f"{case}: {ops(quantized)}")
            back = converted(program, "quantized_operators_to_qdq", quantized, folder)
            check(case[0] in ops(back) and expected not in ops(back), f"{case}: {ops(back)}")
            before = ran(model, feeds)[0]
            totals[powers].add(ran(quantized, feeds)[0], before, scale)
            again = Steps()
            again.add(ran(back, feeds)[0], before, scale)
            check(again.most <= (1 if case[3] == "float" else 0), f"{case}: there and back, {again}")
    for powers, total in totals.items():
        print(f"quantized operators, scales {'are powers of two' if powers else 'of any kind'}: {total}")
        check(total.most <= 1, "by more than a step")


def integers(program, folder):
    most = count = 0
    for kind, dtype, per_channel, bias, activation, clip in layers():
        if clip:
            continue
        model, _ = layer(kind, dtype, per_channel, bias, activation, clip, False, quantized=False)
        feeds = feeds_of(model)
        result = converted(program, "qdq_to_integer_operators", model, folder)
        expected = "ConvInteger" if kind == "Conv" else "MatMulInteger"
        check(expected in ops(result) and kind not in ops(result), f"{kind}: {ops(result)}")
        before, after = ran(model, feeds)[0], ran(result, feeds)[0]
        most = max(most, float(np.max(abs(before - after)) / np.max(abs(before))))
        count += 1
    print(f"operators on integers: {count} layers, apart by {most:.2g} of the greatest magnitude at most")
    check(most < 1e-6, "by more than rounding of floats")


def uint8_weights(program, folder):
    """int8 weights of 8 bits, which would saturate."""
    steps, most = Steps(), 0
    for kind in "Conv", "MatMul", "Gemm":
        for quantized in True, False:
            model, scale = layer(kind, np.uint8, True, None if kind == "MatMul" else "int32", "", "",
                                 quantized=quantized, bits=8)
            feeds = feeds_of(model)
            kept = "quantized" if quantized else "integer"
            result = converted(program, f"qdq_to_uint8_{kept}_operators", model, folder)
            before, after = ran(model, feeds)[0], ran(result, feeds)[0]
            if quantized:
                steps.add(after, before, scale)
            else:
                most = max(most, float(np.max(abs(before - after)) / np.max(abs(before))))
    print(f"weights made uint8: {steps}; operators on integers apart by {most:.2g}")
    check(steps.most <= 1 and most < 1e-6, "too far apart")


def deep(program, folder):
    """Several layers, to 4 bits: every quantized tensor that both have."""
    net = Net()
    q = Quantized(0.02, 128, np.uint8)
    value = q.dequantize(net, q.quantize(net, net.input(2, 3, 16, 16)))
    channels = 3
    for width in 8, 8, 12:
        scales = random.uniform(0.002, 0.006, width).astype(np.float32)
        w = net.op("DequantizeLinear", weights(np.int8, width, channels, 3, 3, bits=4), scales * 10,
                   np.zeros(width, np.int8), axis=0)
        value = net.op("Relu", net.op("Conv", value, w, pads=[1, 1, 1, 1]))
        q = Quantized(0.5, 0, np.uint8)
        value = q.quantize(net, value)
        value = q.dequantize(net, net.op("Clip", value, np.uint8(0), np.uint8(15)))
        channels = width
    net.output(value)
    model = net.model()
    feeds = {"x": random.standard_normal((2, 3, 16, 16)).astype(np.float32)}
    quantized = converted(program, "qdq_to_quantized_operators", model, folder)
    check(ops(quantized).count("QLinearConv") == 3 and "Conv" not in ops(quantized), str(ops(quantized)))
    steps = Steps()
    steps.add(ran(quantized, feeds)[0], ran(model, feeds)[0], q.scale)
    print(f"three layers of 4 bits: {steps}")
    check(steps.apart <= 0.01 * steps.elements, "too many")


def contrib(program, folder):
    """Operators of com.microsoft to QDQ."""
    def one(name, *more, **attributes):
        net = Net()
        a = net.op("QuantizeLinear", net.input(1, 4, 6, 6), np.float32(0.03), np.uint8(120))
        b = net.op("QuantizeLinear", net.op("Neg", "x"), np.float32(0.02), np.uint8(90))
        inputs = [b if value == "b" else a if value == "a" else value for value in more]
        scale = np.float32(0.011)
        if name == "QLinearConcat":
            inputs = [scale, np.uint8(77), *inputs]
        else:
            inputs += [scale, np.uint8(77)]
        y = net.op(name, *inputs, domain=MICROSOFT, **attributes)
        net.output(net.op("DequantizeLinear", y, scale, np.uint8(77)))
        return name, net.model(), scale

    qa, qb = ("a", np.float32(0.03), np.uint8(120)), ("b", np.float32(0.02), np.uint8(90))
    total = Steps()
    for name, model, scale in (
        one("QLinearAdd", *qa, *qb), one("QLinearMul", *qa, *qb), one("QLinearConcat", *qa, *qb, axis=1),
        one("QLinearSigmoid", *qa), one("QLinearLeakyRelu", *qa, alpha=0.1),
        one("QLinearGlobalAveragePool", *qa, channels_last=0),
        one("QLinearAveragePool", *qa, channels_last=0, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        one("QLinearAveragePool", *qa, channels_last=0, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
    ):
        result = converted(program, "quantized_operators_to_qdq", model, folder)
        check(not any(node.domain for node in result.graph.node), f"{name}: {ops(result)}")
        feeds = {"x": random.standard_normal((1, 4, 6, 6)).astype(np.float32)}
        steps = Steps()
        steps.add(ran(result, feeds)[0], ran(model, feeds)[0], scale)
        check(steps.most <= 1, f"{name}: {steps}")
        total.add(ran(result, feeds)[0], ran(model, feeds)[0], scale)
    print(f"operators of {MICROSOFT}: {total}")


def qgemm(program, folder):
    """graft's own QGemm: the same integers and floats."""
    folders, expected = [], []
    for a_type, b_type in (np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8):
        for transposed in (0, 0), (0, 1), (1, 0), (1, 1):
            for per_column, has_bias, quantized in (0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 0, 0), (1, 1, 0):
                columns = 5
                a_dims = (24, 7) if transposed[0] else (7, 24)
                b_dims = (columns, 24) if transposed[1] else (24, columns)
                count = columns if per_column else 1
                b_scale = random.uniform(0.002, 0.01, count).astype(np.float32)
                b_zero = random.integers(0 if b_type == np.uint8 else -5, 6, count).astype(b_type)
                if not per_column:
                    b_scale, b_zero = b_scale[0], b_zero[0]
                net = Net()
                inputs = [net.input(*a_dims, dtype=a_type), np.float32(0.031), a_type(random.integers(0, 100)),
                          weights(b_type, *b_dims, bits=7), b_scale, b_zero,
                          random.integers(-3000, 3000, columns).astype(np.int32) if has_bias else ""]
                if quantized:
                    inputs += [np.float32(0.0625), a_type(90)]
                alpha = float(random.choice([1.0, 0.3]))
                y = net.op("QGemm", *inputs, domain=MICROSOFT, transA=transposed[0], transB=transposed[1], alpha=alpha)
                net.output(y)
                model = net.model()
                model.graph.output[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(
                    np.dtype(a_type if quantized else np.float32))
                low, high = (0, 256) if a_type == np.uint8 else (-128, 128)
                x = random.integers(low, high, a_dims).astype(a_type)
                where = folder / f"qgemm_{len(folders)}"
                where.mkdir()
                onnx.save(model, where / "model.onnx")
                (where / "input_0.pb").write_bytes(numpy_helper.from_array(x).SerializeToString())
                folders.append(where)
                expected.append(ran(model, {"x": x})[0])
    subprocess.run([program], input="".join(f"{where}\n" for where in folders), text=True, check=True)
    for where, theirs in zip(folders, expected):
        check((where / "output_0.pb").is_file(), f"{where.name} does not run")
        ours = numpy_helper.to_array(onnx.TensorProto.FromString((where / "output_0.pb").read_bytes()))
        check(ours.dtype == theirs.dtype and np.array_equal(ours, theirs), f"{where.name}: {ours} is not {theirs}")
    print(f"QGemm: {len(folders)} equal")


def cut(model, quantized):
    """The model with every one of these tensors given; what it computes for them are outputs."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.output[:], result.graph.value_info[:]
    for node in result.graph.node:
        if node.op_type == "QuantizeLinear" and node.output[0] in quantized:
            name = node.output[0]
            result.graph.input.append(helper.make_tensor_value_info(name, TensorProto.UINT8, None))
            result.graph.input[-1].type.tensor_type.ClearField("shape")
            node.output[0] = name + "_computed"
            result.graph.output.append(helper.make_tensor_value_info(node.output[0], TensorProto.UINT8, None))
            result.graph.output[-1].type.tensor_type.ClearField("shape")
    return result


def mobilenet(program, folder):
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", ""))
    path = data / "models" / "mobilenetv2_qoperator.onnx"
    if not path.is_file():
        print("no mobilenetv2_qoperator.onnx: left out")
        return
    import imagenet

    model = onnx.load(path)
    result = converted(program, "quantized_operators_to_qdq", model, folder)
    left = [op for op in ops(result) if op.startswith("QLinear")]
    check(not left, f"{left} are left")
    names = sorted((data / "images" / "imagenet").glob("*.[jJ]*"))[::200 // IMAGES][:IMAGES]
    images = [imagenet.image(name) for name in names]
    before = sessions.session(str(path), optimize=False)
    after = sessions.session(result.SerializeToString(), optimize=False)
    feed = before.get_inputs()[0].name
    scale = 1.0
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.output[0] == model.graph.output[0].name:
            scale = float(numpy_helper.to_array(constants[node.input[1]]))
    same, whole = 0, Steps()
    for image in images:
        theirs, ours = before.run(None, {feed: image})[0], after.run(None, {feed: image})[0]
        same += int(np.argmax(theirs) == np.argmax(ours))
        whole.add(ours, theirs, scale)
    print(f"mobilenetv2: {same} of {len(images)} have the same best class; outputs of the whole net: {whole}")
    quantized = [node.output[0] for node in model.graph.node
                 if node.op_type.startswith("QLinear") or node.op_type == "QuantizeLinear"]
    tapped = onnx.ModelProto()
    tapped.CopyFrom(model)
    del tapped.graph.output[:]
    tapped.graph.output.extend(onnx.ValueInfoProto(name=name) for name in quantized)
    tapped = sessions.session(tapped.SerializeToString(), optimize=False)
    pieces = cut(result, set(quantized))
    check(len(pieces.graph.output) == len(quantized), "names of quantized tensors changed")
    pieces = sessions.session(pieces.SerializeToString(), optimize=False)
    steps = Steps()
    for image in images[:CUT_IMAGES]:
        given = dict(zip(quantized, tapped.run(quantized, {feed: image})))
        for output, ours in zip(pieces.get_outputs(), pieces.run(None, given | {feed: image})):
            steps.add(ours, given[output.name.removesuffix("_computed")], 1)
    print(f"mobilenetv2, each operator of the same integers: {steps}")
    check(steps.most <= 1 and steps.apart <= 1e-5 * steps.elements, "too many, or by more than a step")
    check(same >= 0.75 * len(images), "too many best classes differ")  # steps grow on their way through the net


def thresholds(program, folder):
    try:
        from qonnx.core.modelwrapper import ModelWrapper
        from qonnx.core.onnx_exec import execute_onnx
        from qonnx.transformation.infer_shapes import InferShapes
    except ImportError:
        print("no package qonnx: MultiThreshold left out")
        return
    os.environ["SANITIZE_QUANT_TENSORS"] = "0"

    def run(model, feeds):
        return execute_onnx(ModelWrapper(model).transform(InferShapes()), feeds)[model.graph.output[0].name]

    count = 0
    for mode in "ROUND", "FLOOR", "CEIL", "UP", "DOWN", "HALF_UP", "HALF_DOWN":
        for activation in "", "Relu":
            for scale in np.float32(0.25), np.float32(0.1), random.uniform(0.05, 0.3, (1, 4, 1, 1)).astype(np.float32):
                for signed, narrow, bits in (1, 0, 4), (1, 1, 3), (0, 0, 3), (0, 1, 2), (1, 0, 1):
                    net = Net()
                    value = net.input(1, 4, 8, 8)
                    if activation:
                        value = net.op(activation, value)
                    net.output(net.op("Quant", value, scale, np.float32(0), np.float32(bits), domain=QONNX,
                                      signed=signed, narrow=narrow, rounding_mode=mode))
                    model = net.model()
                    model.graph.output[0].CopyFrom(
                        helper.make_tensor_value_info(model.graph.output[0].name, TensorProto.FLOAT, (1, 4, 8, 8)))
                    steps = random.integers(-20, 20, (1, 4, 8, 8)).astype(np.float32) / 2
                    x = (steps * scale).astype(np.float32)
                    toward = random.choice([-np.inf, np.inf], x.shape).astype(np.float32)
                    x = np.where(random.random(x.shape) < 0.5, np.nextafter(x, toward), x)
                    if activation and signed and bits == 1:
                        continue  # all is 1
                    result = converted(program, "quant_to_multi_threshold", model, folder)
                    check("MultiThreshold" in ops(result) and "Quant" not in ops(result), str(ops(result)))
                    before = run(model, {"x": x})
                    check(np.array_equal(before, run(result, {"x": x})), f"{mode} {activation} {scale} {bits}: differs")
                    count += 1
    print(f"MultiThreshold: {count} of Quant give the same in qonnx, on ties and their neighbours")


def main():
    program, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for test in there_and_back, integers, uint8_weights, deep, contrib, qgemm, mobilenet, thresholds:
            try:
                test(sys.argv[2] if test == qgemm else program, pathlib.Path(folder))
            except RuntimeError as error:
                failed += 1
                print(f"FAILED  {test.__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
