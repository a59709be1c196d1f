"""The lines that an include brings, as multiples of those of ONNX's protos, stay within limits.

benchmarks/compile_time.py measures seconds; lines are the same on every machine.
"""

from house import compiled, report

BASE = "onnx/onnx_pb.h"
# With declarations alone, as with graft::compiled, and header-only.
LIMITS = {
    "-DGRAFT_COMPILED": {"graft/rewrite.hpp": 1.25, "graft/graft.hpp": 1.4, "graft/simplify/conv.hpp": 0.001},
    "-UGRAFT_COMPILED": {"graft/rewrite.hpp": 1.7, "graft/simplify.hpp": 2.2, "graft/graft.hpp": 2.9},
}


def lines(header, mode):
    """Lines of code after the preprocessor: neither blank nor line markers."""
    text = compiled(f"#include <{header}>\n", mode, "-E")
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith(b"#"))


def faults():
    for mode, limits in LIMITS.items():
        base = lines(BASE, mode)
        for header, limit in limits.items():
            ratio = lines(header, mode) / base
            print(f"{mode} {header}: {ratio:.3f} of {base} lines")
            if ratio > limit:
                yield f"{header} has more than {limit} times the lines of {BASE} with {mode}"


report(faults())
