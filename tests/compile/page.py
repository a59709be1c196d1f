"""page.py PAGE COMPILER ARGUMENT...: the blocks of C++ of a page of documentation compile, as one program.

A later block uses the headers and the names of those before it. What the compiler reports has the page's lines.
"""

import pathlib
import re
import subprocess
import sys

LANGUAGES = {"cpp", "sh", "cmake", "text"}


def program(page):
    """The blocks, or a message that ends the test where a block names no language that is known."""
    lines, block = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"```(.*)", line)
        if not fence:
            if block == "cpp":
                lines.append(line)
        elif block is not None:
            block = None
        elif fence[1] in LANGUAGES:
            block = fence[1]
            if block == "cpp":
                lines.append(f'#line {number + 1} "{page}"')
        else:
            sys.exit(f"{page}:{number}: a block is one of {', '.join(sorted(LANGUAGES))}, not '{fence[1]}'")
    if block is not None:
        sys.exit(f"{page}: the last block has no end")
    return lines


def main():
    page, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    lines = program(page)
    if not lines:
        return 0
    command = [*compiler, "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input="\n".join(lines) + "\n", text=True).returncode


sys.exit(main())
