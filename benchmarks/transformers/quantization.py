"""A net of sentence embeddings quantized by the runtime's tools and by graft."""

import subprocess
import time

import numpy
from sessions import sentences, session

EMBEDDING = "461"


def calibration_reader(feeds):
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.rest = iter(feeds)

        def get_next(self):
            return next(self.rest, None)

    return Reader()


def made_by_the_runtime(path, folder, feeds):
    from onnxruntime.quantization import quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = folder / "prepared.onnx"
    quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
    dynamic, static = folder / "ort_dynamic.onnx", folder / "ort_static.onnx"
    quantize_dynamic(str(prepared), str(dynamic), per_channel=True)
    quantize_static(str(prepared), str(static), calibration_reader(feeds), per_channel=True)
    return {"runtime, dynamic": dynamic, "runtime, static": static}


def made_by_graft(path, folder, options):
    program, calibration = options.build / "examples/graft-quantize", options.data / "text/calibration"
    ways = {
        "graft, by default": [],
        "graft, static": ["--static"],
        "graft, static, not smoothed": ["--fast", "--try-observers", "--correct-biases"],
        "graft, dynamic": ["--dynamic"],
        "graft, 8 bits, gptq": ["--weight-only", "8"],
        "graft, 4 bits, nearest": ["--weight-only", "4", "--method", "rtn"],
        "graft, 4 bits, search": ["--weight-only", "4", "--method", "search"],
        "graft, 4 bits, gptq": ["--weight-only", "4"],
        "graft, 4 bits, tables of 8": ["--weight-only", "4", "--table-bits", "8"],
        "graft, 4 bits, standard": ["--weight-only", "4", "--standard"],
    }
    made = {}
    for name, arguments in ways.items():
        made[name] = folder / f"graft_{len(made)}.onnx"
        command = [program, path, "-o", made[name], "--calibration", calibration, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name}: {done.stderr.strip().splitlines()[-1]}")
            del made[name]
    return made


def nearest(embeddings):
    lengths = numpy.linalg.norm(embeddings, axis=1, keepdims=True)
    cosines = embeddings @ embeddings.T / (lengths * lengths.T)
    numpy.fill_diagonal(cosines, -2)
    return cosines.argmax(axis=1)


def table(options, folder):
    path = options.data / "models/minilm_l3.onnx"
    floats = session(path)
    feeds = list(sentences(options.data / "text/evaluation", floats.get_inputs()))
    calibration = list(sentences(options.data / "text/calibration", floats.get_inputs()))
    made = {"float": path, **made_by_the_runtime(path, folder, calibration), **made_by_graft(path, folder, options)}
    sessions = {name: session(file) for name, file in made.items()}
    seconds = {name: [] for name in made}
    embeddings = {name: numpy.concatenate([one.run([EMBEDDING], feed)[0] for feed in feeds])
                  for name, one in sessions.items()}
    for _ in range(options.rounds):
        for feed in feeds:
            for name, one in sessions.items():
                start = time.perf_counter()
                one.run([EMBEDDING], feed)
                seconds[name].append(time.perf_counter() - start)
    wanted = embeddings["float"]
    print(f"\n{'minilm_l3':<28} {'ms':>6} {'speed':>6} {'size':>5} {'cosine':>7} {'nearest':>7}   "
          f"({len(feeds)} sentences)")
    for name, given in embeddings.items():
        cosine = (wanted * given).sum(axis=1) / numpy.linalg.norm(wanted, axis=1) / numpy.linalg.norm(given, axis=1)
        ratio = numpy.median(numpy.array(seconds["float"]) / numpy.array(seconds[name]))
        size = made[name].stat().st_size / path.stat().st_size
        print(f"{name:<28} {1e3 * numpy.median(seconds[name]):6.2f} {ratio:5.2f}x {size:5.2f} {cosine.mean():7.4f} "
              f"{(nearest(wanted) == nearest(given)).mean():7.3f}", flush=True)
