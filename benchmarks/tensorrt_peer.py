"""Quantizes a model for TensorRT by graft-quantize and by Model Optimizer, on the same samples, and compares both.

It prints a line for each quantized model: the products in 8 bits and what graft's audit reports as refused, both by
`graft-inspect --audit tensorrt`, and the cosine of outputs with those in float, on samples that neither has seen.
TensorRT itself does not run: ONNX Runtime computes the quantized models without optimizing them.

Run: PYTHON benchmarks/tensorrt_peer.py MODEL.onnx CALIBRATION EVALUATION [--build build] [--method max|entropy]

PYTHON has numpy, onnxruntime and `nvidia-modelopt[onnx]`, which is installed for this script alone. The folders hold
samples of one input in .npy files, with a batch in front.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent


def samples(folder):
    files = sorted(pathlib.Path(folder).glob("*.npy"))
    if not files:
        raise SystemExit(f"{folder}: has no .npy files")
    return [numpy.load(file).astype(numpy.float32) for file in files]


def outputs(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return numpy.concatenate([session.run(None, {name: one})[0].ravel() for one in inputs]).astype(numpy.float64)


def audit(program, model):
    """The products in integers, and the findings of severity error."""
    lines = subprocess.run([program, model, "--audit", "tensorrt"], stdout=subprocess.PIPE, text=True,
                           check=False).stdout.splitlines()
    products = [line for line in lines if line.split(" ")[0] in ("Conv", "ConvTranspose", "Gemm", "MatMul")]
    refused = [line for line in lines if "refuse" in line]
    return sum(": fused" in line for line in products), len(products), len(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("calibration")
    parser.add_argument("evaluation")
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--method", default="entropy", choices=["max", "entropy"])
    arguments = parser.parse_args()
    seen, unseen = samples(arguments.calibration), samples(arguments.evaluation)
    wanted = outputs(arguments.model, unseen)
    with tempfile.TemporaryDirectory() as folder:
        graft, peer = pathlib.Path(folder, "graft.onnx"), pathlib.Path(folder, "peer.onnx")
        subprocess.run([arguments.build / "examples" / "graft-quantize", arguments.model, "-o", graft, "--target",
                        "tensorrt", "--calibration", arguments.calibration], check=True, stdout=subprocess.DEVNULL)
        from modelopt.onnx.quantization import quantize
        quantize(arguments.model, quantize_mode="int8", calibration_data=numpy.concatenate(seen),
                 calibration_method=arguments.method, calibration_eps=["cpu"], output_path=str(peer),
                 high_precision_dtype="fp32")
        print("                products   refused   cosine")
        for name, model in (("graft", graft), ("Model Optimizer", peer)):
            found = outputs(model, unseen)
            cosine = wanted @ found / numpy.linalg.norm(wanted) / numpy.linalg.norm(found)
            fused, products, refused = audit(arguments.build / "examples" / "graft-inspect", model)
            print(f"{name:<15} {fused:4} of {products:<4} {refused:6}   {cosine:.4f}")


if __name__ == "__main__":
    main()
