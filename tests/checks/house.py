"""What the checks share: the headers, their includes, and how a check reports."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
INCLUDE = ROOT / "include"
# For those who have what they include: no other header includes them, umbrellas neither.
OPTIONAL = {
    pathlib.Path("graft/evaluate/onnxruntime.hpp"),
    pathlib.Path("graft/evaluate/onnxruntime_api.hpp"),
    pathlib.Path("graft/session/onnxruntime_bench.hpp"),
    pathlib.Path("graft/session/tune_session.hpp"),
}


def headers():
    """The paths of all headers, relative to include/: graft/graph/node.hpp. Those that include bodies are apart."""
    return sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.hpp") if path.name != "src.hpp")


def body_lists():
    """The paths of the headers that include the bodies of a folder: graft/graph/src.hpp."""
    return sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("src.hpp"))


def bodies():
    """The paths of all files that define what headers declare: graft/graph/node.ipp."""
    return sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.ipp"))


def pages():
    """The pages of documentation."""
    yield ROOT / "README.md"
    for top in (".github", "include", "examples", "tests", "benchmarks"):
        yield from sorted((ROOT / top).rglob("*.md"))


def sources():
    """All files that people write: code, scripts and pages."""
    suffixes = {".hpp", ".ipp", ".cpp", ".py", ".sh", ".cmake", ".txt"}
    yield ROOT / "CMakeLists.txt"
    for top in ("include", "examples", "tests", "benchmarks"):
        yield from sorted(path for path in (ROOT / top).rglob("*") if path.suffix in suffixes)
    yield from pages()


def includes(header):
    """The (line number, spelling) of every include of a header; the spelling keeps its quotes or angle brackets."""
    for number, line in enumerate((INCLUDE / header).read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"][^>"]+[>"])', line)
        if found:
            yield number, found[1]


def own_includes(header):
    """The headers of graft that a header includes, lists of bodies aside."""
    for _, spelling in includes(header):
        if spelling.startswith("<graft/") and not spelling.endswith("/src.hpp>"):
            yield pathlib.Path(spelling[1:-1])


def folder(header):
    """The folder of include/graft that a header belongs to: an umbrella to the one that it opens, graft's own to ""."""
    name = header.parts[1].removesuffix(".hpp")
    return "" if name in ("graft", "config", "src", "version") else name


def command(*arguments):
    """That of the compiler under test."""
    flags = ["-std=c++20", "-O1", "-DONNX_NAMESPACE=onnx", "-DONNX_ML=1", f"-I{INCLUDE}", "-isystem/usr/include/eigen3"]
    return [os.environ.get("CXX", "c++"), *flags, *arguments]


def compiled(source, *arguments):
    """What the compiler writes to its output for a source text, as bytes."""
    compiler = command(*arguments, "-x", "c++", "-")
    return subprocess.run(compiler, input=source.encode(), check=True, stdout=subprocess.PIPE).stdout


def report(faults):
    """Prints the faults, one a line, and ends the check."""
    faults = list(faults)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)
