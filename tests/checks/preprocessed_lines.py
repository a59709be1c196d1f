"""<graft/rewrite.hpp>, all that a file of rules includes, is at most twice what it stands on: ONNX and Eigen."""

from house import compiled, report

LIMIT = 2.0


def lines(*included):
    """Lines of code after the preprocessor: neither blank nor line markers."""
    text = compiled("".join(f"#include <{name}>\n" for name in included), "-E")
    return sum(1 for line in text.splitlines() if line.strip() and not line.startswith(b"#"))


def faults():
    below = lines("onnx/onnx_pb.h", "Eigen/Core")
    ours = lines("graft/rewrite.hpp")
    print(f"{ours} lines, {ours / below:.2f} of {below}")
    if ours > LIMIT * below:
        yield f"more than {LIMIT}"


report(faults())
