"""include/graft/RULES.md lists every rule by its name, what it rewrites, and the header with its conditions.

The page is made of the headers: `python3 tests/checks/rule_index.py . --write`.
"""

import re
import sys
import textwrap

from house import INCLUDE, ROOT, headers, report

PAGE = INCLUDE / "graft" / "RULES.md"
HEAD = """# Rules

The rules of graft by header. Each header has the exact conditions. `graft-optimize --only NAME` runs one rule of
simplify/, lower/ or transformer/; `simplify_rules()`, `lower_rules()` and `transformer_rules()` find it by its name.
`tests/checks/rule_index.py . --write` makes this page.
"""
WIDTH = 120
HANDLE = re.compile(r"extern const RuleView (\w+);")


def definitions(header):
    body = (INCLUDE / header).with_suffix(".ipp")
    return body.read_text() if body.exists() else ""


def names(header):
    """The name of each rule by its handle: squeeze_squeeze -> squeeze-squeeze."""
    return dict(re.findall(r"constexpr auto (\w+)\s*=\s*rule<\"([^\"]+)\">", definitions(header)))


def blocks(header):
    """The handles that stand in a row, and the lines of the comment in front of them."""
    comment, handles = [], []
    for line in (INCLUDE / header).read_text().splitlines():
        found = HANDLE.fullmatch(line)
        if found:
            handles.append(found[1])
            continue
        if handles:
            yield handles, comment
            handles, comment = [], []
        if re.match(r"//( |$)", line):
            comment.append(line[3:])
        elif line:
            comment = []
        elif comment:
            comment.append("")


def forms(comment):
    """The lines of Before and After, with those that continue them; an empty one between two rewrites."""
    lines, inside = [], False
    for line in comment:
        begins = re.match(r"(Before|After):", line)
        if line.startswith("Before:") and lines and not inside:
            lines.append("")
        inside = bool(begins) or (inside and line.startswith(" "))
        if inside:
            lines.append(line)
    return lines


def page():
    room = ""
    lines = [HEAD]
    for header in headers():
        rows = [(handles, forms(comment)) for handles, comment in blocks(header)]
        if not rows:
            continue
        if header.parts[1] != room:
            room = header.parts[1]
            lines.append(f"## {room}\n")
        where = "/".join(header.parts[1:])
        lines.append(f"### [{where}]({where})\n")
        named = names(header)
        for handles, form in rows:
            text = ", ".join(f"`{named.get(handle, handle)}`" for handle in handles)
            lines.append(textwrap.fill(text, WIDTH, break_on_hyphens=False) + "\n")
            if form:
                lines.append("\n".join(["```text", *form, "```", ""]))
    return "\n".join(lines)


def unregistered():
    """Rules that the registry of their room does not have."""
    for room in ("simplify", "lower", "transformer"):
        registered = set(re.findall(r"\w+", (INCLUDE / "graft" / room / "rules.ipp").read_text()))
        for header in headers():
            for handle in HANDLE.findall((INCLUDE / header).read_text()):
                if header.parts[1] == room and handle not in registered:
                    yield f"{header}: {handle} is not in graft/{room}/rules.ipp"


def incomplete():
    """Handles without their rule, their definition, or what they rewrite."""
    for header in headers():
        named, text = names(header), " ".join(definitions(header).split())
        head = (INCLUDE / header).read_text().split("\nnamespace ")[0]
        for handles, comment in blocks(header):
            rewrite = "\n".join([*comment, head])
            if "Before:" not in rewrite or "After:" not in rewrite:
                yield f"{header}: no Before and After above {handles[0]}, nor at the top"
            for handle in handles:
                if handle not in named:
                    yield f'{header}: its .ipp has no `constexpr auto {handle} = rule<"...">`'
                made = rf"GRAFT_INLINE constinit const RuleView {handle} = [\w:]+::{handle}\.view\(\);"
                if not re.search(made, text):
                    made = f"GRAFT_INLINE constinit const RuleView {handle} = rules::{handle}.view();"
                    yield f"{header}: its .ipp lacks `{made}`"


def faults():
    yield from unregistered()
    yield from incomplete()
    text = page()
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        yield f"{PAGE.relative_to(ROOT)} is not what the headers say: run tests/checks/rule_index.py . --write"


report(faults())
