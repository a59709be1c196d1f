"""The top of the repository holds what belongs there, and each header has the test file that mirrors it."""

from house import ROOT, headers, report

TOP = {"include", "examples", "tests", "benchmarks", "CMakeLists.txt", "README.md", "LICENSE"}
IGNORED = {"build"}
# Nothing of their own to test: they include other headers, or hold a number.
UNTESTED = {"graft/version.hpp", "graft/graph/onnx.hpp"}


def is_umbrella(header):
    return len(header.parts) == 2


def faults():
    for entry in sorted(ROOT.iterdir()):
        if entry.name not in TOP | IGNORED and not entry.name.startswith("."):
            yield f"{entry.name} does not belong at the top"
    for header in headers():
        if is_umbrella(header) or "detail" in header.parts or str(header) in UNTESTED:
            continue
        test = ROOT.joinpath("tests", *header.parts[1:]).with_suffix(".cpp")
        if not test.exists():
            yield f"{header} has no {test.relative_to(ROOT)}"


report(faults())
