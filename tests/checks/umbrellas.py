"""<graft/FOLDER.hpp> includes every public header of its folder but optional ones, <graft/graft.hpp> every umbrella.

With GRAFT_COMPILED too: what bodies include does not count. What only bodies read, or who names it, is in no umbrella.
"""

import pathlib

from house import OPTIONAL, headers, own_includes, report, tail

GRAFT, CONFIG = pathlib.Path("graft/graft.hpp"), pathlib.Path("graft/config.hpp")
# Kernels, shape inference of single operators and their helpers.
NAMED = ("graft/evaluate/kernels/", "graft/evaluate/simd.hpp", "graft/graph/infer/")


def reached(header):
    found, todo = set(), [header]
    while todo:
        including = todo.pop()
        for included in set(own_includes(including)) - tail(including):
            if included not in found:
                found.add(included)
                todo.append(included)
    return found


def faults():
    everything = headers()
    top = [header for header in everything if len(header.parts) == 2]
    for folder in sorted({header.parts[1] for header in everything if len(header.parts) > 2}):
        umbrella = pathlib.Path(f"graft/{folder}.hpp")
        if umbrella not in top:
            yield f"there is no {umbrella}"
            continue
        inside = reached(umbrella)
        for header in sorted(set(everything) - OPTIONAL):
            if str(header).startswith(NAMED):
                continue
            if header.parts[1] == folder and "detail" not in header.parts and header not in inside:
                yield f"{umbrella} does not include {header}"
    inside = reached(GRAFT) if GRAFT in top else set()
    for header in top:
        if header not in {GRAFT, CONFIG} and header not in inside:
            yield f"{GRAFT} does not include {header}"


report(faults())
