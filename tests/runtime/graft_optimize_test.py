#!/usr/bin/env python3
"""Optimizations and surgeries by name against stock ONNX Runtime, as graft-optimize makes them.

Usage: graft_optimize_test.py GRAFT_OPTIMIZE

A small model for each row of optimizations.py and surgeries.py: the operators that are left are the expected ones, and
where values stay, the runtime, which optimizes nothing itself, computes the same. Then the program: names in any case,
parameters in text and in JSON, and bad input, which ends with exit code 1 or 2, a message that names it, and no file.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx.reference import ReferenceEvaluator
from optimizations import OPTIMIZATIONS
from sessions import session
from surgeries import SURGERIES

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL", what)


def parsed(opset, text):
    header = "" if text.startswith("<") else f'<ir_version: 8, opset_import: ["" : {opset}]> '
    return onnx.parser.parse_model(header + text)


def operators(model):
    """In alphabetical order, those of bodies and functions included."""
    names = []

    def visit(nodes):
        for node in nodes:
            names.append(node.op_type)
            for attribute in node.attribute:
                visit(attribute.g.node)

    visit(model.graph.node)
    for function in model.functions:
        visit(function.node)
    return " ".join(sorted(names))


def feeds_of(model, seed=0):
    """Seeded noise; symbolic dims are 2."""
    random = numpy.random.default_rng(seed)
    constants = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            continue
        dims = [dim.dim_value or 2 for dim in value.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        noise = random.standard_normal(dims) if dtype.kind == "f" else random.integers(1, 3, dims)
        feeds[value.name] = noise.astype(dtype)
    return feeds


def results(model, feeds):
    return session(model.SerializeToString(), optimize=False).run(None, feeds)


def same(before, after, tolerance=1e-5):
    return len(before) == len(after) and all(
        a.shape == b.shape and a.dtype == b.dtype and numpy.allclose(a, b, tolerance, tolerance, equal_nan=True)
        for a, b in zip(before, after)
    )


class Program:
    """Runs the program in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.output = folder / "out.onnx"

    def run(self, model, *arguments):
        file = self.folder / "model.onnx"
        onnx.save(model, file)
        self.output.unlink(missing_ok=True)
        command = [self.path, file, "-o", self.output, *arguments]
        return subprocess.run([str(word) for word in command], capture_output=True, text=True)

    def optimized(self, label, model, *arguments):
        """What it writes; None, and a failure, if it writes nothing."""
        done = self.run(model, *arguments)
        check(done.returncode == 0, f"{label}: exit code {done.returncode}: {done.stderr[:200]}")
        return onnx.load(self.output) if done.returncode == 0 else None


def optimizations(program):
    for name, (opset, text, *wanted) in OPTIMIZATIONS.items():
        model = parsed(opset, text)
        before = results(model, feeds_of(model))
        for options, operators_left in ((("--only", name), wanted[0]), ((), wanted[-1])):
            label = f"{name}, {options or 'simplified'}"
            result = program.optimized(label, model, *options)
            if result is None:
                continue
            check(operators(result) == operators_left, f"{label}: {operators(result)}, not {operators_left}")
            check(same(before, results(result, feeds_of(model))), f"{label}: other values")
        if result is None:
            continue
        read = {name for node in result.graph.node for name in node.input} | {o.name for o in result.graph.output}
        constants = result.graph.initializer
        check(all(tensor.name in read for tensor in constants), f"{name}: an initializer is unused")
        contents = {(t.data_type, tuple(t.dims), onnx.numpy_helper.to_array(t).tobytes()) for t in constants}
        check(len(contents) == len(constants), f"{name}: equal initializers")


def is_expected(case, result):
    try:
        return case.expected is None or case.expected(result)
    except (IndexError, KeyError, StopIteration):  # nothing is where it was looked for
        return False


