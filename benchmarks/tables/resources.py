"""Measures memory and time of quantizing weights, and whether the result depends on the number of threads."""

import json
import subprocess

from process import measured_apart

LARGE = "resnet50v2"


def peak_memory(graft, topologies, folder, aims):
    """Peak memory of quantizing a model of more than 100 MB with given ranges."""
    subprocess.run([topologies, folder, "1", LARGE], check=True, stdout=subprocess.DEVNULL)
    model, ranges = folder / f"{LARGE}.onnx", folder / f"{LARGE}.json"
    graft.run(model, folder / "large.onnx", "--fast", "--calibration", folder / LARGE, "--save-ranges", ranges)
    size = model.stat().st_size
    for placement in ("fusion-aware", graft.widest):
        command = [graft.program, model, "-o", folder / "large.onnx", "--ranges", ranges, "--placement", placement]
        _, peak = measured_apart(command)
        aims.add(f"peak memory of quantizing {size / 1e6:.0f} MB, {placement}, in MB", peak / 1e6,
                 (1.5 * size + 32 * 2**20) / 1e6, None, "{:.0f}", least=False)


def weights_per_second(build, aims):
    for program, aim in (("quantize_tensor", 1 / 8), ("quantize_tensor_native", 1 / 3)):
        path = build / "benchmarks" / program
        if not path.exists():
            print(f"{path} is not built: its figures are left out")
            continue
        done = subprocess.run([path, "--benchmark_format=json"], check=True, capture_output=True, text=True)
        rates = {run["name"]: run["bytes_per_second"] for run in json.loads(done.stdout)["benchmarks"]}
        copied = rates["copied/4096/4608"]
        for granularity in ("per_tensor", "per_channel", "per_column"):
            rate = rates[f"quantized/{granularity}/4096/4608"]
            print(f"{program}, {granularity}: {rate / 1e9:.2f} GB/s of FP32; memcpy {copied / 1e9:.2f} GB/s")
            aims.add(f"{program}, {granularity}: share of memcpy's speed", rate / copied, aim)


def same_bytes(graft, model, calibration, folder, aims):
    """Whether calibration on one thread and on two gives the same model."""
    results = []
    for threads in ("1", "2"):
        output = folder / f"threads{threads}.onnx"
        graft.run(model, output, "--fast", "--calibration", calibration, "--threads", threads)
        results.append(output.read_bytes())
    aims.add("the same bytes with 1 and 2 threads", int(results[0] == results[1]), 1, None, "{:d}")
