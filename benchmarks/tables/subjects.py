"""The models to quantize, and their samples. No sample is used both to calibrate and to compare."""

import csv
import dataclasses
import pathlib
import subprocess

import numpy
import onnx
from onnx import numpy_helper
from PIL import Image

import packages
from images import MEAN, STD, image

MADE_UP = ["resnet50v2", "mobilenetv2", "efficientnet_lite4", "mobilenetv3_large", "silu_detector",
           "shuffle_detector", "bert"]
REAL = ["mobilenetv2", "squeezenet", "ultraface_rfb320", "mnist", "bert_toy", "minilm_l3"]
PACKAGED = list(packages.NETS)
NAMES = [f"{kind}/{name}" for kind, names in (("made-up", MADE_UP), ("real", REAL), ("packaged", PACKAGED))
         for name in names]


@dataclasses.dataclass
class Subject:
    name: str
    model: pathlib.Path
    calibration: list  # of feeds, by the name of the input
    evaluation: list

    def write_calibration(self, folder):
        """As ONNX test data."""
        for i, feeds in enumerate(self.calibration):
            place = folder / f"test_data_set_{i:03}"
            place.mkdir(parents=True)
            for k, array in enumerate(feeds.values()):
                (place / f"input_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def inputs(model):
    graph = onnx.load(model).graph
    weights = {tensor.name for tensor in graph.initializer}
    return [value.name for value in graph.input if value.name not in weights]


def load(path):
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def made_up(name, program, folder):
    """160 samples to compare, and 16 to calibrate, which the program generates."""
    subprocess.run([program, folder, "176", name], check=True, stdout=subprocess.DEVNULL)
    model = folder / f"{name}.onnx"
    (given,) = inputs(model)
    feeds = [{given: load(path)} for path in sorted((folder / name).iterdir())]
    return Subject(f"made-up/{name}", model, feeds[160:], feeds[:160])


def squeezenet(path):
    pixels = 255 * (image(path)[0].transpose(1, 2, 0) * STD + MEAN)
    return (pixels[..., ::-1] - numpy.array([104, 117, 123], numpy.float32)).transpose(2, 0, 1)[None].copy()


def ultraface(path):
    pixels = Image.open(path).convert("RGB").resize((320, 240), Image.BILINEAR)
    return ((numpy.asarray(pixels, numpy.float32) - 127) / 128).transpose(2, 0, 1)[None].copy()


def photographs(data):
    with open(data / "images" / "imagenet_labels.csv", newline="") as labels:
        return [data / "images" / "imagenet" / row["file"] for row in csv.DictReader(labels)]


def digits(data):
    records = numpy.fromfile(data / "images" / "mnist.data", numpy.float32).reshape(-1, 794)
    return [record[:784].reshape(1, 1, 28, 28) for record in records[:200]]


def sentences(names):
    """Random words, in two parts."""
    random = numpy.random.default_rng(0)
    made = ((random.integers(0, 99, (1, 16)), numpy.arange(16)[None] // 8, numpy.ones((1, 16))) for _ in range(200))
    return [dict(zip(names, (array.astype(numpy.int64) for array in arrays))) for arrays in made]


def texts(names, folder):
    """Tokenized sentences of different lengths."""
    return [{name: load(place / f"input_{i}.pb") for i, name in enumerate(names)} for place in sorted(folder.iterdir())]


def packaged(name, build):
    """160 samples to compare, and 40 to calibrate."""
    feeds = packages.samples(name, 200)
    return Subject(f"packaged/{name}", packages.download(name, build), feeds[::5],
                   [sample for i, sample in enumerate(feeds) if i % 5])


def real(name, data):
    """200 samples, of which every fifth calibrates."""
    model = data / "models" / f"{name}.onnx"
    names = inputs(model)
    if name == "minilm_l3":
        return Subject(f"real/{name}", model, *(texts(names, data / "text" / part)
                                                for part in ("calibration", "evaluation")))
    if name == "bert_toy":
        feeds = sentences(names)
    elif name == "mnist":
        feeds = [{names[0]: digit} for digit in digits(data)]
    else:
        read = {"mobilenetv2": image, "squeezenet": squeezenet, "ultraface_rfb320": ultraface}[name]
        feeds = [{names[0]: read(path)} for path in photographs(data)]
    return Subject(f"real/{name}", model, feeds[::5], [sample for i, sample in enumerate(feeds) if i % 5])
