"""A declarative rule is data: what each further one adds to the machine code stays within a few instructions."""

import pathlib
import subprocess
import tempfile

from house import compiled, report

LIMIT = 64  # bytes of code for each rule of three operators
FEW, MANY = 10, 40


def source(count):
    lines = ["#include <graft/rewrite.hpp>", "using namespace graft;"]
    lines += [f'inline constexpr auto {name} = val<"{name}">;' for name in "xy"]
    lines += ['inline constexpr auto w = cst<"w">;', 'inline constexpr auto axis = attr<"axis", Axis>;']
    for i in range(count):
        before = f'op<"A{i}">(op<"Concat">(x, op<"B{i}">(y, w)).with(axis))'
        after = f'op<"Concat">(op<"B{i}">(x, y), w).with(axis)'
        lines.append(f'inline constexpr auto rule_{i} = rule<"rule {i}">({before}, {after});')
    views = ", ".join(f"rule_{i}.view()" for i in range(count))
    return "\n".join([*lines, f"std::vector<RuleView> rules() {{ return {{{views}}}; }}", ""])


def code_bytes(count):
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "rules.o")
        compiled(source(count), "-c", "-o", str(unit))
        table = subprocess.run(["size", "-A", unit], check=True, capture_output=True, text=True).stdout
    return sum(int(row.split()[1]) for row in table.splitlines() if row.startswith(".text"))


def faults():
    slope = (code_bytes(MANY) - code_bytes(FEW)) / (MANY - FEW)
    print(f"{slope:.1f} bytes of code for each rule")
    if slope > LIMIT:
        yield f"more than {LIMIT}"


report(faults())
