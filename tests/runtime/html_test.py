#!/usr/bin/env python3
"""The page of graft-quantize --html in headless Chromium, where html_probe.js does what a reader would.

Usage: html_test.py GRAFT_QUANTIZE

Nothing is printed to the console or asked of the network, every layer and both graphs are there, a row leads to the
histogram over its grid, pictures zoom, and names are text whatever is in them. Skipped where there is no Chromium.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

sys.dont_write_bytecode = True  # nothing is left beside the sources
SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = ["<script>window.harm=1</script>", "\"'&amp;<img src=x onerror='window.harm=1'>", "</script><!--"]
NO_UTF8 = b"conv \xff\xfe\xc3( "
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL", what)


def hostile_model(path):
    """Two Convs, the first with a BatchNormalization that becomes a part of it, and what no integer kernel is for."""
    random = np.random.default_rng(3)
    parts = {"w": (8, 3, 3, 3), "v": (8, 8, 3, 3), "scale": (8,), "shift": (8,), "mean": (8,), "variance": (8,)}
    constants = [
        numpy_helper.from_array(random.uniform(0.1, 1, dims).astype(np.float32) - 0.5 * (len(dims) > 1), name)
        for name, dims in parts.items()
    ]
    stand_in = "conv 123456"[: len(NO_UTF8)]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], HOSTILE[0], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", *list(parts)[2:]], ["b"], "normal"),
        helper.make_node("Relu", ["b"], ["c"], HOSTILE[1]),
        helper.make_node("Conv", ["c", "v"], ["d"], stand_in, pads=[1, 1, 1, 1]),
        helper.make_node("Softplus", ["d"], ["y"], HOSTILE[2]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 16, 16])
    graph = helper.make_graph(nodes, "hostile", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path.write_bytes(model.SerializeToString().replace(stand_in.encode(), NO_UTF8))
    sample = random.standard_normal((1, 3, 16, 16)).astype(np.float32)
    (path.parent / "samples").mkdir()
    (path.parent / "samples" / "0.pb").write_bytes(numpy_helper.from_array(sample).SerializeToString())
    return ["--calibration", path.parent / "samples", "--weights-of", re.escape(HOSTILE[0]) + "=per-tensor,6"]


def drawn_nodes(path):
    """How many a picture has: those that vary, except dequantizers of constants, between inputs and outputs."""
    model = onnx.ModelProto()
    model.ParseFromString(path.read_bytes().replace(NO_UTF8, b"?" * len(NO_UTF8)))
    constant = {i.name for i in model.graph.initializer} | {""}
    count = sum(i.name not in constant for i in model.graph.input) + len(model.graph.output)
    for node in model.graph.node:
        if all(name in constant for name in node.input):
            constant.update(node.output)
        else:
            count += 1
    return count


def browse(page, folder):
    """What the probe found on a copy of the page, and what Chromium told of it."""
    copy = folder / "copy.html"
    probe = b"<script>\n" + (HERE / "html_probe.js").read_bytes() + b"</script>\n</body>"
    copy.write_bytes(page.read_bytes().replace(b"</body>", probe))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"]
    options += ["--window-size=1400,1000", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    done = subprocess.run(["chromium", *options, copy.as_uri()], capture_output=True, timeout=120, check=True)
    console = [line for line in done.stderr.decode(errors="replace").splitlines() if ":CONSOLE" in line]
    found = re.search('<pre id="probe">(.*?)</pre>', done.stdout.decode(errors="replace"), re.DOTALL)
    return json.loads(html.unescape(found[1])) if found else None, console


def check_layers(label, report, found):
    rows = {(row["op"], row["name"]): row for row in found["rows"]}
    for finding in report["audit"]:
        row = rows.get((finding["op"], finding["node"]))
        check(row is not None, f"{label}: {finding['node']} has no row")
        wanted = ["integers"] if finding["fused"] else ["not fused", "kept in float"]
        check(row is None or row["badge"] in wanted, f"{label}: {row} where the audit says {finding}")
    check(found["filtered"] == 0, f"{label}: the filter shows {found['filtered']} rows of none")
    for row, layer in zip(found["rows"], found["layers"], strict=True):
        titles = (f"{row['op']} {row['name']}", row["name"])  # the latter of what has no name but that of its tensor
        check(layer["title"] in titles and layer["current"] == 1, f"{label}: {row}, {layer}")
        check(layer["nodes"] >= 1, f"{label}: {row['name']} is in no picture")
    quantized = [chart for layer in found["layers"] for chart in layer["charts"] if chart["grid"]]
    check(len(quantized) >= report["pairs"], f"{label}: {len(quantized)} grids, {report['pairs']} pairs")
    for chart in quantized:
        check(chart["bars"] > 0 and 8 <= chart.get("levels", 0) <= 33, f"{label}: {chart}")


def check_zoom(label, zooms):
    scales = [[float(re.search(r"scale\((.*?)\)", transform)[1]) for transform in pair] for pair in zooms]
    rises = [(after > before) - (after < before) for before, after in scales]
    check(rises[:4] == [1, -1, 1, 0], f"{label}: by wheel, wheel, button and arrow, scales went {scales}")
    check(all(before != after for before, after in zooms), f"{label}: something does not move: {zooms}")


def check_runtime(label, path, found):
    """What goes into the kernel of another is not an operator of its own in the runtime."""
    optimized = path.with_suffix(".optimized")
    sessions.session(path, optimized)
    left = {node.name for node in onnx.load(optimized).graph.node}
    for row in found["rows"]:
        check(row["badge"] != "within a kernel" or row["name"] not in left, f"{label}: {row} is an operator")
    check(any(row["badge"] == "within a kernel" for row in found["rows"]), f"{label}: nothing is within a kernel")


def check_page(label, program, model, options, folder):
    report, page, output = folder / "report.json", folder / "page.html", folder / "q.onnx"
    made = subprocess.run(
        [program, model, "--fast", "-o", output, "--report", report, "--html", page, *options],
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    check(made.returncode == 0, f"{label}: {made.stderr}")
    found, console = browse(page, folder)
    check(not console, f"{label}: {console}")
    check(found is not None, f"{label}: the script did not come to its end")
    if found is None:
        return None
    check(found["resources"] == [], f"{label}: the network is asked for {found['resources']}")
    check_layers(label, json.loads(report.read_text()), found)
    check_zoom(label, found["zooms"])
    for path, picture in zip((model, output), found["pictures"], strict=True):
        wanted = drawn_nodes(path)
        check(len(picture["nodes"]) == wanted, f"{label}: {len(picture['nodes'])} nodes of {wanted} are drawn")
        check(picture["edges"] >= wanted - 1 and picture["visible"], f"{label}: {picture['edges']} edges")
    return found


def hostile(program, folder):
    model = folder / "model.onnx"
    options = hostile_model(model)
    for placement in ("all-supported", "fusion-aware"):
        found = check_page(placement, program, model, [*options, "--placement", placement], folder)
        if not found:
            continue
        names = [row["name"] for row in found["rows"]]
        for name in [*HOSTILE, NO_UTF8.decode(errors="replace")]:
            check(name in names, f"{placement}: {name} is not among {names}")
            for picture in found["pictures"]:
                check(any(name in node for node in picture["nodes"]), f"{placement}: {name} is not drawn")
        check(found["harm"] is None and found["elements"] == 3, f"{placement}: a name became an element")
        rows = {row["name"]: row for row in found["rows"]}
        check(rows[HOSTILE[0]]["bits"] == "6 bits, per tensor", f"{placement}: {rows[HOSTILE[0]]}")
        merged = rows["normal"]
        check(merged["badge"] == "rewritten" and HOSTILE[0] in merged["reason"], f"{placement}: {merged}")
        counts = [["Conv", "2", "", "", "", "2"], ["Relu", "", "1", "", "", "1"], ["Softplus", "", "", "1", "", "1"]]
        counts += [["BatchNormalization", "", "", "", "1", "1"]]
        check(sorted(found["operators"]) == sorted(counts), f"{placement}: {found['operators']}")


def main(program):
    if not shutil.which("chromium"):
        print("skipped: there is no Chromium")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        hostile(program, pathlib.Path(folder))
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "models" / "squeezenet.onnx"
    if data.is_file():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            images = folder / "images"
            images.mkdir()
            for image in sorted((data.parent.parent / "images" / "imagenet").iterdir())[:2]:
                (images / image.name).symlink_to(image)
            options = ["--calibration", images, "--size", "224x224", "--bgr", "--mean", "104,117,123"]
            for placement in ("all-supported", "min-cost"):
                found = check_page(placement, program, data, [*options, "--placement", placement], folder)
                if found:
                    check_runtime(placement, folder / "q.onnx", found)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
