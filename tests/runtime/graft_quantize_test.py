#!/usr/bin/env python3
"""The main job against stock ONNX Runtime: float models in, 8-bit models out, as graft-quantize makes them.

Usage: graft_quantize_test.py GRAFT_QUANTIZE

For each model, target and placement: the runtime loads the result, computes as many Convs in integers as the audit
said, and naive placement followed by commutation has the operators of fusion-aware placement. For MobileNetV2, how
close the 8-bit answers are to the float ones. Bad input ends with exit code 1, a message that names it, and no file.
"""

import collections
import csv
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy
import onnx
from sessions import session

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from imagenet import image  # noqa: E402

SKIPPED = 77
MODELS = {
    "mobilenetv2": (
        52,
        35,
        ["--resize", "256", "--crop", "224", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225"],
    ),
    "squeezenet": (26, 26, ["--size", "224x224", "--bgr", "--scale", "1", "--mean", "104,117,123"]),
    "squeezenet_fp16": (26, 26, ["--size", "224x224", "--bgr", "--scale", "1", "--mean", "104,117,123"]),
    "ultraface_rfb320": (
        52,
        36,
        ["--size", "320x240", "--scale", "0.0078125", "--mean", "0.9921875"],
    ),
    "mnist": (2, 2, []),
    "resnet50v2": (53, 33, []),
}
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL", what)


def run(loaded, spread=1):
    """What it makes of seeded noise."""
    random = numpy.random.default_rng(0)
    feeds = {
        i.name: (spread * random.standard_normal([d if isinstance(d, int) else 1 for d in i.shape])).astype(
            numpy.float16 if i.type == "tensor(float16)" else numpy.float32
        )
        for i in loaded.get_inputs()
    }
    return loaded.run(None, feeds)


def operators(path):
    return collections.Counter(node.op_type for node in onnx.load(path).graph.node)


def calibration_folders(data, folder):
    images, digits = folder / "images", folder / "digits"
    images.mkdir()
    digits.mkdir()
    if not (data / "images").exists():
        return images, digits, []
    with open(data / "images" / "imagenet_labels.csv", newline="") as labels:
        files = [row["file"] for row in csv.DictReader(labels)]
    for file in files[::5]:
        (images / file).symlink_to(data / "images" / "imagenet" / file)
    records = numpy.fromfile(data / "images" / "mnist.data", numpy.float32).reshape(-1, 794)
    for i, record in enumerate(records[:40]):
        tensor = onnx.numpy_helper.from_array(record[:784].reshape(1, 1, 28, 28))
        (digits / f"{i:03}.pb").write_bytes(tensor.SerializeToString())
    return images, digits, [data / "images" / "imagenet" / file for i, file in enumerate(files) if i % 5]


def placements(program, data, folder, images, digits):
    for name, (convs, activations, options) in MODELS.items():
        model = data / "models" / f"{name}.onnx"
        if not model.exists():
            continue
        ranges = folder / f"{name}.json"
        calibration = ["--calibration", digits if name == "mnist" else images, *options]
        if model.with_suffix("").exists():  # samples that were made for it
            calibration = ["--calibration", model.with_suffix("")]
        made = subprocess.run(
            [program, model, "--fast", "--dry-run", "--placement", "naive", "--save-ranges", ranges, *calibration],
            capture_output=True,
            text=True,
        )
        check(made.returncode == 0, f"{name}: calibration: {made.stderr}")
        for target in ("ort-cpu-x64", "ort-cpu-arm64", "onednn", "paper"):
            counts = {}
            for placement in ("fusion-aware", "naive", "naive --commute"):
                label = f"{name}, {target}, {placement}"
                output, report = folder / "q.onnx", folder / "q.json"
                done = subprocess.run(
                    [
                        program,
                        model,
                        "-o",
                        output,
                        "--ranges",
                        ranges,
                        "--target",
                        target,
                        "--report",
                        report,
                        "--placement",
                        *placement.split(),
                    ],
                    capture_output=True,
                    text=True,
                )
                check(done.returncode == 0, f"{label}: {done.stderr}")
                counts[placement] = operators(output)
                answers = run(session(output, folder / "optimized.onnx"))
                check(all(numpy.isfinite(answer).all() for answer in answers), f"{label}: not finite")
                fused = operators(folder / "optimized.onnx")["QLinearConv"]
                audit = json.loads(report.read_text())["audit"]
                predicted = sum(finding["fused"] for finding in audit if finding["op"] == "Conv")
                if target == "ort-cpu-x64" and placement == "fusion-aware":
                    (folder / f"{name}-{target}.onnx").write_bytes(output.read_bytes())
                # What is for one processor or runtime need not fuse on another.
                elsewhere = target == "onednn" or (
                    target == "ort-cpu-arm64" and platform.machine() not in ("aarch64", "arm64")
                )
                check(fused == convs or elsewhere, f"{label}: {fused} of {convs} Convs in integers")
                check(
                    target != "ort-cpu-x64" or predicted == fused,
                    f"{label}: the audit said {predicted}, the runtime {fused}",
                )
            extra = counts["naive"].total() - counts["fusion-aware"].total()
            check(
                extra == 2 * activations or (target == "onednn" and extra > 2 * activations),  # sums are fused too
                f"{name}, {target}: naive placement has {extra} nodes more, not 2 x {activations}",
            )
            check(
                counts["naive --commute"] == counts["fusion-aware"],
                f"{name}, {target}: commutation differs from fusion-aware",
            )
        several_runtimes(program, model, folder, ranges)
        print("done", name)


def several_runtimes(program, model, folder, ranges):
    """One model for ONNX Runtime and another runtime: it computes as many Convs in integers as its audit said."""
    output, report = folder / "q.onnx", folder / "q.json"
    for targets in ("openvino-cpu,ort-cpu-x64", "tensorrt,ort-cpu-x64"):
        label = f"{model.stem}, {targets}"
        options = ["--fast", "--static", "--ranges", ranges, "--target", targets, "--report", report]
        done = subprocess.run([program, model, "-o", output, *options], capture_output=True, text=True)
        check(done.returncode == 0, f"{label}: {done.stderr}")
        answers = run(session(output, folder / "optimized.onnx"))
        check(all(numpy.isfinite(answer).all() for answer in answers), f"{label}: not finite")
        findings = json.loads(report.read_text())["runtimes"]
        predicted = sum(one["fused"] for one in findings["ort-cpu-x64"] if one["op"] == "Conv")
        fused = operators(folder / "optimized.onnx")["QLinearConv"]
        check(predicted == fused, f"{label}: the audit said {predicted}, the runtime {fused}")
        for name, outcomes in findings.items():
            errors = [one["node"] for one in outcomes if one["severity"] == "error"]
            check(not errors, f"{label}: errors on {name}: {errors}")


def half_like_float(folder):
    """SqueezeNet of 16 bit floats becomes what the one of 32 bits does."""
    answers = []
    for name in ("squeezenet", "squeezenet_fp16"):
        answers.append(run(session(folder / f"{name}-ort-cpu-x64.onnx"), 60)[0].astype(numpy.float64).ravel())
    one, other = answers
    found = one @ other / numpy.linalg.norm(one) / numpy.linalg.norm(other)
    print(f"SqueezeNet of 16 and of 32 bits: cosine {found:.6f}")
    check(found > 0.99, f"SqueezeNet of 16 and of 32 bits: cosine {found}")


def accuracy(program, data, folder, images, evaluation):
    """By ranges alone, and by default: nearer to float."""
    model = data / "models" / "mobilenetv2.onnx"
    quantized = {
        "ranges": ["--ranges", folder / "mobilenetv2.json", "--target", "ort-cpu-x64"],
        "default": ["--calibration", images, *MODELS["mobilenetv2"][2]],
    }
    answers = {}
    for name, options in {"float": None, **quantized}.items():
        path = model
        if options:
            path = folder / f"{name}.onnx"
            subprocess.run([program, model, "-o", path, *options], check=True, capture_output=True)
        runtime = session(path)
        feed = runtime.get_inputs()[0].name
        answers[name] = [runtime.run(None, {feed: image(file)})[0].ravel() for file in evaluation]
    for name, least_cosine, least_agreement in (("ranges", 0.975, 0.87), ("default", 0.99, 0.95)):
        pairs = list(zip(answers["float"], answers[name]))
        cosine = numpy.mean([a @ b / numpy.linalg.norm(a) / numpy.linalg.norm(b) for a, b in pairs])
        agreement = numpy.mean([a.argmax() == b.argmax() for a, b in pairs])
        print(f"MobileNetV2, {name}: cosine {cosine:.4f}, top-1 agreement {agreement:.3f}")
        check(cosine >= least_cosine, f"{name}: cosine {cosine}")
        check(agreement >= least_agreement, f"{name}: agreement {agreement}")


def bad_input(program, folder):
    mnist, digits, output = folder / "mnist.onnx", folder / "one_digit", folder / "none.onnx"
    weight = numpy.random.default_rng(0).standard_normal((8, 1, 5, 5)).astype(numpy.float32)
    text = """<ir_version: 8, opset_import: ["" : 13]> g (float[1,1,28,28] Input3) => (float[1,8,24,24] y) {
        c = Conv (Input3, w) y = Relu (c) }"""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    onnx.save(model, mnist)
    digits.mkdir()
    digit = numpy.random.default_rng(1).uniform(0, 255, (1, 1, 28, 28)).astype(numpy.float32)
    (digits / "0.pb").write_bytes(onnx.numpy_helper.from_array(digit).SerializeToString())
    broken, empty, text = folder / "broken.onnx", folder / "empty.onnx", folder / "text.onnx"
    broken.write_bytes(mnist.read_bytes()[:-100])
    empty.write_bytes(b"")
    text.write_text("not a model")
    wrong, holes = folder / "wrong", folder / "nan"
    for place, tensor in (
        (wrong, numpy.zeros((1, 1, 5, 5), numpy.float32)),
        (holes, numpy.full((1, 1, 28, 28), numpy.nan, numpy.float32)),
    ):
        place.mkdir()
        (place / "0.pb").write_bytes(onnx.numpy_helper.from_array(tensor).SerializeToString())

    def refused(named, *arguments, code=1):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        check(done.returncode == code, f"{arguments}: exit code {done.returncode}")
        check(named in done.stderr, f"{arguments}: the message does not name '{named}': {done.stderr}")
        check(not output.exists(), f"{arguments}: left an output file")

    for bad in (folder / "missing.onnx", broken, empty, text, folder):
        refused(str(bad), bad, "-o", output, "--calibration", digits)
    refused(f"{wrong / '0.pb'}: Input3: ", mnist, "-o", output, "--calibration", wrong)
    refused(f"{holes / '0.pb'}: Input3: holds NaN", mnist, "-o", output, "--calibration", holes)
    refused("nowhere", mnist, "-o", output, "--calibration", folder / "nowhere")
    refused("absent", mnist, "-o", folder / "absent" / "q.onnx", "--calibration", digits)
    refused("target", mnist, "-o", output, "--calibration", digits, "--target", "toaster", code=2)
    refused("--output", mnist, "--calibration", digits, code=2)
    refused("--placement", mnist, "-o", output, "--dynamic", "--placement", "naive", code=2)
    refused("--dynamic", mnist, "-o", output, "--dynamic", "--weight-only", 4, code=2)
    refused("--calibration", mnist, "-o", output, "--weight-only", 4, "--method", "gptq", code=2)
    refused("power of two", mnist, "-o", output, "--weight-only", 4, "--block", 20, code=2)
    refused("--weight-only", mnist, "-o", output, "--block", 32, code=2)


def main():
    data = os.environ.get("GRAFT_TEST_DATA", "")
    if not data or not pathlib.Path(data, "models").exists():
        print("skipped: there is no test data")
        return SKIPPED
    program, data = sys.argv[1], pathlib.Path(data)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images, digits, evaluation = calibration_folders(data, folder)
        placements(program, data, folder, images, digits)
        if evaluation:
            half_like_float(folder)
            accuracy(program, data, folder, images, evaluation)
        bad_input(program, folder)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
