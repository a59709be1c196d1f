"""Seconds to compile graft's umbrellas, beside what they stand on, and one more declarative rule.

Run: python3 benchmarks/compile_time.py [COMPILER [FLAG...]]    (g++ by default; the flags are added to those below)
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.append(str(ROOT / "tests/checks"))
from made_rules import VOCABULARY, rules  # noqa: E402

INCLUDE = ROOT / "include"
FLAGS = ["-std=c++20", "-O1", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx", f"-I{INCLUDE}", "-isystem", "/usr/include/eigen3"]
UMBRELLAS = ["graph", "pattern", "rewrite", "evaluate", "simplify", "quantize", "testing"]
RULES = [1, 10, 40]
RUNS = 5
BASE, SEPARATE = "onnx + Eigen/Core", "rewrite.hpp, separate"
MOST_RATIO, MOST_SECONDS = 2.0, 0.05


def sources():
    base = "#include <onnx/onnx_pb.h>\n#include <Eigen/Core>\n"
    umbrellas = {f"graft/{name}.hpp": f"#include <graft/{name}.hpp>\n" for name in UMBRELLAS}
    separate = {SEPARATE: "#define GRAFT_SEPARATE\n#include <graft/rewrite.hpp>\n"}
    return {BASE: base} | umbrellas | separate | {
        f"{n} rules": '#include "vocabulary.hpp"\n' + rules(n) for n in RULES
    }


def seconds(command):
    """User and system time: wall time also counts what else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measured(compiler, flags):
    """Medians; the runs are interleaved, so that a slow minute of the machine falls on all alike."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocabulary.hpp").write_text(VOCABULARY)
        units = {}
        for i, (name, text) in enumerate(sources().items()):
            units[name] = pathlib.Path(folder, f"{i}.cpp")
            units[name].write_text(text)
        times = {name: [] for name in units}
        for _ in range(RUNS):
            for name, unit in units.items():
                command = [compiler, *FLAGS, *flags, "-c", unit, "-o", pathlib.Path(folder, "unit.o")]
                times[name].append(seconds(command))
    return {name: statistics.median(of_unit) for name, of_unit in times.items()}


def slope(times):
    """Least squares over the numbers of rules."""
    points = [(n, times[f"{n} rules"]) for n in RULES]
    mean_n = statistics.mean(n for n, _ in points)
    mean_t = statistics.mean(t for _, t in points)
    return sum((n - mean_n) * (t - mean_t) for n, t in points) / sum((n - mean_n) ** 2 for n, _ in points)


def main():
    compiler, *flags = sys.argv[1:] or ["g++"]
    times = measured(compiler, flags)
    print(f"{compiler} -O1, user and system seconds, median of {RUNS} interleaved runs")
    for name, time in times.items():
        print(f"{name:<22}{time:>7.2f}{time / times[BASE]:>8.2f}x")
    print(f"{'one more rule':<22}{slope(times):>8.3f}   (at most {MOST_SECONDS})")
    for name in ("graft/rewrite.hpp", SEPARATE):
        print(f"{name:<22}{times[name] / times[BASE]:>7.2f}x   (at most {MOST_RATIO})")


main()
