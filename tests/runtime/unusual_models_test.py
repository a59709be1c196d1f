#!/usr/bin/env python3
"""What real models bring, through graft-quantize and against ONNX Runtime.

Usage: unusual_models_test.py GRAFT_QUANTIZE

One small net in each opset from 7 on, and nets with one thing that is unusual each. The runtime loads what becomes of
them, its results are near those of the float model, it computes in integers what the audit said, and the standard's
checker finds no fault.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.dont_write_bytecode = True  # nothing is left beside the sources
import quantize_test  # noqa: E402

TOLERANCE = 0.03  # of a result, as a fraction of the greatest magnitude in it
random = np.random.default_rng(1)


def weights(*dims):
    return (random.uniform(-1, 1, dims) / np.sqrt(np.prod(dims[1:]))).astype(np.float32)


class Net:
    """Nodes one behind the other, in the form of an opset. They have no names."""

    def __init__(self, opset):
        self.opset, self.nodes, self.constants, self.last = opset, [], [], "x"

    def constant(self, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def add(self, op, *arrays, **attributes):
        inputs = [self.last] + [self.constant(array) for array in arrays]
        self.last = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [self.last], **attributes))

    def add_with(self, op, since, **parameter):
        """With a parameter that has been an input since that version."""
        ((name, value),) = parameter.items()
        if self.opset >= since:
            self.add(op, np.array(value, np.int64))
        else:
            self.add(op, **{name: value})

    def model(self):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, 8])
        y = helper.make_tensor_value_info(self.last, TensorProto.FLOAT, ["N", 5])
        graph = helper.make_graph(self.nodes, "net", [x], [y], self.constants)
        imports = [helper.make_opsetid("", self.opset)]
        least = helper.find_min_ir_version_for(imports)
        if least < 4:
            graph.input.extend(
                helper.make_tensor_value_info(c.name, c.data_type, c.dims) for c in self.constants
            )
        return helper.make_model(graph, opset_imports=imports, ir_version=least)


def net_of(opset):
    net = Net(opset)
    net.add("Conv", weights(8, 3, 3, 3), weights(8), pads=[1, 1, 1, 1])
    channel = np.abs(weights(8)) + np.float32(0.5)
    net.add("BatchNormalization", channel, weights(8), weights(8), channel)
    if opset >= 11:
        net.add("Clip", np.float32(0), np.float32(6))
    else:
        net.add("Clip", min=0.0, max=6.0)
    net.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    net.add("Conv", weights(8, 8, 3, 3), pads=[1, 1, 1, 1])
    net.add("Relu")
    net.add_with("ReduceMean", 18, axes=[2, 3])
    net.add_with("Squeeze", 13, axes=[2, 3])
    net.add("Gemm", weights(8, 5), weights(5))
    net.add_with("Unsqueeze", 13, axes=[0])
    net.add_with("Squeeze", 13, axes=[0])
    net.add("Softmax", axis=1)
    return net.model()


def parsed(text, opset=17, **constants):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> agraph {text}')
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in constants.items())
    return model


def attention(mask, **constants):
    text = "(float[2,4,4] x, bool[2,1,4] m) => (float[2,4,4] z) { s = MatMul(x, w) " + mask
    return parsed(text + " y = Softmax<axis=-1>(joined) z = MatMul(y, x) }", w=weights(4, 4), **constants)


def gemm(attributes, bias, weight=None):
    return parsed(
        f"(float[3,4] x) => (float[3,5] z) {{ z = Gemm<{attributes}>(x, w, b) }}",
        w=weights(4, 5) if weight is None else weight,
        b=bias,
    )


def conv(weight, bias):
    text = "(float[1,2,4,4] x) => (float[1,2,4,4] z) { c = Conv(x, w, b) z = Relu(c) }"
    return parsed(text, w=np.array(weight, np.float32).reshape(2, 2, 1, 1), b=np.array(bias, np.float32))


def between_convs(node, **constants):
    """An operator a = f(c) in the form of opset 19."""
    text = f"(float[N,2,8,8] x) => (float[N,2,p,q] z) {{ c = Conv(x, v) {node} z = Conv(a, w) }}"
    return parsed(text, opset=19, v=weights(2, 2, 1, 1), w=weights(2, 2, 1, 1), **constants)


def half_conv():
    model = conv([1, -0.5, 0.3, 0.2], [0.1, -0.1])
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.elem_type = TensorProto.FLOAT16
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
    return model


def embedding(nodes, outputs):
    """Of tables whose columns differ."""
    columns = np.float32(2.0) ** np.arange(-5, 1, 1 / 16, np.float32)
    return parsed(
        f"(int64[4,6] i) => ({outputs}) {{ {nodes} }}",
        t=random.uniform(-1, 1, (200, 96)).astype(np.float32) * columns,
        u=random.uniform(-1, 1, (180, 96)).astype(np.float32) * columns[::-1],
        w=weights(96, 8),
    )


def unusual():
    """{name: model}"""
    shared = weights(4, 4)
    return {
        "mask -10000 added": attention("joined = Add(s, k)", k=np.array([[0, 0, 0, -10000]], np.float32)),
        "mask of the lowest float": attention("joined = Add(s, k)", k=np.array([[0, 0, 0, -3.4028235e38]], np.float32)),
        "mask -inf chosen": attention("joined = Where(m, s, k)", k=np.float32(-np.inf)),
        "mask -1e9 chosen": attention("joined = Where(m, s, k)", k=np.float32(-1e9)),
        "Gemm, alpha and beta": gemm("alpha=0.5, beta=2.0", weights(5)),
        "Gemm, bias of a row": gemm("beta=1.0", weights(1, 5)),
        "Gemm, bias of one number": gemm("beta=0.5", weights(1)),
        "Gemm, scalar bias": gemm("beta=1.0", np.float32(0.3)),
        "Gemm, bias of a column": gemm("beta=1.0", weights(3, 1)),
        "Gemm, transposed": gemm("alpha=0.5, transB=1", weights(5), weights(5, 4)),
        "Conv, zero weights": conv([0, 0, 0, 0], [5, -3]),
        "Conv, dead channel": conv([0, 0, 1, -0.5], [5, -3]),
        "Conv, denormal channel": conv([1e-42, 1e-43, 1, -0.5], [5, 3]),
        "Conv, bias that overflows": conv([1e-8, -1e-9, 2e-9, 1e-8], [5, 3]),
        "MatMul of rank 3": parsed("(float[2,4,3] x) => (float[2,4,5] z) { z = MatMul(x, w) }", w=weights(2, 3, 5)),
        "MatMul by a vector": parsed("(float[4,3] x) => (float[4] z) { z = MatMul(x, w) }", w=weights(3)),
        "MatMul from the left": parsed("(float[4,3] x) => (float[5,3] z) { z = MatMul(w, x) }", w=weights(5, 4)),
        "weight along both axes": parsed(
            "(float[3,4] x) => (float[3,4] z) { h = Gemm(x, w, b) z = Gemm<transB=1>(h, w, b) }", w=shared, b=weights(4)
        ),
        "on integers already": parsed(
            """(float[3,4] x) => (float[3,2] z) {
                 q, s, n = DynamicQuantizeLinear(x)
                 p = MatMulInteger(q, k, n)
                 c = Cast<to=1>(p)
                 r = Mul(s, t)
                 f = Mul(c, r)
                 z = MatMul(f, w) }""",
            k=np.arange(-8, 8, dtype=np.int8).reshape(4, 4),
            t=np.float32(0.01),
            w=weights(4, 2),
        ),
        "pool with dilations": between_convs("a = AveragePool<kernel_shape=[2, 2], dilations=[2, 2]>(c)"),
        "pool that rounds up over counted pads": between_convs(
            "p = AveragePool<kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1,"
            " ceil_mode=1>(c) a = Relu(p)"
        ),
        "Resize, scales of axes": between_convs("a = Resize<axes=[2, 3]>(c, , s)", s=np.float32([2, 3])),
        "Resize, sizes of axes": between_convs("a = Resize<axes=[3]>(c, , , s)", s=np.array([12])),
        "Resize, cubic": between_convs('a = Resize<mode="cubic">(c, , s)', s=np.float32([1, 1, 2, 2])),
        "Softmax of many": between_convs("f = Flatten(c) s = Softmax(f) d = Shape(c) a = Reshape(s, d)"),
        "16 bit floats": half_conv(),
        "functions": functions(),
        "an input handed out": parsed(
            "(float[1,2,4,4] x) => (float[1,2,4,4] z, float[1,2,4,4] x) { z = Conv(x, w) }", w=weights(2, 2, 1, 1)
        ),
        "embedding before a product": embedding("e = Gather(t, i) z = MatMul(e, w)", "float[4,6,8] z"),
        "embeddings added and joined": embedding(
            "e = Gather(t, i) f = Gather<axis=-2>(u, i) s = Add(e, f) c = Concat<axis=1>(s, e) z = MatMul(c, w)",
            "float[4,12,8] z",
        ),
        "embedding of many readers": embedding(
            "e = Gather(t, i) r = Relu(e) p = Transpose<perm=[0, 2, 1]>(e) a = MatMul(r, p) s = Sigmoid(e)"
            " z = MatMul(a, s)",
            "float[4,6,96] z, float[4,6,96] e",
        ),
    }


def functions():
    """Calls with and without an attribute and an input, of functions that call each other, in bodies too."""
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "own" : 1]>
        agraph (float[1,2,4,4] x) => (float[1,2,4,4] z) {
          c = own.layer <slope = 0.25> (x, w, b)
          t = own.layer (c, w)
          d = own.choose (yes, t)
          z = Conv(d, w)
        }
        <domain: "own", opset_import: ["" : 17]>
        leak <slope: float = 0.5> (x) => (y) { y = LeakyRelu <alpha: float = @slope> (x) }
        <domain: "own", opset_import: ["" : 17, "own" : 1]>
        layer <slope: float = 0.125> (x, w, b) => (y) {
          t = Conv(x, w, b)
          y = own.leak <slope: float = @slope> (t)
        }
        <domain: "own", opset_import: ["" : 17, "own" : 1]>
        choose (c, a) => (y) {
          y = If (c) <
            then_branch = first () => (x) { t = own.leak (a) x = Abs(t) },
            else_branch = second () => (x) { x = Neg(a) }
          >
        }""")
    for name, array in {"w": weights(2, 2, 1, 1), "b": weights(2), "yes": np.array(True)}.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def feeds_of(model, seed):
    numbers = np.random.default_rng(seed)
    constants = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            continue
        dims = [dim.dim_value or 2 for dim in value.type.tensor_type.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if dtype == np.int64:
            feeds[value.name] = numbers.integers(-180, 180, dims)
            continue
        low = 0 if dtype == bool else -1
        feeds[value.name] = np.round(numbers.uniform(low, 1, dims), 3 if low else 0).astype(dtype)
    return feeds


def faults(program, model, folder, placement, wanted=None):
    """wanted: {operator: how many are in integers}"""
    source, output, report = folder / "model.onnx", folder / "q.onnx", folder / "q.json"
    onnx.save(model, source)
    calibration = folder / "calibration"
    samples = [feeds_of(model, seed) for seed in range(4)]
    for i, feeds in enumerate(samples):
        data_set = calibration / f"test_data_set_{i}"
        data_set.mkdir(parents=True, exist_ok=True)
        for k, array in enumerate(feeds.values()):
            (data_set / f"input_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    done = subprocess.run(
        [program, source, "--fast", "-o", output, "--calibration", calibration, "--placement", placement]
        + ["--report", report, "--target", quantize_test.TARGET],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return [done.stderr]
    wrong = [
        line
        for line in done.stderr.splitlines()
        if "warning" in line and "warning: nothing is quantized" not in line
    ]
    onnx.checker.check_model(onnx.load(output), full_check=True)
    audit = json.loads(report.read_text())["audit"]
    wrong += [f"{one['node']}: {one['text']}" for one in audit if one["severity"] == "error"]
    said = collections.Counter(one["op"] for one in audit if one["fused"])
    session, found = quantize_test.runtime_says(output, exact=not model.functions)  # exact kernels fail there
    if session is None:
        return wrong + ["the runtime refuses it"]
    if wanted is not None and any(found[op] != count for op, count in wanted.items()):
        wrong.append(f"in integers are {dict(found)}, wanted {wanted}")
    if found != said:
        wrong.append(f"in integers are {dict(found)}, the audit said {dict(said)}")
    original, _ = quantize_test.runtime_says(source)
    for feeds in samples:
        for is_, was in zip(session.run(None, feeds), original.run(None, feeds)):
            is_, was = is_.astype(np.float64), was.astype(np.float64)
            off = np.max(np.abs(is_ - was)) / np.max(np.abs(was))
            if not off <= TOLERANCE:
                wrong.append(f"off by {off}")
    return wrong


def main(program):
    failures = runs = 0
    jobs = [(f"opset {opset}", net_of(opset), {"Conv": 2}) for opset in range(7, 24)]
    jobs += [(name, model, None) for name, model in unusual().items()]
    for name, model, wanted in jobs:
        for placement in ("fusion-aware", "all-supported"):
            with tempfile.TemporaryDirectory() as folder:
                wrong = faults(program, model, pathlib.Path(folder), placement, wanted)
            runs += 1
            failures += bool(wrong)
            if wrong:
                print(f"FAILED  {name}, {placement}: {wrong}")
    print(f"{runs} runs: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
