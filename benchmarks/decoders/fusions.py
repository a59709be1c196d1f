"""The fused operators of decoders with a cache, and the change of the outputs.

  build/venv/bin/python benchmarks/decoders/fusions.py FOLDER [--build build] [--runtime ort-cpu]

FOLDER has the models of export.py. graft-optimize fuses each, and ONNX Runtime runs it before and after: batches of 1
and 3, pasts of 0, 4 and 9 tokens, 1, 2 and 7 new tokens, without padding, with padding on the left, and with holes.
The difference is relative to the larger of 1 and the wanted number. With --runtime ort-cpu-generation, batches of 3
have one new token after a past, and hidden positions are not compared.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

NAMES = {
    "Attention": "Attention", "MultiHeadAttention": "MHA", "GroupQueryAttention": "GQA", "RotaryEmbedding": "Rotary",
    "SkipLayerNormalization": "SkipLN", "SkipSimplifiedLayerNormalization": "SkipRMS", "Softmax": "Softmax",
}
PAST = {"MultiHeadAttention": 6, "GroupQueryAttention": 3, "Attention": 4}
random = numpy.random.default_rng(0)


def session(path, level):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def masks(batch, past, steps):
    whole = numpy.ones((batch, past + steps), numpy.int64)
    yield whole
    if past + steps > 3:
        left = whole.copy()
        left[0, :min(3, past or steps - 1)] = 0
        yield left
    if past + steps > 4:
        holes = whole.copy()
        holes[-1, 1:3] = 0
        yield holes


def cases(inputs, generates):
    """Feeds for a model with these inputs, as a session lists them."""
    for batch in 1, 3:
        for past in 0, 4, 9:
            for steps in 1, 2, 7:
                if generates and batch > 1 and past > 0 and steps > 1:
                    continue
                for mask in masks(batch, past, steps):
                    feeds = {"input_ids": random.integers(3, 90, (batch, steps)), "attention_mask": mask,
                             "position_ids": numpy.maximum(numpy.cumsum(mask, 1) - 1, 0)[:, past:]}
                    for each in inputs:
                        if each.name.startswith("past"):
                            dtype = numpy.float16 if "float16" in each.type else numpy.float32
                            size = (batch, each.shape[1], past, each.shape[3])
                            feeds[each.name] = random.standard_normal(size).astype(dtype)
                    yield {each.name: feeds[each.name] for each in inputs}


def seen_only(output, mask):
    """Logits and caches, with zeros at hidden positions."""
    mask = mask[:, -output.shape[1]:, None] if output.ndim == 3 else mask[:, None, :, None]
    return numpy.where(mask == 0, 0, output)


def largest_difference(before, after, generates):
    worst, count = 0, 0
    for feeds in cases(before.get_inputs(), generates):
        for wanted, given in zip(before.run(None, feeds), after.run(None, feeds), strict=True):
            if wanted.shape != given.shape:
                return numpy.inf, count
            wanted, given = wanted.astype(numpy.float64), given.astype(numpy.float64)
            if generates:
                wanted, given = (seen_only(each, feeds["attention_mask"]) for each in (wanted, given))
            error = numpy.abs(wanted - given) / numpy.maximum(1, numpy.abs(wanted))
            if not numpy.all(numpy.isnan(wanted) == numpy.isnan(given)):
                return numpy.inf, count
            worst = max(worst, numpy.nanmax(error, initial=0))
        count += 1
    return worst, count


def fused(model):
    """The counts of fused operators. +past: the operator has the cache."""
    counts = collections.Counter()
    for node in model.graph.node:
        if node.op_type in NAMES:
            at = PAST.get(node.op_type)
            cached = at is not None and len(node.input) > at and node.input[at]
            counts[NAMES[node.op_type] + ("+past" if cached else "")] += 1
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--runtime", default="ort-cpu")
    options = parser.parse_args()
    levels = onnxruntime.GraphOptimizationLevel
    failed = False
    print(f"onnxruntime {onnxruntime.__version__}, {options.runtime}")
    print("| model | nodes | fused operators | difference | cases |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "fused.onnx"
        for path in sorted(options.folder.glob("*.onnx")):
            subprocess.run([options.build / "examples/graft-optimize", path, "-o", target, "--model-type", "auto",
                            "--runtime", options.runtime], check=True, capture_output=True)
            model = onnx.load(target)
            worst, count = largest_difference(session(path, levels.ORT_DISABLE_ALL),
                                              session(target, levels.ORT_ENABLE_ALL), "generation" in options.runtime)
            failed = failed or not worst <= (1e-5 if "half" not in path.stem else 0.02)
            print(f"| {path.stem} | {len(model.graph.node)} | {fused(model)} | {worst:.1g} | {count} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
