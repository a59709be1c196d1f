"""Measures speed and accuracy of models on stock ONNX Runtime with one thread."""

import collections
import dataclasses
import pathlib
import random
import statistics
import tempfile
import time

import numpy
import onnx
import onnxruntime


@dataclasses.dataclass
class Result:
    size: int  # of the file
    nodes: int
    optimized: collections.Counter  # operators that the runtime runs
    milliseconds: float
    cosine: float
    agreement: float


class Loaded:
    clock = staticmethod(time.thread_time)  # it computes in this thread

    def __init__(self, path):
        self.size = pathlib.Path(path).stat().st_size
        self.nodes = len(onnx.load(path).graph.node)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        with tempfile.TemporaryDirectory() as folder:
            options.optimized_model_filepath = str(pathlib.Path(folder, "optimized.onnx"))
            self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            optimized = onnx.load(options.optimized_model_filepath).graph.node
        self.optimized = collections.Counter(node.op_type for node in optimized)
        self.times = []

    def run(self, feeds):
        return self.session.run(None, feeds)


def take_turns(models, samples, warm_up, runs):
    """The models take turns, so that a busy machine slows all of them equally. Each turn has another order, because
    a run after a large model finds its caches empty. Processor time counts."""
    shuffled = random.Random(0)
    for turn in range(warm_up + runs):
        for model in shuffled.sample(models, len(models)):
            start = model.clock()
            model.run(samples[turn % len(samples)])
            if turn >= warm_up:
                model.times.append(model.clock() - start)


def cosine(a, b):
    a, b = a.ravel().astype(numpy.float64), b.ravel().astype(numpy.float64)
    product = numpy.linalg.norm(a) * numpy.linalg.norm(b)
    return a @ b / product if product else float((a == b).all())


def compare(expected, answers):
    """The mean cosine of all outputs of floats, and how often the greatest of the first output's last axis is the
    same."""
    pairs = [pair for wanted, got in zip(expected, answers) for pair in zip(wanted, got)]
    cosines = [cosine(a, b) for a, b in pairs if a.dtype.kind == "f"]
    top = [wanted[0].squeeze().argmax(-1) == got[0].squeeze().argmax(-1) for wanted, got in zip(expected, answers)]
    return float(numpy.mean(cosines)), float(numpy.mean(top))


def results(paths, samples, warm_up, runs, loaded=Loaded):
    """Results by label; the others are compared with the first."""
    models = {label: loaded(str(path)) for label, path in paths.items()}
    take_turns(list(models.values()), samples, warm_up, runs)
    expected = None
    measured = {}
    for label, model in models.items():
        answers = [model.run(feeds) for feeds in samples]
        expected = expected or answers
        milliseconds = 1e3 * statistics.median(model.times)
        measured[label] = Result(model.size, model.nodes, model.optimized, milliseconds, *compare(expected, answers))
    return measured
