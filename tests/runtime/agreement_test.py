#!/usr/bin/env python3
"""Compares graft's executor with ONNX Runtime, its optimizations off and on, on whole nets that graft has quantized.

Usage: agreement_test.py QUANTIZE_MODEL RUN_MODEL

QUANTIZE_MODEL and RUN_MODEL are the programs graft_quantize_model and graft_run_model. Every quantized tensor must be
the same in all three to within one step of its scale. A rounding that falls the other way moves what comes after by
steps, between any two of the three; so each model is cut at its quantized tensors, and each piece between them is given
the same integers. What the pieces compute is compared, and how many Convs the runtime takes in integers is as before.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import helper, numpy_helper
from sessions import TARGET

SKIPPED = 77
# And how many Convs each has.
MODELS = {"mobilenetv2": 52, "squeezenet": 26, "ultraface_rfb320_simplified": 52, "mnist": 2, "resnet50v2": 53}
KINDS = (
    (TARGET, "fusion-aware", "per-channel"),
    (TARGET, "fusion-aware", "per-tensor"),
    (TARGET, "all-supported", "per-channel"),
    (TARGET, "min-cost", "per-channel"),
    (TARGET, "naive", "per-channel"),
    (TARGET, "naive", "per-tensor"),
    ("onednn", "fusion-aware", "per-channel"),
    ("paper", "fusion-aware", "per-channel"),
    (TARGET + "/i16", "all-supported", "per-channel"),
    (TARGET + "/u16", "fusion-aware", "per-channel"),
)
FLOAT_TOLERANCE = 1e-4  # of an output that is not quantized, as a fraction of its largest magnitude
WHOLE_COSINE = 0.99  # of outputs that the whole model makes, between any two of the three
WIDE_COSINE = 0.9999  # the same with activations of 16 bits
GIVEN = "_given"


def quantizers(model):
    """{quantized tensor: its scale, its dtype}"""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    return {
        node.output[0]: (numpy_helper.to_array(constants[node.input[1]]), constants[node.input[2]].data_type)
        for node in model.graph.node
        if node.op_type == "QuantizeLinear"
    }


def tapped(model):
    """The model with every quantized tensor as an output."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    outputs = {value.name for value in model.graph.output}
    for name, (_, dtype) in quantizers(model).items():
        if name not in outputs:
            result.graph.output.append(helper.make_tensor_value_info(name, dtype, None))
    return result


def cut(model, values):
    """The same with each quantized tensor read from an input instead."""
    result = tapped(model)
    names = quantizers(model)
    for node in result.graph.node:
        for i, name in enumerate(node.input):
            if name in names:
                node.input[i] = name + GIVEN
    for name, (_, dtype) in names.items():
        result.graph.input.append(helper.make_tensor_value_info(name + GIVEN, dtype, values[name].shape))
    return result


def run_runtime(path, feeds, optimized):
    """({output: array}, how many Convs are in integers)"""
    written = f"{path}.optimized"
    session = sessions.session(path, written, optimized)
    fused = sum(node.op_type == "QLinearConv" for node in onnx.load(written).graph.node)
    return dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds))), fused


def run_graft(program, path, feeds):
    with tempfile.TemporaryDirectory() as name:
        folder, graph = pathlib.Path(name), onnx.load(path).graph
        initializers = {tensor.name for tensor in graph.initializer}
        inputs = [value.name for value in graph.input if value.name not in initializers]
        for i, value in enumerate(inputs):
            (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(feeds[value]).SerializeToString())
        subprocess.run([program, path, folder], check=True)
        return {
            value.name: numpy_helper.to_array(onnx.load_tensor(str(folder / f"graft_{i}.pb")))
            for i, value in enumerate(graph.output)
        }


def run_all(program, model, path, feeds):
    """({executor: {output: array}}, how many Convs are in integers with optimizations on)"""
    onnx.save(model, path)
    off, _ = run_runtime(path, feeds, False)
    on, fused = run_runtime(path, feeds, True)
    return {"graft": run_graft(program, path, feeds), "runtime off": off, "runtime on": on}, fused


def made_up(model):
    random = np.random.default_rng(3)
    initializers = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name not in initializers:
            dims = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
            feeds[value.name] = random.uniform(-2, 2, dims).astype(np.float32)
    return feeds


def largest_difference(one, other):
    return float(np.max(np.abs(one.astype(np.float64) - other.astype(np.float64)), initial=0))


def cosine(one, other):
    one, other = one.ravel().astype(np.float64), other.ravel().astype(np.float64)
    return float(one @ other / max(np.linalg.norm(one) * np.linalg.norm(other), 1e-30))


def compare(run_model, path, convs, least_cosine):
    """Yields what is wrong with a quantized model."""
    model = onnx.load(path)
    names, feeds = quantizers(model), made_up(model)
    whole, fused = run_all(run_model, tapped(model), path.with_suffix(".tapped"), feeds)
    if convs is not None and fused != convs:
        yield f"{fused} of {convs} Convs in integers"
    given = {name + GIVEN: whole["runtime off"][name] for name in names}
    pieces, fused = run_all(
        run_model, cut(model, whole["runtime off"]), path.with_suffix(".cut"), {**feeds, **given}
    )
    if convs is not None and fused != convs:
        yield f"cut into pieces, {fused} of {convs} Convs in integers"
    moved = 0
    for (one, ours), (other, theirs) in itertools.combinations(pieces.items(), 2):
        for name, array in ours.items():
            difference = largest_difference(array, theirs[name])
            if name in names:
                moved += difference > 0
                if difference > 1:
                    yield f"{name}: {one} and {other} differ by {difference:.0f} steps"
            elif difference > FLOAT_TOLERANCE * np.max(np.abs(theirs[name])):
                yield f"{name}: {one} and {other} differ by {difference}"
    for (one, ours), (other, theirs) in itertools.combinations(whole.items(), 2):
        for value in model.graph.output:
            found = cosine(ours[value.name], theirs[value.name])
            if found < least_cosine:
                yield f"{value.name}: the cosine of {one} and {other} is {found}"
    print(f"{path.stem}: {len(names)} tensors, {moved} of {3 * len(names)} comparisons off by a step")


def main(quantize_model, run_model):
    data = os.environ.get("GRAFT_TEST_DATA", "")
    if not data or not pathlib.Path(data, "models").exists():
        print("skipped: there is no test data")
        return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for (model, convs), (target, placement, granularity) in itertools.product(MODELS.items(), KINDS):
            path = pathlib.Path(name, f"{model}-{target.replace('/', '-')}-{placement}-{granularity}.onnx")
            source = pathlib.Path(data, "models", f"{model}.onnx")
            if not source.exists():
                continue
            subprocess.run([quantize_model, "quantize", source, path, target, placement, granularity], check=True)
            is_wide = target.endswith("16")  # the runtime has no kernel for these: none are in integers
            # oneDNN fuses sums with a Conv, which ONNX Runtime then leaves in float; the whole graph's cost decides.
            told = target == "onednn" or placement == "min-cost"
            fused = None if told else 0 if is_wide else convs
            for fault in compare(run_model, path, fused, WIDE_COSINE if is_wide else WHOLE_COSINE):
                failures += 1
                print(f"FAILED  {path.stem}: {fault}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