def surgeries(program):
    file = program.folder / "surgeries.json"
    for case in SURGERIES:
        label = f"{case.surgeon} {case.arguments or ''}"
        model = parsed(case.opset, case.text)
        file.write_text(json.dumps([{"surgeon": case.surgeon, **case.arguments}]))
        result = program.optimized(label, model, "--surgeries", file)
        if result is None:
            continue
        found = operators(result)
        if case.operators == "*":
            check(all(not node.domain for node in result.graph.node), f"{label}: {found}")
        else:
            check(found == case.operators, f"{label}: {found}, not {case.operators}")
        check(is_expected(case, result), f"{label}: not what was ordered: {onnx.printer.to_text(result.graph)}")
        if not case.runs:
            continue
        after = results(result, feeds_of(result))
        if case.tolerance is not None:
            before = results(model, feeds_of(model))
            check(same(before, after[: len(before)], case.tolerance), f"{label}: other values")


TWO = "g (float[2] x, float[2] z) => (float[2] y) { [sum] a = Add(x, z) y = Neg(a) }"


def orders(program):
    """How surgeries are written, and in which order they are done."""
    model, file = parsed(17, TWO), program.folder / "orders.json"
    rename = {"surgeon": "renameINPUTS", "old_names": ["x"], "new_names": ["first:a=b"]}
    swap = {"surgeon": "ReorderInputs", "permutation": [1, 0]}

    def names(result):
        return [value.name for value in result.graph.input] if result else None

    both = [rename, swap]
    for whole in (both, {"surgeries": both}, {"surgeries": {"type": "GraphSurgeries", "surgeries": both}}):
        file.write_text(json.dumps(whole))
        check(names(program.optimized("orders", model, "--surgeries", file)) == ["z", "first:a=b"], f"{whole}")
    text = "renameinputs:old_names=x,z:new_names=a:0,b:1"
    result = program.optimized(text, model, "--surgery", text, "--surgery", "reorderInputs:permutation=1,0")
    check(names(result) == ["b:1", "a:0"], f"{text}: {names(result)}")
    done = program.run(model, "--surgery", "ReorderInputs:permutation=1,0:colour=red")
    check(done.returncode == 0 and "no parameter 'colour'" in done.stderr, f"an unknown parameter: {done.stderr}")
    done = program.run(model, "--surgery", "RenameInputs:old_names=q,x:new_names=r,w")
    check(done.returncode == 0 and "no such input" in done.stderr, f"a name of nothing: {done.stderr}")
    check(names(onnx.load(program.output)) == ["w", "z"], "a name of nothing: the other one stays")
    pair = "<float[2] a = {1,2}, float[2] b = {1,2}>"
    two = parsed(17, "g (float[2] x) => (float[2] y) " + pair + " { c = Add(x, a) y = Mul(c, b) }")
    for options, count in ((), 1), (("--keep-duplicates",), 2):
        result = program.optimized("duplicates", two, "--surgery", "InferShapes", *options)
        check(result and len(result.graph.initializer) == count, f"duplicates {options}")
        done = program.run(two, "--surgery", "InferShapes", *options)
        noted = "1 merged with equal ones" in done.stdout
        check(noted == (count == 1), f"the note of duplicates {options}: {done.stdout}")
    twice = parsed(17, "g (float[2] x) => (float[2] y) { a = Identity(x) y = Erf(a) }")
    order = ("--surgery", "ReplaceErfWithTanh")
    for options, wanted in (
        ((), "Identity Mul Tanh"),
        (("--simplify",), "Mul Tanh"),
        (("--only", "remove_identity"), "Mul Tanh"),
    ):
        result = program.optimized("simplify", twice, *order, *options)
        check(result and operators(result) == wanted, f"{options}: {operators(result) if result else None}")


