#!/usr/bin/env python3
"""Compares what graft's audit predicts with what ONNX Runtime fuses.

On small models, each with one condition varied, and on transformers and whole nets that graft has quantized.

Usage: quantize_test.py QUANTIZE_MODEL [-v]

QUANTIZE_MODEL is the program graft_quantize_model. Whole nets are those of $GRAFT_TEST_DATA, if that is set.
"""

import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto

import conv_cases
import made_up_transformer
import operator_cases
import sessions
from sessions import TARGET

INTEGER_FORMS = {"QGemm": "Gemm", "MatMulIntegerToFloat": "MatMul", "NhwcMaxPool": "MaxPool"}


def in_integers(graph, moving):
    """Counts by operator what is computed on integers: the runtime's own, and those of these names that move values."""
    others = (TensorProto.FLOAT, TensorProto.INT64)
    integers = {value.name for value in graph.input if value.type.tensor_type.elem_type not in others}
    counts = collections.Counter()
    for node in graph.node:
        op = INTEGER_FORMS.get(node.op_type, node.op_type.removeprefix("QLinear"))
        moves = op == node.op_type and op in operator_cases.MOVEMENTS and node.input[0] in integers
        gives_float = node.op_type == "MatMulIntegerToFloat" or (node.op_type == "QGemm" and len(node.input) < 9)
        if node.op_type == "QuantizeLinear" or moves or (op != node.op_type and not gives_float):
            integers.update(node.output)
        if op != node.op_type or (moves and node.name in moving):
            counts[op] += 1
    return counts


def runtime_says(path, exact=True):
    """(the session or None, how many operators of each kind are in integers)"""
    optimized = f"{path}.optimized"
    try:
        session = sessions.session(path, optimized, exact=exact)
    except Exception:  # pylint: disable=broad-except
        return None, None
    moving = {node.name for node in onnx.load(path).graph.node if node.op_type in operator_cases.MOVEMENTS}
    return session, in_integers(onnx.load(optimized).graph, moving)


def audits(program, paths):
    """{path: (how many of each kind fuse, "loads" or "refused", findings)}"""
    text = subprocess.run(
        [program, "audit", TARGET, *map(str, paths)], check=True, capture_output=True, text=True
    ).stdout
    rows = (line.split("\t") for line in text.splitlines())
    return {
        path: (collections.Counter(re.findall(r"\((\w+)\): fused", "\n".join(findings))), outcome, findings)
        for path, outcome, *findings in rows
    }


def difference(session, counts, fused, outcome):
    """What the audit tells otherwise than the runtime does; empty if they agree."""
    if session is None or outcome == "refused":
        says = "refused" if session is None else dict(counts)
        return "" if says == outcome else f"runtime {says}, audit {outcome}"
    return "" if of_products(counts) == of_products(fused) else f"runtime {dict(counts)}, audit {dict(fused)}"


def of_products(counts):
    """The runtime makes a Gemm of a MatMul and an Add."""
    return +(counts + collections.Counter(MatMul=counts["Gemm"]) - collections.Counter(Gemm=counts["Gemm"]))


def compare_cases(program, folder, verbose):
    paths = {}
    for i, case in enumerate(itertools.chain(conv_cases.cases(), operator_cases.cases())):
        path = folder / f"{i}.onnx"
        onnx.save(case.model(), path)
        paths[str(path)] = case
    failures, seen = 0, collections.Counter()
    for path, (fused, outcome, findings) in audits(program, paths).items():
        session, counts = runtime_says(path, exact=False)  # exact kernels crash on some
        seen["refused" if session is None else "fused" if counts else "in float"] += 1
        wrong = difference(session, counts, fused, outcome)
        failures += wrong != ""
        if wrong or verbose:
            print(f"{paths[path]}: {wrong or 'agreed'} {findings}")
    print(f"{len(paths)} small models ({dict(seen)}): {failures} told otherwise than the runtime does")
    return failures


# The model, the Convs that are quantized, and the activations behind them that ONNX Runtime fuses.
MODELS = {
    "mobilenetv2": (52, 35),
    "squeezenet": (26, 26),
    "ultraface_rfb320_simplified": (52, 36),
    "mnist": (2, 0),
    "bert_toy": (0, 0),
    "resnet50v2": (53, 0),
    "bert": (0, 0),
}


