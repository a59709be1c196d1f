"""Measures the accuracy of models with weights and activations of few bits, with and without learned rounding.

  build/venv/bin/python benchmarks/reconstruct.py [DATA] [--build build] [--models NAME...] [--bits W...]
      [--activations A...] [--rows ROW...] [--minutes 5] [--peers PYTHON] [--aimet PYTHON] [--steps N]

The rows: nearest rounds weights to nearest, clipped searches their scales, reconstruct learns the rounding, blocks also
learns it over blocks of layers. mixed also learns the rounding, and chooses the bits of each weight, within the bytes
of all weights in W bits. plain has neither equalized weights nor corrected biases, and ranges by min-max.
adaround and adaquant are onnxsim's, and start from it; aimet is AdaRound of aimet-onnx. --peers and --aimet name a
Python with these. --steps is for these, instead of their defaults. 40 samples of DATA calibrate and teach. Agreement,
cosine and error compare outputs of ONNX Runtime with those of the float model, on 160 other samples. The error is the
squared one, as a share of the variance of each output. Seconds are those of all processors.
"""

import argparse
import itertools
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / "tables"))
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from measure import compare  # noqa: E402
from subjects import PACKAGED, packaged, real  # noqa: E402

ROWS = {"nearest": [], "clipped": ["--clip-weights"], "reconstruct": ["--reconstruct"],
        "blocks": ["--reconstruct", "--reconstruct-blocks", "100"], "plain": ["--fast"],
        "mixed": ["--reconstruct", "--format", "qcdq"]}
PEERS = ["adaround", "adaquant", "aimet"]


def outputs(model, samples):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return [session.run(None, feeds) for feeds in samples]


def processor_seconds():
    """Of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def weight_elements(model):
    """Of Conv, Gemm, MatMul and ConvTranspose."""
    graph = onnx.load(model).graph
    weights = {name for node in graph.node if node.op_type in ("Conv", "Gemm", "MatMul", "ConvTranspose")
               for name in node.input[:2]}
    return sum(int(numpy.prod(tensor.dims)) for tensor in graph.initializer if tensor.name in weights)


def error(expected, answers):
    pairs = [pair for wanted, got in zip(expected, answers) for pair in zip(wanted, got) if pair[0].dtype.kind == "f"]
    return numpy.mean([((a - b) ** 2).mean() / a.var() for a, b in pairs if a.var() > 0])


def quantize(options, subject, calibration, row, weights, activations, path):
    """Writes the model. Raises CalledProcessError."""
    how = [*ROWS["plain" if row in PEERS else row]]
    how += ["--minutes", str(options.minutes)] if "--reconstruct" in how else []
    how += ["--search-runs", "0"] if "--fast" not in how else []
    if row == "mixed":
        how += ["--bytes-at-most", str(weight_elements(subject.model) * weights / 8)]
    else:
        how += ["--weight-bits", str(weights)]
    if activations != 8:
        how += ["--activation-bits", str(activations)] + (["--format", "qcdq"] if row != "mixed" else [])
    if row != "aimet":
        subprocess.run([options.build / "examples/graft-quantize", subject.model, "-o", path, "--calibration",
                        calibration, "--static", "--target", "ort-cpu-x64", *how],
                       check=True, capture_output=True, text=True)
    if row in PEERS:
        python = options.aimet if row == "aimet" else options.peers
        steps = [] if options.steps is None else ["--steps", str(options.steps)]
        subprocess.run([python, HERE / "peers/round_weights.py", row, subject.model, path, calibration, path,
                        "--weights", str(weights), "--activations", str(activations), *steps],
                       check=True, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=pathlib.Path,
                        default=os.environ.get("GRAFT_TEST_DATA") or HERE.parent.parent / "shared/data")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--models", nargs="+",
                        default=["mobilenetv2", "squeezenet", "ultraface_rfb320", "ppocrv4_rec", "minilm_l3"])
    parser.add_argument("--bits", nargs="+", type=int, default=[8, 4, 3, 2])
    parser.add_argument("--activations", nargs="+", type=int, default=[8])
    parser.add_argument("--rows", nargs="+", choices=[*ROWS, *PEERS], default=["nearest", "clipped", "reconstruct"])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--peers", default=HERE.parent / "build/peers/bin/python")
    parser.add_argument("--aimet", default=HERE.parent / "build/aimet/bin/python")
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    print(f"{'model':<18} {'bits':<5} {'weights':<12} {'agreement':>9} {'cosine':>7} {'error':>6} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            subject = packaged(name, options.build) if name in PACKAGED else real(name, pathlib.Path(options.data))
            calibration = pathlib.Path(folder, name)
            subject.write_calibration(calibration)
            expected = outputs(subject.model, subject.evaluation)
            for weights, activations in itertools.product(options.bits, options.activations):
                for row in options.rows:
                    path = pathlib.Path(folder, "quantized.onnx")
                    start = processor_seconds()
                    title = f"{name:<18} W{weights}A{activations}  {row:<12}"
                    try:
                        quantize(options, subject, calibration, row, weights, activations, path)
                    except subprocess.CalledProcessError as error_of_tool:
                        print(title, "fails:", (error_of_tool.stderr.strip().splitlines() or ["?"])[-1], flush=True)
                        continue
                    seconds = processor_seconds() - start
                    answers = outputs(path, subject.evaluation)
                    cosine, agreement = compare(expected, answers)
                    print(f"{title} {agreement:>9.1%} {cosine:>7.4f} {error(expected, answers):>6.3f} {seconds:>8.1f}",
                          flush=True)


if __name__ == "__main__":
    main()
