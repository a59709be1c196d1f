"""A declarative rule is data: what each further one adds to the machine code stays within a few instructions."""

import pathlib
import subprocess
import tempfile

from house import compiled, report
from made_rules import VOCABULARY, rules

LIMIT = 64  # bytes of code for each rule of three operators
FEW, MANY = 10, 40


def code_bytes(count):
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "rules.o")
        compiled(VOCABULARY.removeprefix("#pragma once\n") + rules(count), "-c", "-o", str(unit))
        table = subprocess.run(["size", "-A", unit], check=True, capture_output=True, text=True).stdout
    return sum(int(row.split()[1]) for row in table.splitlines() if row.startswith(".text"))


def faults():
    slope = (code_bytes(MANY) - code_bytes(FEW)) / (MANY - FEW)
    print(f"{slope:.1f} bytes of code for each rule")
    if slope > LIMIT:
        yield f"more than {LIMIT}"


report(faults())
