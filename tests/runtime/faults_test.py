#!/usr/bin/env python3
"""Checks what graft knows of faults of ONNX Runtime: where the audit reports one the runtime computes something else,
where it reports none the runtime is right, and models that graft writes run into none.

Usage: faults_test.py QUANTIZE_MODEL

QUANTIZE_MODEL is the program graft_quantize_model.
"""

import collections
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

RELEASE = tuple(int(part) for part in sessions.TARGET.split("@")[1].split(".")[:2])
random = np.random.default_rng(0)
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"{arguments[:3]}: {done.stderr}")
    return done.stdout


def floats(*dims):
    return random.standard_normal(dims).astype(np.float32)


def model_of(nodes, constants, inputs, opset=13, outputs=("y",)):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "case", [value(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()],
                              [value(name, TensorProto.FLOAT, None) for name in outputs],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    domains = sorted({node.domain for node in nodes})
    opsets = [helper.make_opsetid(domain, 1 if domain else opset) for domain in {*domains, ""}]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def loaded(path, folder):
    """What the runtime makes of a model, and a session over it."""
    optimized = folder / "optimized.onnx"
    session = sessions.session(str(path), optimized)
    return collections.Counter(node.op_type for node in onnx.load(optimized).graph.node), session


def distance(a, b):
    """Relative to the largest value."""
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-12))


def biased_products():
    """(text, model) of dynamic products with a bias, as any tool may write them."""
    node = helper.make_node
    shapes = (((24, 8), ((), (1,), (8,), (1, 8), (1, 1))), ((1, 24, 8), ((), (1,), (8,), (1, 8), (1, 1, 8), (1, 1, 1))),
              ((2, 24, 8), ((), (1,), (8,), (1, 1, 8), (2, 1, 8))), ((1, 2, 24, 8), ((), (8,), (1, 2, 1, 8))))
    for weight, scales in shapes:
        for scale, bias, form in itertools.product(scales, ((8,), (1, 8)), ("standard", "contrib")):
            constants = {"w": random.integers(-31, 32, weight).astype(np.int8), "zero": np.int8(0),
                         "scale": random.uniform(0.02, 0.08, scale).astype(np.float32), "b": 20 * floats(*bias)}
            if form == "contrib" and len(bias) > 1:
                continue  # a bias is a list
            if form == "contrib":
                nodes = [node("DynamicQuantizeMatMul", ["x", "w", "scale", "zero", "b"], ["y"], domain="com.microsoft")]
            else:
                nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
                         node("MatMulInteger", ["q", "w", "z", "zero"], ["i"]), node("Cast", ["i"], ["f"], to=1),
                         node("Mul", ["s", "scale"], ["t"]), node("Mul", ["f", "t"], ["m"]),
                         node("Add", ["m", "b"], ["y"])]
            exact = lambda x, c=constants: x @ (c["w"].astype(np.float32) * c["scale"]) + c["b"]
            yield f"{form}, weight {weight}, scale {scale}, bias {bias}", model_of(nodes, constants,
                                                                                   {"x": [2, 4, 24]}), exact


def dropped_bias(program, folder):
    paths, away = {}, {}
    for i, (text, model, exact) in enumerate(biased_products()):
        paths[text] = folder / f"{i}.onnx"
        onnx.save(model, paths[text])
        x = floats(2, 4, 24)
        try:
            away[text] = distance(sessions.session(str(paths[text])).run(None, {"x": x})[0], exact(x))
        except Exception:
            away[text] = np.inf  # the kernel refuses such scales
    report = run(program, "audit", sessions.TARGET, *paths.values())
    for line, text in zip(report.splitlines(), paths):
        is_wrong = away[text] > 0.05
        check(("error" in line) == is_wrong, f"{text}: {away[text]} away, and the audit says {line}")