def choices(program):
    model = parsed(17, OPTIMIZATIONS["Eliminate Nop Pad"][1].replace("y = Neg(a)", "b = Identity(a) y = Neg(b)"))
    for options, wanted in (
        (("--only", "remove-pad"), "Identity Neg"),
        (("--only", "Remove Pad,remove_identity"), "Neg"),
        (("--skip", "remove-pad"), "Neg Pad"),
        (("--skip", "remove-pad", "--skip", "remove-identity"), "Identity Neg Pad"),
        (("--only", "eliminate_dead_code"), "Identity Neg Pad"),
    ):
        result = program.optimized(str(options), model, *options)
        check(result and operators(result) == wanted, f"{options}: {operators(result) if result else None}")
    opset, text, wanted = OPTIMIZATIONS["GEMM to MatMul+Add"][:3]  # also a rule, which leaves the Reshapes
    for name in ("gemm_to_matmul_add", "gemm-to-matmul-add", "Gemm to MatMul Add"):
        result = program.optimized(name, parsed(opset, text), "--only", name)
        check(result and operators(result) == wanted, f"{name}: {operators(result) if result else None}")
    product = parsed(17, "g (float[2] x) => (float[2] y) { y = Mul(x, x) }")
    halved = None
    for name in ("to_float16", "ToFloat16", "to-bfloat16", "ToBFloat16"):
        halved = program.optimized(name, product, "--only", name)
        wanted = onnx.TensorProto.BFLOAT16 if "b" in name.lower() else onnx.TensorProto.FLOAT16
        found = halved and halved.graph.output[0].type.tensor_type.elem_type
        check(found == wanted, f"{name}: an output of dtype {found}")
    for name in ("to_float32", "ToFloat32"):
        result = program.optimized(name, halved, "--only", name)
        check(result and operators(result) == "Cast Cast Mul", f"{name}: {result and operators(result)}")
    opset, text = OPTIMIZATIONS["Fuse Pad into Pool"][:2]
    result = program.optimized("--skip", parsed(opset, text), "--skip", "Fuse Pad into Pool")
    check(result and operators(result) == "AveragePool Pad", f"--skip a title: {result and operators(result)}")
    opset, text = OPTIMIZATIONS["Cast Constant of Shape"][:2]
    for name in ("cast_constant_of_shape", "cast-constant-of-shape"):
        result = program.optimized(name, parsed(opset, text), "--skip", name)
        check(result and "Cast" in operators(result).split(), f"--skip {name}: {result and operators(result)}")
    weighted = parsed(17, "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Mul(x, w) }")
    denormal = numpy.array([1, 1e-40], numpy.float32)
    weighted.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(denormal, "w"))
    for options, wanted in ((), 1), (("--only", "flush_denormals"), 1), (("--skip", "flush_denormals"), 2):
        result = program.optimized(f"denormals {options}", weighted, *options)
        left = result and numpy.count_nonzero(onnx.numpy_helper.to_array(result.graph.initializer[0]))
        check(left == wanted, f"denormals {options}: {left}")
    looped = parsed(17, "g (float[2] x) => (float[2] y) <int64 n = {3}> { b = Add(x, x) y = Loop (n, , b) <body = "
                        "t (int64 i, bool c, float[2] a) => (bool d, float[2] e) { d = Identity(c) e = Mul(a, x) }> }")
    for trips, wanted in ((2, "Add Identity Loop Mul"), (3, "Add Mul Mul Mul")):
        result = program.optimized(f"loops {trips}", looped, "--unroll-loops", trips)
        check(result and operators(result) == wanted, f"loops {trips}: {result and operators(result)}")
        feeds = feeds_of(looped)
        check(same(results(looped, feeds), results(result, feeds)), f"loops {trips}: other values")


