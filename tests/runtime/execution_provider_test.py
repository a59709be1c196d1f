#!/usr/bin/env python3
"""The example of an execution provider, in stock ONNX Runtime: it claims what it supports, rewrites that by rules, says
why rules left nodes as they were, and computes what the runtime's own provider computes.

Usage: execution_provider_test.py PLUGIN
"""

import os
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NAME = "GraftExampleProvider"


def model(inner_pair=True):
    """Conv, Relu6 and MaxPool between pairs, a Softmax that the provider lacks, and a Relu behind it. The inner pair is
    that between Conv and Relu6."""
    random = numpy.random.default_rng(0)
    weight = random.integers(-127, 128, (4, 3, 3, 3))
    step, wide = 6 / 255, 8 / 255  # of the results of Clip
    constants = {
        "in_s": numpy.float32(0.02), "in_z": numpy.uint8(128), "w": weight.astype(numpy.int8),
        "w_s": numpy.full(4, 0.01, numpy.float32), "w_z": numpy.zeros(4, numpy.int8),
        "b": random.integers(-5000, 5000, 4).astype(numpy.int32), "b_s": numpy.full(4, 0.0002, numpy.float32),
        "conv_s": numpy.float32(0.2), "conv_z": numpy.uint8(120), "s": numpy.float32(step), "z": numpy.uint8(0),
        "wide_s": numpy.float32(wide), "low": numpy.float32(0), "high": numpy.float32(6),
    }
    nodes = []

    def add(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def pair(value, scale, zero):
        quantized = add("QuantizeLinear", [value, scale, zero], value + "_q")
        return add("DequantizeLinear", [quantized, scale, zero], value + "_d")

    x = pair("x", "in_s", "in_z")
    w = add("DequantizeLinear", ["w", "w_s", "w_z"], "w_d", axis=0)
    b = add("DequantizeLinear", ["b", "b_s"], "b_d", axis=0)
    conv = add("Conv", [x, w, b], "conv")
    if inner_pair:
        conv = pair(conv, "conv_s", "conv_z")
    clip = pair(add("Clip", [conv, "low", "high"], "clip"), "s", "z")
    pool = pair(add("MaxPool", [clip], "pool", kernel_shape=[2, 2], strides=[2, 2]), "s", "z")
    turned = pair(add("Transpose", [pool], "turned", perm=[0, 2, 3, 1]), "s", "z")
    soft = add("Softmax", [turned], "soft", axis=-1)
    add("Relu", [soft], "y")
    add("QuantizeLinear", [add("Clip", [turned, "low", "high"], "clip2"), "wide_s", "z"], "too_wide")
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 10, 10])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4, 4, 4]),
         helper.make_tensor_value_info("too_wide", TensorProto.UINT8, ["N", 4, 4, 4])],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def options():
    made = onnxruntime.SessionOptions()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    made.intra_op_num_threads = 1
    made.log_severity_level = 3
    return made


def logged(action):
    """What an action returns, and what it writes to standard error."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            result = action()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return result, file.read().decode(errors="replace")


def main(plugin):
    onnxruntime.register_execution_provider_library("graft", plugin)
    devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == NAME]
    assert devices, "the provider offers no device"
    ours = options()
    ours.log_severity_level = 1
    ours.add_provider_for_devices(devices[:1], {})
    net = model()
    tested, log = logged(lambda: onnxruntime.InferenceSession(net, ours))
    assert NAME in tested.get_providers(), tested.get_providers()
    applied = ["pair-behind-activation", "clip-into-range", "pool-out-of-pair", "movement-out-of-pair", "bias-to-float"]
    left = "clip-into-range left QuantizeLinear 'too_wide': the quantized range, from 0 to 8, goes beyond 0 to 6"
    for text in [f"{rule}: applied 1" for rule in applied] + [left]:
        assert text in log, f"'{text}' is not in the log:\n{log}"

    assert log.count("normal_form: ") == 2, "the nodes in front of Softmax and those behind it are not claimed"

    # Half a step of the inner pair, and no more than the rounding of floats where the runtime has no such pair either.
    for inner_pair, most_steps, most in ((True, 4, 0.05), (False, 1, 0.01)):
        stock = onnxruntime.InferenceSession(model(inner_pair), options(), providers=["CPUExecutionProvider"])
        for batch in (1, 2):
            x = numpy.random.default_rng(batch).uniform(-2.5, 2.5, (batch, 3, 10, 10)).astype(numpy.float32)
            for expected, got in zip(stock.run(None, {"x": x}), tested.run(None, {"x": x})):
                assert expected.shape == got.shape and expected.dtype == got.dtype
                worst = numpy.abs(expected.astype(float) - got.astype(float)).max()
                limit = most_steps if got.dtype == numpy.uint8 else most
                assert worst <= limit, f"outputs differ by {worst}, inner pair: {inner_pair}"
    print(f"onnxruntime {onnxruntime.__version__}: the provider computes what the runtime does")


if __name__ == "__main__":
    main(sys.argv[1])