def written(program, folder):
    """Dynamic products of batches have their bias in the runtime."""
    node = helper.make_node
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    for dims in (1, 24, 8), (2, 24, 8), (1, 2, 24, 8), (1, 1, 24, 8):
        model = model_of([node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["y"])],
                         {"w": floats(*dims), "b": 20 * floats(8)}, {"x": [2, 4, 24]})
        onnx.save(model, source)
        feeds = {"x": floats(2, 4, 24)}
        exact = sessions.session(str(source)).run(None, feeds)[0]
        for form, scales in itertools.product(("standard", "contrib"), ("per-tensor", "per-channel")):
            run(program, "dynamic", source, path, sessions.TARGET, form, scales, "i8")
            operators, session = loaded(path, folder)
            away = distance(session.run(None, feeds)[0], exact)
            check(away < 0.05, f"{dims}, {form}, {scales}: {away} from float")
            check(operators["DynamicQuantizeMatMul"] == 1, f"{dims}, {form}, {scales}: {dict(operators)}")
            check("error" not in run(program, "audit", sessions.TARGET, path), f"{dims}, {form}, {scales}: the audit")


def differs(path, feeds):
    """Whether the runtime's optimizations change the result."""
    results = [sessions.session(str(path), optimize=way, exact=False).run(None, feeds)[0] for way in (True, False)]
    return bool(np.abs(results[0] - results[1]).max() > 1e-6)


