"""Measures graft on large models: 10^3 to 10^6 nodes, 10^2 to 10^5 initializers, bodies nested 10 to 2000 deep.

Also measures 1 to 200 rules, and models of 6 GiB that are simplified, quantized or fused, and saved. Prints tables;
--write writes them to README.md in this folder, between <!-- scale --> and <!-- /scale -->, and draws scale.svg.

  python3 benchmarks/scale.py BUILD/benchmarks/scale [--folder PLACE] [--repetitions N] [--quick] [--write]

The models are made in PLACE, which needs 2 GB: the model of 6 GiB is sparse, but the results are not.
"""

import argparse
import html
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
from pages import BENCHMARKS, HERE, put  # noqa: E402

GROWTH = {  # what it is called: the stages that are shown, the sizes, what is counted
    "chain": (("view", "simplify", "save"), (1000, 10000, 100000, 1000000), "nodes"),
    "mobilenet": (("view", "simplify", "save"), (1000, 10000, 100000, 1000000), "nodes"),
    "layers": (("simplify", "quantize", "save"), (100, 1000, 10000, 100000), "weights"),
    "nested": (("verify", "infer", "simplify"), (10, 100, 1000, 2000), "levels"),
}
RULES = (1, 10, 50, 100, 200)
RULE_NODES = 100000
LARGE_MIB = 6144
COLOURS = ("#2f7d4f", "#9a5b1b", "#2b5c9b", "#8a3b72")


class Scale:
    def __init__(self, program, folder, repetitions):
        self.program, self.folder, self.repetitions = program, folder, repetitions

    def once(self, *words):
        """Processor and wall seconds by stage; the peak of anonymous memory."""
        done = subprocess.run([self.program, *map(str, words)], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def measured(self, *words):
        """The median of each figure, because other load disturbs single runs."""
        runs = [self.once(*words) for _ in range(self.repetitions)]
        return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def growth(scale, name, sizes):
    """{size: figures}"""
    return {size: scale.measured(name, size, scale.folder) for size in sizes}


def growth_table(name, found):
    stages, _, unit = GROWTH[name]
    lines = [f"| {name}: {unit} | " + " | ".join(f"{stage}, µs each" for stage in stages) + " | anonymous memory |",
             "|---" * (len(stages) + 2) + "|"]
    for size, run in found.items():
        cells = [f"{size:,}".replace(",", " "), *(f"{run[stage] / size * 1e6:.2f}" for stage in stages)]
        lines.append("| " + " | ".join([*cells, f"{run['anonymous'] / 2**20:.0f} MiB"]) + " |")
    last, before = list(found)[-1], list(found)[-2]
    ratios = [f"{found[last][stage] / last / (found[before][stage] / before):.2f}" for stage in stages]
    lines.append(f"| the last by the one before | {' | '.join(ratios)} | |")
    return "\n".join(lines)


def rules_table(found):
    lines = ["| rules | at one operator, ms | at operators of their own, ms |", "|---|---|---|"]
    for count in next(iter(found.values())):
        lines.append(f"| {count} | " + " | ".join(f"{1e3 * found[kind][count]['rules']:.1f}" for kind in found) + " |")
    return "\n".join(lines)


def large_table(found):
    stages = {"load": "load", "simplify": "simplify", "quantize": "quantize or fuse", "save": "save"}
    lines = ["| 6 GiB | " + " | ".join(f"{title}, s" for title in stages.values()) +
             " | anonymous memory | read | written |", "|---" * (len(stages) + 4) + "|"]
    for name, run in found.items():
        cells = [name, *(f"{run[stage]:.2f}" for stage in stages), f"{run['anonymous'] / 2**20:.0f} MiB",
                 f"{run['read'] / 2**30:.1f} GiB", f"{run['written'] / 2**30:.2f} GiB"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def large(scale, mib):
    found = {}
    for name, words in (("Q/DQ, known ranges", "large"), ("4 bits in blocks", "large_blockwise"),
                        ("4 bits by GPTQ", "large_gptq"), ("fused operators", "large_fused")):
        found[name] = scale.once(words, mib, scale.folder)
        found[name]["written"] = sum(path.stat().st_size for path in scale.folder.glob("out.onnx*"))
        for path in scale.folder.glob("out.onnx*"):
            path.unlink()
    return found


def picture(grown, rules):
    """Two panels, both axes logarithmic: time by size, where a flat line is linear growth; and time by rules."""
    width, height, left, top, bottom, gap = 430, 260, 60, 40, 40, 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + gap + 20}" height="{height + top + bottom}" '
             'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']

    def text(x, y, words, anchor="start", colour="black"):
        parts.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">'
                     f'{html.escape(words)}</text>')

    def panel(origin, title, lines):
        points = [point for line in lines.values() for point in line]
        low = [math.floor(math.log10(min(point[axis] for point in points))) for axis in (0, 1)]
        high = [math.ceil(math.log10(max(point[axis] for point in points))) for axis in (0, 1)]

        def x(value):
            return origin + left + (math.log10(value) - low[0]) / (high[0] - low[0]) * (width - left - 100)

        def y(value):
            return top + height - (math.log10(value) - low[1]) / (high[1] - low[1]) * height

        text(origin + left, 20, title)
        for power in range(low[0], high[0] + 1):
            parts.append(f'<path d="M{x(10**power):.0f} {top}v{height}" stroke="#ddd"/>')
            text(x(10**power), top + height + 18, f"10^{power}" if power > 3 else f"{10**power}", "middle")
        for power in range(low[1], high[1] + 1):
            parts.append(f'<path d="M{origin + left} {y(10**power):.0f}H{x(10**high[0]):.0f}" stroke="#ddd"/>')
            text(origin + left - 6, y(10**power) + 4, f"{10**power:g}", "end")
        ends = []
        for (name, line), colour in zip(lines.items(), COLOURS):
            path = "L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in line)
            parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            at = y(line[-1][1]) + 4
            while any(abs(at - other) < 13 for other in ends):
                at += 1
            ends.append(at)
            text(x(line[-1][0]) + 6, at, name, colour=colour)

    panel(0, "µs for each node, weight or level, by their number", grown)
    panel(width + gap, f"ms for {RULE_NODES} nodes, by the number of rules", rules)
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="folder for models; a temporary folder by default")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="run each once, without the largest size and with 1 GiB")
    parser.add_argument("--write", action="store_true", help="write the tables and the picture to benchmarks/")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as place:
        scale = Scale(arguments.program.resolve(), pathlib.Path(place), 1 if arguments.quick else arguments.repetitions)
        tables, lines = [], {}

        def show(table):
            print(table, end="\n\n", flush=True)
            tables.append(table)

        for name, (stages, sizes, _) in GROWTH.items():
            found = growth(scale, name, sizes[:-1] if arguments.quick else sizes)
            show(growth_table(name, found))
            stage = stages[-2] if "quantize" in stages else "simplify"
            lines[f"{name}: {stage}"] = [(size, run[stage] / size * 1e6) for size, run in found.items()]
        rules = {kind: {count: scale.measured(kind, count, RULE_NODES) for count in RULES}
                 for kind in ("one_root", "own_roots")}
        show(rules_table(rules))
        show(large_table(large(scale, 1024 if arguments.quick else LARGE_MIB)))
    if arguments.write:
        by_rules = {kind.replace("_", " "): [(count, 1e3 * run["rules"]) for count, run in found.items()]
                    for kind, found in rules.items()}
        (HERE / "scale.svg").write_text(picture(lines, by_rules))
        put(BENCHMARKS, "scale", "\n\n".join(tables))


if __name__ == "__main__":
    main()
