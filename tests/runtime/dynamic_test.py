#!/usr/bin/env python3
"""Checks dynamic and weight-only quantization against stock ONNX Runtime.

Usage: dynamic_test.py QUANTIZE_MODEL RUN_MODEL [GRAFT_QUANTIZE]

Every product must become the one operator that is expected when the runtime has loaded the model, and the runtime must
compute what graft's evaluator does. Codes of blocks are read back by the runtime's own kernels, which multiply them by
an identity matrix. With GRAFT_QUANTIZE a net of which some is static and some dynamic is checked too, and with the
sentence encoder below $GRAFT_TEST_DATA size and agreement of whole models.
"""

import collections
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def model_of(nodes, constants, inputs, outputs=("y",), opset=13):
    graph = helper.make_graph(
        nodes, "case", [helper.make_tensor_value_info(name, dtype, dims) for name, dtype, dims in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()])
    for output in graph.output:
        output.type.tensor_type.ClearField("shape")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def floats(*dims):
    return random.standard_normal(dims).astype(np.float32)


def loaded_operators(path, folder, **options):
    """What the runtime makes of a model, and a session over it."""
    optimized = folder / "optimized.onnx"
    session = sessions.session(str(path), optimized, **options)
    return collections.Counter(node.op_type for node in onnx.load(optimized).graph.node), session


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"{arguments[:2]}: {done.stderr}")
    return done.stdout


def by_graft(program, path, feeds, folder):
    for i, array in enumerate(feeds.values()):
        (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    run(program, path, folder)
    results = sorted(folder.glob("graft_*.pb"))
    return [numpy_helper.to_array(onnx.load_tensor(result)) for result in results]


def distance(a, b):
    """Relative to the largest value."""
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-12))


def cases():
    """name, model, feeds, the products of which operators are expected, by form."""
    node = helper.make_node
    x = ("x", TensorProto.FLOAT, ["N", 5, 24])
    yield ("one product", model_of([node("MatMul", ["x", "w"], ["y"])], {"w": floats(24, 16)}, [x]),
           {"x": floats(2, 5, 24)}, {"DynamicQuantizeMatMul": 1})
    yield ("with a bias", model_of([node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["y"])],
                                   {"w": floats(24, 16), "b": floats(16)}, [x]),
           {"x": floats(2, 5, 24)}, {"DynamicQuantizeMatMul": 1})
    shared = [node("MatMul", ["x", f"w{i}"], [f"y{i}"]) for i in range(3)]
    yield ("three of one tensor", model_of(shared, {f"w{i}": floats(24, 8) for i in range(3)}, [x], ["y0", "y1", "y2"]),
           {"x": floats(2, 5, 24)}, {"MatMulIntegerToFloat": 3, "DynamicQuantizeLinear": 1})
    matrix = ("x", TensorProto.FLOAT, ["N", 24])
    yield ("Gemm", model_of([node("Gemm", ["x", "w", "b"], ["y"], transB=1, alpha=1.5, beta=0.5)],
                            {"w": floats(16, 24), "b": floats(16)}, [matrix]),
           {"x": floats(7, 24)}, {"DynamicQuantizeMatMul": 1})
    yield ("Gemm, transposed", model_of([node("Gemm", ["x", "w"], ["y"], transA=1)], {"w": floats(24, 16)},
                                        [("x", TensorProto.FLOAT, [24, "N"])]),
           {"x": floats(24, 7)}, {"DynamicQuantizeMatMul": 1})
    yield ("a batch of weights", model_of([node("MatMul", ["x", "w"], ["y"])], {"w": floats(2, 24, 16)}, [x]),
           {"x": floats(2, 5, 24)}, {"DynamicQuantizeMatMul": 1})
    encoder, previous = [], "x"
    weights = {}
    for layer in range(6):  # as many products as an encoder of six layers has
        parts = []
        for i in range(3):
            weights[f"w{layer}{i}"] = floats(24, 24) / 5
            encoder.append(node("MatMul", [previous, f"w{layer}{i}"], [f"a{layer}{i}"]))
            parts.append(f"a{layer}{i}")
        encoder.append(node("Sum", parts, [f"s{layer}"]))
        previous = f"s{layer}"
        for i in range(3, 6):
            weights[f"w{layer}{i}"] = floats(24, 24) / 5
            encoder += [node("MatMul", [previous, f"w{layer}{i}"], [f"m{layer}{i}"]),
                        node("Tanh", [f"m{layer}{i}"], [f"t{layer}{i}"])]
            previous = f"t{layer}{i}"
    encoder.append(node("Identity", [previous], ["y"]))
    yield ("36 products", model_of(encoder, weights, [x]), {"x": floats(1, 5, 24)},
           {"DynamicQuantizeMatMul": 18, "MatMulIntegerToFloat": 18, "DynamicQuantizeLinear": 6})


