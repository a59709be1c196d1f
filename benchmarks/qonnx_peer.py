"""Times graft-qonnx and the Python package qonnx: execution, cleanup and conversion to QCDQ.

Checks that both give the same outputs.

Run: build/venv/bin/python benchmarks/qonnx_peer.py [DATA] [--build build] [--runs 5] [--samples 20]

DATA holds qonnx/TFC_2W2A.onnx (by default $GRAFT_TEST_DATA or ../shared/data); without it only the net with random
weights is measured, which the program `topologies` writes. The package's functions are timed within this process,
without imports; graft-qonnx as a whole, from its start to the written file.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx import numpy_helper
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.transformation.qonnx_to_qcdq import QuantToQCDQ
from qonnx.util.cleanup import cleanup_model

ROOT = pathlib.Path(__file__).resolve().parent.parent


def seconds(function, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row(model, what, package, graft, note=""):
    print(f"{model:<12} {what:<22} {package * 1e3:10.1f} ms {graft * 1e3:10.1f} ms {package / graft:8.1f}x  {note}",
          flush=True)


def compare(path, program, folder, runs, samples):
    name = path.stem

    def graft(*arguments):
        subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    clean = folder / f"{name}_clean.onnx"
    package_clean = cleanup_model(ModelWrapper(str(path)))
    row(name, "cleanup", seconds(lambda: cleanup_model(ModelWrapper(str(path))), runs),
        seconds(lambda: graft("cleanup", path, "-o", clean), runs))

    converted = folder / f"{name}_qcdq.onnx"
    row(name, "conversion to QCDQ", seconds(lambda: package_clean.transform(QuantToQCDQ()), runs),
        seconds(lambda: graft("convert", clean, "--to", "qcdq", "-o", converted), runs))

    generator = numpy.random.default_rng(1)
    tensor = package_clean.graph.input[0]
    shape = package_clean.get_tensor_shape(tensor.name)
    feeds = [generator.random(shape, dtype=numpy.float32) * 2 - 1 for _ in range(samples)]
    for i, feed in enumerate(feeds):
        (folder / name / f"test_data_set_{i:03}").mkdir(parents=True, exist_ok=True)
        onnx.save_tensor(numpy_helper.from_array(feed), folder / name / f"test_data_set_{i:03}" / "input_0.pb")
    results = folder / f"{name}_results"
    outputs = []

    def execute():
        outputs[:] = [execute_onnx(package_clean, {tensor.name: feed}) for feed in feeds]

    package = seconds(execute, max(1, runs // 2))
    own = seconds(lambda: graft("exec", clean, "--data", folder / name, "-o", results), runs)
    largest = 0
    for i, output in enumerate(outputs):
        mine = numpy_helper.to_array(onnx.load_tensor(results / f"test_data_set_{i:03}" / "output_0.pb"))
        (theirs,) = output.values()
        largest = max(largest, float(numpy.abs(mine - theirs).max()))
    row(name, f"{samples} executions", package, own, f"largest difference {largest:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=pathlib.Path,
                        default=os.environ.get("GRAFT_TEST_DATA") or ROOT.parent / "shared/data")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=20)
    options = parser.parse_args()
    program = options.build / "examples/graft-qonnx"
    if not program.exists():
        sys.exit(f"{program} is not built")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([options.build / "benchmarks/topologies", folder, "0", "cnv_w2a2"], check=True,
                       stdout=subprocess.DEVNULL)
        models = [pathlib.Path(options.data) / "qonnx/TFC_2W2A.onnx", folder / "cnv_w2a2.onnx"]
        print(f"{'model':<12} {'':<22} {'qonnx':>13} {'graft-qonnx':>13}")
        for path in models:
            if path.exists():
                compare(path, program, folder, options.runs, options.samples)
            else:
                print(f"{path.stem} does not exist")


if __name__ == "__main__":
    main()
