"""Compares the quickstart's model with that of quantize_static, ONNX Runtime's own quantizer, on the same pictures.

    python examples/data/quantize_static.py DRAW_SHAPES FLOAT.onnx GRAFT.onnx
"""

import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

CLASSES, SIZE = 10, 64
CALIBRATION, EVALUATION = (0, 100), (1000, 1000)  # first number and count, as in quickstart.cpp
TURN = 20  # pictures
HAS_VNNI = "vnni" in Path("/proc/cpuinfo").read_text()  # without it, products of 8-bit weights saturate


def pictures(draw_shapes, first, count):
    drawn = subprocess.run([draw_shapes, str(first), str(count)], stdout=subprocess.PIPE, check=True).stdout
    pixels = numpy.frombuffer(drawn, numpy.uint8).reshape(count, 1, 3, SIZE, SIZE)
    return [{"image": image} for image in pixels.astype(numpy.float32) / 128 - 1]


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    logging.disable(logging.WARNING)  # one for each BatchNormalization
    draw_shapes, source, graft = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prepared, quantized = str(Path(folder, "prepared.onnx")), str(Path(folder, "quantized.onnx"))
        quant_pre_process(source, prepared)
        quantize_static(
            prepared, quantized, Reader(pictures(draw_shapes, *CALIBRATION)), per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, reduce_range=not HAS_VNNI)
        rows = {
            name: (session(path), Path(path).stat().st_size, [], [])
            for name, path in {"float": source, "quantize_static": quantized, "graft": graft}.items()}

    feeds = pictures(draw_shapes, *EVALUATION)
    for turn in range(0, len(feeds), TURN):
        for model, _, times, answers in rows.values():
            for feed in feeds[turn:turn + TURN]:
                start = time.perf_counter()
                scores = model.run(None, feed)[0]
                times.append(time.perf_counter() - start)
                answers.append(scores.argmax())

    kinds = numpy.arange(EVALUATION[0], sum(EVALUATION)) % CLASSES
    in_float = numpy.median(rows["float"][2])
    print(f"{'':16}{'right':>8}{'bytes':>10}{'ms':>8}{'speed':>8}")
    for name, (_, size, times, answers) in rows.items():
        median = numpy.median(times)
        print(f"{name:16}{(answers == kinds).mean():8.1%}{size:10}{median * 1e3:8.3f}{in_float / median:7.2f}x")


if __name__ == "__main__":
    main()
