"""Latency of a model in float, quantized by graft with naive and with fusion-aware placement, and quantized by ONNX
Runtime's own quantizer, on stock ONNX Runtime with one thread. The sessions take turns, so that a busy machine slows
all of them alike.

  latency.py MODEL.onnx IMAGES [--graft-quantize build/examples/graft-quantize] [--runs 60]
"""

import argparse
import collections
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import onnx
import onnxruntime
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

sys.dont_write_bytecode = True  # nothing is left beside the sources
from images import Reader, image  # noqa: E402


def runtimes_own(model, images, folder):
    """The runtime's quantizer, per channel, on the model raised to opset 13: below, its output does not load."""
    raised, prepared, quantized = (folder / name for name in ("raised.onnx", "prepared.onnx", "static.onnx"))
    onnx.save(onnx.version_converter.convert_version(onnx.load(model), 13), raised)
    quant_pre_process(raised, prepared, skip_symbolic_shape=True)
    name = onnx.load(raised).graph.input[0].name
    quantize_static(
        prepared,
        quantized,
        Reader(name, images),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    return quantized


def session(path, folder):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    made = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    operators = collections.Counter(node.op_type for node in onnx.load(options.optimized_model_filepath).graph.node)
    return made, operators


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("--graft-quantize", default="build/examples/graft-quantize")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=10)
    arguments = parser.parse_args()
    files = sorted(arguments.images.iterdir())[::5]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        calibration = folder / "calibration"
        calibration.mkdir()
        for file in files:
            (calibration / file.name).symlink_to(file.resolve())
        ranges = folder / "ranges.json"
        models = {"float": arguments.model}
        for placement in ("naive", "fusion-aware"):
            models[placement] = folder / f"{placement}.onnx"
            source = (
                ["--ranges", ranges] if ranges.exists() else ["--calibration", calibration, "--save-ranges", ranges]
            )
            subprocess.run(
                [
                    arguments.graft_quantize,
                    arguments.model,
                    "-o",
                    models[placement],
                    "--placement",
                    placement,
                    *source,
                    "--resize",
                    "256",
                    "--crop",
                    "224",
                    "--mean",
                    "0.485,0.456,0.406",
                    "--std",
                    "0.229,0.224,0.225",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        images = [image(file) for file in files]
        models["quantize_static"] = runtimes_own(arguments.model, images, folder)
        sessions = {label: session(path, folder) for label, path in models.items()}
        times = {label: [] for label in sessions}
        for turn in range(arguments.warm_up + arguments.runs):
            for label, (made, _) in sessions.items():
                feeds = {made.get_inputs()[0].name: images[turn % len(images)]}
                start = time.perf_counter()
                made.run(None, feeds)
                if turn >= arguments.warm_up:
                    times[label].append(time.perf_counter() - start)
    medians = {label: statistics.median(values) for label, values in times.items()}
    print(f"{'':16} {'ms':>8} {'vs float':>9} {'vs fusion-aware':>16}  operators")
    for label, median in medians.items():
        operators = ", ".join(f"{count} {op}" for op, count in sessions[label][1].most_common(6))
        speedup, slowdown = medians["float"] / median, median / medians["fusion-aware"]
        print(f"{label:16} {median * 1e3:8.2f} {speedup:8.2f}x {slowdown:15.2f}x  {operators}")


if __name__ == "__main__":
    sys.exit(main())
