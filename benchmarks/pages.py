"""Pages with measured figures, each table between <!-- name --> and <!-- /name -->."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
BENCHMARKS, TOP = HERE / "README.md", HERE.parent / "README.md"


def put(page, name, shown):
    """Replaces the table."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    text, count = re.subn(f"{begin}.*{end}", lambda _: f"{begin}\n{shown}\n{end}", page.read_text(), flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{page} has no place for {name}")
    page.write_text(text)
