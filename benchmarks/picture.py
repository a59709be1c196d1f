"""Draws benchmarks/results.svg from the output of tables.py, and puts the figures and the picture into README.md,
between <!-- results --> and <!-- /results -->.

  tables.py ... | tee build/tables.txt; python3 benchmarks/picture.py build/tables.txt
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TITLES = {
    "made-up/resnet50v2": "ResNet50v2",
    "made-up/mobilenetv2": "MobileNetV2",
    "made-up/efficientnet_lite4": "EfficientNet-Lite4",
    "made-up/mobilenetv3_large": "MobileNetV3-Large",
    "made-up/silu_detector": "detector with SiLU",
    "made-up/shuffle_detector": "detector with shuffles",
    "made-up/bert": "small BERT encoder",
    "real/mobilenetv2": "MobileNetV2, trained",
    "real/squeezenet": "SqueezeNet, trained",
    "real/ultraface_rfb320": "UltraFace, trained",
    "real/mnist": "MNIST classifier, trained",
    "real/bert_toy": "toy BERT",
}
THEIRS, OURS = "quantize_static", "default"  # what tables.py calls the rows
BARS = ((THEIRS, "quantize_static", "#9aa5b1"), (OURS, "graft", "#2f7d4f"))
ROW = re.compile(r"(?P<label>\S.*?) +(?P<ms>[\d.]+) +(?P<speed>[\d.]+)x +[\d.]+ +-?[\d.]+ +(?P<top1>[\d.]+)%")


def read(text):
    """{title: {label: row}} of the models that have all rows, in the order of the text."""
    models, rows = {}, {}
    for line in text.splitlines():
        name = line.split(":")[0]
        if name in TITLES and "to calibrate" in line:
            rows = models[TITLES[name]] = {}
        elif row := ROW.match(line):
            rows[row["label"]] = row.groupdict()
    return {title: rows for title, rows in models.items() if {"FP32", THEIRS, OURS} <= rows.keys()}


def table(models):
    lines = ["| model | float, ms | `quantize_static`: speed | top-1 | graft: speed | top-1 |", "|---" * 6 + "|"]
    for title, rows in models.items():
        cells = [title, rows["FP32"]["ms"]]
        for label in (THEIRS, OURS):
            cells += [rows[label]["speed"] + "x", rows[label]["top1"] + " %"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def picture(models):
    left, scale, bar, gap = 180, 110, 14, 14
    most = max(float(rows[label]["speed"]) for rows in models.values() for label in (THEIRS, OURS))
    width, height = left + round(scale * most) + 150, 50 + len(models) * (2 * bar + gap)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="12">', '<rect width="100%" height="100%" fill="white"/>']

    def text(x, y, words, anchor="start"):
        parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(words)}</text>')

    text(left, 18, "speed over float, and top-1 agreement with it:")
    for i, (_, name, colour) in enumerate(BARS):
        parts.append(f'<rect x="{left + 120 * i}" y="26" width="10" height="10" fill="{colour}"/>')
        text(left + 120 * i + 15, 35, name)
    y = 50
    for title, rows in models.items():
        text(left - 8, y + bar + 4, title, "end")
        for label, _, colour in BARS:
            length = round(scale * float(rows[label]["speed"]))
            parts.append(f'<rect x="{left}" y="{y}" width="{length}" height="{bar - 2}" fill="{colour}"/>')
            text(left + length + 6, y + bar - 4, f'{rows[label]["speed"]}x, {rows[label]["top1"]} %')
            y += bar
        y += gap
    parts.append(f'<path d="M{left + scale} 44V{height - 8}" stroke="black" stroke-dasharray="3"/>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    printed = pathlib.Path(sys.argv[1]).read_text()
    models = read(printed)
    if not models:
        sys.exit(f"{sys.argv[1]} has no model with the rows FP32, {THEIRS} and {OURS}")
    (ROOT / "benchmarks/results.svg").write_text(picture(models))
    readme = ROOT / "README.md"
    vnni = "without" if "has no VNNI" in printed else "with"
    shown = (f"<!-- results -->\nThe processor is an x86-64 {vnni} VNNI.\n\n"
             f"![speed and agreement](benchmarks/results.svg)\n\n{table(models)}\n<!-- /results -->")
    text, count = re.subn(r"<!-- results -->.*<!-- /results -->", shown, readme.read_text(), flags=re.DOTALL)
    if count != 1:
        sys.exit("README.md has no place for the results")
    readme.write_text(text)


if __name__ == "__main__":
    main()
