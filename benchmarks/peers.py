"""Compares graft's simplify() with other optimizers of ONNX graphs.

Prints seconds from file to file, peak memory, the remaining nodes, and whether the outputs stay the same.

  python3 -m venv build/peers
  build/peers/bin/pip install -r benchmarks/peers/requirements.txt
  build/peers/bin/python benchmarks/peers.py DATA [--build build] [--peers NAME...] [--models NAME...] [--largest 5]

Each run is a separate process. A peer's seconds do not include its imports; graft's are those of the whole program
graft-optimize. They take turns; the median of --runs counts.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.append(str(pathlib.Path(__file__).parent / "peers"))
import optimize  # noqa: E402
import run as run_command  # noqa: E402
from made import subjects  # noqa: E402

onnxruntime.set_default_logger_severity(4)
MOST_NODES_TO_RUN = 20_000  # the runtime takes long to load more
EXTENTS = (8, 1, 224)  # of symbolic dims: the first that the runtime takes


class Failure(Exception):
    pass


def run(command, limit):
    """The last line that the process printed, its seconds and its peak memory in bytes."""
    script = [sys.executable, "-S", run_command.__file__, str(limit), *map(str, command)]
    done = json.loads(subprocess.run(script, check=True, capture_output=True, text=True).stdout)
    if done["code"] != 0:
        raise Failure(f"> {limit:.0f} s" if done["seconds"] >= limit else (done["error"] or "crashed")[:60])
    return done["output"], done["seconds"], done["peak"]


def once(name, args, path, output):
    """Seconds and peak of one optimization."""
    if name == "graft":
        _, seconds, peak = run([args.build / "examples/graft-optimize", path, "-o", output], args.timeout)
        return seconds, peak
    printed, _, peak = run([sys.executable, optimize.__file__, name, path, output], args.timeout)
    return float(printed.split("seconds")[-1]), peak


def feeds(session, seed, extent):
    """Random inputs; all symbolic extents are `extent`, so that equal symbols agree."""
    random = numpy.random.default_rng(seed)
    made = {}
    for x in session.get_inputs():
        shape = [d if isinstance(d, int) else extent for d in x.shape]
        if x.type == "tensor(float)":
            made[x.name] = random.standard_normal(shape).astype(numpy.float32)
        elif x.type == "tensor(float16)":
            made[x.name] = random.standard_normal(shape).astype(numpy.float16)
        elif x.type in ("tensor(int64)", "tensor(int32)"):
            made[x.name] = random.integers(0, 2, shape).astype(x.type[7:-1])
        elif x.type == "tensor(bool)":
            made[x.name] = random.integers(0, 2, shape).astype(bool)
        else:
            raise Failure(f"no random {x.type}")
    return made


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def difference(path, output):
    """The largest difference of outputs, relative to the largest value of each; text if it cannot be computed."""
    expected = None
    for extent in EXTENTS:
        try:
            before = session(path)
            inputs = feeds(before, 0, extent)
            expected = before.run(None, inputs)
            break
        except Exception:  # of the runtime, which has several: it takes no such input
            continue
    if expected is None:
        return "not run"
    try:
        after = session(output)
        kept = {x.name for x in after.get_inputs()}
        answers = after.run(None, {name: value for name, value in inputs.items() if name in kept})
    except Exception:
        return "broken"
    worst = 0.0
    for a, b in zip(expected, answers):
        if not isinstance(a, numpy.ndarray) or a.size == 0:
            continue
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        if a.shape != b.shape:
            return "broken"
        same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
        scale = max(float(numpy.max(numpy.abs(a[numpy.isfinite(a)]), initial=0)), 1e-30)
        worst = max(worst, float(numpy.max(numpy.where(same, 0, numpy.abs(a - b)) / scale)))
    return f"{worst:.0e}" if worst else "equal"


def nodes_of(path):
    """Without Constant nodes, because some peers turn them into initializers."""
    model = onnx.load(path, load_external_data=False)

    def counted(graph):
        return sum(
            (n.op_type != "Constant") + sum(counted(a.g) for a in n.attribute if a.HasField("g")) for n in graph.node
        )

    return counted(model.graph)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--peers", nargs="*", default=list(optimize.PEERS))
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--largest", type=int, default=5, help="length of the longest chain, as a power of ten")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a run is stopped")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        output = folder / "optimized.onnx"
        for name, path in subjects(args, folder):
            if args.models and not any(wanted in name for wanted in args.models):
                continue
            before = nodes_of(path)
            print(f"{name}: {before} nodes")
            figures, failures = {}, {}
            for _ in range(args.runs):
                for tool in ["graft", *args.peers]:
                    if tool in failures:
                        continue
                    try:
                        seconds, peak = once(tool, args, path, output)
                    except Failure as failure:
                        failures[tool] = str(failure)
                        continue
                    if tool not in figures:
                        left = nodes_of(output)
                        same = difference(path, output) if before <= MOST_NODES_TO_RUN else "not run"
                        figures[tool] = ([], peak, left, same)
                    figures[tool][0].append(seconds)
            own = statistics.median(figures["graft"][0]) if "graft" in figures else float("nan")
            for tool in ["graft", *args.peers]:
                if tool in failures:
                    print(f"  {tool:14} {failures[tool]}")
                    continue
                seconds, peak, left, same = figures[tool]
                took = statistics.median(seconds)
                ratio = "" if tool == "graft" else f"{took / own:7.1f}x"
                print(f"  {tool:14} {took:9.3f} s {ratio:9} {peak / 1e6:7.0f} MB {left:8} nodes   {same}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
