"""Sessions of ONNX Runtime as the tests need them, and the target that is this release of it on this machine."""

import platform

import onnxruntime

PROCESSOR = "arm64" if platform.machine() in ("aarch64", "arm64") else "x64"
TARGET = f"ort-cpu-{PROCESSOR}@{onnxruntime.__version__}"
RELEASE = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
# A query whose mask hides all keys, by the lowest number too, gives 0 in Attention of the main domain since then. In
# earlier releases, and in the operators of com.microsoft, it averages the values.
HIDDEN_ROWS_ARE_ZERO = RELEASE >= (1, 28)


def session(model, optimized=None, optimize=True, exact=True):
    """Over a path or bytes; writes what the runtime makes of the model, if that has a path. Exact results are those
    that the standard defines; for them the runtime may choose other kernels, and it refuses some models."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # other tests run beside this one
    if exact:  # without VNNI the fast product of uint8 and int8 saturates on its way
        options.add_session_config_entry("session.x64quantprecision", "1")
        # Products of floats and dequantized weights round the floats to 8 bits.
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    if optimized:
        options.optimized_model_filepath = str(optimized)
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