def compare_models(program, folder):
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "models"
    failures = models = 0
    for name, (convs, activations) in MODELS.items():
        model = data / f"{name}.onnx"
        if not model.exists():
            continue
        nodes = {}
        kinds = itertools.product(
            (TARGET, "onednn", "paper", "ort-cpu-arm64"),
            ("naive", "fusion-aware", "commuted", "conv-only", "all-supported", "min-cost"),
            ("per-tensor", "per-channel"),
        )
        wide = itertools.product(
            (TARGET + "/u16", TARGET + "/i16"),
            ("naive", "fusion-aware", "commuted", "conv-only", "all-supported", "min-cost"),
            ("per-channel",),
        )
        for target, placement, granularity in itertools.chain(kinds, wide):
            path = folder / f"{name}-{target.replace('/', '-')}-{placement}-{granularity}.onnx"
            subprocess.run([program, "quantize", model, path, target, placement, granularity], check=True)
            ((fused, outcome, _),) = audits(program, [path]).values()
            session, counts = runtime_says(path, exact=False)
            for found in filter(None, (counts, fused)):
                found.pop("Transpose", None)  # the runtime merges them with those of its own layout
            nodes[target, placement, granularity] = len(onnx.load(path).graph.node)
            models += 1
            wrong = [text for text in [difference(session, counts, fused, outcome)] if text]
            if target == TARGET and placement != "min-cost" and (session is None or counts["Conv"] != convs):
                wrong.append(f"{counts['Conv']} of {convs} Convs fuse")
            if target == TARGET and session is not None and not runs(session):
                wrong.append("its results are not finite")
            for text in wrong:
                failures += 1
                print(f"{path.name}: {text}")
        for granularity in ("per-tensor", "per-channel"):
            fewer = nodes[TARGET, "naive", granularity] - nodes[TARGET, "fusion-aware", granularity]
            if (
                fewer != 2 * activations
                or nodes[TARGET, "commuted", granularity] != nodes[TARGET, "fusion-aware", granularity]
            ):
                failures += 1
                print(f"{name}, {granularity}: {fewer} nodes fewer than naive, not {2 * activations}: {nodes}")
    print(f"{models} quantized models: {failures} faults")
    return failures


# Of the outputs with those in float. 0.9986 is the least that was measured.
LEAST_COSINE = 0.997


def transformers(folder):
    """The paths of those to compare."""
    for opset, batch in itertools.product((12, 17), ("N", 1)):
        path = folder / f"transformer-{opset}-{batch}.onnx"
        onnx.save(made_up_transformer.model(opset, batch), path)
        yield path
    real = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "models/bert_toy.onnx"
    if real.exists():
        yield real


def compare_transformers(program, folder):
    """Every product is computed in integers, and between them the runtime fuses what it fuses in float."""
    failures = models = 0
    for model in transformers(folder):
        expected = answers(sessions.session(model))
        products = sum(node.op_type in ("MatMul", "Gemm") for node in onnx.load(model).graph.node)
        placements = ("fusion-aware", "all-supported", "min-cost")
        for placement, granularity in itertools.product(placements, ("per-tensor", "per-channel")):
            path = folder / f"{model.stem}-{placement}-{granularity}.onnx"
            subprocess.run([program, "quantize", model, path, TARGET, placement, granularity], check=True)
            ((fused, outcome, _),) = audits(program, [path]).values()
            session, counts = runtime_says(path)
            models += 1
            wrong = [text for text in [difference(session, counts, fused, outcome)] if text]
            if session is not None:
                cosine = min(map(cosine_of, expected, answers(session)))
                if not cosine >= LEAST_COSINE:
                    wrong.append(f"the cosine of its outputs with those in float is {cosine}")
                if placement == "all-supported" and of_products(counts)["MatMul"] != products:
                    wrong.append(f"{of_products(counts)['MatMul']} of {products} products are in integers")
                optimized = {node.op_type for node in onnx.load(f"{path}.optimized").graph.node}
                if left := optimized & {"Erf", "Pow", "ReduceMean", "Sqrt"}:
                    wrong.append(f"{left} are not fused")
            for text in wrong:
                failures += 1
                print(f"{path.name}: {text}")
    print(f"{models} quantized transformers: {failures} faults")
    return failures


