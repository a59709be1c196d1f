#!/usr/bin/env python3
"""Compares what graft's audit predicts for oneDNN with the partitions that its Graph API makes.

On small models, each with one condition varied, and on real models that graft has quantized. An operator is computed
in integers if its partition holds what dequantizes its operands, and compiles; its result is if the partition holds a
QuantizeLinear too.

Usage: onednn_test.py QUANTIZE_MODEL [PARTITIONS] [-v]

QUANTIZE_MODEL is the program graft_quantize_model, PARTITIONS graft_onednn_partitions. Real models are those of
$GRAFT_TEST_DATA, if that is set.
"""

import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx

import conv_cases
import onednn_cases
import operator_cases

OPERANDS = {"Conv": 2, "ConvTranspose": 2, "MatMul": 2, "Gemm": 2, "Concat": None}  # of others, one
POOLS = ("AveragePool", "GlobalAveragePool", "MaxPool")
# The library takes them, for something else than they are.
WRONG = {"axis", "zero_points_differ"}


def cases():
    for case in itertools.chain(conv_cases.cases(), operator_cases.cases()):
        op = getattr(case, "op", "Conv")
        # Its pooling has no dilations; those of 1 are none.
        if (op in OPERANDS or op in POOLS) and not (op == "AveragePool" and "dilations" in case.attributes):
            yield str(case), with_known_dims(case.model())
    for changes in ({}, {"activations": ("Relu",)}, {"activations": ("LeakyRelu",), "y": "i8"}, {"group": 4}):
        yield f"float bias {changes}", conv_cases.Case(bias="float", **changes).model()
    for number, dtype in itertools.product((1, 2, 3, 5), ("u8", "i8")):
        for scale, y_to in itertools.product((0.02, 0.03), ("Neg", "float", "another pair", "another user")):
            case = operator_cases.OperatorCase(
                "Concat",
                inputs=("pair",) * number,
                scales=(0.02,) * number,
                dtypes=(dtype,),
                y=dtype,
                y_scale=scale,
                y_to=y_to,
                attributes={"axis": 1},
            )
            yield str(case), case.model()
    yield from onednn_cases.cases()


def partitions(program, paths):
    """{path: {node: partition}}, empty where the library ends the program; a partition that does not compile has !"""
    text = subprocess.run([program, *paths], check=True, capture_output=True, text=True).stdout
    rows = (line.split("\t") for line in text.splitlines())
    return {path: dict(entry.rsplit("=", 1) for entry in entries if "=" in entry) for path, *entries in rows}


def library_says(graph, partition_of):
    """{node: "float", "integers", or "float result" where only its operands are integers}"""
    makers = {name: node for node in graph.node for name in node.output}
    says = {}
    for node in graph.node:
        if node.op_type not in OPERANDS and node.op_type not in POOLS:
            continue
        partition = partition_of.get(node.name, "")
        operands = [makers.get(name) for name in node.input[: OPERANDS.get(node.op_type, 1)]]
        fused = partition and not partition.endswith("!")
        for maker in operands:
            fused = fused and maker is not None and maker.op_type == "DequantizeLinear"
            fused = fused and partition_of[maker.name] == partition
        before = {maker.input[0] for maker in operands if fused}
        quantized = any(
            other.op_type == "QuantizeLinear"
            and partition_of.get(other.name) == partition
            and before.isdisjoint(other.output)
            for other in graph.node
        )
        says[node.name] = "float" if not fused else "integers" if quantized else "float result"
    return says


def audits(program, target, paths):
    """{path: {node: what the audit says}}"""
    command = [program, "audit", target, *paths]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for path, _, *findings in (line.split("\t") for line in text.splitlines()):
        found[path] = {}
        for finding in findings:
            code, node, verdict = re.match(r"(\w*): (\S+) \(\w+\): ([^:]*)", finding).groups()
            fused = verdict.startswith("fused") and ("error" not in verdict or code in WRONG)
            found[path][node] = "float" if not fused else "float result" if "result" in verdict else "integers"
    return found


def with_known_dims(model):
    """The model with 1 for each dim of an input that is left open, and names for nodes without."""
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            dim.dim_value = dim.dim_value or 1
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"unnamed{i}"
    return model


def quantized_models(program, target, folder):
    """(what it is, the model), of real ones"""
    data = pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "")) / "models"
    for name in ("mobilenetv2", "squeezenet", "ultraface_rfb320_simplified", "mnist", "resnet50v2"):
        if not (data / f"{name}.onnx").exists():
            continue
        known, quantized = folder / f"{name}.onnx", folder / "quantized.onnx"
        onnx.save(with_known_dims(onnx.load(data / f"{name}.onnx")), known)
        for placement in ("naive", "fusion-aware", "all-supported"):
            subprocess.run([program, "quantize", known, quantized, target, placement, "per-channel"], check=True)
            yield f"{name}, {placement}", with_known_dims(onnx.load(quantized))


def main(program, *options):
    programs = [option for option in options if option != "-v"]
    if not programs:
        print("skipped: there is no oneDNN to link with")
        return 77
    failures, seen = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        models, folder = {}, pathlib.Path(name)
        for i, (text, model) in enumerate(itertools.chain(cases(), quantized_models(program, "onednn", folder))):
            path = str(folder / f"{i}.onnx")
            onnx.save(model, path)
            models[path] = (text, model)
        made, told = partitions(programs[0], models), audits(program, "onednn", models)
        for path, (text, model) in models.items():
            wanted = library_says(model.graph, made[path])
            seen.update(wanted.values())
            failures += wanted != told[path]
            if wanted != told[path] or "-v" in options:
                print(f"{text}: oneDNN {wanted}, audit {told[path]}")
    print(f"{len(models)} models, of operators {dict(seen)}: {failures} models told otherwise than the library does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
