"""Measures the accuracy of models with weights and activations of few bits, with and without learned rounding.

  build/venv/bin/python benchmarks/reconstruct.py [DATA] [--build build] [--models NAME...] [--bits W...]
      [--rows ROW...] [--minutes 5]

The rows: nearest rounds weights to nearest, clipped searches their scales, reconstruct learns the rounding. 40 samples
of DATA calibrate and teach. Agreement, cosine and error compare outputs of ONNX Runtime with those of the float model,
on 160 other samples. The error is the squared one, as a share of the variance of each output. Activations have 8 bits.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / "tables"))
import numpy  # noqa: E402
import onnxruntime  # noqa: E402
from measure import compare  # noqa: E402
from subjects import real  # noqa: E402

ROWS = {"nearest": [], "clipped": ["--clip-weights"], "reconstruct": ["--reconstruct"]}


def outputs(model, samples):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return [session.run(None, feeds) for feeds in samples]


def error(expected, answers):
    pairs = [pair for wanted, got in zip(expected, answers) for pair in zip(wanted, got) if pair[0].dtype.kind == "f"]
    return numpy.mean([((a - b) ** 2).mean() / a.var() for a, b in pairs if a.var() > 0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=pathlib.Path,
                        default=os.environ.get("GRAFT_TEST_DATA") or HERE.parent.parent / "shared/data")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--models", nargs="+", default=["mobilenetv2", "squeezenet", "ultraface_rfb320", "minilm_l3"])
    parser.add_argument("--bits", nargs="+", type=int, default=[8, 4, 3, 2])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    program = options.build / "examples/graft-quantize"
    print(f"{'model':<18} {'bits':<5} {'weights':<12} {'agreement':>9} {'cosine':>7} {'error':>6} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            subject = real(name, pathlib.Path(options.data))
            calibration = pathlib.Path(folder, name)
            subject.write_calibration(calibration)
            expected = outputs(subject.model, subject.evaluation)
            for bits in options.bits:
                for row in options.rows:
                    path = pathlib.Path(folder, "quantized.onnx")
                    how = [*ROWS[row], *(["--minutes", str(options.minutes)] if row == "reconstruct" else [])]
                    start = time.monotonic()
                    subprocess.run([program, subject.model, "-o", path, "--calibration", calibration, "--static",
                                    "--target", "ort-cpu-x64", "--search-runs", "0", "--weight-bits", str(bits), *how],
                                   check=True, capture_output=True)
                    seconds = time.monotonic() - start
                    answers = outputs(path, subject.evaluation)
                    cosine, agreement = compare(expected, answers)
                    print(f"{name:<18} W{bits}A8  {row:<12} {agreement:>9.1%} {cosine:>7.4f} "
                          f"{error(expected, answers):>6.3f} {seconds:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