def fusions(program):
    """--model-type, whose names all do the same, and --runtime."""
    body = "{ h = Add(x, z) m = Mul(h, h) r = ReduceMean<axes = [-1]>(m) a = Add(r, e) q = Sqrt(a) d = Div(h, q) "
    model = parsed(17, "g (float[B,S,4] x, float[B,S,4] z) => (float[B,S,4] y) <float[4] w = {1,2,3,4}, float e = {1}> "
                   + body + "y = Mul(d, w) }")
    for name in ("bert", "gpt", "llama", "vit", "auto"):
        result = program.optimized(name, model, "--model-type", name)
        check(result and operators(result) == "SkipSimplifiedLayerNormalization", f"{name}: {operators(result)}")
        check(same(results(model, feeds_of(model)), results(result, feeds_of(model))), f"{name}: other values")
    result = program.optimized("take apart", result, "--only", "decompose-fused-operators")
    check(result and "Normalization" not in operators(result), f"taken apart: {result and operators(result)}")
    result = program.optimized("--runtime", model, "--model-type", "auto", "--runtime", "onnx")
    check(result and all(not node.domain for node in result.graph.node), "--runtime onnx: other domains")
    for options, words in (
        (("--model-type", "t5"), "--model-type"),
        (("--model-type", "bert", "--runtime", "none"), "ort-cpu"),
        (("--model-type", "bert", "--only", "remove-identity"), "excludes"),
        (("--runtime", "onnx"), "is required"),
        (("--model-type", "berd"), "did you mean 'bert'?"),
        (("--model-type", "bert", "--runtime", "ort_cpus"), "did you mean 'ort-cpu'?"),
        (("--only", "remove-identiti"), "did you mean 'remove-identity'?"),
        (("--skip", "remove_drpout"), "did you mean 'remove-dropout'"),
        (("--skip", "qqqqqqqqqqqq"), "--list prints"),
        (("--explain", "bn-into-con"), "did you mean 'bn-into-conv'"),
        (("--surgery", "RenameInput:old_names=a:new_names=b"), "did you mean 'RenameInputs'"),
    ):
        done = program.run(model, *options)
        check(done.returncode == 2 and words in done.stderr, f"{options}: {done.returncode}: {done.stderr}")


def floats(program):
    """--float16, --bfloat16 and --float32, with the options that choose what stays."""
    model = parsed(17, "g (float[2,4] x) => (float[2,4] y) <float[4,4] w = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}> "
                   "{ h = MatMul(x, w) s = Softmax(h) y = MatMul(s, w) }")
    wanted = results(model, feeds_of(model))[0]
    kept = program.optimized("--keep-io", model, "--float16", "--keep-io", "--runtime", "onnx")
    check(kept and operators(kept) == "Cast Cast Cast Cast MatMul MatMul Softmax", f"--keep-io: {operators(kept)}")
    error = numpy.abs(results(kept, feeds_of(kept))[0] - wanted).max()
    check(error < 0.02, f"--float16: an error of {error}")
    half = program.optimized("--float16", model, "--float16")
    types = [value.type.tensor_type.elem_type for value in [*half.graph.input, *half.graph.output]]
    check(types == [onnx.TensorProto.FLOAT16] * 2, f"--float16: inputs and outputs of {types}")
    back = program.optimized("--float32", half, "--float32")
    check(back and operators(back) == "Cast Cast MatMul MatMul Softmax", f"--float32: {operators(back)}")
    brain = program.optimized("--bfloat16", model, "--bfloat16", "--runtime", "onnx")
    check(brain.graph.initializer[0].data_type == onnx.TensorProto.BFLOAT16, "--bfloat16: other weights")
    none = program.optimized("--keep-float", model, "--float16", "--keep-io", "--keep-float", "MatMul.*")
    check(none and operators(none) == "MatMul MatMul Softmax", f"--keep-float: {operators(none)}")
    data = program.folder / "floats" / "test_data_set_0"
    data.mkdir(parents=True)
    large = onnx.numpy_helper.from_array(numpy.full((2, 4), 60000, numpy.float32), "x")
    (data / "input_0.pb").write_bytes(large.SerializeToString())
    done = program.run(model, "--float16", "--keep-io", "--inputs", data.parent, "--min-cosine", "0.99")
    is_kept = done.returncode == 0 and "beyond the range on samples" in done.stdout
    check(is_kept, f"--inputs: {done.stdout}{done.stderr}")
    for options, words in (
        (("--float16", "--bfloat16"), "excludes"),
        (("--keep-io",), "--float16 or --bfloat16 is required"),
        (("--float32", "--keep-float", "x"), "--float16 or --bfloat16 is required"),
        (("--float16", "--keep-float", "("), "regular expression"),
        (("--float16", "--min-cosine", "0.9"), "--inputs"),
        (("--float16", "--runtime", "none"), "ort-cpu"),
    ):
        done = program.run(model, *options)
        check(done.returncode == 2 and words in done.stderr, f"{options}: {done.returncode}: {done.stderr}")


