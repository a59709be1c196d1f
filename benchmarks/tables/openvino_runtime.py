"""Measures speed and accuracy of models on OpenVINO's CPU plugin with one thread, and runs its quantizer NNCF."""

import collections
import contextlib
import io
import logging
import pathlib
import time

import onnx
import openvino

from variants import Failure, reason

MOVES_NOTHING = ("Input", "Output", "Const")
core = openvino.Core()


def text(fact):
    return fact if isinstance(fact, str) else fact.astype(str)


class Loaded:
    """Uses float32 where the plugin would choose a 16-bit float, so that speeds are relative to FP32."""

    clock = staticmethod(time.process_time)  # it computes in a thread of its own

    def __init__(self, path):
        path = pathlib.Path(path)
        files = [path, path.with_suffix(".bin")] if path.suffix == ".xml" else [path]
        self.size = sum(file.stat().st_size for file in files)
        compiled = core.compile_model(core.read_model(str(path)), "CPU", {
            "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"})
        facts = [operation.get_rt_info() for operation in compiled.get_runtime_model().get_ordered_ops()]
        kinds = [(text(fact["layerType"]), text(fact["runtimePrecision"])) for fact in facts]
        self.optimized = collections.Counter(f"{op} {dtype}" for op, dtype in kinds if op not in MOVES_NOTHING)
        self.nodes = len(onnx.load(path).graph.node) if path.suffix == ".onnx" else self.optimized.total()
        self.request = compiled.create_infer_request()
        self.times = []

    def run(self, feeds):
        return [array.copy() for array in self.request.infer(feeds).values()]


class Nncf:
    """Calls nncf.quantize as its documentation does, with all samples."""

    def __init__(self, model, folder):
        self.model, self.preparing = model, 0

    def run(self, output, samples):
        """Seconds, including calibration."""
        import nncf

        logging.getLogger("nncf").setLevel(logging.ERROR)
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                quantized = nncf.quantize(core.read_model(str(self.model)), nncf.Dataset(samples),
                                          subset_size=len(samples))
        except Exception as error:
            raise Failure(reason(error)) from error
        openvino.save_model(quantized, str(output), compress_to_fp16=False)
        return time.perf_counter() - start