def dynamic(quantize, run_model, folder):
    for name, model, feeds, expected in cases():
        source, path = folder / "float.onnx", folder / "quantized.onnx"
        onnx.save(model, source)
        reference = sessions.session(str(source)).run(None, feeds)
        for form in "standard", "contrib":
            for scales in "per-tensor", "per-channel":
                for dtype in "i8", "u8":
                    what = f"{name}, {form}, {scales}, {dtype}"
                    run(quantize, "dynamic", source, path, "ort-cpu-x64", form, scales, dtype)
                    found, session = loaded_operators(path, folder)
                    integer = {op: n for op, n in found.items() if "Integer" in op or "DynamicQuantize" in op}
                    check(integer == expected, f"{what}: {dict(found)}")
                    outputs = session.run(None, feeds)
                    tolerance = 1e-5 if name != "36 products" else 0.05  # a step more here is many further on
                    for own, theirs in zip(by_graft(run_model, path, feeds, folder), outputs):
                        check(distance(own, theirs) < tolerance, f"{what}: graft is {distance(own, theirs)} away")
                    for after, before in zip(outputs, reference):
                        check(distance(after, before) < (0.05 if name != "36 products" else 0.3),
                              f"{what}: {distance(after, before)} from float")


def fused_operators(quantize, run_model, folder):
    """QAttention and DynamicQuantizeLSTM against the float operators, and against graft."""
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    contrib = helper.make_opsetid("com.microsoft", 1)
    for masked in False, True:
        inputs = ["x", "w", "b"] + (["mask"] if masked else [])
        model = model_of([helper.make_node("Attention", inputs, ["y"], domain="com.microsoft", num_heads=4)],
                         {"w": floats(32, 96) / 6, "b": floats(96)},
                         [("x", TensorProto.FLOAT, [2, 6, 32])] + ([("mask", TensorProto.INT32, [2, 6])] * masked))
        model.opset_import.append(contrib)
        onnx.save(model, source)
        feeds = {"x": floats(2, 6, 32)}
        if masked:
            feeds["mask"] = np.array([[1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 1]], np.int32)
        for scales in "per-tensor", "per-channel":
            for dtype in "i8", "u8":
                run(quantize, "dynamic", source, path, "ort-cpu-x64", "standard", scales, dtype)
                found, session = loaded_operators(path, folder)
                check(found["QAttention"] == 1, f"Attention, {scales}, {dtype}: {dict(found)}")
                output = session.run(None, feeds)[0]
                away = distance(output, sessions.session(str(source)).run(None, feeds)[0])
                check(away < 0.03, f"Attention, {scales}, {dtype}: {away} from float")
                away = distance(by_graft(run_model, path, feeds, folder)[0], output)
                check(away < 1e-5, f"Attention, {scales}, {dtype}: graft is {away} away")
    for direction in "forward", "bidirectional":
        count = 2 if direction == "bidirectional" else 1
        onnx.save(model_of([helper.make_node("LSTM", ["x", "w", "r", "b"], ["y", "", "c"], hidden_size=8,
                                             direction=direction)],
                           {"w": floats(count, 32, 12), "r": floats(count, 32, 8) / 3, "b": floats(count, 64)},
                           [("x", TensorProto.FLOAT, [7, 2, 12])], ["y", "c"]), source)
        feeds = {"x": floats(7, 2, 12)}
        for dtype in "i8", "u8":
            run(quantize, "dynamic", source, path, "ort-cpu-x64", "standard", "per-tensor", dtype)
            found, session = loaded_operators(path, folder)
            check(found["DynamicQuantizeLSTM"] == 1, f"LSTM, {direction}: {dict(found)}")
            outputs = session.run(None, feeds)
            for after, before in zip(outputs, sessions.session(str(source)).run(None, feeds)):
                check(distance(after, before) < 0.08, f"LSTM, {direction}, {dtype}: {distance(after, before)}")
            for own, theirs in zip(by_graft(run_model, path, feeds, folder), outputs):
                away = distance(own, theirs)
                check(away < 1e-4, f"LSTM, {direction}, {dtype}: graft is {away} away")


