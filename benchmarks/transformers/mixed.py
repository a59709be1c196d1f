"""Nets with convolutions and attention, quantized with products static, dynamic, and as graft chooses for each."""

import json
import subprocess
import time

import numpy
import onnx
from onnx import numpy_helper
from sessions import session


def images(model, count, seed):
    """Feeds of smooth noise: of each image another contrast."""
    random = numpy.random.default_rng(seed)
    feeds = []
    for _ in range(count):
        feed = {}
        for value in model.get_inputs():
            dims = [dim if isinstance(dim, int) else 1 for dim in value.shape]
            coarse = random.standard_normal([*dims[:2], *(-(-dim // 16) for dim in dims[2:])])
            for axis in range(2, len(dims)):
                coarse = coarse.repeat(16, axis=axis).take(range(dims[axis]), axis=axis)
            noise = coarse + 0.2 * random.standard_normal(dims)
            feed[value.name] = (noise * random.uniform(0.3, 1.5)).astype(numpy.float32)
        feeds.append(feed)
    return feeds


def cosine(a, b):
    return float((a * b).sum() / numpy.linalg.norm(a) / numpy.linalg.norm(b))


def table(options, folder):
    program = options.build / "examples/graft-quantize"
    for path in options.models:
        floats = session(path)
        calibration = folder / f"{path.stem}_calibration"
        for i, feed in enumerate(images(floats, 24, 1)):
            one = calibration / f"test_data_set_{i:02}"
            one.mkdir(parents=True)
            for k, array in enumerate(feed.values()):
                (one / f"input_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
        made, forms = {"float": path}, {"float": ""}
        for name, arguments in ("static", ["--static"]), ("dynamic", ["--dynamic"]), ("by default", []):
            made[name], report = folder / f"{path.stem}_{name[:2]}.onnx", folder / "report.json"
            command = [program, path, "-o", made[name], "--calibration", calibration, "--report", report, *arguments]
            subprocess.run(command, check=True, capture_output=True)
            products = [product["form"] for product in json.loads(report.read_text())["product_forms"]]
            counts = {form: products.count(form) for form in dict.fromkeys(products)}
            convolutions = sum(node.op_type == "Conv" for node in onnx.load(made[name]).graph.node)
            forms[name] = f"{convolutions} Conv; products: " + ", ".join(f"{n} {form}" for form, n in counts.items())
        sessions = {name: session(file) for name, file in made.items()}
        feeds = images(floats, 16, 2)
        wanted = [floats.run(None, feed)[0] for feed in feeds]
        seconds = {name: [] for name in made}
        for _ in range(options.rounds):
            for feed in feeds:
                for name, one in sessions.items():
                    start = time.perf_counter()
                    one.run(None, feed)
                    seconds[name].append(time.perf_counter() - start)
        print(f"\n{path.stem:<28} {'ms':>6} {'speed':>6} {'size':>5} {'cosine':>7}   ({len(feeds)} images)")
        for name, one in sessions.items():
            away = numpy.mean([cosine(one.run(None, feed)[0], exact) for feed, exact in zip(feeds, wanted)])
            ratio = numpy.median(numpy.array(seconds["float"]) / numpy.array(seconds[name]))
            size = made[name].stat().st_size / path.stat().st_size
            print(f"{name:<28} {1e3 * numpy.median(seconds[name]):6.2f} {ratio:5.2f}x {size:5.2f} {away:7.4f}   "
                  f"{forms[name]}", flush=True)
