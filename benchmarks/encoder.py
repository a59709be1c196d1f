#!/usr/bin/env python3
"""Measures ways to quantize a sentence encoder: size, agreement with float, and speed on one thread.

Usage: encoder.py MODEL SENTENCES [--output NAME] [--program build/examples/graft-quantize] [--runs 100]

SENTENCES has the folders calibration and evaluation of ONNX test data. Agreement is the mean cosine of an output, by
default the first of floats [batch, N], on the sentences of evaluation. Models take turns, so that a busy machine slows
all alike; speed is the ratio of lower quartiles, to float.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import quantize_dynamic

TOKENS = 16, 64, 128
WAYS = {
    "graft, dynamic": ["--dynamic"],
    "graft, 8 bits, gptq": ["--weight-only", "8"],
    "graft, 4 bits, rtn": ["--weight-only", "4", "--method", "rtn"],
    "graft, 4 bits, search": ["--weight-only", "4", "--method", "search"],
    "graft, 4 bits, gptq": ["--weight-only", "4"],
    "graft, 4 bits, gptq, tables of 8": ["--weight-only", "4", "--table-bits", "8"],
    "graft, 4 bits, gptq, standard": ["--weight-only", "4", "--standard"],
    "graft, 2 bits, gptq": ["--weight-only", "2"],
}


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def samples(folder):
    return [[numpy_helper.to_array(onnx.load_tensor(str(file))) for file in sorted(one.glob("input_*.pb"))]
            for one in sorted(folder.iterdir())]


def models(source, sentences, program, folder):
    """Of each way the path."""
    paths = {"float": source}
    for per_channel in False, True:
        name = "runtime's dynamic" + (", per channel" if per_channel else "")
        paths[name] = folder / f"runtime{per_channel}.onnx"
        quantize_dynamic(source, paths[name], per_channel=per_channel)
    for name, options in WAYS.items():
        paths[name] = folder / f"{len(paths)}.onnx"
        command = [program, source, "-o", paths[name], "--calibration", sentences / "calibration", *options]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("sentences", type=pathlib.Path)
    parser.add_argument("--output")
    parser.add_argument("--program", default="build/examples/graft-quantize")
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        paths = models(given.model, given.sentences, given.program, pathlib.Path(name))
        sessions = {way: session(path) for way, path in paths.items()}
        inputs = [value.name for value in sessions["float"].get_inputs()]
        output = given.output or next(value.name for value in sessions["float"].get_outputs()
                                      if value.type == "tensor(float)" and len(value.shape) == 2)

        def embedding(way, sample):
            return sessions[way].run([output], dict(zip(inputs, sample)))[0].ravel()

        evaluation = samples(given.sentences / "evaluation")
        floats = [embedding("float", sample) for sample in evaluation]
        print("| way | size | cosine |", " | ".join(f"{tokens} tokens" for tokens in TOKENS), "|")
        print("|---" * (3 + len(TOKENS)) + "|")
        rows = {}
        for way, path in paths.items():
            got = [embedding(way, sample) for sample in evaluation]
            cosine = np.mean([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(got, floats)])
            size = path.stat().st_size / given.model.stat().st_size
            rows[way] = [f"{size:.3f}", f"{cosine:.4f}"]
        for tokens in TOKENS:
            sample = [np.ones((1, tokens), np.int64) if "mask" in name else
                      np.zeros((1, tokens), np.int64) if "type" in name else
                      np.random.default_rng(0).integers(1000, 20000, (1, tokens)) for name in inputs]
            seconds = {way: [] for way in paths}
            for _ in range(given.runs):
                for way in paths:
                    start = time.perf_counter()
                    embedding(way, sample)
                    seconds[way].append(time.perf_counter() - start)
            for way in paths:
                ratio = np.percentile(seconds["float"], 25) / np.percentile(seconds[way], 25)
                rows[way].append(f"{ratio:.2f}x")
        for way, cells in rows.items():
            print(f"| {way} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
