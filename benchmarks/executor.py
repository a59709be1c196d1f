"""Measures runs of graft's executor, built by default and for this machine, and of ONNX Runtime, each with one thread.

Also measures the default build on two threads. All take turns, so that a busy machine slows all of them equally. Then
prints the peak memory of a run, including the model, beside the model's weights and its two largest activations.

  executor.py [MODEL.onnx ...] [--programs build/benchmarks] [--runs 30]

Also measures a ResNet50 with random weights and folded batch normalizations. Quantized models run in integers on both
sides.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SYMBOL = 1  # the extent of a dim that is not given


class Network:
    """Nodes and seeded weights; each method adds one layer and returns the name of its output."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = numpy.random.default_rng(0)

    def weight(self, *shape):
        values = self.random.standard_normal(shape) / max(1, numpy.prod(shape[1:])) ** 0.5
        self.weights.append(numpy_helper.from_array(values.astype(numpy.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def layer(self, op, *inputs, **attributes):
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def conv(self, x, channels, filters, kernel, stride=1):
        return self.layer("Conv", x, self.weight(filters, channels, kernel, kernel), self.weight(filters),
                          kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def relu(self, x):
        return self.layer("Relu", x)

    def bottleneck(self, x, channels, width, stride):
        y = self.relu(self.conv(x, channels, width, 1))
        y = self.relu(self.conv(y, width, width, 3, stride))
        y = self.conv(y, width, 4 * width, 1)
        if channels != 4 * width or stride != 1:
            x = self.conv(x, channels, 4 * width, 1, stride)
        return self.relu(self.layer("Add", y, x))


def resnet50():
    """He et al., Deep Residual Learning for Image Recognition, with the stride in the 3x3 convolutions."""
    network, channels = Network(), 64
    x = network.relu(network.conv("input", 3, 64, 7, 2))
    x = network.layer("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for stage, blocks in enumerate([3, 4, 6, 3]):
        for block in range(blocks):
            x = network.bottleneck(x, channels, 64 << stage, 2 if stage > 0 and block == 0 else 1)
            channels = 256 << stage
    x = network.layer("Flatten", network.layer("GlobalAveragePool", x))
    y = network.layer("Gemm", x, network.weight(1000, 2048), network.weight(1000), transB=1)
    types = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
             for name, dims in [("input", [1, 3, 224, 224]), (y, [1, 1000])]]
    graph = helper.make_graph(network.nodes, "resnet50", types[:1], types[1:], network.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class Runtime:
    def __init__(self, path, feeds):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.feeds = feeds

    def run(self):
        start = time.perf_counter()
        self.session.run(None, self.feeds)
        return time.perf_counter() - start


class Graft:
    def __init__(self, program, path, inputs):
        self.process = subprocess.Popen([program, path, *inputs], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.peak, self.weights, self.activations = map(int, self.process.stdout.readline().split())

    def run(self, threads=1):
        self.process.stdin.write(f"{threads}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def memory(self):
        parts = f"{self.weights / 1e6:.1f} of weights and {self.activations / 1e6:.1f} of its two largest activations"
        return f"{self.peak / 1e6:.1f} MB, {self.peak / (self.weights + self.activations):.2f} of {parts}"


def random_feeds(path):
    random = numpy.random.default_rng(0)
    graph = onnx.load(path).graph
    constants = {tensor.name for tensor in graph.initializer}
    for value in graph.input:
        if value.name not in constants:
            dims = [dim.dim_value or SYMBOL for dim in value.type.tensor_type.shape.dim]
            yield value.name, random.standard_normal(dims).astype(numpy.float32)


def measure(path, programs, runs, warm_up, folder):
    feeds = dict(random_feeds(path))
    inputs = []
    for name, array in feeds.items():
        inputs.append(folder / f"{len(inputs)}.pb")
        inputs[-1].write_bytes(numpy_helper.from_array(array, name).SerializeToString())
    grafts = [Graft(program, path, inputs) for program in programs]
    runs_of = [Runtime(path, feeds).run, *(graft.run for graft in grafts), lambda: grafts[0].run(threads=2)]
    times = [[] for _ in runs_of]
    for turn in range(warm_up + runs):
        for run, taken in zip(runs_of, times):
            seconds = run()
            if turn >= warm_up:
                taken.append(seconds)
    for graft in grafts:
        graft.process.communicate()
    return [statistics.median(taken) for taken in times], grafts[0].memory()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default="build/benchmarks")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--warm-up", type=int, default=5)
    arguments = parser.parse_args()
    programs = [arguments.programs / name for name in ("executor", "executor_native")]
    print(f"{'':24} {'runtime':>10} {'default':>10} {'ratio':>7} {'native':>10} {'ratio':>7} {'2 threads':>10} "
          f"{'speed-up':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        random_weights = folder / "resnet50.onnx"
        onnx.save(resnet50(), random_weights)
        for path in [*arguments.models, random_weights]:
            times, memory = measure(path, programs, arguments.runs, arguments.warm_up, folder)
            theirs, *ours, together = times
            row = "".join(f" {seconds * 1e3:7.2f} ms {seconds / theirs:6.2f}x" for seconds in ours)
            print(f"{path.stem:24} {theirs * 1e3:7.2f} ms{row} {together * 1e3:7.2f} ms {ours[0] / together:7.2f}x\n"
                  f"{'':24} {memory}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
