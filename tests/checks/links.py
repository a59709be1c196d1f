"""Every link of a page of documentation to a file of the tree leads to one that is there."""

import re

from house import ROOT, pages, report

LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)(?:#[^)]*)?\)")


def faults():
    for page in pages():
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if not (page.parent / target).exists():
                    yield f"{page.relative_to(ROOT)}:{number}: there is no {target}"


report(faults())
