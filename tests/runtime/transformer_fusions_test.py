#!/usr/bin/env python3
"""What graft-optimize --model-type fuses in exported transformers, against stock ONNX Runtime.

Usage: transformer_fusions_test.py GRAFT_OPTIMIZE

For each exported model: the fused one gives the same outputs, for batches, lengths and paddings of several kinds; all
exports of one net end with the same normalizations, Gelus and embeddings; and neither the runtime's loader nor its
offline tool fuses more of them.
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
NORMS = ("LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization", *SUMS)
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
                problems = list(compare(program, source, folder))
                counts = operators(onnx.load(folder / "fused.onnx"))
                nets.setdefault(source.name.split("_")[0], {})[source.name] = sorted(counts.items())
            except Exception as error:  # the runtime's own exceptions have no common base
                problems = [str(error)]
        for problem in problems:
            print(f"FAILED  {source.name}: {problem}")
        failed += len(problems)
    for exports in nets.values():
        if len({str(counts) for counts in exports.values()}) > 1:
            print("FAILED  exports of one net differ:", *(f"\n    {name}: {dict(c)}" for name, c in exports.items()))
            failed += 1
    print(f"{len(sources)} models, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
