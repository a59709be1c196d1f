"""Measures the time of one change by a rule, and of a run of graft-optimize over a chain of 100,000 nodes.

The run makes 60,000 changes, which leave 40,000 nodes. Times are processor times; medians are printed.

Run: build/venv/bin/python benchmarks/changes.py BUILD [--runs 5] [--optimize PROGRAM]

The build and its programs must have optimizations.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import onnx
from onnx import TensorProto, helper

import process

BLOCK = ["Transpose", "Transpose", "Identity", "Relu", "Relu", "Relu", "Identity", "Neg", "Neg", "Abs"]
NODES = 100_000
CASES = {
    "change_for_two": "a node becomes two new ones",
    "change_for_present": "a value that is there takes a node's place",
    "change_by_simplify": "`simplify()` on the chain",
}


def chain(path):
    names = ["x"] + [f"v{i}" for i in range(NODES - 1)] + ["y"]
    nodes = []
    for i in range(NODES):
        op = BLOCK[i % len(BLOCK)]
        attributes = {"perm": [1, 0]} if op == "Transpose" else {}
        nodes.append(helper.make_node(op, [names[i]], [names[i + 1]], name=f"n{i}", **attributes))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 8]) for name in "xy"]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def optimize(program, runs):
    """Seconds of the processor and of the clock, and the nodes that are left."""
    processor, clock = [], []
    with tempfile.TemporaryDirectory() as folder:
        model, result = pathlib.Path(folder, "chain.onnx"), pathlib.Path(folder, "result.onnx")
        chain(model)
        for _ in range(runs):
            seconds, usage = process.run([program, model, "-o", result])
            clock.append(seconds)
            processor.append(usage.ru_utime + usage.ru_stime)
        left = len(onnx.load(result).graph.node)
    return statistics.median(processor), statistics.median(clock), left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--optimize", type=pathlib.Path, help="another graft-optimize than that of the build")
    args = parser.parse_args()
    command = [args.build / "benchmarks" / "engine", "--benchmark_filter=change_", "--benchmark_format=json",
               f"--benchmark_repetitions={args.runs}", "--benchmark_enable_random_interleaving=true",
               "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.05"]
    made = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    medians = {one["run_name"]: one for one in made if one["aggregate_name"] == "median"}
    print("| change | µs each | changes |\n|---|---|---|")
    for name, what in CASES.items():
        print(f"| {what} | {medians[name]['ns/change'] / 1e3:.1f} | {medians[name]['changes']:,.0f} |")
    processor, clock, left = optimize(args.optimize or args.build / "examples" / "graft-optimize", args.runs)
    print(f"\n`graft-optimize` on the chain: {processor:.2f} s of the processor, {clock:.2f} s of the clock; "
          f"{NODES:,} nodes before, {left:,} after")


main()
