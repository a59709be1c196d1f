"""Folders include each other one way only, detail/ stays within its folder, and no header comes back to itself."""

from house import folder, headers, own_includes, report

GRAPH, PATTERN, REWRITE = {"graph"}, {"graph", "pattern"}, {"graph", "pattern", "rewrite"}
SEES = {
    "graph": set(),
    "pattern": GRAPH,
    "rewrite": PATTERN,
    "evaluate": GRAPH,
    "simplify": REWRITE | {"evaluate"},
    "quantize": REWRITE | {"evaluate", "simplify"},
    "testing": REWRITE | {"evaluate", "simplify", "quantize"},
}


def arrows():
    for header in headers():
        here = folder(header)
        if here and here not in SEES:
            yield f"{header}: the folder {here} has no arrows yet; give it some in tests/checks/arrows.py"
            continue
        for included in own_includes(header):
            there = folder(included)
            if here and there and there != here and there not in SEES[here]:
                yield f"{header} includes {included}: no arrow leads from {here} to {there}"
            if "detail" in included.parts:
                owner = included.parts[: included.parts.index("detail")]
                if header.parts[: len(owner)] != owner:
                    yield f"{header} includes {included}, which is private to {'/'.join(owner)}"


def is_part(header, whole):
    """A header of detail/ that holds a part of another may include the whole again, so that it compiles on its own."""
    return "detail" in header.parts and header in own_includes(whole)


def circles():
    done, path = set(), []

    def visit(header):
        if header in path:
            yield "in a circle: " + " -> ".join(map(str, [*path[path.index(header) :], header]))
        elif header not in done:
            path.append(header)
            for included in own_includes(header):
                if not is_part(header, included):
                    yield from visit(included)
            done.add(path.pop())

    known = set(headers())
    for header in known:
        for included in own_includes(header):
            if included not in known:
                yield f"{header} includes {included}, which does not exist"
                return
    for header in sorted(known):
        yield from visit(header)


report([*arrows(), *circles()])