def compare_wide_tensors(program, folder):
    """Single tensors of 16 bits: the runtime loads them, keeps those in float that the audit says, computes what Q/DQ
    means, and comes nearer to float."""
    inner, outer = np.random.default_rng(2).uniform(-1, 1, (2, 3, 3, 1, 1)).astype(np.float32)
    text = """<ir_version: 8, opset_import: ["" : 13]> g (float[1,3,8,8] x) => (float[1,3,8,8] y) {
        a = Conv (x, v) b = Relu (a) c = Conv (b, w) y = Add (c, x) }"""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend([onnx.numpy_helper.from_array(inner, "v"), onnx.numpy_helper.from_array(outer, "w")])
    path = folder / "wide.onnx"
    onnx.save(model, path)
    feeds = {"x": np.random.default_rng(1).uniform(-2, 2, (1, 3, 8, 8)).astype(np.float32)}
    (wanted,) = sessions.session(path).run(None, feeds)
    failures, errors = 0, {}
    for kind, placement in itertools.product(("", "/u16:x", "/u16:[xbcy]", "/i16:b"), ("naive", "all-supported")):
        out = folder / "wide-q.onnx"
        subprocess.run([program, "quantize", path, out, TARGET + kind, placement, "per-channel"], check=True)
        ((fused, outcome, _),) = audits(program, [out]).values()
        session, counts = runtime_says(out)
        wrong = difference(session, counts, fused, outcome)
        (literal,) = sessions.session(out, optimize=False).run(None, feeds)
        errors[kind, placement] = np.abs(literal - wanted).mean()
        if session is not None and np.abs(session.run(None, feeds)[0] - literal).max() > 0.1:
            wrong += " its results are not what Q/DQ means"
        if wrong:
            failures += 1
            print(f"{TARGET}{kind}, {placement}: {wrong}")
    for placement in ("naive", "all-supported"):
        if not errors["/u16:[xbcy]", placement] < errors["", placement] / 2:
            failures += 1
            print(f"16 bits come no nearer to float than 8: {errors}")
    print(f"{len(errors)} models with tensors of 16 bits: {failures} faults")
    return failures


def compare_factors(program, folder):
    """A Gemm with alpha, beta and bias is computed in integers, and means what it did."""
    random = np.random.default_rng(4)
    path, out = folder / "factors.onnx", folder / "factors-q.onnx"
    count = failures = 0
    for alpha, turned, last in itertools.product((0.5, -1.7), (0, 1), (", b", "")):
        text = f"""<ir_version: 8, opset_import: ["" : 13]> g (float[64,16] x) => (float[64,8] y) {{
            h = Gemm <alpha = {alpha}, beta = 0.3, transB = {turned}> (x, w{last}) y = Relu (h) }}"""
        model = onnx.parser.parse_model(text)
        arrays = {"w": random.uniform(-1, 1, (8, 16) if turned else (16, 8)), "b": random.uniform(-1, 1, 8)}
        model.graph.initializer.extend(
            onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()
            if name == "w" or last)
        onnx.save(model, path)
        for granularity in "per-tensor", "per-channel":
            count += 1
            subprocess.run([program, "quantize", path, out, TARGET, "all-supported", granularity], check=True)
            session, counts = runtime_says(out)
            cosine = cosine_of(answers(session)[0], answers(sessions.session(path))[0])
            if counts["Gemm"] != 1 or not cosine > 0.99:
                failures += 1
                print(f"Gemm, alpha {alpha}, transB {turned}{last}, {granularity}: {dict(counts)}, cosine {cosine}")
    print(f"{count} Gemms with factors: {failures} faults")
    return failures


def cosine_of(a, b):
    return a.ravel() @ b.ravel() / (np.linalg.norm(a) * np.linalg.norm(b))


def made_up(value, random):
    """A batch of one; words, their parts and masks are 0 or 1."""
    dims = [d if isinstance(d, int) else 16 if i else 1 for i, d in enumerate(value.shape)]
    if value.type == "tensor(int64)":
        return random.integers(0, 2, dims)
    return random.uniform(-2, 2, dims).astype(np.float32)


def answers(session):
    random = np.random.default_rng(1)
    return session.run(None, {i.name: made_up(i, random) for i in session.get_inputs()})


def runs(session):
    return all(np.isfinite(output).all() for output in answers(session))


def main(program, *options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures = compare_cases(program, folder, "-v" in options) + compare_transformers(program, folder)
        failures += compare_wide_tensors(program, folder) + compare_factors(program, folder)
        failures += compare_models(program, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
