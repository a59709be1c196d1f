"""Measures seconds and memory to compile graft's umbrellas, programs that use them, and <onnx/onnx_pb.h> alone.

Compiles header-only, and with GRAFT_COMPILED, where a library or one source file has the definitions. The programs are
the README's first, and one that runs a rule of its own. Also measures that source file, a header of rules, and the cost
of one more declarative rule.

Run: python3 benchmarks/compile_time.py [--runs N] [--compilers g++,clang++] [--levels=-O0,-O2]
         [--modes header-only,compiled] [--only NAME,...] [FLAG...]
(compilers that are not installed are skipped; FLAGs are passed to the compiler)
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.append(str(ROOT / "tests/checks"))
from made_rules import VOCABULARY, rules  # noqa: E402

INCLUDE = ROOT / "include"
FLAGS = ["-std=c++20", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx", f"-I{INCLUDE}", "-isystem", "/usr/include/eigen3"]
ORDER = ["graph", "pattern", "rewrite", "evaluate", "vocabulary", "simplify", "lower", "surgery", "precision", "qdq",
         "quantize", "testing"]  # others follow
NOT_UMBRELLAS = ["config", "graft", "src", "version"]
MODES = {"header-only": [], "compiled": ["-DGRAFT_COMPILED"]}
BASE, README, ONE_RULE = "onnx/onnx_pb.h", "README's program", "embed_in_optimizer.cpp"
RULE_HEADER = "graft/simplify/conv.hpp"
# Compiled once for a program that rewrites, and for one that does all.
BODIES = {"bodies of rewrite.hpp": ["graph", "pattern", "rewrite"], "graft/src.hpp": [""]}
RULES = [1, 10, 40]
MOST_SECONDS = 0.05  # that one more rule may cost


@dataclasses.dataclass
class Cost:
    seconds: float  # user and system time: wall time also counts what else the machine does
    megabytes: float  # peak resident, of the largest process of the compiler


def umbrellas():
    found = {path.stem for path in (INCLUDE / "graft").glob("*.hpp")} - set(NOT_UMBRELLAS)
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER)) + ["graft"]


def readme_program():
    """The first block of C++ in the README, completed to a program."""
    block = re.search(r"^```cpp\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    if block is None:
        sys.exit("README.md has no block of C++")
    text = "#include <iostream>\n" + block[1]
    return text if re.search(r"\bint main\(", text) else text + "int main() {}\n"


def sources(mode, only=None):
    """{name: text} of the listed headers, of rules, and compiled, of the bodies; all, or only these."""
    units = {f"graft/{name}.hpp": f"#include <graft/{name}.hpp>\n" for name in umbrellas()}
    units[README] = readme_program()
    units[ONE_RULE] = (ROOT / "examples" / ONE_RULE).read_text()
    units |= {f"{n} rules": '#include "vocabulary.hpp"\n' + rules(n) for n in RULES}
    if mode == "compiled":
        units[RULE_HEADER] = f"#include <{RULE_HEADER}>\n"
        for name, rooms in BODIES.items():
            units[name] = "".join(f"#include <{pathlib.PurePosixPath('graft', room, 'src.hpp')}>\n" for room in rooms)
    return {name: text for name, text in units.items() if not only or name in only}


def cost(command):
    """User and system seconds, and memory, of a compiler, including its processes cc1plus and as."""
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit("failed: " + " ".join(command))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measured(compiler, flags, runs, modes, only):
    """{(mode, name): medians}; the runs are interleaved, so that a slow minute of the machine affects all equally."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocabulary.hpp").write_text(VOCABULARY)
        units = [("", BASE, "#include <onnx/onnx_pb.h>\n")]
        units += [(mode, name, text) for mode in modes for name, text in sources(mode, only).items()]
        for i, (_, _, text) in enumerate(units):
            pathlib.Path(folder, f"{i}.cpp").write_text(text)
        costs = {(mode, name): [] for mode, name, _ in units}
        for _ in range(runs):
            for i, (mode, name, _) in enumerate(units):
                command = [compiler, *FLAGS, *MODES.get(mode, []), *flags, "-c", f"{folder}/{i}.cpp"]
                costs[mode, name].append(cost([*command, "-o", f"{folder}/unit.o"]))
    median = statistics.median
    return {unit: Cost(median(c.seconds for c in of_unit), median(c.megabytes for c in of_unit))
            for unit, of_unit in costs.items()}


def slope(seconds):
    """Least squares over the numbers of rules."""
    mean_n = statistics.mean(seconds)
    mean_t = statistics.mean(seconds.values())
    return sum((n - mean_n) * (t - mean_t) for n, t in seconds.items()) / sum((n - mean_n) ** 2 for n in seconds)


def show(costs, modes, only):
    base = costs["", BASE]

    def cells(one):
        return (f"{one.seconds:>9.2f} s{one.seconds / base.seconds:>7.2f}x"
                f"{one.megabytes:>8.0f} MB{one.megabytes / base.megabytes:>6.2f}x")

    print(f"{'':<22}" + "".join(f"{mode:>34}" for mode in modes))
    print(f"{BASE:<22} {cells(base)}")
    for name in dict.fromkeys(name for mode in modes for name in sources(mode, only)):
        if not name.endswith(" rules"):
            row = (cells(costs[mode, name]) if (mode, name) in costs else " " * 33 for mode in modes)
            print(f"{name:<22} " + " ".join(row).rstrip())
    if only:
        return
    slopes = [slope({n: costs[mode, f"{n} rules"].seconds for n in RULES}) for mode in modes]
    print(f"{'one more rule':<22} " + " ".join(f"{s:>9.3f} s{'':>24}" for s in slopes) + f" (at most {MOST_SECONDS})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="number of runs; the median is printed (default: 5)")
    parser.add_argument("--compilers", default="g++,clang++", help="separated by commas (default: g++,clang++)")
    parser.add_argument("--levels", default="-O0,-O2", help="separated by commas: --levels=-O1 (default: -O0,-O2)")
    parser.add_argument("--modes", default=",".join(MODES), help=f"separated by commas (default: {','.join(MODES)})")
    parser.add_argument("--only", default="", help="rows of the table, separated by commas (default: all)")
    options, flags = parser.parse_known_args()
    if options.runs < 1:
        parser.error("--runs: expected at least 1")
    compilers = [name for name in options.compilers.split(",") if shutil.which(name)]
    if not compilers:
        parser.error(f"none of these compilers is installed: {options.compilers}")
    modes = options.modes.split(",")
    if unknown := set(modes) - set(MODES):
        parser.error(f"there is no mode {', '.join(sorted(unknown))}")
    only = [name for name in options.only.split(",") if name]
    if unknown := set(only) - {name for mode in modes for name in sources(mode)}:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    for compiler in compilers:
        for level in options.levels.split(","):
            level = level if level.startswith("-") else f"-{level}"
            print(f"{compiler} {' '.join([level, *flags])}: user and system seconds, peak memory, and their ratios to "
                  f"{BASE}; median of {options.runs} interleaved runs")
            show(measured(compiler, [level, *flags], options.runs, modes, only), modes, only)
            print(flush=True)


main()
