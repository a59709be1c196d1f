#!/usr/bin/env python3
"""Each optimization alone on whole models: what is left loads in stock ONNX Runtime and computes the same.

Usage: only_test.py GRAFT_OPTIMIZE [MODEL...]

MODEL is the path of a model below the folder that GRAFT_TEST_DATA names; without any, small ones that are there are
taken. The runtime optimizes nothing itself. It need not run again what an optimization leaves as it was.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from sessions import session

SKIPPED = 77
SMALL = ["models/mnist.onnx", "models/bert_toy.onnx", "models/silero_vad_16k.onnx",
         "transformers/bert2_eager_erf_ts17.onnx", "transformers/decoder2_half_eager_ts17.onnx",
         "transformers/exported_14.onnx", "transformers/exported_20.onnx"]
# Of inputs: batch, sequence, past, and both of the latter.
EXTENTS = {"b": 2, "s": 8, "p": 2, "t": 10, "batch_size": 1, "batch": 2, "max_seq_len_in_batch": 8}
DTYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(int64)": numpy.int64,
          "tensor(int32)": numpy.int32}
# Of the greatest magnitude of an output.
TOLERANCE = {"erf-to-tanh": 0.1}
# These change the dtypes of outputs.
CONVERSIONS = {"to_float16", "to_bfloat16"}
ROUNDING = {numpy.dtype(numpy.float32): 1e-4, numpy.dtype(numpy.float16): 4e-3}  # for all others, by its dtype


def optimizations(optimize):
    """The names of the passes and rules that it lists."""
    listed = subprocess.run([optimize, "--list"], check=True, capture_output=True, text=True).stdout
    rows = listed.splitlines()[1:]
    end = next(i for i, row in enumerate(rows) if row.startswith("surgeries"))
    return [name for name in (row[2:].split()[0] for row in rows[:end]) if name not in CONVERSIONS]


def feeds_of(model):
    random = numpy.random.default_rng(0)
    feeds = {}
    for given in model.get_inputs():
        dims = [dim if isinstance(dim, int) else EXTENTS.get(dim, 2) for dim in given.shape]
        if "mask" in given.name:
            values = numpy.ones(dims)
            values[0, -2:] = 0
        elif DTYPES[given.type] in (numpy.int32, numpy.int64):
            values = random.integers(0, 2, dims)
        else:
            values = random.standard_normal(dims)
        feeds[given.name] = values.astype(DTYPES[given.type])
    return feeds


def difference(expected, got):
    """The greatest of an output, as a fraction of its greatest magnitude."""
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return float("inf")
    if expected.size == 0:
        return 0
    off = numpy.abs(expected.astype(numpy.float64) - got)
    return off.max() / max(numpy.abs(expected).max(), 1e-3)


def check(optimize, names, path, folder):
    """Whatever is wrong, by optimization; and how many changed the model."""
    out, problems, changed = folder / "out.onnx", [], 0
    reference = session(str(path), optimize=False)
    feeds = feeds_of(reference)
    expected = reference.run(None, feeds)
    untouched = onnx.load(path).SerializeToString(deterministic=True)
    for name in names:
        out.unlink(missing_ok=True)
        done = subprocess.run([optimize, path, "-o", out, "--only", name], capture_output=True, text=True)
        if done.returncode != 0:
            problems.append(f"{name}: exit code {done.returncode}: {done.stderr[:300]}")
            continue
        if onnx.load(out).SerializeToString(deterministic=True) == untouched:
            continue
        changed += 1
        try:
            got = session(str(out), optimize=False).run(None, feeds)
        except Exception as error:  # of whatever kind the runtime throws
            problems.append(f"{name}: {str(error)[:300]}")
            continue
        for before, after in zip(expected, got, strict=True):
            off = difference(before, after)
            if not off <= TOLERANCE.get(name, ROUNDING.get(before.dtype, 0)):
                problems.append(f"{name}: an output differs by {off:.2g}")
    return problems, changed


def main():
    optimize, *chosen = sys.argv[1:]
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", ""))
    models = chosen or [model for model in SMALL if (data / model).is_file()]
    if not models:
        print("skipped: GRAFT_TEST_DATA names no models")
        return SKIPPED
    names = optimizations(optimize)
    assert "constant_folding" in names and "remove-identity" in names, names
    failed, all_changed = False, 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            problems, changed = check(optimize, names, data / model, pathlib.Path(folder))
            print(f"{model}: {changed} of {len(names)} change it")
            failed, all_changed = failed or bool(problems), all_changed + changed
            for problem in problems:
                print(f"  {problem}")
    assert all_changed > 0, "nothing was tried"
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
