"""What a reader of any file may rely on, as far as a line of text shows it."""

import re

from house import INCLUDE, ROOT, bodies, headers, report, sources

WIDTH = 120
README_LINES = 150  # what a newcomer reads in ten minutes; the rest stands beside what it describes
HEADER_RULES = {
    r"^\s*namespace\s*\{": "an anonymous namespace in a header is another one in every translation unit",
    r"^(template\s*<.*>\s*)?static\b": "a static function in a header is another one in every translation unit",
    # graft::rules is written in the words of graft::vocabulary.
    r"^using namespace\b(?! graft::vocabulary;)": "a header may not open a namespace for whoever includes it",
    r"\b(dynamic_cast|typeid|type_index|any_cast)\b": "a program may be compiled without RTTI",
    r"\b(std::)?(cout|cerr|clog)\b|\b(std::)?f?(printf|puts)\s*\(": "the library never prints",
}
EVERYWHERE = {
    r"\t": "a tab",
    r"\s$": "blanks at the end of a line",
    r"\b(TODO|FIXME|XXX|HACK)\b": "an unfinished thought",
}

def text_faults(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path.relative_to(ROOT)}:{number}"
        if len(line) > WIDTH and not (path.suffix == ".md" and line.startswith("|")):  # a row of a table is one line
            yield f"{place}: {len(line)} columns, not {WIDTH}"
        for pattern, fault in EVERYWHERE.items():
            if re.search(pattern, line):
                yield f"{place}: {fault}"


def header_faults(header):
    text = (INCLUDE / header).read_text()
    if not text.startswith("#pragma once\n"):
        yield f"{header}: #pragma once comes first"
    if re.search(r"^namespace graft\b(?!::inline v1\b)", text, re.MULTILINE):
        yield f"{header}: the namespace is graft::inline v1"
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, fault in HEADER_RULES.items():
            if re.search(pattern, line):
                yield f"{header}:{number}: {fault}"


def faults():
    lines = len((ROOT / "README.md").read_text().splitlines())
    if lines > README_LINES:
        yield f"README.md: {lines} lines, not {README_LINES}"
    for path in sources():
        if path.name != "style.py":
            yield from text_faults(path)
    for header in [*headers(), *bodies()]:
        yield from header_faults(header)


report(faults())