def quantized_floats(program):
    """--float16 of a model between quantizers, for a runtime that takes their scales in float16, and for one that does
    not."""
    model = parsed(13, "g (float[1,2,4,4] x) => (float[1,2,4,4] y) <float s = {0.05}, float t = {0.1}, int8 z = {0}, "
                   "int8[2,2,1,1] k = {100, -60, 3, 40}, float[2] v = {0.000003814697265625, 0.01}, "
                   "int8[2] zeros = {0, 0}, float[2] b = {0.5, -0.25}> "
                   "{ q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) "
                   "w = DequantizeLinear <axis = 0> (k, v, zeros) c = Conv(d, w, b) r = Relu(c) "
                   "p = QuantizeLinear(r, t, z) e = DequantizeLinear(p, t, z) y = Neg(e) }")
    feeds = feeds_of(model)
    wanted = results(model, feeds)[0]
    half = program.optimized("float16 scales", model, "--float16", "--runtime", "tensorrt")
    check("Cast" not in operators(half) and half.opset_import[0].version == 19, f"float16 scales: {operators(half)}")
    types = {tensor.data_type for tensor in half.graph.initializer}
    check(types == {onnx.TensorProto.FLOAT16, onnx.TensorProto.INT8}, f"float16 scales: {types}")
    halves = {name: value.astype(numpy.float16) for name, value in feeds.items()}
    error = numpy.abs(ReferenceEvaluator(half).run(None, halves)[0].astype(numpy.float32) - wanted).max()
    check(error < 0.101, f"float16 scales: more than a step: {error}")
    error = numpy.abs(results(half, halves)[0].astype(numpy.float32) - wanted).max()
    check(error < 0.201, f"float16 scales: more than a step for each quantizer in ONNX Runtime: {error}")
    kept = program.optimized("float32 scales", model, "--float16")
    types = {tensor.data_type for tensor in kept.graph.initializer}
    check(types == {onnx.TensorProto.FLOAT, onnx.TensorProto.INT8}, f"float32 scales: {types}")
    check(kept.opset_import[0].version == 13, "float32 scales: another opset")