def quantized_lstms(run_model, folder):
    """DynamicQuantizeLSTM in the forms that it can have, against graft."""
    path, hidden, width = folder / "lstm.onnx", 8, 12
    names = ["x", "w", "r", "b", "lengths", "h", "c", "p", "w_scale", "w_zero", "r_scale", "r_zero"]

    def compare(what, direction="forward", batch=2, dtype=np.int8, by_column=False, given=(), **attributes):
        count = 2 if direction == "bidirectional" else 1
        low, zero = (-128, 0) if dtype == np.int8 else (0, 128)
        scales = (count, 4 * hidden) if by_column else (count,)
        arrays = {"w": random.integers(low, low + 256, (count, width, 4 * hidden), dtype),
                  "r": random.integers(low, low + 256, (count, hidden, 4 * hidden), dtype),
                  "b": floats(count, 8 * hidden), "lengths": np.array([7, 3, 5, 4, 6, 2], np.int32)[:batch],
                  "h": floats(count, batch, hidden), "c": floats(count, batch, hidden),
                  "p": floats(count, 3 * hidden)}
        arrays = {name: array for name, array in arrays.items() if name in ("w", "r", "b") or name in given}
        for name in "w", "r":
            arrays[f"{name}_scale"] = (random.random(scales) * 0.003 + 0.002).astype(np.float32)
            arrays[f"{name}_zero"] = np.full(scales, zero, dtype)
        inputs = [name if name == "x" or name in arrays else "" for name in names]
        node = helper.make_node("DynamicQuantizeLSTM", inputs, ["y", "y_h", "y_c"], domain="com.microsoft",
                                hidden_size=hidden, direction=direction, **attributes)
        model = model_of([node], arrays, [("x", TensorProto.FLOAT, [7, batch, width])], ["y", "y_h", "y_c"])
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        onnx.save(model, path)
        feeds = {"x": floats(7, batch, width)}
        outputs = sessions.session(str(path)).run(None, feeds)
        for own, theirs in zip(by_graft(run_model, path, feeds, folder), outputs):
            check(distance(own, theirs) < 1e-4, f"DynamicQuantizeLSTM, {what}: graft is {distance(own, theirs)} away")

    for direction in "forward", "reverse", "bidirectional":
        compare(direction, direction)
        compare(f"{direction}, from given states", direction, given=("h", "c"))
        compare(f"{direction}, lengths", direction, 6, given=("lengths", "h"))
        compare(f"{direction}, scales of columns", direction, by_column=True)
    compare("uint8", dtype=np.uint8)
    compare("peepholes", given=("p",))
    compare("functions", activations=["HardSigmoid", "Softsign", "Tanh"], clip=1.5)
    compare("coupled", input_forget=1)


