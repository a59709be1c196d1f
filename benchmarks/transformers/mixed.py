"""Nets with convolutions and attention, quantized with static, dynamic and weight-only products, and with graft's
choice for each."""

import json
import subprocess
import time

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from sessions import session


def made_up(path):
    """Two convolutions, then a product whose input has no common scale, and one whose input has."""
    random = numpy.random.default_rng(0)
    node = helper.make_node
    nodes = [node("Conv", ["x", "c0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["b"]),
             node("Conv", ["b", "c1"], ["h"], pads=[1] * 4), node("Reshape", ["h", "dims"], ["r"]),
             node("Div", ["r", "s"], ["d"]), node("MatMul", ["d", "w0"], ["y"]),
             node("Sigmoid", ["r"], ["p"]), node("MatMul", ["p", "w1"], ["z"])]
    dims = {"c0": (16, 16, 3, 3), "c1": (16, 16, 3, 3), "w0": (256, 256), "w1": (256, 256)}
    constants = [numpy_helper.from_array(random.standard_normal(size).astype(numpy.float32) / 12, name)
                 for name, size in dims.items()]
    constants.append(numpy_helper.from_array(numpy.array([1, 64, 256]), "dims"))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 32, 32]),
              helper.make_tensor_value_info("s", TensorProto.FLOAT, [])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64, 256]) for name in "yz"]
    graph = helper.make_graph(nodes, "made_up", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def with_head(path):
    """The same convolutions, a product behind them, and one of a single row: two results, each of half of the features.
    One half of the features is far above the other, so that no scale of the whole tensor serves both."""
    random = numpy.random.default_rng(0)
    node = helper.make_node
    nodes = [node("Conv", ["x", "c0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["b"]),
             node("Conv", ["b", "c1"], ["h"], pads=[1] * 4), node("Reshape", ["h", "dims"], ["r"]),
             node("Sigmoid", ["r"], ["p"]), node("MatMul", ["p", "w1"], ["z"]),
             node("Slice", ["h", "0", "1", "1"], ["m"]), node("Reshape", ["m", "row"], ["g"]),
             node("Mul", ["g", "f"], ["q"]), node("MatMul", ["q", "w0"], ["y"]),
             node("Split", ["y"], ["first", "second"], axis=1)]
    weights = {"c0": (16, 16, 3, 3), "c1": (16, 16, 3, 3), "w0": (1024, 512), "w1": (256, 256)}
    weights = {name: random.standard_normal(size).astype(numpy.float32) / 12 for name, size in weights.items()}
    weights["w0"] *= (numpy.arange(1024) < 512)[:, None] == (numpy.arange(512) < 256)
    sizes = {"dims": numpy.array([1, 64, 256]), "row": numpy.array([1, 1024]), "0": numpy.array([0]),
             "1": numpy.array([1])}
    constants = [numpy_helper.from_array(array, name) for name, array in {**weights, **sizes}.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 32, 32]),
              helper.make_tensor_value_info("f", TensorProto.FLOAT, [1024])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
               for name, dims in (("z", [1, 64, 256]), ("first", [1, 256]), ("second", [1, 256]))]
    graph = helper.make_graph(nodes, "with_head", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def images(model, count, seed):
    """Feeds of smooth noise: images of different contrast; numbers, 1 or a hundredth; and factors of
    features, of which one half is far above the other."""
    random = numpy.random.default_rng(seed)
    feeds = []
    for i in range(count):
        feed = {}
        for value in model.get_inputs():
            dims = [dim if isinstance(dim, int) else 1 for dim in value.shape]
            if not dims:
                feed[value.name] = numpy.array([1, 0.01][i // 4 % 2], numpy.float32)
                continue
            if len(dims) == 1:
                is_first = numpy.arange(dims[0]) < dims[0] // 2
                feed[value.name] = numpy.where(is_first == (i // 4 % 2 == 0), 100, 1).astype(numpy.float32)
                continue
            coarse = random.standard_normal([*dims[:2], *(-(-dim // 16) for dim in dims[2:])])
            for axis in range(2, len(dims)):
                coarse = coarse.repeat(16, axis=axis).take(range(dims[axis]), axis=axis)
            noise = coarse + 0.2 * random.standard_normal(dims)
            feed[value.name] = (noise * random.uniform(0.3, 1.5)).astype(numpy.float32)
        feeds.append(feed)
    return feeds


def worst_cosine(given, exact):
    """The mean cosine of the outputs over samples; 0 for zeros."""
    cosines = [[(a * b).sum() / max(numpy.linalg.norm(a) * numpy.linalg.norm(b), 1e-30) for a, b in zip(*outputs)]
               for outputs in zip(given, exact)]
    return float(numpy.mean(cosines, axis=0).min())


WAYS = {"static": ["--static"], "dynamic": ["--dynamic"], "weight-only": ["--weight-only", "8"], "by default": []}


def table(options, folder):
    program = options.build / "examples/graft-quantize"
    for path in [made_up(folder / "made_up.onnx"), with_head(folder / "with_head.onnx"), *options.models]:
        floats = session(path)
        calibration = folder / f"{path.stem}_calibration"
        for i, feed in enumerate(images(floats, 24, 1)):
            one = calibration / f"test_data_set_{i:02}"
            one.mkdir(parents=True)
            for k, array in enumerate(feed.values()):
                (one / f"input_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
        made, forms = {"float": path}, {"float": ""}
        for name, arguments in WAYS.items():
            made[name], report = folder / f"{path.stem}_{name[:2]}.onnx", folder / "report.json"
            command = [program, path, "-o", made[name], "--calibration", calibration, "--report", report, *arguments]
            subprocess.run(command, check=True, capture_output=True)
            products = [product["form"] for product in json.loads(report.read_text())["product_forms"]]
            counts = {form: products.count(form) for form in dict.fromkeys(products)}
            convolutions = sum(node.op_type == "Conv" for node in onnx.load(made[name]).graph.node)
            forms[name] = f"{convolutions} Conv; products: " + ", ".join(f"{n} {form}" for form, n in counts.items())
        sessions = {name: session(file) for name, file in made.items()}
        feeds = images(floats, 16, 2)
        wanted = [floats.run(None, feed) for feed in feeds]
        seconds = {name: [] for name in made}
        for _ in range(options.rounds):
            for feed in feeds:
                for name, one in sessions.items():
                    start = time.perf_counter()
                    one.run(None, feed)
                    seconds[name].append(time.perf_counter() - start)
        print(f"\n{path.stem:<28} {'ms':>6} {'speed':>6} {'size':>5} {'cosine':>7}   ({len(feeds)} images)")
        for name, one in sessions.items():
            near = worst_cosine([one.run(None, feed) for feed in feeds], wanted)
            ratio = numpy.median(numpy.array(seconds["float"]) / numpy.array(seconds[name]))
            size = made[name].stat().st_size / path.stat().st_size
            print(f"{name:<28} {1e3 * numpy.median(seconds[name]):6.2f} {ratio:5.2f}x {size:5.2f} {near:7.4f}   "
                  f"{forms[name]}", flush=True)