def differs_apart(path, feeds):
    """The same in a process of its own, which some releases end."""
    arrays = pathlib.Path(path).with_suffix(".npz")
    np.savez(arrays, **feeds)
    command = "import sys, numpy, faults_test as f; sys.exit(f.differs(sys.argv[1], dict(numpy.load(sys.argv[2]))))"
    places = [str(pathlib.Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run([sys.executable, "-c", command, str(path), str(arrays)], capture_output=True, env=environment)
    return done.returncode != 0


def refuses(path):
    try:
        sessions.session(str(path))
    except Exception:
        return True
    return False


def moved_integers(program, folder):
    """Signed tensors with and without a zero point, moved."""
    node = helper.make_node
    moves = (("Transpose", {"perm": [0, 2, 1]}, []), ("MaxPool", {"kernel_shape": [2]}, []), ("Identity", {}, []),
             ("Reshape", {}, [np.array([4, 8])]), ("Slice", {}, [np.array([0]), np.array([1])]),
             ("Squeeze", {}, [np.array([0])]))
    for (op, attributes, more), constant, stated, quantized, opset in itertools.product(
            moves, (False, True), (False, True), (False, True), (17, 21)):
        what = f"{op}, {constant=}, {stated=}, {quantized=}, opset {opset}"
        integers = random.integers(-60, 60, (1, 8, 4)).astype(np.int8)
        constants = {"s": np.float32(0.02), "z": np.int8(0), **{f"more{i}": array for i, array in enumerate(more)}}
        if constant:
            constants["x"] = integers
        nodes = [node("DequantizeLinear", ["x", "s"] + ["z"] * stated, ["d"]),
                 node(op, ["d", *(f"more{i}" for i in range(len(more)))], ["t"], **attributes)]
        nodes += ([node("QuantizeLinear", ["t", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["y"])]
                  if quantized else [node("Neg", ["t"], ["y"])])
        model = model_of(nodes, constants, {}, opset)
        if not constant:
            model.graph.input.append(helper.make_tensor_value_info("x", TensorProto.INT8, [1, 8, 4]))
        path = folder / "case.onnx"
        onnx.save(model, path)
        feeds = {} if constant else {"x": integers}
        audit = run(program, "audit", sessions.TARGET, path)
        is_refused = refuses(path)
        check(is_refused == ("carried_int8" in audit and RELEASE >= (1, 27)),
              f"{what}: refused {is_refused}, and the audit says {audit}")
        if is_refused:
            continue
        is_wrong = differs(path, feeds) if stated or quantized else differs_apart(path, feeds)
        check(("unstated_zero_point" in audit) == is_wrong, f"{what}: wrong {is_wrong}, and the audit says {audit}")


def loads_apart(path):
    """In a process of its own, which a fault ends."""
    command = "import sys, sessions; sessions.session(sys.argv[1])"
    places = [str(pathlib.Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.run([sys.executable, "-c", command, path], capture_output=True, env=environment).returncode == 0


def moved_into_bodies(program, folder):
    """What bodies read of moved integers ends the process where the audit says so, and not if graft quantizes it."""
    node, value = helper.make_node, helper.make_tensor_value_info
    pair = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["c"])]
    move = [node("MaxPool", ["c"], ["t"], kernel_shape=[2, 2])]
    again = [node("QuantizeLinear", ["t", "s", "z"], ["q2"]), node("DequantizeLinear", ["q2", "s", "z"], ["u"])]
    constants = {"s": np.float32(0.02), "z": np.uint8(128), "w": floats(32, 8, 3, 3) / 5}
    cases = [(pair + move, "t"), (pair + move + [node("Exp", ["t"], ["e"])], "t"), (pair, "c"),
             (pair + move + again, "u"), ([node("Conv", ["x", "w"], ["c"], pads=[1] * 4), *move], "t")]
    source, path = folder / "case.onnx", folder / "quantized.onnx"
    for nodes, read in cases:
        bodies = [helper.make_graph([node(op, [read], [op])], op, [], [value(op, TensorProto.FLOAT, None)])
                  for op in ("Neg", "Abs")]
        branch = [node("ReduceMax", ["x"], ["m"], keepdims=0), node("Cast", ["m"], ["b"], to=TensorProto.BOOL),
                  node("If", ["b"], ["y"], then_branch=bodies[0], else_branch=bodies[1])]
        model = model_of([*nodes, *branch], constants, {"x": [1, 8, 8, 8]}, 17)
        onnx.save(model, source)
        what = f"{[each.op_type for each in nodes]}, {read}"
        is_told = "carried_into_body" in run(program, "audit", sessions.TARGET, source)
        check(is_told != loads_apart(source), f"{what}: the audit says {is_told}")
        if "Conv" not in what:
            continue
        for placement in "naive", "fusion-aware", "all-supported":
            run(program, "quantize", source, path, sessions.TARGET, placement, "per-channel")
            check(loads_apart(path), f"{what}, {placement}: the process ends")


def moved_behind_convs(program, folder):
    """What graft quantizes to int8 in opset 21 is taken."""
    node = helper.make_node
    conv = [node("Conv", ["x", "w"], ["c"], pads=[1] * 4), node("Transpose", ["c"], ["t"], perm=[0, 2, 3, 1])]
    behind = ([node("Neg", ["t"], ["y"])], [node("Identity", ["t"], ["y"])],
              [node("Reshape", ["t", "dims"], ["r"]), node("Softmax", ["r"], ["y"])],
              [node("Neg", ["t"], ["y"]), node("Abs", ["t"], ["z"])])
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    for nodes, placement in itertools.product(behind, ("naive", "fusion-aware", "commuted", "all-supported")):
        onnx.save(model_of(conv + nodes, {"w": floats(8, 8, 3, 3) / 5, "dims": np.array([64, 8])},
                           {"x": [1, 8, 8, 8]}, 21), source)
        run(program, "quantize", source, path, f"{sessions.TARGET}/i8", placement, "per-channel")
        what = f"{[each.op_type for each in nodes]}, {placement}"
        check(not refuses(path), f"{what}: refused")
        check("carried_int8" not in run(program, "audit", sessions.TARGET, path), f"{what}: the audit")


def full_tiles(program, folder):
    """Models for processors with AMX are computed in integers, with the values of those for other processors."""
    if sessions.PROCESSOR != "x64":
        return
    node = helper.make_node
    release = sessions.TARGET.split("@")[1]
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    conv = [node("Conv", ["x", "w0", "b0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["r"]),
            node("Conv", ["r", "w1"], ["c"]), node("Add", ["c", "r"], ["s"]), node("Conv", ["s", "w2"], ["y"])]
    convs = model_of(conv, {"w0": floats(24, 3, 3, 3) / 5, "b0": floats(24), "w1": floats(24, 24, 1, 1) / 5,
                            "w2": floats(16, 24, 1, 1) / 5}, {"x": [1, 3, 12, 12]})
    product = [node("Gemm", ["x", "w0", "b0"], ["a"], transB=1), node("Relu", ["a"], ["r"]),
               node("MatMul", ["r", "w1"], ["y"])]
    products = model_of(product, {"w0": floats(24, 16) / 4, "b0": floats(24), "w1": floats(24, 31) / 4},
                        {"x": [40, 16]})
    for model, op, count in (convs, "QLinearConv", 3), (products, "QGemm", 1):
        onnx.save(model, source)
        dims = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
        feeds = {"x": random.uniform(-2, 2, dims).astype(np.float32)}
        results = {}
        for target in "ort-cpu-amx", f"ort-cpu-x64@{release}":
            run(program, "quantize", source, path, target, "all-supported", "per-channel")
            operators, session = loaded(path, folder)
            check(operators[op] == count, f"{target}: {dict(operators)}")
            results[target] = session.run(None, feeds)[0]
            has_slices = any(n.op_type == "Slice" for n in onnx.load(path).graph.node)
            check(has_slices == ("amx" in target), f"{target}: Slice")
            check("error" not in run(program, "audit", target, path), f"{target}: the audit")
        first, second = results.values()
        check(distance(first, second) < 1e-6, f"{op}: {distance(first, second)} between the two")
        exact = sessions.session(str(source)).run(None, feeds)[0]
        check(distance(first, exact) < 0.1, f"{op}: {distance(first, exact)} from float")
        run(program, "dynamic", source, path, "ort-cpu-amx", "standard", "per-channel", "i8")
        if op == "QGemm":
            operators, session = loaded(path, folder)
            check(operators["DynamicQuantizeMatMul"] == 2, f"dynamic: {dict(operators)}")
            away = distance(session.run(None, feeds)[0], exact)
            check(away < 0.05, f"dynamic: {away} from float")


def in_bodies():
    """Models with a product in a body, of which the runtime packs the weight when it loads the model."""
    node, value = helper.make_node, helper.make_tensor_value_info
    product = node("MatMul", ["x", "w"], ["a"])
    results = [value("a", TensorProto.FLOAT, None)]
    condition, keep = value("keep", TensorProto.BOOL, []), value("kept", TensorProto.BOOL, [])
    then = helper.make_graph([product], "then", [], results)
    otherwise = helper.make_graph([node("Neg", ["x"], ["n"]), node("MatMul", ["n", "w"], ["e"])], "else", [],
                                  [value("e", TensorProto.FLOAT, None)])
    loop = helper.make_graph([node("Identity", ["keep"], ["kept"]), product], "loop",
                             [value("step", TensorProto.INT64, []), condition], [keep, results[0]])
    rows = helper.make_graph([node("MatMul", ["row", "w"], ["a"])], "scan", [value("row", TensorProto.FLOAT, [1, 64])],
                             results)
    yield "If", [node("If", ["c"], ["y"], then_branch=then, else_branch=otherwise)]
    yield "Loop", [node("Loop", ["two", "c"], ["y"], body=loop)]
    yield "Scan", [node("Unsqueeze", ["x", "one"], ["u"]), node("Scan", ["u"], ["y"], body=rows, num_scan_inputs=1)]


def bodies(program, folder):
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    for name, nodes in in_bodies():
        model = model_of(nodes, {"w": floats(64, 48), "two": np.int64(2), "one": np.array([1])}, {"x": [3, 64]}, 21)
        model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
        onnx.save(model, source)
        feeds = {"x": floats(3, 64), "c": np.array(True)}
        exact = sessions.session(str(source)).run(None, feeds)[0]
        ways = [("blockwise", source, path, bits, 32, symmetric, operators, 4)
                for bits, symmetric, operators in itertools.product((4, 8), ("symmetric", "asymmetric"),
                                                                    ("contrib", "standard"))]
        ways += [("dynamic", source, path, "ort-cpu-x64", form, "per-channel", "i8")
                 for form in ("standard", "contrib")]
        for way in ways:
            run(program, *way)
            for exactly in False, True:
                try:
                    result = sessions.session(str(path), exact=exactly).run(None, feeds)[0]
                except Exception as error:
                    check(False, f"{name}, {way[3:]}: {error}")
                    continue
                # Of 4 bits; of 8, of which sums saturate without VNNI.
                least = 0.98 if way[3] == 4 else 0.99 if way[0] == "dynamic" else 0.999
                near = float((result * exact).sum() / np.linalg.norm(result) / np.linalg.norm(exact))
                check(near > least, f"{name}, {way[0]} {way[3:]}: cosine {near}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in dropped_bias, written, full_tiles, bodies, moved_integers, moved_behind_convs, moved_into_bodies:
            test(sys.argv[1], pathlib.Path(folder))
    print("failures:", failures)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
