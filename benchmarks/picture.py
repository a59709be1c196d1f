"""Writes the output of tables.py to the pages.

The output of a run on ONNX Runtime goes to the top README.md, and is drawn in benchmarks/results.svg. Nets of packages,
the outputs of --runtime openvino and of --costs, and those of several releases of ONNX Runtime, given together, go to
benchmarks/README.md.

  tables.py ... | tee build/tables.txt; python3 benchmarks/picture.py build/tables.txt...
"""

import html
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
from pages import BENCHMARKS, HERE, TOP, put  # noqa: E402

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
    "real/minilm_l3": "MiniLM, trained",
    "packaged/ppocrv5_det": "PP-OCRv5 detector",
    "packaged/ppocrv5_rec": "PP-OCRv5 recognizer",
    "packaged/ppocrv4_rec": "PP-OCRv4 recognizer",
    "packaged/nudenet": "NudeNet (YOLOv8n)",
    "packaged/captcha_whisperer": "captcha-whisperer",
    "packaged/eeg_spindles": "EEG spindle detector",
    "packaged/eeg_seizures": "EEG seizure detector",
}
PACKAGED = {title for name, title in TITLES.items() if name.startswith("packaged/")}
THEIRS, OURS = "quantize_static", "default"  # what tables.py calls the rows
BARS = ((THEIRS, "quantize_static", "#9aa5b1"), (OURS, "graft", "#2f7d4f"))
ROW = re.compile(r"(?P<label>\S.*?) +(?P<ms>[\d.]+) +(?P<speed>[\d.]+)x +(?:(?P<expected>[\d.]+)x +)?[\d.]+"
                 r" +(?P<cosine>-?[\d.]+) +(?P<top1>[\d.]+)%")


def read(text, labels):
    """{title: {label: row}} of the models that have rows of these labels, in the order of the text."""
    models, rows = {}, {}
    for line in text.splitlines():
        name = line.split(":")[0]
        if name in TITLES and "to calibrate" in line:
            rows = models[TITLES[name]] = {}
        elif row := ROW.match(line):
            rows[row["label"]] = row.groupdict()
        elif line.startswith("both are the same model"):
            rows["own costs"]["is_same"] = True
    return {title: rows for title, rows in models.items() if set(labels) <= rows.keys()}


def times_as_fast(rows, label, as_label):
    return f'{float(rows[as_label]["ms"]) / float(rows[label]["ms"]):.2f}x'


def markdown(head, lines):
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines))


def table(models):
    head = ["model", "float, ms", "`quantize_static`: speed", "top-1", "graft: speed", "top-1"]
    lines = []
    for title, rows in models.items():
        lines.append([title, rows["FP32"]["ms"]])
        for label in (THEIRS, OURS):
            lines[-1] += [rows[label]["speed"] + "x", rows[label]["top1"] + " %"]
    return markdown(head, lines)


def packaged_table(models):
    head = ["net", "float, ms", "`quantize_static`: speed", "cosine", "graft: speed", "cosine", "expected"]
    lines = []
    for title, rows in models.items():
        lines.append([title, rows["FP32"]["ms"]])
        for label in (THEIRS, OURS):
            lines[-1] += [rows[label]["speed"] + "x", rows[label]["cosine"]]
        lines[-1].append(rows[OURS]["expected"] + "x")
    return markdown(head, lines)


def openvino_table(models):
    """NNCF does not quantize every model."""
    shown = ("nncf", "openvino-cpu")
    head = ["model", "float, ms", "NNCF: speed", "cosine", "top-1", "graft: speed", "cosine", "top-1",
            "graft over NNCF", "over `onednn`", "over `ort-cpu-x64`"]
    lines = []
    for title, rows in models.items():
        lines.append([title, rows["FP32"]["ms"]])
        for label in shown:
            row = rows.get(label)
            lines[-1] += [row["speed"] + "x", row["cosine"], row["top1"] + " %"] if row else ["fails", "", ""]
        for label in ("nncf", "onednn", "ort-cpu-x64"):
            lines[-1].append(times_as_fast(rows, "openvino-cpu", label) if label in rows else "")
    return markdown(head, lines)


def costs_table(models):
    head = ["model", "float, ms", "shipped costs: speed", "cosine", "own costs: speed", "cosine", "own over shipped"]
    lines = []
    for title, rows in models.items():
        lines.append([title, rows["FP32"]["ms"]])
        for label in ("shipped costs", "own costs"):
            lines[-1] += [rows[label]["speed"] + "x", rows[label]["cosine"]]
        is_same = rows["own costs"].get("is_same")
        lines[-1].append("the same model" if is_same else times_as_fast(rows, "own costs", "shipped costs"))
    return markdown(head, lines)


def release_table(models):
    """models: the results of each release."""
    head = ["model", *(f"{release}: {what}" for release in models
                       for what in ("`quantize_static`", "graft", "top-1", "graft over `quantize_static`"))]
    common = set.intersection(*(set(of_one) for of_one in models.values()))
    lines = []
    for title in next(iter(models.values())):
        if title not in common:
            continue
        lines.append([title])
        for of_one in models.values():
            rows = of_one[title]
            lines[-1] += [rows[THEIRS]["speed"] + "x", rows[OURS]["speed"] + "x", rows[OURS]["top1"] + " %",
                          times_as_fast(rows, OURS, THEIRS)]
    return markdown(head, lines)


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
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    texts = [pathlib.Path(name).read_text() for name in sys.argv[1:]]
    results = [read(text, ("FP32", THEIRS, OURS)) for text in texts]
    if len(texts) > 1:
        releases = [re.search(r"ONNX Runtime ([\d.]+)", text)[1] for text in texts]
        put(BENCHMARKS, "releases", release_table(dict(zip(releases, results))))
    elif results[0]:
        processor = f"The processor is an x86-64 {'without' if 'has no VNNI' in texts[0] else 'with'} VNNI.\n\n"
        packaged = {title: rows for title, rows in results[0].items() if title in PACKAGED}
        others = {title: rows for title, rows in results[0].items() if title not in PACKAGED}
        if packaged:
            put(BENCHMARKS, "packaged", processor + packaged_table(packaged))
        if others:
            (HERE / "results.svg").write_text(picture(others))
            put(TOP, "results", processor + f"![speed and agreement](benchmarks/results.svg)\n\n{table(others)}")
    elif models := read(texts[0], ("FP32", "openvino-cpu")):
        put(BENCHMARKS, "openvino", openvino_table(models))
    elif models := read(texts[0], ("FP32", "shipped costs", "own costs")):
        put(BENCHMARKS, "costs", costs_table(models))
    else:
        sys.exit(f"{sys.argv[1]} has no model with the rows that are shown")


if __name__ == "__main__":
    main()
