"""Constructs that MSVC lacks stand only in the files that tests/README.md lists below "MSVC"."""

import re

from house import INCLUDE, ROOT, bodies, headers, report

LACKING = re.compile(
    r"__builtin_\w+|__attribute__|__extension__|__asm__|__restrict\b|__u?int128|__typeof__|__get_cpuid\w*"
    r"|__PRETTY_FUNCTION__|\bgnu::target\b|\b(Lanes|Vectors)<|\?:|\bcase [^:]*\.\.\. "
)


def listed():
    """The files in the first column of the section's table, relative to include/."""
    section = (ROOT / "tests/README.md").read_text().split("\n## MSVC\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(graft/[^`]+)`", section, re.MULTILINE))


def faults():
    allowed, found = listed(), set()
    for header in [*headers(), *bodies()]:
        for number, line in enumerate((INCLUDE / header).read_text().splitlines(), 1):
            construct = LACKING.search(line.split("//")[0])
            if construct is None:
                continue
            found.add(str(header))
            if str(header) not in allowed:
                yield f"{header}:{number}: MSVC lacks '{construct[0]}'"
    for header in sorted(allowed - found):
        yield f"tests/README.md: {header} has nothing that MSVC lacks"


report(faults())
