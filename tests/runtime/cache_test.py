#!/usr/bin/env python3
"""Compares decoders whose key-value caches graft-quantize stores in integers with those in float, in ONNX Runtime.

Usage: cache_test.py GRAFT_QUANTIZE

The decoder is made up: rotary embedding, groups of heads, and symbolic batch, past and total lengths. Its first keys
and values are those of float, rounded; logits of a prompt and of further steps, which read the cache, are near.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, GROUPS, SIZE, WORDS = 2, 4, 2, 16, 50
HIDDEN = HEADS * SIZE
PROMPT, STEPS = 24, 6
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
random = np.random.default_rng(5)


def decoder():
    nodes, weights = [], []

    def op(kind, inputs, outputs, **attributes):
        domain = "com.microsoft" if kind == "GroupQueryAttention" else ""
        nodes.append(helper.make_node(kind, inputs, [outputs] if isinstance(outputs, str) else outputs, domain=domain,
                                      **attributes))

    def weight(name, array):
        weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def product(x, width, name):
        matrix = (random.standard_normal((HIDDEN, width)) / np.sqrt(HIDDEN)).astype(np.float32)
        op("MatMul", [x, weight(name + ".weight", matrix)], name)

    angles = np.outer(np.arange(64), 0.3 ** np.arange(SIZE // 2)).astype(np.float32)
    weight("cosines", np.cos(angles))
    weight("sines", np.sin(angles))
    op("ReduceSum", ["mask", weight("one", np.array([1], np.int64))], "valid", keepdims=0)
    op("Sub", ["valid", "one"], "last")
    op("Cast", ["last"], "lengths", to=INT32)
    op("Shape", ["mask"], "shape")
    op("Gather", ["shape", weight("second", np.array(1, np.int64))], "total_64")
    op("Cast", ["total_64"], "total", to=INT32)
    op("Gather", [weight("table", random.standard_normal((WORDS, HIDDEN)).astype(np.float32)), "ids"], "x0")
    for i in range(LAYERS):
        for name, width in (("q", HIDDEN), ("k", GROUPS * SIZE), ("v", GROUPS * SIZE)):
            product(f"x{i}", width, f"{name}{i}")
        op("GroupQueryAttention", [f"q{i}", f"k{i}", f"v{i}", f"past.{i}.key", f"past.{i}.value", "lengths", "total",
                                   "cosines", "sines"],
           [f"attention{i}", f"present.{i}.key", f"present.{i}.value"], num_heads=HEADS, kv_num_heads=GROUPS,
           do_rotary=1)
        product(f"attention{i}", HIDDEN, f"out{i}")
        op("Add", [f"x{i}", f"out{i}"], f"x{i + 1}")
    product(f"x{LAYERS}", WORDS, "logits")

    def caches(kind, steps):
        return [helper.make_tensor_value_info(f"{kind}.{i}.{part}", FLOAT, ["batch", GROUPS, steps, SIZE])
                for i in range(LAYERS) for part in ("key", "value")]

    inputs = [helper.make_tensor_value_info("ids", INT64, ["batch", "steps"]),
              helper.make_tensor_value_info("mask", INT64, ["batch", "total"]), *caches("past", "past")]
    outputs = [helper.make_tensor_value_info("logits", FLOAT, ["batch", "steps", WORDS]), *caches("present", "total")]
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def empty_caches(session, batch):
    dtypes = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8}
    return {tensor.name: np.zeros((batch, GROUPS, 0, tensor.shape[3]), dtypes[tensor.type])
            for tensor in session.get_inputs() if tensor.name.startswith("past")}


def run(path, ids):
    """The logits of a prompt and of each further token, and the caches of the prompt."""
    session = sessions.session(str(path))
    batch = len(ids)
    caches, logits, first = empty_caches(session, batch), [], None
    for fresh in [ids[:, :PROMPT], *np.split(ids[:, PROMPT:], STEPS, axis=1)]:
        total = fresh.shape[1] + next(iter(caches.values())).shape[2]
        outputs = session.run(None, {"ids": fresh, "mask": np.ones((batch, total), np.int64), **caches})
        caches = dict(zip(caches, outputs[1:]))
        first = first or dict(caches)
        logits.append(outputs[0])
    return np.concatenate(logits, axis=1), first


def cosine(a, b):
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def scale_of(path, part):
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    node = next(node for node in onnx.load(path).graph.node if node.op_type == "GroupQueryAttention")
    return tensors[node.input[12 if part == "key" else 13]]


def codes_of(cache, bits):
    if bits == 8:
        return cache.astype(np.int32)
    return np.stack([cache & 15, cache >> 4], axis=-1).reshape(*cache.shape[:-1], -1).astype(np.int32) - 8


def complaints(program, folder):
    """What is wrong."""
    model, samples = folder / "float.onnx", folder / "samples"
    onnx.save(decoder(), model)
    samples.mkdir()
    empty = empty_caches(sessions.session(str(model)), 1)
    for i in range(4):
        np.savez(samples / f"{i}.npz", ids=random.integers(0, WORDS, (1, PROMPT)),
                 mask=np.ones((1, PROMPT), np.int64), **empty)

    def quantized(name, *arguments):
        result = folder / name
        done = subprocess.run([program, model, "-o", result, "--calibration", samples, *arguments],
                              capture_output=True, text=True, check=False)
        return result, done

    ids = random.integers(0, WORDS, (2, PROMPT + STEPS))
    wanted, floats = run(model, ids)
    for bits, nearest in (8, 0.9995), (4, 0.95):
        path, done = quantized(f"cache_{bits}.onnx", "--dynamic", "--exclude", ".*", "--cache", str(bits))
        if done.returncode != 0:
            yield f"a cache of {bits} bits: {done.stderr}"
            continue
        found, caches = run(path, ids)
        if not cosine(wanted, found) > nearest:
            yield f"a cache of {bits} bits: cosine {cosine(wanted, found):.5f}"
        for part in ("key", "value"):
            name = f"past.0.{part}"
            exact = np.clip(np.rint(floats[name] / scale_of(path, part)), -1 << (bits - 1), (1 << (bits - 1)) - 1)
            off = np.abs(codes_of(caches[name], bits) - exact)
            if off.max() > 1 or (off != 0).mean() > 1e-3:
                yield f"{name} in {bits} bits: {(off != 0).mean():.2%} of codes are off, one by {off.max()}"
        weights, done = quantized("weights.onnx", "--weight-only", "8", "--method", "rtn", "--accuracy-level", "1")
        both, done = quantized("both.onnx", "--weight-only", "8", "--method", "rtn", "--accuracy-level", "1",
                               "--cache", str(bits))
        near = cosine(run(weights, ids)[0], run(both, ids)[0]) if done.returncode == 0 else done.stderr
        if isinstance(near, str) or not near > nearest:
            yield f"a cache of {bits} bits behind weights: {near}"
    _, done = quantized("old.onnx", "--dynamic", "--cache", "8", "--target", "ort-cpu-x64@1.24")
    if done.returncode == 0 or "release 1.28 has" not in done.stderr:
        yield f"for release 1.24: {done.stderr}"


def main():
    if sessions.RELEASE < (1, 27):
        print("skipped: this release of ONNX Runtime has no caches in integers")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        failed = list(complaints(sys.argv[1], pathlib.Path(folder)))
    for text in failed:
        print(f"FAILED  {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
