"""Folders include each other one way only, detail/ stays within its folder, and no header comes back to itself.

Nor does what is in detail become public by another name, and examples do without it.
"""

import re

from house import INCLUDE, ROOT, bodies, body_lists, folder, headers, own_includes, report

GRAPH = {"graph"}
PATTERN = GRAPH | {"pattern"}
REWRITE = PATTERN | {"rewrite"}
BELOW = REWRITE | {"evaluate"}
SIMPLIFY = BELOW | {"vocabulary", "simplify"}
QDQ = BELOW | {"qdq"}
SEES = {
    "graph": set(),
    "pattern": GRAPH,
    "rewrite": PATTERN,
    "evaluate": GRAPH,
    "vocabulary": REWRITE,
    "simplify": BELOW | {"vocabulary"},
    "lower": SIMPLIFY,
    "surgery": SIMPLIFY | QDQ | {"lower"},
    "transformer": SIMPLIFY | {"lower", "surgery"},
    "precision": SIMPLIFY | QDQ | {"lower", "surgery"},
    "qdq": BELOW,
    "quantize": SIMPLIFY | QDQ | {"lower", "precision", "surgery", "transformer"},
    "qonnx": SIMPLIFY | QDQ | {"lower", "surgery"},
    "session": GRAPH | {"evaluate"},
}
SEES["testing"] = set(SEES)
# The order in which data flows through quantize/. Files beside them, or in its detail/, belong to none.
STAGES = ["kernel", "target", "calibrate", "prepare", "place", "weights", "cache", "dynamic", "audit", "tune", "run"]
# Includes that go against an arrow, and why they may.
AGAINST = {
    # What a user chooses for a tensor is declared where placement reads it; joining Convs heeds it.
    ("graft/quantize/prepare/join_added_convs.ipp", "graft/quantize/place/activation_dtypes.hpp"),
    # Cast converts as tensors do. A public header for that would bring Eigen to whoever includes <graft/graph.hpp>.
    ("graft/evaluate/detail/cast.hpp", "graft/graph/detail/elements.hpp"),
}


def stage(file):
    """The place of a file of quantize/ in that order, if it has one."""
    within = file.parts[2] if len(file.parts) > 3 else ""
    return STAGES.index(within) if folder(file) == "quantize" and within in STAGES else None


def arrows():
    for file in [*headers(), *bodies(), *body_lists()]:
        here = folder(file)
        if here and here not in SEES:
            yield f"{file}: the folder {here} has no arrows yet; give it some in tests/checks/arrows.py"
            continue
        for included in own_includes(file):
            if (str(file), str(included)) in AGAINST:
                continue
            there = folder(included)
            if here and there and there != here and there not in SEES[here]:
                yield f"{file} includes {included}: no arrow leads from {here} to {there}"
            if None not in (stage(file), stage(included)) and stage(file) < stage(included):
                yield f"{file} includes {included}, of a later stage of quantize/"
            if "detail" in included.parts and file.name != "src.hpp":
                owner = included.parts[: included.parts.index("detail")]
                if file.parts[: len(owner)] != owner:
                    yield f"{file} includes {included}, which is private to {'/'.join(owner)}"


def is_part(header, whole):
    """A header of detail/ that holds a part of another may include the whole again, so that it compiles on its own."""
    return "detail" in header.parts and header in own_includes(whole)


def circles():
    """Bodies may include any declaration; among declarations there is an order."""
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

    known = {*headers(), *bodies()}
    for file in known:
        for included in own_includes(file):
            if included not in known:
                yield f"{file} includes {included}, which does not exist"
                return
    for header in headers():
        yield from visit(header)


def exports():
    """Code at the beginning of a line is public, unless it is in a namespace detail itself."""
    for header in headers():
        if "detail" in header.parts:
            continue
        within = False
        for number, line in enumerate((INCLUDE / header).read_text().splitlines(), 1):
            if re.match(r"namespace [^=]*\bdetail\b.*\{", line):
                within = True
            elif re.match(r"\}  // namespace .*\bdetail\b", line):
                within = False
            elif not within and re.match(r"(using|namespace)\b.*\bdetail\b", line):
                yield f"{header}:{number}: gives what is in detail a public name"


def examples():
    """They show what a user may write. (`CLI::detail` is another library's.)"""
    named = re.compile(r"(?<!:)\bdetail::|\bgraft::(\w+::)*detail\b|#\s*include\s*[<\"](graft|\.\.).*/detail/")
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".ipp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if named.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: names what is in detail"


report([*arrows(), *circles(), *exports(), *examples()])
