#!/usr/bin/env python3
"""Compares the committed table of operators with what the installed packages define."""

import difflib
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "graph"))
import schema_generate

committed = schema_generate.HEADER.read_text().splitlines()
defined = schema_generate.render().splitlines()
differences = list(difflib.unified_diff(committed, defined, "committed", "defined", lineterm="", n=1))
print("\n".join(differences[:100]) or f"{len(committed)} lines agree")
sys.exit(1 if differences else 0)
