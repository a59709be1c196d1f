"""Sessions of one thread, and the feeds of transformers."""

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

onnxruntime.set_default_logger_severity(4)


def session(path, level=None, written=None):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if level is not None:
        options.graph_optimization_level = level
    if written is not None:
        options.optimized_model_filepath = str(written)
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def masks(batch, length):
    """No padding, padding on either side, and holes."""
    whole = numpy.ones((batch, length), numpy.int64)
    yield "none", whole
    if length < 3:
        return
    for name, part in (("right", numpy.s_[-1:, length // 2:]), ("left", numpy.s_[-1:, : length // 2]),
                       ("holes", numpy.s_[-1:, 1:-1:2])):
        mask = whole.copy()
        mask[part] = 0
        yield name, mask


def cases(inputs):
    """(name, feeds, valid positions [batch, length]) for a model with these inputs, as a session lists them."""
    random = numpy.random.default_rng(3)
    names = [tensor.name for tensor in inputs]
    caches = [tensor for tensor in inputs if tensor.name.startswith("past")]
    for batch in (1, 3):
        for length in (1, 5, 8):
            for past in (0, 4) if caches else (0,):
                for padding, mask in masks(batch, length + past):
                    seen = mask[:, past:] != 0
                    feeds = {"input_ids": random.integers(1, 99, (batch, length)), "attention_mask": mask,
                             "token_type_ids": random.integers(0, 2, (batch, length)),
                             "position_ids": numpy.arange(past, past + length)[None].repeat(batch, 0)}
                    for cache in caches:
                        shape = (batch, cache.shape[1], past, cache.shape[3])
                        feeds[cache.name] = random.standard_normal(shape).astype(numpy.float32)
                    if padding == "left" and caches and not mask[:, : past + 1].any(axis=1).all():
                        continue  # a query that sees nothing: what it computes is up to the spelling
                    yield f"{batch}x{length}+{past} {padding}", {k: feeds[k] for k in names}, seen


def sentences(folder, inputs):
    """The test data sets of a folder as feeds of these inputs."""
    for path in sorted(folder.glob("test_data_set_*")):
        tensors = [onnx.load_tensor(str(file)) for file in sorted(path.glob("input_*.pb"))]
        feeds = {tensor.name: numpy_helper.to_array(tensor) for tensor in tensors}
        yield {tensor.name: feeds[tensor.name] for tensor in inputs}
