"""page.py PAGE COMPILER ARGUMENT...: the blocks of C++ of a page of documentation compile, as one program.

A later block uses the headers and the names of those before it; one that begins with an #include compiles without them
too. What the compiler reports has the page's lines.
"""

import pathlib
import re
import subprocess
import sys

LANGUAGES = {"cpp", "sh", "cmake", "json", "text"}


def program(page):
    """The lines of each block, or a message that ends the test where a block names no language that is known."""
    blocks, block = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"```(.*)", line)
        if not fence:
            if block == "cpp":
                blocks[-1].append(line)
        elif block is not None:
            block = None
        elif fence[1] in LANGUAGES:
            block = fence[1]
            if block == "cpp":
                blocks.append([f'#line {number + 1} "{page}"'])
        else:
            sys.exit(f"{page}:{number}: a block is one of {', '.join(sorted(LANGUAGES))}, not '{fence[1]}'")
    if block is not None:
        sys.exit(f"{page}: the last block has no end")
    return blocks


def main():
    page, command = pathlib.Path(sys.argv[1]), [*sys.argv[2:], "-fsyntax-only", "-x", "c++", "-"]
    blocks = program(page)
    programs = [sum(blocks, [])] if blocks else []
    programs += [block for block in blocks[1:] if block[1].startswith("#include")]
    results = [subprocess.run(command, input="\n".join(lines) + "\n", text=True).returncode for lines in programs]
    return max(results, default=0)


sys.exit(main())