def checks(program):
    """--check, and what else is printed."""
    model, report = parsed(17, OPTIMIZATIONS["Fuse BN into Conv"][1]), program.folder / "report.json"
    done = program.run(model, "--check", "3", "--tolerance", "1e-3", "--report", report, "--verbose")
    check(done.returncode == 0 and "on 3 inputs" in done.stdout, f"--check: {done.stdout}{done.stderr}")
    told = json.loads(report.read_text())
    check(told["operators_before"] == {"BatchNormalization": 1, "Conv": 1}, f"report: {told['operators_before']}")
    check(told["operators_after"] == {"Conv": 1} and told["check"]["runs"] == 3, "report: after")
    check("bn-into-conv: applied 1" in done.stdout and "BatchNormalization     1 -> 0" in done.stdout, done.stdout)
    two = parsed(17, TWO)
    zeros = ("--surgery", "ZeroOutInput:node_name=sum:input_idx=0")
    done = program.run(two, *zeros, "--check", "2", "--tolerance", "1e-3")
    check(done.returncode == 1 and "largest difference" in done.stdout, f"--tolerance: {done.stdout}")
    check(not program.output.exists(), "--tolerance: a result that is too far off was written")
    done = program.run(two, "--surgery", "RenameInputs:old_names=x:new_names=w", "--check", "2")
    check(done.returncode == 0 and "the inputs have changed: 'x' f32" in done.stdout, f"other inputs: {done.stdout}")
    done = program.run(two, "--surgery", "ExposeOutputs:names=sum", "--check", "2", "--tolerance", "0")
    check(done.returncode == 0 and "not compared: the output 'a'" in done.stdout, f"more outputs: {done.stdout}")
    calls = parsed(0, OPTIMIZATIONS["Inline Functions with Unused Outputs"][1])
    done = program.run(calls, "--only", "Eliminate Nop Cast", "--check", "2", "--tolerance", "0")
    check(done.returncode == 0 and "no difference, on 2 inputs" in done.stdout, f"functions: {done.stdout}")
    check(len(onnx.load(program.output).functions) == 2, "functions: those of the result stay")
    inputs = program.folder / "inputs" / "test_data_set_0"
    inputs.mkdir(parents=True)
    for i, value in enumerate(("x", "z")):
        tensor = onnx.numpy_helper.from_array(numpy.array([numpy.inf, 1], numpy.float32), value)
        (inputs / f"input_{i}.pb").write_bytes(tensor.SerializeToString())
    done = program.run(two, "--check", "5", "--inputs", inputs.parent, "--tolerance", "0")
    check(done.returncode == 0 and "no difference, on 1 input" in done.stdout, f"--inputs: {done.stdout}{done.stderr}")
    dynamic = parsed(17, "g (float[N,3] x, int64[1] n) => (float[M] y) { y = Reshape(x, n) }")
    done = program.run(two, "--surgery", "ReplaceErfWithTanh")
    check(done.returncode == 0 and "ReplaceErfWithTanh: nothing changed" in done.stdout, f"nothing: {done.stdout}")
    done = program.run(dynamic, "--check", "1")
    check(done.returncode == 0 and "check                    failed: " in done.stdout, f"failed runs: {done.stdout}")
    done = program.run(two, "--explain", "remove-identity", "--explain", "all")
    check("no node is of an operator that remove-identity looks for" in done.stdout, f"--explain: {done.stdout}")
    listed = subprocess.run([program.path, "--list"], capture_output=True, text=True).stdout
    for name in ("fold_constants", "bn-into-conv", *(case.surgeon for case in SURGERIES)):
        check(name in listed, f"--list: {name}")


