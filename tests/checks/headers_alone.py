"""Every public header compiles on its own with GRAFT_COMPILED, without a warning.

One that lacks an include compiles only behind a header that brings what it lacks. So a few units include the headers in
several orders: no header that it does not include itself has been read in front of a header in all of them.

Header-only, umbrellas include the bodies, too; graft::compiled and the tests compile those.
"""

import concurrent.futures
import pathlib
import subprocess
import tempfile

from house import OPTIONAL, command, headers, own_includes, report

# In front of all, and compiled once.
BASE = "#include <onnx/onnx_pb.h>\n#include <Eigen/Core>\n"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"]


def read_headers():
    """What each header includes, by header, and those that are to stand alone."""
    direct = {header: set(own_includes(header)) for header in headers()}
    return direct, {header for header in direct if "detail" not in header.parts and header not in OPTIONAL}


def closures(direct):
    """By header, the headers that it includes, directly or not."""
    result = {}
    for header in direct:
        seen, left = {header}, [header]
        while left:
            fresh = direct[left.pop()] - seen
            seen |= fresh
            left += fresh
        result[header] = seen - {header}
    return result


def orders(closure, alone):
    """Each with headers behind those that they include, except those to which it would add nothing."""
    # What has still to be absent in front of each.
    absent = {header: set(closure) - closure[header] - {header} for header in alone}
    while any(absent.values()):
        order, seen, left = [], set(), sorted(alone)

        def gain(header):
            return len(absent[header] - seen)

        def worth(header):
            """What is read here is no longer absent further on. By this power there are few orders, and short ones."""
            return gain(header) ** 4 / (1 + len(closure[header] - seen))

        while left:
            next_one = max(left, key=worth)
            first = [header for header in left if header in closure[next_one]]
            for header in [*sorted(first, key=lambda header: len(closure[header])), next_one]:
                if gain(header):
                    order.append(header)
                    absent[header] &= seen
                    seen |= closure[header] | {header}
            left = [header for header in left if header not in seen and gain(header)]
        yield order


def units():
    direct, alone = read_headers()
    for order in orders(closures(direct), alone):
        yield "#define GRAFT_COMPILED\n" + "".join(f"#include <{name}>\n" for name in order)


def precompiled_base(folder):
    base = pathlib.Path(folder, "base.hpp")
    base.write_text(BASE)
    subprocess.run(command(*WARNINGS, "-x", "c++-header", str(base), "-o", f"{base}.gch"), check=True)
    return base


def faults():
    texts = list(units())
    print(f"{len(texts)} units")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiler = command(*WARNINGS, "-include", str(precompiled_base(folder)), "-fsyntax-only", "-x", "c++", "-")

        def complaints(text):
            run = subprocess.run(compiler, input=text, text=True, stderr=subprocess.PIPE)
            return run.stderr or ("the compiler failed" if run.returncode else "")

        yield from filter(None, pool.map(complaints, texts))


report(faults())
