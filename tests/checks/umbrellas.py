"""<graft/FOLDER.hpp> includes every public header of its folder but optional ones, <graft/graft.hpp> every umbrella.

With GRAFT_COMPILED too. Header-only, an umbrella includes the bodies of all that it declares: <graft/FOLDER/src.hpp>
has those of its folder, and the umbrellas of the folders that they use. Nothing else includes bodies, and config.hpp
rejects headers without them.
"""

import pathlib

from house import INCLUDE, OPTIONAL, bodies, body_lists, folder, headers, includes, own_includes, report

GRAFT, CONFIG = pathlib.Path("graft/graft.hpp"), pathlib.Path("graft/config.hpp")
# Kernels, shape inference of single operators and their helpers.
NAMED = ("graft/evaluate/backward/", "graft/evaluate/kernels/", "graft/evaluate/simd.hpp", "graft/graph/infer/")
GUARDED = "#ifndef GRAFT_COMPILED\n#include <{}>\n#endif\n"


def graft_includes(file):
    """All that a file includes of graft."""
    return [pathlib.Path(spelling[1:-1]) for _, spelling in includes(file) if spelling.startswith("<graft/")]


def reached(file, including):
    found, todo = set(), [file]
    while todo:
        for included in including(todo.pop()):
            if included not in found:
                found.add(included)
                todo.append(included)
    return found


def declarations():
    everything = headers()
    top = [header for header in everything if len(header.parts) == 2]
    for room in sorted({header.parts[1] for header in everything if len(header.parts) > 2}):
        umbrella = pathlib.Path(f"graft/{room}.hpp")
        if umbrella not in top:
            yield f"there is no {umbrella}"
            continue
        inside = reached(umbrella, own_includes)
        for header in sorted(set(everything) - OPTIONAL):
            if str(header).startswith(NAMED):
                continue
            if header.parts[1] == room and "detail" not in header.parts and header not in inside:
                yield f"{umbrella} does not include {header}"
        text, source = (INCLUDE / umbrella).read_text(), umbrella.with_suffix("") / "src.hpp"
        if not text.endswith(GUARDED.format(source)):
            yield f"{umbrella} does not end with the bodies, {source}, unless GRAFT_COMPILED is defined"
        if "\n#define GRAFT_UMBRELLA\n#include" not in text:
            yield f"{umbrella} does not define GRAFT_UMBRELLA in front of its includes"
        bodies_of = {folder(file) for file in reached(umbrella, graft_includes) if file.name == "src.hpp"}
        for file in reached(umbrella, graft_includes):
            if folder(file) and folder(file) not in bodies_of:
                yield f"{umbrella} includes {file}, and no bodies of {folder(file)}/"
    inside = reached(GRAFT, own_includes) if GRAFT in top else set()
    for header in top:
        if header not in {GRAFT, CONFIG} and header not in inside:
            yield f"{GRAFT} does not include {header}"


def lists_of_bodies():
    """Each list has the bodies below its folder, in order, itself or by the lists of folders within."""
    for source in body_lists():
        included = graft_includes(source)
        inside = [file for file in included if file.parent == source.parent or source.parent in file.parents]
        listed = sorted(file for file in reached(source, graft_includes) if file.suffix == ".ipp")
        if len(source.parts) > 2:
            listed = [body for body in listed if folder(body) == folder(source)]
        for body in bodies():
            if source.parent in body.parents and body not in listed:
                yield f"{source} does not include {body}"
        if inside != sorted(inside, key=str):
            yield f"{source} is not sorted"
    for file in [*headers(), *bodies()]:
        for included in graft_includes(file):
            if included.suffix == ".ipp" or (included.name == "src.hpp" and len(file.parts) > 2):
                yield f"{file} includes bodies, {included}"


def guards():
    """A public header whose bodies stand apart is an error without them, by config.hpp."""
    for header in sorted(set(headers()) - OPTIONAL):
        text = (INCLUDE / header).read_text()
        has_bodies = (INCLUDE / header).with_suffix(".ipp").exists() and "extern const RuleView" not in text
        if has_bodies and "detail" not in header.parts and CONFIG not in reached(header, own_includes):
            yield f"{header} does not include {CONFIG}, not even by another header"


report([*declarations(), *lists_of_bodies(), *guards()])