def problems(program):
    """What is wrong before is known after; what a surgery makes wrong is an error; both are found by inferred types."""
    flat = parsed(17, "g (float[1,4,2,2] x, float[16,3] w) => (float[A,B] y) { f = Flatten(x) y = Gemm(f, w) }")
    done = program.run(flat)
    check(done.returncode == 0 and "warning" not in done.stderr, f"no problem: {done.stderr}")
    done = program.run(flat, "--surgery", "Flatten")
    check(done.returncode == 1 and "Gemm" in done.stderr, f"a problem: {done.returncode}: {done.stderr}")
    check(program.output.exists(), "a problem: the model is written all the same")
    wrong = parsed(17, "g (float[2,3] x) => (float[1,3] y) { a = Neg(x) y = Neg(a) }")
    for options in ((), ("--surgery", "InferShapes"), ("--simplify", "--surgery", "InferShapes")):
        done = program.run(wrong, *options)
        check(done.returncode == 0, f"a known problem, {options}: {done.returncode}: {done.stderr}")
        check(done.stderr.count("is inferred") == 1, f"a known problem, {options}: {done.stderr}")
    # What was there before is known by its kind and its operator, though numbers and names change.
    pools = parsed(17, "g (float[1,1,2,2] x) => (float[1,1,0,0] y) { a = AveragePool <kernel_shape = [3,3]> (x) "
                       "y = Identity(a) }")
    for options in ((), ("--only", "remove-identity")):
        done = program.run(pools, *options)
        check(done.returncode == 0, f"a known problem of a renamed value: {done.returncode}: {done.stderr}")
    types = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[N,2] x) => (int64[2] s) '
                                    "<float[1,2] h> { h = Relu(x) s = Shape(h) }")
    done = program.run(types)
    told = "'h' is declared as f32[1,2], but f32[N,2] is inferred"
    check(done.returncode == 0 and done.stderr.count(told) == 1, f"a false type: {done.returncode}: {done.stderr}")
    check(operators(onnx.load(program.output)) == "Relu Shape", "a false type is folded")
    check(not onnx.load(program.output).graph.value_info, "a false type is written")
    mask = parsed(17, "g (float[N,3] x) => (float[N,3] y, bool[N,3] m) { y, m = Dropout(x) }")
    done = program.run(mask)
    check(operators(onnx.load(program.output)) == "Dropout", f"more nodes than before: {done.stdout}")
    names = parsed(17, "g (float[2] x) => (float[2] y) { " + " ".join(
        f"[same] v{i} = Neg({'x' if i == 0 else f'v{i - 1}'})" for i in range(9)) + " [same] y = Neg(v8) }")
    done = program.run(names, "--surgery", "InferShapes")
    check(done.returncode == 0 and done.stderr.count("has the name of another node") == 1, f"one line: {done.stderr}")
    check("and 6 more" in done.stderr, f"a count: {done.stderr}")
    two = parsed(17, "g (float[N] x) => (float[N] y) { y = Neg(x) }")
    done = program.run(two, "--check", "1", "--dim", "M=2", "--dim", "N=99999999999")
    check("--dim M: no input has" in done.stderr and "--dim N" not in done.stderr, f"--dim: {done.stderr}")
    check("'x' is f32[99999999999]" in done.stdout + done.stderr, f"no memory: {done.stdout}{done.stderr}")


def bad_input(program):
    model, file = parsed(17, TWO), program.folder / "bad.json"

    def refused(code, words, *arguments):
        done = program.run(model, *arguments)
        check(done.returncode == code, f"{arguments}: exit code {done.returncode}")
        check(all(word in done.stderr for word in words), f"{arguments}: {words} are not in: {done.stderr}")
        check(not program.output.exists(), f"{arguments}: left an output file")

    for text, words in (
        ("{", ["bad.json", "not JSON", "line 1"]),
        ("3", ["bad.json", "no list"]),
        ("[3]", ["bad.json", "a surgery is an object"]),
        ("[{}]", ["bad.json", 'names its "surgeon"']),
        ('[{"surgeon": "RenameInput"}]', ["bad.json", "no surgery 'RenameInput'", "RenameInputs"]),
        ('[{"surgeon": "RenameInputs", "old_names": ["x"]}]', ["RenameInputs", "'new_names' is missing"]),
        ('[{"surgeon": "RenameInputs", "old_names": ["x"], "new_names": "y"}]', ["'new_names'", "list of texts"]),
        ('[{"surgeon": "RenameInputs", "old_names": ["x"], "new_names": null}]', ["'new_names' is missing"]),
        ('[{"surgeon": "ChangeBatch", "batch": 4.0}]', ["'batch': expected an integer, found 4.0"]),
        ('[{"surgeon": "ReorderInputs", "permutation": [1, 0.5]}]', ["'permutation': expected an integer, found 0.5"]),
        ('[{"surgeon": "ReorderInputs", "permutation": [1, "a"]}]', ["ReorderInputs", "'permutation'"]),
        ('[{"surgeon": "ReorderInputs", "permutation": [1, -1]}]', ["ReorderInputs", "'permutation' is negative"]),
        ('[{"surgeon": "ReorderInputs", "permutation": {}}]', ["ReorderInputs", "'permutation'"]),
        ('[{"surgeon": "RenameInputs", "old_names": ["x"], "new_names": []}]', ["RenameInputs", "'old_names' are 1"]),
        ('[{"surgeon": "RemoveInputs", "names": ["q"]}]', ["RemoveInputs", "q: is not an input"]),
        ('[{"surgeon": "RenameInputs", "old_names": ["x"], "new_names": ["z"]}]', ["'z'"]),
    ):
        file.write_text(text)
        refused(1, words, "--surgeries", file)
    refused(1, ["none.json"], "--surgeries", program.folder / "none.json")
    refused(2, ["--surgery", "no surgery 'Nonsense'"], "--surgery", "Nonsense")
    refused(2, ["'permutation': expected an integer, found b"], "--surgery", "ReorderInputs:permutation=1,b")
    refused(2, ["'batch': expected an integer, found 1.5"], "--surgery", "ChangeBatch:batch=1.5")
    refused(2, ["'old_names' has no =VALUE"], "--surgery", "RenameInputs:old_names")
    refused(2, ["'batch' and 'symbol' exclude each other"], "--surgery", "ChangeBatch:batch=2:symbol=B")
    refused(2, ["'*' is not a regular expression", "whole names"], "--surgery", "ExposeValues:names=*")
    refused(2, ["--check: expected a whole number above 0, found 0"], "--check", "0")
    refused(2, ["--check: expected a whole number above 0, found x"], "--check", "x")
    refused(2, ["--tolerance: expected a number of at least 0, found -1"], "--check", "1", "--tolerance", "-1")
    refused(2, ["--surgery", "'permutation' is given twice"], "--surgery", "ReorderInputs:permutation=1:permutation=0")
    refused(2, ["--only", "no-such-rule"], "--only", "no-such-rule")
    refused(2, ["--explain", "is a pass"], "--explain", "fold_constants")
    refused(2, ["--skip", "not part of"], "--skip", "bn-to-depthwise-conv")
    refused(2, ["--skip", "not part of"], "--skip", "Fuse QKV")
    refused(2, ["--inputs"], "--inputs", program.folder)
    refused(1, ["nowhere"], "--check", "1", "--inputs", program.folder / "nowhere")


