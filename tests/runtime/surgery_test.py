#!/usr/bin/env python3
"""Runs models in ONNX Runtime, its optimizations off, before and after surgeries on their names, inputs and outputs.

Usage: surgery_test.py SURGERY [MODEL ...]

SURGERY is the program graft_surgery. What the models have in common must have the same values, bit for bit. Without
models, some under $GRAFT_TEST_DATA are taken.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import sessions

DTYPES = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32,
          "tensor(bool)": numpy.bool_, "tensor(float16)": numpy.float16, "tensor(uint8)": numpy.uint8}

MODELS = ("squeezenet", "mnist", "mobilenetv2", "ultraface_rfb320", "ultraface_rfb320_simplified", "minilm_l3",
          "bert_toy", "silero_vad_16k", "resnet50v2", "bert")


class Surgeon:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, pathlib.Path(folder), 0

    def new_path(self):
        self.count += 1
        return self.folder / f"{self.count}.onnx"

    def write(self, model):
        path = self.new_path()
        onnx.save(model, path)
        return path

    def __call__(self, path, name, *arguments):
        """The path of the model with the surgery done, or what the program says against it."""
        out = self.new_path()
        command = [self.program, str(path), str(out), name, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip())
        if ", 0 changes" not in done.stdout:  # a model whose nodes stand in another order is then left as it is
            onnx.checker.check_model(str(out))
        return out


def run(path, feeds, names=None):
    """{output: value}"""
    session = sessions.session(str(path), optimize=False)
    wanted = [output.name for output in session.get_outputs()] if names is None else names
    known = {given.name for given in session.get_inputs()} | {
        given.name for given in session.get_overridable_initializers()}
    return dict(zip(wanted, session.run(wanted, {name: value for name, value in feeds.items() if name in known})))


def feeds_of(path, batch=None, extents=None, seed=1):
    random = numpy.random.default_rng(seed)
    feeds = {}
    for given in sessions.session(str(path), optimize=False).get_inputs():
        dims = [d if isinstance(d, int) else (extents or {}).get(d, 4) for d in given.shape]
        if batch is not None and dims:
            dims[0] = batch
        dtype = DTYPES[given.type]
        is_float = numpy.issubdtype(dtype, numpy.floating)
        values = random.standard_normal(dims) if is_float else random.integers(0, 2, dims)
        feeds[given.name] = values.astype(dtype)
    return feeds


def check_equal(case, expected, got):
    assert expected.keys() == got.keys(), f"{case}: outputs {list(got)}, expected {list(expected)}"
    for name, value in expected.items():
        numpy.testing.assert_array_equal(numpy.asarray(value), numpy.asarray(got[name]), err_msg=f"{case}: {name}")


def constant(name, values, dtype=numpy.float32):
    return numpy_helper.from_array(numpy.asarray(values, dtype), name)


def info(name, shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), opset=17):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def branchy():
    """Inputs read in bodies, one with a default, an output that is an input, unnamed nodes."""
    node = helper.make_node
    then = helper.make_graph([node("Mul", ["h", "scale_then"], ["t"])], "then", [], [info("t", ["N", 4])],
                             [constant("scale_then", [2, 3, 4, 5])])
    otherwise = helper.make_graph([node("Add", ["x", "scale_else"], ["e"])], "else", [], [info("e", ["N", 4])],
                                  [constant("scale_else", [2, 3, 4, 5])])
    nodes = [node("Add", ["x", "bias"], ["h"]), node("Abs", ["h"], ["a"]),
             node("If", ["c"], ["i"], then_branch=then, else_branch=otherwise), node("Sub", ["i", "a"], ["y"])]
    return model(nodes, [info("bias", [4]), info("x", ["N", 4]), info("c", [], TensorProto.BOOL)],
                 [info("y", ["N", 4]), info("x", ["N", 4])], [constant("bias", [1, -2, 3, -4])])


def attention(batch):
    """Heads split by constant shapes, with the batch moved behind the length."""
    node, seeded = helper.make_node, numpy.random.default_rng(5)
    nodes = [node("MatMul", ["x", "w"], ["p"], "project"), node("Reshape", ["p", "split"], ["s"], "split"),
             node("Transpose", ["s"], ["t"], "turn", perm=[1, 0, 2, 3]), node("Reshape", ["t", "join"], ["j"], "join"),
             node("Softmax", ["j"], ["k"], "soften", axis=2), node("Reshape", ["k", "part"], ["q"], "part"),
             node("Transpose", ["q"], ["b"], "back", perm=[1, 0, 2, 3]),
             node("Reshape", ["b", "whole"], ["y"], "whole")]
    shapes = {"split": [batch, 6, 2, 4], "join": [6, batch * 2, 4], "part": [6, batch, 2, 4], "whole": [batch, 48]}
    return model(nodes, [info("x", [batch, 6, 8])], [info("y", [batch, 48])],
                 [constant("w", seeded.standard_normal((8, 8))),
                  *(constant(name, dims, numpy.int64) for name, dims in shapes.items())])


def quantized():
    node = helper.make_node
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"], "quantize"),
             node("DequantizeLinear", ["q", "s", "z"], ["y"], "dequantize")]
    return model(nodes, [info("x", [2, 3])], [info("y", [2, 3])],
                 [constant("s", 0.25), constant("z", 7, numpy.uint8)])


def check_branchy(order):
    path = order.write(branchy())
    for taken in (False, True):
        feeds = {"x": feeds_of(path)["x"], "c": numpy.array(taken), "bias": numpy.ones(4, numpy.float32)}
        before = run(path, feeds)
        renamed = order(path, "rename_inputs", "x", "c2", "bias", "x2")
        got = run(renamed, {"c2": feeds["x"], "x2": feeds["bias"], "c": feeds["c"]})
        check_equal("rename_inputs", before, got)
        got = run(order(path, "rename_outputs", "y", "x_out", "x", "copy"), feeds)
        check_equal("rename_outputs", {"x_out": before["y"], "copy": before["x"]}, got)
        for name in ("infer_shapes", "remove_shapes", "remove_all_tensor_value_shapes", "remove_memcpy",
                     "deduplicate_subgraph_initializers"):
            check_equal(name, before, run(order(path, name), feeds))
        check_equal("reorder_inputs", before, run(order(path, "reorder_inputs", 2, 0, 1), feeds))
        shown = run(order(path, "add_intermediate_tensors_to_outputs"), feeds)
        check_equal("exposed", before | {name: shown[name] for name in ("h", "a", "i")}, shown)
        numpy.testing.assert_array_equal(shown["h"], feeds["x"] + feeds["bias"])
        check_equal("expose_outputs", before | {"a": shown["a"]}, run(order(path, "expose_outputs", "Abs(a)"), feeds))
        check_equal("expose_values", before | {"h": shown["h"]}, run(order(path, "expose_values", "h"), feeds))
        frozen = run(order(path, "freeze_inputs"), feeds)
        check_equal("freeze_inputs", run(path, feeds | {"bias": numpy.float32([1, -2, 3, -4])}), frozen)
        zeroed = run(order(path, "zero_out_input", "Add(h)", 1), feeds)
        check_equal("zero_out_input", run(path, feeds | {"bias": numpy.zeros(4, numpy.float32)}), zeroed)
        check_equal("remove_inputs", zeroed, run(order(path, "remove_inputs", "bias"), feeds))
        check_equal("fix_dim", before, run(order(path, "fix_dim", "N", feeds["x"].shape[0]), feeds))
        check_equal("rename_dim", before, run(order(path, "rename_dim", "N", "batch"), feeds))
        cut = run(order(path, "extract_subgraph", "h", "x", "c", "--", "y"), feeds | {"h": shown["h"]})
        check_equal("extract_subgraph", {"y": before["y"]}, cut)
        check_split(order, path, "a", feeds, before)


def check_split(order, path, value, feeds, before):
    """The two parts, one behind the other, and joined again."""
    second = order.new_path()
    first = order(path, "split_model", second, value)
    onnx.checker.check_model(str(second))
    between = run(first, feeds)
    rest = run(second, feeds | between)
    check_equal(f"split_model at {value}", before, {name: (between | rest)[name] for name in before})
    joined = run(order(first, "merge_models", second), feeds)
    check_equal("merge_models", {name: before[name] for name in rest}, {name: joined[name] for name in rest})


def check_attention(order):
    for old in (1, 3):
        path = order.write(attention(old))
        for new in ("N", 5, 1):
            changed = order(path, "change_batch", new)
            feeds = feeds_of(changed, batch=5 if new == "N" else new)
            got = run(changed, feeds)
            again = {"y": numpy.concatenate(
                [run(order.write(attention(1)), {"x": feeds["x"][i:i + 1]})["y"] for i in range(len(feeds["x"]))])}
            numpy.testing.assert_allclose(got["y"], again["y"], atol=1e-6, err_msg=f"change_batch {old} to {new}")


def check_quantized(order):
    path = order.write(quantized())
    feeds = feeds_of(path)
    got = run(order(path, "expose_quantized_output", "y"), feeds)
    scale, zero_point = got["y_exposed_scale_output"], got["y_exposed_zero_point_output"]
    assert got["q"].dtype == numpy.uint8 and zero_point.dtype == numpy.uint8
    back = (got["q"].astype(numpy.float32) - zero_point.astype(numpy.float32)) * scale
    numpy.testing.assert_array_equal(back, run(path, feeds)["y"])


def middle_value(path):
    """A float32 tensor about halfway through the main graph."""
    loaded = onnx.load(path)
    nodes = loaded.graph.node
    return nodes[len(nodes) // 2].output[0]


def check_model(order, path, name):
    """What keeps values, on a model of somebody else's; and each sample by itself in another batch."""
    path = order(path, "freeze_inputs")
    feeds = feeds_of(path, extents={"batch_size": 1})
    before = run(path, feeds)
    for surgery in ("infer_shapes", "remove_shapes", "remove_all_tensor_value_shapes", "freeze_inputs"):
        check_equal(f"{name}: {surgery}", before, run(order(path, surgery), feeds))
    shown = run(order(path, "add_intermediate_tensors_to_outputs"), feeds)
    check_equal(f"{name}: exposed", before, {output: shown[output] for output in before})
    try:
        check_split(order, path, middle_value(path), feeds, before)
    except ValueError as error:
        print(f"{name}: {error}")
    try:
        changed = order(path, "change_batch", "another_batch")
    except ValueError as error:
        print(f"{name}: {error}")
        return
    many = feeds_of(changed, extents={"another_batch": 3})
    got = run(changed, many)
    for output, value in got.items():
        if not value.shape or value.shape[0] != 3:
            print(f"{name}: '{output}' does not follow the batch: {value.shape}")
            continue
        single = [run(changed, {key: feed[i:i + 1] if feed.shape[:1] == (3,) else feed for key, feed in many.items()})
                  [output] for i in range(3)]
        numpy.testing.assert_allclose(value, numpy.concatenate(single), rtol=1e-3, atol=1e-4,
                                      err_msg=f"{name}: {output}")


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        order = Surgeon(arguments[0], folder)
        check_branchy(order)
        check_attention(order)
        check_quantized(order)
        models = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "none")) / "models"
        for path in [pathlib.Path(a) for a in arguments[1:]] or [models / f"{name}.onnx" for name in MODELS]:
            if path.is_file():
                check_model(order, path, path.name)
    print("surgeries agree with the runtime")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
