"""The variants of a quantized model: graft's placements and settings, and the runtime's own quantizer."""

import contextlib
import io
import json
import logging
import pathlib
import re
import subprocess
import sys
import time

import onnx
import onnxruntime
import onnxruntime.quantization.quantize  # noqa: F401  the module, which a function of that name hides
from onnxruntime.quantization import CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from images import Reader

# Without VNNI, sums of products of 8 bits saturate: graft's target and the runtime's reduce_range take 7 for weights.
HAS_VNNI = "vnni" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
RELEASE = onnxruntime.__version__
TARGET = f"ort-cpu-{'x64' if HAS_VNNI else 'avx2'}@{RELEASE}"
RUNTIMES_OWN = {
    "quantize_static": {},
    "quantize_static percentile": {"calibrate_method": CalibrationMethod.Percentile},
    "quantize_static entropy": {"calibrate_method": CalibrationMethod.Entropy},
    "quantize_static per-tensor": {"per_channel": False},
    "quantize_static unprepared": {"prepared": False},
}


def reason(text):
    """The last line of the output."""
    return (str(text).strip().splitlines() or ["no reason given"])[-1][:160]


class Failure(Exception):
    """One line with the reason for a missing model."""


class Graft:
    def __init__(self, program):
        self.program, self.expected = program, {}  # by label; None where nothing is expected
        told = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
        listed = re.search(r"--placement[^{]*\{([^}]*)\}", told)[1].split(",")
        order = ["naive", "fusion-aware", "conv-only", "all-supported", "min-cost"]
        self.placements = [name for name in order if name in listed] + [name for name in listed if name not in order]
        self.widest = "min-cost" if "min-cost" in listed else "all-supported"

    def run(self, model, output, *arguments, target=TARGET):
        """Seconds of each pass; keeps the speed that the program expects."""
        report = output.with_suffix(".json")
        command = [self.program, model, "-o", output, "--report", report, "--target", target,
                   *arguments]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(reason(done.stderr))
        told = json.loads(report.read_text())
        self.expected[output.stem] = told["expected_speedup"]
        return {step["pass"]: step["seconds"] for step in told["passes"]}


class Stopwatch:
    """Adds up the time of the runtime's quantizer after calibration."""

    def __enter__(self):
        self.seconds = 0
        self.module = sys.modules["onnxruntime.quantization.quantize"]
        self.quantizer = original = self.module.QDQQuantizer
        watch = self

        class Timed(original):
            def __init__(self, *arguments, **options):
                start = time.perf_counter()
                super().__init__(*arguments, **options)
                watch.seconds += time.perf_counter() - start

            def quantize_model(self):
                start = time.perf_counter()
                result = super().quantize_model()
                watch.seconds += time.perf_counter() - start
                return result

        self.module.QDQQuantizer = Timed
        return self

    def __exit__(self, *_):
        self.module.QDQQuantizer = self.quantizer


class RuntimesOwn:
    """quantize_static, on the model raised to opset 13 (below, its output does not load per channel) and, unless told
    otherwise, prepared as its documentation asks: BatchNormalization folded, shapes inferred."""

    def __init__(self, model, folder):
        self.prepared = folder / "prepared.onnx"
        logging.disable(logging.WARNING)
        onnxruntime.set_default_logger_severity(3)
        try:
            proto = onnx.load(model)
            if proto.opset_import[0].version < 13:
                proto = onnx.version_converter.convert_version(proto, 13)
            self.raised = folder / "raised.onnx"
            onnx.save(proto, self.raised)
            start = time.perf_counter()
            self.prepare()
            self.preparing = time.perf_counter() - start
        except Exception as error:
            raise Failure(reason(error)) from error

    def prepare(self):
        """The steps of quant_pre_process for models in which it infers symbolic shapes. In other models it
        loses its optimizations, and BatchNormalization stays unfolded."""
        optimized = self.prepared.with_name("basic.onnx")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(optimized)
        onnxruntime.InferenceSession(str(self.raised), options, providers=["CPUExecutionProvider"])
        quant_pre_process(optimized, self.prepared, skip_symbolic_shape=True, skip_optimization=True)

    def run(self, output, samples, per_channel=True, calibrate_method=CalibrationMethod.MinMax, prepared=True):
        """Seconds, without calibration. If it cannot quantize the optimized model, it gets the original one."""
        failure = None
        for model in (self.prepared, self.raised) if prepared else (self.raised,):
            try:
                with Stopwatch() as watch, contextlib.redirect_stdout(io.StringIO()):
                    quantize_static(
                        model,
                        output,
                        Reader(samples),
                        quant_format=QuantFormat.QDQ,
                        per_channel=per_channel,
                        calibrate_method=calibrate_method,
                        activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8,
                        reduce_range=not HAS_VNNI,
                    )
                return watch.seconds
            except Exception as error:
                failure = failure or Failure(reason(error))
        raise failure
