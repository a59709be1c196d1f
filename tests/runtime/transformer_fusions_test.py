#!/usr/bin/env python3
"""What graft-optimize --model-type fuses in exported transformers, against stock ONNX Runtime.

Usage: transformer_fusions_test.py GRAFT_OPTIMIZE

For each exported model: onnx.checker takes the fused one, which gives the same outputs, for batches, lengths and
paddings of several kinds; all exports of one net end with the same normalizations, Gelus and embeddings; neither the
runtime's loader nor its offline tool fuses more of them; in half precision as many are fused; and
decompose_fused_operators takes them apart again.
Then small graphs, one for each spelling of an operator.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from sessions import session

DATA = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", ""))
SUMS = ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "EmbedLayerNormalization")
NORMS = ("LayerNormalization", *SUMS)  # a root mean square of no sum is left to the loader, which knows one spelling
GELUS = ("Gelu", "BiasGelu", "FastGelu", "QuickGelu")
random = np.random.default_rng(0)


def operators(model):
    """How often each fused operator occurs, of whatever domain."""
    return collections.Counter(node.op_type for node in model.graph.node if node.op_type in NORMS + GELUS)


def count(counts, ops):
    return sum(counts[op] for op in ops)


def masks(batch, length):
    whole = np.ones((batch, length), np.int64)
    yield "no padding", whole
    if length < 3:
        return
    right, left, holes = whole.copy(), whole.copy(), whole.copy()
    right[-1, length // 2 + 1 :] = 0
    left[-1, : length // 2] = 0
    holes[0, 1::2] = 0
    yield from (("padding on the right", right), ("padding on the left", left), ("holes", holes))


def feeds_of(model):
    """Inputs of several batches, lengths and paddings."""
    inputs = {value.name: value for value in model.graph.input}
    words = min(tensor.dims[0] for tensor in model.graph.initializer if len(tensor.dims) == 2 and tensor.dims[0] > 90)
    for batch in 1, 3:
        for length in 1, 5, 17:
            for kind, mask in masks(batch, length):
                feeds = {"input_ids": random.integers(0, words, (batch, length))}
                if "token_type_ids" in inputs:
                    feeds["token_type_ids"] = random.integers(0, 2, (batch, length))
                if "position_ids" not in inputs:
                    feeds["input_mask" if "input_mask" in inputs else "attention_mask"] = mask
                    yield f"batch {batch}, length {length}, {kind}", feeds
                    continue
                for past in 0, 4:
                    feeds["position_ids"] = np.tile(np.arange(past, past + length), (batch, 1))
                    feeds["attention_mask"] = np.concatenate([np.ones((batch, past), np.int64), mask], 1)
                    for name in inputs:
                        if name.startswith("past"):
                            feeds[name] = random.standard_normal((batch, 2, past, 8)).astype(np.float32)
                    yield f"batch {batch}, length {length} after {past}, {kind}", dict(feeds)


def difference(ours, theirs):
    worst = 0
    for one, other in zip(ours, theirs, strict=True):
        if one.shape != other.shape or one.dtype != other.dtype:
            return np.inf
        scale = np.maximum(1, abs(other.astype(np.float64)))
        worst = max(worst, np.max(abs(one.astype(np.float64) - other) / scale, initial=0))
    return worst


def fuse(program, source, target, *options):
    command = [program, source, "-o", target, "--model-type", "auto", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"graft-optimize: exit code {done.returncode}: {done.stderr}")
    return onnx.load(target)


def loaded(source, folder):
    """What the runtime itself makes of the model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "loaded.onnx")
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    return onnx.load(folder / "loaded.onnx")


def by_tool(source):
    from onnxruntime.transformers import optimizer

    kind = "gpt2" if "decoder" in source.name else "bert"
    return optimizer.optimize_model(str(source), kind, num_heads=0, hidden_size=0, opt_level=0).model