def hybrid():
    """Two convolutions, and behind them a product whose input has no scale in common, and one whose input has."""
    node = helper.make_node
    nodes = [node("Conv", ["x", "c0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["b"]),
             node("Conv", ["b", "c1"], ["h"], pads=[1] * 4), node("Reshape", ["h", "dims"], ["r"]),
             node("Div", ["r", "s"], ["d"]), node("MatMul", ["d", "w0"], ["y"], name="ruined"),
             node("Sigmoid", ["r"], ["p"]), node("MatMul", ["p", "w1"], ["z"], name="even")]
    constants = {"c0": floats(16, 16, 3, 3) / 12, "c1": floats(16, 16, 3, 3) / 12, "w0": floats(256, 256),
                 "w1": floats(256, 256), "dims": np.array([1, 64, 256])}
    return model_of(nodes, constants, [("x", TensorProto.FLOAT, [1, 16, 32, 32]), ("s", TensorProto.FLOAT, [])],
                    ["y", "z"])


def cosine(a, b):
    return float((a * b).sum() / max(np.linalg.norm(a) * np.linalg.norm(b), 1e-30))


def with_head():
    """The same convolutions and a product behind them, and one of a single row: two results, each of half of the
    features."""
    node = helper.make_node
    nodes = [node("Conv", ["x", "c0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["b"]),
             node("Conv", ["b", "c1"], ["h"], pads=[1] * 4), node("Reshape", ["h", "dims"], ["r"]),
             node("Sigmoid", ["r"], ["p"]), node("MatMul", ["p", "w1"], ["z"], name="even"),
             node("Slice", ["h", "0", "1", "1"], ["m"]), node("Reshape", ["m", "row"], ["g"]),
             node("Mul", ["g", "f"], ["q"]), node("MatMul", ["q", "w0"], ["y"], name="head"),
             node("Split", ["y"], ["first", "second"], axis=1)]
    reads = (np.arange(1024) < 512)[:, None] == (np.arange(256) < 128)
    constants = {"c0": floats(16, 16, 3, 3) / 12, "c1": floats(16, 16, 3, 3) / 12, "w0": floats(1024, 256) * reads,
                 "w1": floats(256, 256), "dims": np.array([1, 64, 256]), "row": np.array([1, 1024]),
                 "0": np.array([0]), "1": np.array([1])}
    return model_of(nodes, constants, [("x", TensorProto.FLOAT, [1, 16, 32, 32]), ("f", TensorProto.FLOAT, [1024])],
                    ["z", "first", "second"])


def mixed(programs, folder, what, model, samples, operators, forms, least):
    """Of a net of both kinds the runtime must compute each operator as it was chosen, nearer to float than where all
    products are static or dynamic, and with at least this cosine."""
    graft_quantize, run_model = programs
    folder.mkdir()
    source, path, report = folder / "float.onnx", folder / "quantized.onnx", folder / "report.json"
    onnx.save(model, source)
    for i, sample in enumerate(samples):
        one = folder / "calibration" / f"test_data_set_{i:02}"
        one.mkdir(parents=True)
        for k, array in enumerate(sample.values()):
            (one / f"input_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    exact = sessions.session(str(source))
    worst = {}
    for name, options in ("static", ["--static", "--search-runs", "0"]), ("dynamic", ["--dynamic"]), ("mixed", []):
        screen = run(graft_quantize, source, "-o", path, "--target", "ort-cpu-x64", "--calibration",
                     folder / "calibration", "--report", report, *options)
        found, session = loaded_operators(path, folder)
        worst[name] = min(cosine(after, before) for sample in samples
                          for after, before in zip(session.run(None, sample), exact.run(None, sample)))
    check(worst["mixed"] > least and worst["mixed"] > worst["static"], f"{what}: {worst}")
    check(worst["mixed"] > worst["dynamic"] - 1e-3, f"{what}: {worst}")
    check(all(found[op] == count for op, count in operators.items()), f"{what}: {dict(found)}")
    for own, theirs in zip(by_graft(run_model, path, samples[1], folder), session.run(None, samples[1])):
        check(distance(own, theirs) < 0.02, f"{what}: graft is {distance(own, theirs)} away")
    chosen = {product["node"]: product["form"] for product in json.loads(report.read_text())["product_forms"]}
    check(chosen == forms, f"{what}: {chosen}")
    check(all(f"1 {form}" in screen for form in forms.values()), f"{what}: {screen}")


def mixed_nets(graft_quantize, run_model, folder):
    image = lambda: floats(1, 16, 32, 32)
    integers = {"QLinearConv": 2, "MatMulIntegerToFloat": 1, "MatMul": 0, "Conv": 0}
    mixed([graft_quantize, run_model], folder / "hybrid", "static and dynamic products", hybrid(),
          [{"x": image(), "s": np.array([1, 0.01][i // 4 % 2], np.float32)} for i in range(16)],
          {**integers, "DynamicQuantizeMatMul": 1}, {"ruined": "dynamic", "even": "static"}, least=0.999)
    halves = [np.where((np.arange(1024) < 512) == first, 100, 1).astype(np.float32) for first in (True, False)]
    mixed([graft_quantize, run_model], folder / "head", "static and weight-only products", with_head(),
          [{"x": image(), "f": halves[i // 4 % 2]} for i in range(16)],
          {**integers, "MatMulNBits": 1}, {"even": "static", "head": "weight-only"}, least=0.995)
    source, report = folder / "head" / "float.onnx", folder / "report.json"
    screen = run(graft_quantize, source, "--dry-run", "--fast", "--target", "ort-cpu-x64", "--calibration",
                 folder / "head" / "calibration", "--min-cosine", 0.99, "--report", report)
    goal = json.loads(report.read_text())["goal"]
    check(goal["weight_only"] == ["head"] and "'head' is weight-only for it" in screen, f"a goal: {goal}, {screen}")


def dynamic_lstm(graft_quantize, folder):
    """The report about a model whose only products are those of an LSTM."""
    source = folder / "lstm.onnx"
    onnx.save(model_of([helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=8)],
                       {"w": floats(1, 32, 12), "r": floats(1, 32, 8)}, [("x", TensorProto.FLOAT, [7, 2, 12])]), source)
    screen = run(graft_quantize, source, "--dry-run", "--target", "ort-cpu-x64", "--dynamic")
    check("1 product, activations quantized as the model runs" in screen, screen)


def dequantized(node, constants):
    """The weight of a MatMulNBits, by the runtime's kernel."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    attributes["accuracy_level"] = 1
    names = ["x", *node.input[1:]]
    twin = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **attributes)
    width = attributes["K"]
    model = model_of([twin], {name: constants[name] for name in names[1:] if name},
                     [("x", TensorProto.FLOAT, [width, width])], opset=21)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return sessions.session(model.SerializeToString()).run(None, {"x": np.eye(width, dtype=np.float32)})[0]


def blockwise(quantize, run_model, folder):
    node = helper.make_node
    source, path, single = folder / "float.onnx", folder / "quantized.onnx", folder / "single.onnx"
    for width in 64, 100:  # 100: the last block is cut off
        weight, bias = floats(width, 24), floats(24)
        onnx.save(model_of([node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["y"])],
                           {"w": weight, "b": bias}, [("x", TensorProto.FLOAT, ["N", 3, width])]), source)
        onnx.save(model_of([node("MatMul", ["x", "w"], ["y"])], {"w": weight},
                           [("x", TensorProto.FLOAT, [width, width])]), single)
        feeds, identity = {"x": floats(2, 3, width)}, {"x": np.eye(width, dtype=np.float32)}
        for bits in 2, 4, 8:
            for block in 16, 32, 64, 128, 256:
                for zero in "symmetric", "asymmetric":
                    for form in ("contrib", "standard") if bits == 4 else ("contrib",):
                        what = f"K {width}, {bits} bits, blocks of {block}, {zero}, {form}"
                        run(quantize, "blockwise", source, path, bits, block, zero, form, 1)
                        found, session = loaded_operators(path, folder)
                        check(found["MatMulNBits"] == 1 and found["MatMul"] == 0, f"{what}: {dict(found)}")
                        if form == "contrib":  # of the other form the runtime chooses the level
                            outputs = by_graft(run_model, path, feeds, folder)
                            away = distance(outputs[0], session.run(None, feeds)[0])
                            check(away < 1e-5, f"{what}: graft is {away} away")
                        # A step is at most the range of a block less 0; search may clip by another, and by more where
                        # positive scales make steps larger.
                        run(quantize, "blockwise", single, path, bits, block, zero, form, 1)
                        read = by_graft(run_model, path, identity, folder)[0]
                        step = np.abs(weight).max() * 2 / (2**bits - 1)
                        most = 2 if (zero, form) == ("symmetric", "standard") else 1.6
                        check(np.abs(read - weight).max() <= most * step, f"{what}: {np.abs(read - weight).max()} off")
                        if form == "contrib":
                            loaded = onnx.load(path)
                            constants = {t.name: numpy_helper.to_array(t) for t in loaded.graph.initializer}
                            theirs = dequantized(loaded.graph.node[0], constants)
                            check(np.abs(read - theirs).max() < 1e-5, f"{what}: the runtime reads other weights")
        for bits in 4, 8:  # activations quantized too
            run(quantize, "blockwise", source, path, bits, 32, "asymmetric", "contrib", 4)
            own = by_graft(run_model, path, feeds, folder)[0]
            exact = sessions.session(str(source)).run(None, feeds)[0]
            theirs = sessions.session(str(path)).run(None, feeds)[0]
            check(distance(own, theirs) < 2e-3, f"level 4, {bits} bits: graft is {distance(own, theirs)} away")
            check(distance(theirs, exact) < 0.2, f"level 4, {bits} bits: {distance(theirs, exact)} from float")


def tables(quantize, run_model, folder):
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    feeds = {"ids": random.integers(-40, 40, (2, 9))}
    for width in 64, 96, 100:  # 96: three blocks of 32
        onnx.save(model_of([helper.make_node("Gather", ["t", "ids"], ["y"])], {"t": floats(40, width)},
                           [("ids", TensorProto.INT64, ["N", "M"])]), source)
        exact = sessions.session(str(source)).run(None, feeds)[0]
        for bits in 4, 8:
            for block in 16, 32, 128:
                for zero in "symmetric", "asymmetric":
                    what = f"table of {width}, {bits} bits, blocks of {block}, {zero}"
                    run(quantize, "blockwise", source, path, bits, block, zero, "contrib", 1)
                    found, session = loaded_operators(path, folder)
                    check(found["GatherBlockQuantized"] == 1, f"{what}: {dict(found)}")
                    theirs = session.run(None, feeds)[0]
                    check(distance(by_graft(run_model, path, feeds, folder)[0], theirs) < 1e-5, what)
                    check(distance(theirs, exact) < (0.2 if bits == 4 else 0.015), f"{what}: far from float")


def tied_tables(quantize, run_model, folder):
    """Embeddings and the head of a language model are one matrix."""
    source, path = folder / "float.onnx", folder / "quantized.onnx"
    feeds = {"ids": random.integers(-40, 40, (2, 9))}
    for width in 64, 96, 48:  # 48: blocks of 16
        nodes = [helper.make_node("Gather", ["t", "ids"], ["e"]), helper.make_node("Relu", ["e"], ["h"]),
                 helper.make_node("Transpose", ["t"], ["w"], perm=[1, 0]),
                 helper.make_node("MatMul", ["h", "w"], ["y"])]
        onnx.save(model_of(nodes, {"t": floats(40, width)}, [("ids", TensorProto.INT64, ["N", "M"])]), source)
        exact = sessions.session(str(source)).run(None, feeds)[0]
        for zero in "symmetric", "asymmetric":
            what = f"tied table of {width}, {zero}"
            run(quantize, "blockwise", source, path, 4, 32, zero, "contrib", 1)
            stored = [tensor for tensor in onnx.load(path).graph.initializer if tensor.data_type == TensorProto.UINT8]
            codes = max(stored, key=lambda tensor: np.prod(tensor.dims))
            check(sum(np.prod(tensor.dims) == 40 * width for tensor in stored) == 1, f"{what}: {len(stored)} tables")
            check(np.prod(codes.dims) == 40 * width, f"{what}: not in 8 bits")
            found, session = loaded_operators(path, folder)
            check(found["GatherBlockQuantized"] == found["MatMulNBits"] == 1, f"{what}: {dict(found)}")
            theirs = session.run(None, feeds)[0]
            check(distance(by_graft(run_model, path, feeds, folder)[0], theirs) < 1e-5, what)
            check(distance(theirs, exact) < 0.015, f"{what}: far from float")


def sentences(graft_quantize, folder, data):
    """A sentence encoder: the mean cosine of its embeddings on sentences that no calibration saw, and its size."""
    source = data / "models" / "minilm_l3.onnx"

    def load(part):
        return [[numpy_helper.to_array(onnx.load_tensor(file)) for file in sorted(glob.glob(f"{one}/input_*.pb"))]
                for one in sorted(glob.glob(f"{data}/text/{part}/*"))]

    held_out = load("evaluation")
    reference = sessions.session(str(source))
    names = [value.name for value in reference.get_inputs()]
    floats_of = [reference.run(["461"], dict(zip(names, sample)))[0].ravel() for sample in held_out]
    ways = {
        "dynamic": (["--dynamic"], 0.997, 0.26, {"DynamicQuantizeMatMul": 9, "MatMulIntegerToFloat": 9}),
        "nearest": (["--weight-only", 4, "--method", "rtn"], 0.98, 0.17, {"MatMulNBits": 18}),
        "search": (["--weight-only", 4, "--method", "search"], 0.985, 0.17, {"MatMulNBits": 18}),
        "gptq": (["--weight-only", 4, "--method", "gptq"], 0.991, 0.17, {"MatMulNBits": 18}),
        "gptq, standard": (["--weight-only", 4, "--method", "gptq", "--standard"], 0.994, 0.23, {"MatMulNBits": 18}),
    }
    for name, (options, least, size, expected) in ways.items():
        path = folder / "encoder.onnx"
        block = ["--block", 32] if "--weight-only" in options else []
        run(graft_quantize, source, "-o", path, "--target", "ort-cpu-x64", "--calibration",
            data / "text" / "calibration", *options, *block)
        found, session = loaded_operators(path, folder)
        cosines = []
        for sample, was in zip(held_out, floats_of):
            got = session.run(["461"], dict(zip(names, sample)))[0].ravel()
            cosines.append(got @ was / np.linalg.norm(got) / np.linalg.norm(was))
        ratio = os.path.getsize(path) / os.path.getsize(source)
        print(f"{name}: cosine {np.mean(cosines):.4f}, size {ratio:.3f}")
        check(np.mean(cosines) >= least, f"{name}: cosine {np.mean(cosines)}")
        check(ratio <= size, f"{name}: size {ratio}")
        check(all(found[op] == count for op, count in expected.items()), f"{name}: {dict(found)}")


def main():
    quantize, run_model = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dynamic(quantize, run_model, folder)
        fused_operators(quantize, run_model, folder)
        quantized_lstms(run_model, folder)
        blockwise(quantize, run_model, folder)
        tables(quantize, run_model, folder)
        tied_tables(quantize, run_model, folder)
        data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", ""))
        if len(sys.argv) > 3:
            mixed_nets(sys.argv[3], run_model, folder)
            dynamic_lstm(sys.argv[3], folder)
        if len(sys.argv) > 3 and (data / "models" / "minilm_l3.onnx").is_file() and (data / "text").is_dir():
            sentences(sys.argv[3], folder, data)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


main()
