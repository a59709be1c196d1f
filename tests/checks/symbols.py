"""symbols.py ROOT LIBRARY: what the compiled library defines is in its versioned namespace, so that two versions of
graft can be in one program, and constant once it is made, so that threads can share it.
"""

import re
import subprocess
import sys

from house import INCLUDE, report

NAMESPACE = "graft::v1::"
# Variables that change: an exact list, with reasons.
CHANGING = {
    # Texts of reasons that are made at run time. A Reason outlives the pass and the model that it is about. They are
    # added to behind the mutex, and stay.
    "detail::kept_text()::kept",
    "detail::kept_text()::mutex",
    # Each thread has its own.
    "detail::allocation_limit()::bytes",
    "detail::thread_account()::account",
    # Only its addresses count: a constant might share its address with others (-fmerge-all-constants).
    "TypeKey::marked",
}
WRITABLE = re.compile(r"\.t?(data|bss)(?!\.rel\.ro)")
OF_OTHERS = re.compile(r"std::|Eigen::|DW\.ref\.|guard variable for ")
CONSTANT = re.compile(r"\b(?:constexpr|constinit const|static const)\b[^;={(]*?(\w+)(?:\[\w*\])?\s*[;={(]")
STATIC = re.compile(r"^ +(?:static|thread_local) (?!const\b|constexpr\b)[\w:<>,*& ]+?(\w+)(?:\{.*\}| = .*)?;", re.M)


def table(*command):
    return subprocess.run([*command, sys.argv[2]], check=True, capture_output=True, text=True).stdout.splitlines()


def exported():
    """The names of what no other library may define as well: functions that are not inline, and variables."""
    for row in table("nm", "--defined-only", "--extern-only", "--demangle"):
        found = re.match(r"[0-9a-f]+ ([A-Z]) (.*)", row)
        if found and found[1] not in "WVU":
            yield found[2]


def variables():
    """The names of variables in sections that a program may write to, those of functions as f()::name."""
    for row in table("objdump", "--syms", "--demangle"):
        found = re.match(r"[0-9a-f]+ .{7} (\S+)\t[0-9a-f]+ (?:\.hidden )?(.*)", row)
        if found and WRITABLE.match(found[1]) and not found[2].startswith("."):
            name = re.sub(r"\(.*\)(?: const)?::", "()::", found[2].replace("[abi:cxx11]", ""))
            yield re.sub(r"^([\w:]+)<.*>$", r"\1", name)  # of a template of variables


def found_in_sources(pattern):
    return {name for path in INCLUDE.rglob("*.[hi]pp") for name in pattern.findall(path.read_text())}


def faults():
    yield from (f"{name} is not in {NAMESPACE}" for name in exported() if NAMESPACE not in name)
    # The sections alone do not say it: what is made at run time is written once, and g++ 12 puts arrays into .data
    # whose size follows from their elements. Nor do the sources alone, where declarations are hard to tell apart.
    constant = found_in_sources(CONSTANT)
    for name in sorted(set(variables())):
        last = re.search(r"\w+$", name)
        if not OF_OTHERS.match(name) and name.removeprefix(NAMESPACE) not in CHANGING:
            if last is None or last[0] not in constant:
                yield f"{name} can change"
    known = {name.rpartition("::")[2] for name in CHANGING}
    yield from (f"the static variable {name} can change" for name in sorted(found_in_sources(STATIC) - known))


report(faults())