def compare(program, source, folder):
    """The failures of a model, and what is fused in it."""
    model = onnx.load(source)
    fused = fuse(program, source, folder / "fused.onnx")
    onnx.checker.check_model(fused)
    counts = operators(fused)
    for name, other in ("the loader", loaded(source, folder)), ("the tool", by_tool(source)):
        theirs = operators(other)
        for kind, ops in {
            "normalizations": NORMS, "Gelus": ("Gelu", "BiasGelu", "FastGelu"),
            "normalizations of sums": SUMS, "embeddings": SUMS[2:],
        }.items():
            if count(counts, ops) < count(theirs, ops):
                yield f"{name} has {dict(theirs)}: more {kind} than {dict(counts)}"
    before = session(str(source), optimize=False)
    if "sdpa_erf_dyn23" in source.name:  # the runtime does not compute the mask of its Attention
        return
    for optimize in False, True:
        after = session(str(folder / "fused.onnx"), optimize=optimize)
        for label, feeds in feeds_of(model):
            off = difference(after.run(None, feeds), before.run(None, feeds))
            if not off <= 1e-5:
                yield f"{label}: off by {off:.3g}"


def ran(path, feeds, optimize=False):
    return session(str(path), optimize=optimize).run(None, feeds)


def compare_halves(program, source, folder):
    """The same net in half precision fuses alike, and is not much further from the net in single precision."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model = onnx.load(source)
    try:
        onnx.save(convert_float_to_float16(model, keep_io_types=True), folder / "half.onnx")
        session(str(folder / "half.onnx"), optimize=False)
    except Exception:  # what the conversion breaks is not a matter of this test
        return
    counts = operators(fuse(program, folder / "half.onnx", folder / "fused_half.onnx"))
    wanted = operators(fuse(program, source, folder / "fused.onnx"))
    if counts != wanted:
        yield f"in half precision: {dict(counts)} instead of {dict(wanted)}"
    if "sdpa_erf_dyn23" in source.name:
        return
    models = [session(str(folder / name), optimize=False) for name in ("half.onnx", "fused_half.onnx")]
    whole = session(str(source), optimize=False)
    off = [0, 0]
    for _, feeds in feeds_of(model):
        exact = whole.run(None, feeds)
        off = [max(worst, difference(one.run(None, feeds), exact)) for worst, one in zip(off, models)]
    if not off[1] <= 3 * off[0]:
        yield f"in half precision: off by {off[1]:.3g}, {off[0]:.3g} before"


def take_apart(program, source, folder):
    """The fused operators become primitives again."""
    command = [program, folder / "fused.onnx", "-o", folder / "apart.onnx", "--only", "decompose_fused_operators"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        yield f"decompose_fused_operators: {done.stderr}"
        return
    if left := operators(onnx.load(folder / "apart.onnx")):
        yield f"not taken apart: {dict(left)}"
    if "sdpa_erf_dyn23" in source.name:
        return
    for label, feeds in feeds_of(onnx.load(source)):
        off = difference(ran(folder / "apart.onnx", feeds), ran(source, feeds))
        if not off <= 1e-5:
            yield f"taken apart, {label}: off by {off:.3g}"


GELU = "float r = {1.4142135}, float s = {0.70710678}, float k = {0.7978845608}, float c = {0.044715}"
NORM = "float two = {2}, float e = {0.00001}, float neg = {-0.5}, float[8] w = {1,2,3,4,5,6,7,8}"
NUMBERS = "float one = {1}, float half = {0.5}, float three = {3}, float alpha = {1.702}, int64[1] last = {-1}"
CONSTANTS = f"<{NUMBERS}, {GELU}, {NORM}>"
MEAN = "m = ReduceMean<axes = [-1]>(q) a = Add(m, e)"
LAST_MEAN = "m = ReduceMean(q, last) a = Add(m, e)"  # since opset 18
SPELLINGS = {  # what remains, and the nodes that make y of x
    "Gelu": ["d = Div(x, r) f = Erf(d) g = Add(f, one) h = Mul(g, half) y = Mul(x, h)",
             "d = Mul(s, x) f = Erf(d) g = Add(one, f) h = Mul(half, x) y = Mul(g, h)"],
    "BiasGelu": ["z = Add(w, x) d = Div(z, r) f = Erf(d) g = Add(f, one) h = Mul(g, half) y = Mul(z, h)"],
    "FastGelu": [
        "p = Pow(x, three) q = Mul(c, p) t = Add(x, q) u = Mul(k, t) v = Tanh(u) g = Add(one, v) h = Mul(half, x)"
        " y = Mul(h, g)",
        "p = Mul(x, x) q = Mul(c, p) t = Add(one, q) u = Mul(k, x) i = Mul(u, t) v = Tanh(i) g = Add(v, one)"
        " h = Mul(g, half) y = Mul(h, x)",
        "z = Add(x, w) p = Pow(z, three) q = Mul(c, p) t = Add(z, q) u = Mul(k, t) v = Tanh(u) g = Add(one, v)"
        " h = Mul(half, z) y = Mul(h, g)",
    ],
    "QuickGelu": ["m = Mul(alpha, x) f = Sigmoid(m) y = Mul(f, x)", "f = Sigmoid(x) y = Mul(x, f)"],
    "RMSNormalization": [
        f"q = Mul(x, x) {LAST_MEAN} b = Sqrt(a) i = Reciprocal(b) n = Mul(x, i) y = Mul(w, n)",
        f"q = Pow(x, two) {LAST_MEAN} i = Pow(a, neg) n = Mul(i, x) y = Mul(n, w)",
        f"q = Pow(x, two) {LAST_MEAN} b = Pow(a, half) y = Div(x, b)",
    ],
    "SkipSimplifiedLayerNormalization": [
        f"t = Add(x, x) q = Pow(t, two) {MEAN} b = Sqrt(a) n = Div(t, b) y = Mul(n, w)",
        f"t = Add(x, x) q = Mul(t, t) {MEAN} b = Sqrt(a) i = Reciprocal(b) n = Mul(t, i) y = Mul(w, n)",
    ],
    "LayerNormalization": [
        f"u = ReduceMean<axes = [2]>(x) d = Sub(x, u) q = Mul(d, d) {MEAN} b = Sqrt(a) i = Div(one, b) n = Mul(i, d)"
        " v = Mul(w, n) y = Add(w, v)",
        f"u = ReduceMean<axes = [2]>(x) d = Sub(x, u) q = Mul(d, d) {MEAN} b = Sqrt(a) n = Div(d, b) y = Add(n, w)",
        f"u = ReduceMean<axes = [2]>(x) d = Sub(x, u) q = Mul(d, d) {MEAN} b = Sqrt(a) y = Div(d, b)",
        f"u = ReduceMean<axes = [2]>(x) d = Sub(x, u) q = Mul(d, d) {MEAN} b = Sqrt(a) i = Reciprocal(b) p = Mul(i, w)"
        " s1 = Mul(x, p) s2 = Mul(u, p) s3 = Sub(w, s2) y = Add(s1, s3)",
    ],
}


def spellings(program, folder):
    """Small graphs, each of which becomes one operator."""
    feeds = {"x": random.standard_normal((2, 3, 8)).astype(np.float32)}
    for wanted, bodies in SPELLINGS.items():
        for body in bodies:
            opset = 23 if LAST_MEAN in body else 13
            head = f'<ir_version: 8, opset_import: ["" : {opset}]> g (float[B,S,8] x) => (float[B,S,8] y) '
            onnx.save(onnx.parser.parse_model(f"{head}{CONSTANTS} {{ {body} }}"), folder / "given.onnx")
            left = [node.op_type for node in fuse(program, folder / "given.onnx", folder / "fused.onnx").graph.node]
            if left != [wanted]:
                yield f"{body}: {left} instead of {wanted}"
            off = difference(ran(folder / "fused.onnx", feeds), ran(folder / "given.onnx", feeds))
            if not off <= 1e-5:
                yield f"{body}: off by {off:.3g}"


def main():
    program = sys.argv[1]
    sources = sorted((DATA / "transformers").glob("*.onnx"))
    sources += [DATA / "models" / f"{name}.onnx" for name in ("bert_toy", "minilm_l3")]
    sources = [source for source in sources if source.exists()]
    if not sources:
        print("no exported models: set GRAFT_TEST_DATA")
        return 77
    failed, nets = 0, {}
    for source in sources:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try:
                problems = [*compare(program, source, folder), *take_apart(program, source, folder)]
                counts = operators(onnx.load(folder / "fused.onnx"))
                nets.setdefault(source.name.split("_")[0], {})[source.name] = sorted(counts.items())
                problems += compare_halves(program, source, folder)
            except Exception as error:  # the runtime's own exceptions have no common base
                problems = [str(error)]
        for problem in problems:
            print(f"FAILED  {source.name}: {problem}")
        failed += len(problems)
    with tempfile.TemporaryDirectory() as name:
        for problem in spellings(program, pathlib.Path(name)):
            print(f"FAILED  {problem}")
            failed += 1
    for exports in nets.values():
        if len({str(counts) for counts in exports.values()}) > 1:
            print("FAILED  exports of one net differ:", *(f"\n    {name}: {dict(c)}" for name, c in exports.items()))
            failed += 1
    print(f"{len(sources)} models, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