def files(program):
    """What the model is read from is not written over; a path that leads nowhere is an error."""
    held, data, loop = (program.folder / name for name in ("held.onnx", "held.onnx.data", "loop"))
    model = parsed(17, "g (float[2] x) => (float[2] y) <float[2] w = {0,0}> { y = Add(x, w) }")
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(numpy.float32([1, 2]), "w"))
    onnx.save(model, held, save_as_external_data=True, location=data.name, size_threshold=0)
    before = data.read_bytes()
    loop.symlink_to(loop.name)
    for arguments, word in (
        (("-o", data), "would be overwritten"),
        (("-o", program.output, "--report", data), "would be overwritten"),
        (("-o", loop / "x.onnx", "--report", program.folder / "r.json"), "loop"),
    ):
        done = subprocess.run([program.path, held, *arguments], capture_output=True, text=True)
        check(done.returncode == 1 and word in done.stderr, f"{arguments}: {done.returncode}: {done.stderr}")
        check(data.read_bytes() == before, f"{arguments}: the weights are gone")


def data_beside(program):
    """Weights that are external stay external: in a file beside the output if that lies elsewhere."""
    folder = program.folder / "elsewhere"
    folder.mkdir()
    held, output = program.folder / "held.onnx", folder / "out.onnx"
    done = subprocess.run([program.path, held, "-o", output], capture_output=True, text=True)
    check(done.returncode == 0 and f"{output}.data" in done.stdout, f"wrote: {done.stdout}{done.stderr}")
    check((folder / "out.onnx.data").exists(), "external data did not move along")


def main():
    with tempfile.TemporaryDirectory() as name:
        program = Program(sys.argv[1], pathlib.Path(name))
        parts = (optimizations, surgeries, orders, choices, fusions, floats, quantized_floats, checks, problems,
                 bad_input, files)
        for part in (*parts, data_beside):
            part(program)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
