#!/usr/bin/env python3
"""Compares what graft's audit predicts for oneDNN with the partitions that its Graph API makes.

On small models, each with one condition varied. An operator is computed in integers if its partition holds what
dequantizes its operands, and compiles; its result is if the partition holds a QuantizeLinear too.

Usage: onednn_test.py QUANTIZE_MODEL [PARTITIONS] [-v]

QUANTIZE_MODEL is the program graft_quantize_model, PARTITIONS graft_onednn_partitions.
"""

import collections
import itertools
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
# Of a fused operator: why its result is float.
IN_FLOAT = {"graph_output", "several_users", "output_not_quantized", "activation_unsupported", "activations_in_a_row",
            "dtype_mismatch"}  # fmt: skip
# The library takes them, for something else than they are.
WRONG = {"axis", "zero_points_differ"}


def cases():
    for case in itertools.chain(conv_cases.cases(), operator_cases.cases()):
        op = getattr(case, "op", "Conv")
        # Its pooling has no dilations; those of 1 are none.
        if (op in OPERANDS or op in POOLS) and not (op == "AveragePool" and "dilations" in case.attributes):
            yield str(case), case.model()
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
        inside = [other.op_type for other in graph.node if partition_of.get(other.name) == partition]
        operands = [makers.get(name) for name in node.input[: OPERANDS.get(node.op_type, 1)]]
        fused = partition and not partition.endswith("!")
        for maker in operands:
            fused = fused and maker is not None and maker.op_type == "DequantizeLinear"
            fused = fused and partition_of[maker.name] == partition
        says[node.name] = "float" if not fused else "integers" if "QuantizeLinear" in inside else "float result"
    return says


def audits(program, paths):
    """{path: {node: (code, what the audit says)}}"""
    command = [program, "audit", "onednn", *paths]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for path, _, *findings in (line.split("\t") for line in text.splitlines()):
        found[path] = {}
        for finding in findings:
            code, node, verdict, error = re.match(r"(\w*): (\S+) \(\w+\): (not fused|fused)(, error)?", finding).groups()
            fused = verdict == "fused" and (not error or code in WRONG)
            found[path][node] = "float" if not fused else "float result" if code in IN_FLOAT else "integers"
    return found


def main(program, *options):
    programs = [option for option in options if option != "-v"]
    if not programs:
        print("skipped: there is no oneDNN to link with")
        return 77
    failures, seen = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        models = {}
        for i, (text, model) in enumerate(cases()):
            path = str(pathlib.Path(name) / f"{i}.onnx")
            onnx.save(model, path)
            models[path] = (text, model)
        made, told = partitions(programs[0], models), audits(program, models)
        for path, (text, model) in models.items():
            wanted = library_says(model.graph, made[path])
            seen.update(wanted.values())
            failures += wanted != told[path]
            if wanted != told[path] or "-v" in options:
                print(f"{text}: oneDNN {wanted}, audit {told[path]}")
    print(f"{len(models)} small models ({dict(seen)}): {failures} told otherwise than the library does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
