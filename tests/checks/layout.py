"""The top of the repository holds what belongs there, each header has the test file that mirrors it, or a folder of
them, and the name of each .ipp says which header it defines. (umbrellas.py says who includes the .ipp files.)
"""

from house import INCLUDE, ROOT, bodies, headers, own_includes, report

TOP = {"include", "examples", "tests", "benchmarks", "CMakeLists.txt", "README.md", "LICENSE"}
IGNORED = {"build"}
# Nothing of their own to test: they include other headers, or hold a number or a macro.
UNTESTED = {"graft/config.hpp", "graft/version.hpp", "graft/graph/onnx.hpp"}


def is_umbrella(header):
    return len(header.parts) == 2


def nameless():
    """Bodies that name no header: it has the same name, or begins it, or is their first include."""
    for body in bodies():
        folders = [INCLUDE / body.parent]
        if body.parent.name == "detail":
            folders.append(folders[0].parent)
        stems = [header.stem for folder in folders for header in folder.glob("*.hpp")]
        first = next((one for one in own_includes(body) if one.name != "config.hpp"), None)
        opens = first is not None and first.parent == body.parent and first == next(own_includes(body))
        if not opens and not any(body.stem.startswith(stem) for stem in stems):
            yield f"{body}: begin its name with that of the header that it defines"


def faults():
    yield from nameless()
    for entry in sorted(ROOT.iterdir()):
        if entry.name not in TOP | IGNORED and not entry.name.startswith("."):
            yield f"{entry.name} does not belong at the top"
    for header in headers():
        if is_umbrella(header) or "detail" in header.parts or str(header) in UNTESTED:
            continue
        test = ROOT.joinpath("tests", *header.parts[1:]).with_suffix(".cpp")
        if not test.exists() and not list(test.with_suffix("").glob("*.cpp")):
            yield f"{header} has no {test.relative_to(ROOT)}, nor a folder of that name"


report(faults())
