"""Phrases that are hard to read stay out of comments, documentation and texts; each has a plain one beside it."""

import re

from house import ROOT, report, sources

PLAIN = {
    r"had better": "should",
    r"go(es)? unasked": "stays fixed",
    r"takes? it that": "assumes that",
    r"of one's own": "own",
    r"lest": "so that ... not",
    r"save (that|for|where)": "except",
    r"but for": "except",
    r"anew": "again",
    r"none of which": "... , and none of them",
    r"(is|are|be) told": "who tells whom: reports, passes, logs",
    r"(is|are|be) said": "who says it, or where",
    r"(what|who|whatever|whoever) reads": "readers",
    r"what is (not )?known": "known facts, extents, types",
    r"which of them": "the noun: the nodes, the rules",
    r"what stands": "the noun: the next node, the operators between",
    r"stands? under": "has, belongs to",
    r"worst thing to say": "most severe problem",
    r"says? nothing": "is unknown, empty or absent",
    r"(is|are) none that": "is not one that",
    r"than none": "at least 0",
    r"(?<!there )(?<!here )(is|are|was|were) no(?= )(?! (longer|more|other|\w+er)\b)": "is not a",
    r"wants": "needs; in a message: expected N, found M",
    r"expected [\w ]+, got": "expected N, found M",
}
CODE = {".hpp", ".ipp", ".cpp"}
PROSE = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')  # comments and texts of C++
MARKS = re.compile(r'^[\s/<#*|"]+|"$')


def prose(path):
    """The lines of a file, of C++ without code."""
    for line in path.read_text().splitlines():
        parts = PROSE.findall(line) if path.suffix in CODE else [line]
        yield " ".join(MARKS.sub("", part.strip()) for part in parts)


def faults():
    hard = re.compile(r"\b(?:" + "|".join(f"(?P<p{i}>{phrase})" for i, phrase in enumerate(PLAIN)) + r")\b", re.I)
    plain = list(PLAIN.values())
    for path in sources():
        if path.name == "prose.py":
            continue
        starts, text = [], ""
        for line in prose(path):  # a phrase may go over the end of a line
            starts.append(len(text))
            text += line + " " if line else ""
        for found in hard.finditer(text):
            number = sum(start <= found.start() for start in starts)
            yield f"{path.relative_to(ROOT)}:{number}: \"{found[0]}\"; plainer: {plain[int(found.lastgroup[1:])]}"


report(faults())
