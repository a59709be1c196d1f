#!/usr/bin/env python3
"""What graft-optimize --model-type makes of transformers as torch and optimum export them, in ONNX Runtime.

Usage: exported_forms_test.py GRAFT_OPTIMIZE

Of each made-up net, and of reported ones where GRAFT_TEST_DATA has them: no softmax of scores stays, caches are part of
attention, onnx.checker takes the fused model, a second run changes no byte, and outputs are those of the runtime
without optimizations, with and without them, for batches, lengths and masks of several kinds.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from exported_forms import forms
from sessions import session

DATA = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "reports"
REPORTS = "attention_second_run", "mask_expanded_by_scores", "causal_where_then_add"
TOLERANCE = 2e-5
random = np.random.default_rng(0)


def masks(batch, steps):
    whole = np.ones((batch, steps), np.int64)
    yield whole
    if steps > 3:
        right, left, holes = whole.copy(), whole.copy(), whole.copy()
        right[-1, steps // 2 :] = left[-1, : steps // 2] = holes[0, 1::2] = 0
        yield from (right, left, holes)


def feeds_of(model):
    inputs = {value.name: value.type.tensor_type for value in model.graph.input}
    for batch, steps, past in (1, 1, 2), (1, 6, 0), (3, 7, 4), (2, 16, 1):
        sizes = {"B": batch, "batch": batch, "S": steps, "steps": steps, "P": past, "T": past + steps}
        for new in masks(batch, steps):
            feeds = {}
            for name, kind in inputs.items():
                dims = [sizes.get(dim.dim_param, dim.dim_value) for dim in kind.shape.dim]
                if kind.elem_type == onnx.TensorProto.FLOAT:
                    feeds[name] = random.standard_normal(dims).astype(np.float32)
                elif name in ("attention_mask", "am", "m"):
                    feeds[name] = np.concatenate([np.ones((batch, dims[-1] - steps), np.int64), new], 1)
                else:
                    feeds[name] = random.integers(1, 40, dims)
            yield feeds


def optimized(program, source, target):
    command = [program, source, "-o", target, "--model-type", "auto"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"graft-optimize: exit code {done.returncode}: {done.stderr}")
    return onnx.load(target)


def problems(program, model, folder):
    source, once, twice = (folder / f"{file}.onnx" for file in ("given", "once", "twice"))
    onnx.save(model, source)
    fused = optimized(program, source, once)
    onnx.checker.check_model(fused)
    if left := [node.op_type for node in fused.graph.node if node.op_type == "Softmax"]:
        yield f"{len(left)} attentions are not fused"
    given = {value.name for value in model.graph.input if value.name.startswith("past")}
    used = {name for node in fused.graph.node if node.op_type == "MultiHeadAttention" for name in node.input[6:]}
    if given - used:
        yield f"{len(given - used)} caches are not part of attention"
    optimized(program, once, twice)
    if once.read_bytes() != twice.read_bytes():
        yield "a second run changes it"
    before = session(str(source), optimize=False)
    after = [session(str(once), optimize=optimize) for optimize in (False, True)]
    worst = 0
    for feeds in feeds_of(model):
        wanted = before.run(None, feeds)
        for one in after:
            for ours, theirs in zip(one.run(None, feeds), wanted, strict=True):
                worst = max(worst, np.max(abs(ours - theirs), initial=0)) if ours.shape == theirs.shape else np.inf
    if not worst <= TOLERANCE:
        yield f"off by {worst:.3g}"


def main():
    program = sys.argv[1]
    nets = list(forms())
    nets += [(name, onnx.load(path)) for name in REPORTS if (path := DATA / f"{name}.onnx").exists()]
    failed = 0
    for name, model in nets:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = list(problems(program, model, pathlib.Path(folder)))
            except Exception as error:  # the runtime's own exceptions have no common base
                found = [str(error)]
        for problem in found:
            print(f"FAILED  {name}: {problem}")
        failed += len(found)
    print(f"{len(nets)} models, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
