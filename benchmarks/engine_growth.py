"""Measures the engine on growing graphs: nanoseconds a node at 10^3 to 10^6 nodes, and the ratios with their limits.

Run: python3 benchmarks/engine_growth.py BUILD/benchmarks/engine    (needs a build with optimizations)
"""

import collections
import json
import subprocess
import sys

SIZES = [1000, 10000, 100000, 1000000]


def measured(program):
    """{(mobilenet, stage): {nodes: counters}} and {depth: counters}, medians of three interleaved repetitions."""
    command = [program, "--benchmark_filter=/(nodes|depth):", "--benchmark_format=json", "--benchmark_repetitions=3",
               "--benchmark_enable_random_interleaving=true", "--benchmark_report_aggregates_only=true",
               "--benchmark_min_time=0.05"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    found, nested = collections.defaultdict(dict), {}
    for run in runs:
        if run["aggregate_name"] != "median":
            continue
        stage, size, *more = run["run_name"].split("/")
        if stage == "nested":
            nested[int(size.split(":")[1])] = run
            continue
        mobilenet, nodes = size, more[0]
        found[int(mobilenet.split(":")[1]), stage][int(nodes.split(":")[1])] = run
    return found, nested


def main():
    found, nested = measured(sys.argv[1])
    print("ns a node" + "".join(f"{size:>12}" for size in SIZES))
    for (mobilenet, stage), by_size in sorted(found.items()):
        name = f"{'mobilenet' if mobilenet else 'chain'} {stage}"
        print(f"{name:<20}" + "".join(f"{by_size[size]['ns/node']:>10.0f}  " for size in SIZES))
    for mobilenet, name in ((0, "chain"), (1, "mobilenet")):
        whole = {size: found[mobilenet, "whole"][size]["ns/node"] for size in SIZES}
        view = found[mobilenet, "view"]
        slowest = max(view[size]["ns/node"] / found[mobilenet, "parse"][size]["ns/node"] for size in SIZES)
        print(f"{name}: the whole at 10^6 is {whole[10**6] / whole[10**5]:.2f} of 10^5 (at most 1.3), "
              f"{whole[10**6] / whole[10**4]:.2f} of 10^4 (at most 3); the view is at most {slowest:.2f} of the parse "
              f"(at most 1); {max(view[size]['bytes/node'] for size in SIZES):.0f} bytes a node (at most 300)")
        simplify = {size: found[mobilenet, "simplify"][size]["ns/node"] for size in SIZES}
        print(f"{name}: simplify() at 10^6 is {simplify[10**6] / simplify[10**5]:.2f} of 10^5 (at most 1.1)")
    growth = nested[1000]["ns/node"] / nested[100]["ns/node"]
    print(f"a nested If: {nested[1000]['ns/node'] / 1e3:.0f} us 1000 deep, {growth:.1f} of 100 deep (at most 10)")


main()
