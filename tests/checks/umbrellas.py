"""<graft/FOLDER.hpp> includes every public header of its folder but optional ones, <graft/graft.hpp> every umbrella."""

import pathlib

from house import OPTIONAL, headers, own_includes, report

SEPARATE = pathlib.Path("graft/separate.hpp")  # for the one file that compiles graft for the others


def reached(header):
    found, todo = set(), [header]
    while todo:
        for included in own_includes(todo.pop()):
            if included not in found:
                found.add(included)
                todo.append(included)
    return found


def faults():
    everything = headers()
    top = [header for header in everything if len(header.parts) == 2]
    graft = pathlib.Path("graft/graft.hpp")
    for folder in sorted({header.parts[1] for header in everything if len(header.parts) > 2}):
        umbrella = pathlib.Path(f"graft/{folder}.hpp")
        if umbrella not in top:
            yield f"there is no {umbrella}"
            continue
        inside = reached(umbrella)
        for header in sorted(set(everything) - OPTIONAL):
            if header.parts[1] == folder and "detail" not in header.parts and header not in inside:
                yield f"{umbrella} does not include {header}"
    inside = reached(graft) if graft in top else set()
    for header in top:
        if header not in {graft, SEPARATE} and header not in inside:
            yield f"{graft} does not include {header}"


report(faults())
