"""page.py PAGE COMPILER ARGUMENT...: the blocks of C++ of a page of documentation compile, as one program, and each
block of Python is read by its parser.

A later block uses the headers and the names of those before it; one that begins with an #include compiles without them
too. What the compiler reports has the page's lines.
"""

import pathlib
import re
import subprocess
import sys

LANGUAGES = {"cmake", "cpp", "json", "python", "sh", "text"}


def blocks_of(page):
    """The language, first line number and lines of each block, or a message that ends the test where a block names no
    language that is known."""
    blocks, language = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"```(.*)", line)
        if not fence:
            if language:
                blocks[-1][2].append(line)
        elif language:
            language = None
        elif fence[1] in LANGUAGES:
            language = fence[1]
            blocks.append((language, number + 1, []))
        else:
            sys.exit(f"{page}:{number}: a block is one of {', '.join(sorted(LANGUAGES))}, not '{fence[1]}'")
    if language:
        sys.exit(f"{page}: the last block has no end")
    return blocks


def main():
    page, command = pathlib.Path(sys.argv[1]), [*sys.argv[2:], "-fsyntax-only", "-x", "c++", "-"]
    found = blocks_of(page)
    for language, first, lines in found:
        if language == "python":
            compile("\n" * (first - 1) + "\n".join(lines), str(page), "exec")
    blocks = [[f'#line {first} "{page}"', *lines] for language, first, lines in found if language == "cpp"]
    programs = [sum(blocks, [])] if blocks else []
    programs += [block for block in blocks[1:] if block[1].startswith("#include")]
    results = [subprocess.run(command, input="\n".join(lines) + "\n", text=True).returncode for lines in programs]
    return max(results, default=0)


sys.exit(main())
