#!/usr/bin/env python3
"""Compares what graft's audit predicts for OpenVINO's CPU plugin with the primitives of its runtime model.

On small models, each with one condition varied, and on real models that graft has quantized. An operator is computed in
integers if the primitive that holds it takes 8 bits; its result is if the primitive gives 8 bits or holds the
QuantizeLinear, too, or the nodes behind it.

Usage: openvino_test.py QUANTIZE_MODEL [-v]

QUANTIZE_MODEL is the program graft_quantize_model. Real models are those of $GRAFT_TEST_DATA, if that is set.
"""

import collections
import itertools
import pathlib
import sys
import tempfile

import conv_cases
import onnx
import openvino_cases
import operator_cases
from onednn_test import audits, quantized_models, with_known_dims

SKIPPED = 77
# What computes each operator. Names distinguish several of them in one model.
PRIMITIVES = {
    "Conv": ("Convolution",),
    "ConvTranspose": ("Deconvolution",),
    "MatMul": ("FullyConnected", "MatMul"),
    "Gemm": ("FullyConnected", "MatMul"),
    "Add": ("Convolution", "FullyConnected", "Subgraph", "Eltwise"),
    "Concat": ("Concatenation",),
    "AveragePool": ("Pooling",),
    "GlobalAveragePool": ("Reduce",),
    "MaxPool": ("Pooling",),
    "ReduceMax": ("Reduce",),
    "ReduceMin": ("Reduce",),
    "Resize": ("Interpolate",),
    "DepthToSpace": ("DepthToSpace",),
    "Split": ("Split",),
    "Transpose": ("Transpose",),
    "Slice": ("StridedSlice",),
    "Gather": ("Gather",),
}
COMPUTES = ("Conv", "ConvTranspose", "MatMul", "Gemm")  # those whose result may be float
EIGHT_BITS = ("u8", "i8")


def case_models():
    """(what it is, the model), of the cases that the other runtimes are asked, too."""
    for case in itertools.chain(conv_cases.cases(), operator_cases.cases()):
        op = getattr(case, "op", "Conv")
        if op in PRIMITIVES and op != "Add" and openvino_cases.concerns(case):
            yield str(case), with_known_dims(case.model())
    for text, model in openvino_cases.cases():
        yield text, with_known_dims(model)


class Primitive:
    def __init__(self, operation):
        facts = operation.get_rt_info()
        fact = {key: value if isinstance(value, str) else value.astype(str) for key, value in facts.items()}
        self.type, self.takes = fact["layerType"], fact["runtimePrecision"]
        self.gives = fact["outputPrecisions"].split(",")
        if self.type in PRIMITIVES["MatMul"]:  # that of compressed weights is given for products in float, too
            operand = operation.input_value(0)
            given = operand.get_node().get_rt_info()["outputPrecisions"]
            self.takes = (given if isinstance(given, str) else given.astype(str)).split(",")[operand.get_index()]
        # Operators that stand for parts of a node have its name and a suffix.
        names = fact["originalLayersNames"].split(",")
        self.names = {name.split("/")[0].removesuffix("_original") for name in names}


def primitives(core, path):
    """Of a model, float not being computed in 16 bits."""
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return [Primitive(operation) for operation in compiled.get_runtime_model().get_ordered_ops()]


def known_as(node):
    return {node.name, *node.output}


def names_behind(graph, node):
    """Of the QuantizeLinear that the result reaches past operators of one reader each, and of the nodes behind it up
    to the readers of the dequantized tensor."""
    readers = collections.defaultdict(list)
    for other in graph.node:
        for name in other.input:
            readers[name].append(other)
    outputs = {value.name for value in graph.output}
    name = node.output[0]
    while len(readers[name]) == 1 and name not in outputs and readers[name][0].op_type != "QuantizeLinear":
        name = readers[name][0].output[0]
    found = set()
    for quantize in readers[name]:
        if quantize.op_type == "QuantizeLinear":
            behind = [quantize]
            for _ in range(2):
                behind += [other for earlier in list(behind) for other in readers[earlier.output[0]]]
            for other in behind:
                found |= known_as(other)
    return found


def runtime_says(graph, found):
    """{node: "float", "integers", or "float result"}, of the nodes whose form is known."""
    says = {}
    dequantized = {name for node in graph.node if node.op_type == "DequantizeLinear" for name in node.output}
    added = {name for node in graph.node if node.op_type == "Add" for name in node.input}
    for node in graph.node:
        types = PRIMITIVES.get(node.op_type, ())
        of_type = [primitive for primitive in found if primitive.type in types]
        named = [primitive for primitive in of_type if primitive.names & known_as(node)]
        peers = [other for other in graph.node if set(PRIMITIVES.get(other.op_type, ())) & set(types)]
        if len(peers) == 1 and node.op_type not in ("Add", "Transpose"):
            named = of_type
        if node.op_type == "Add" and not set(node.input) <= dequantized:
            continue  # that of one quantized tensor vanishes where it can
        if len(named) != 1:
            continue
        (primitive,) = named
        in_integers = primitive.takes in EIGHT_BITS
        fuses = any(name in EIGHT_BITS for name in primitive.gives) or primitive.names & names_behind(graph, node)
        if node.op_type in COMPUTES and in_integers and not fuses and node.output[0] not in added:
            says[node.name] = "float result"
        else:
            says[node.name] = "integers" if in_integers else "float"
    return says


def audit_says(graph, told):
    """The same of the audit, the results aside of what only moves values, and of what an Add reads."""
    added = {name for node in graph.node if node.op_type == "Add" for name in node.input}
    gives_float = {node.name for node in graph.node if node.op_type in COMPUTES and node.output[0] not in added}
    return {
        name: "integers" if verdict == "float result" and name not in gives_float else verdict
        for name, verdict in told.items()
    }


def main(program, *options):
    try:
        import openvino
    except ImportError:
        print("skipped: openvino is not installed")
        return SKIPPED
    core = openvino.Core()
    failures, seen, unknown = 0, collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        models, folder = {}, pathlib.Path(name)
        of_nets = quantized_models(program, "openvino-cpu", folder)
        for i, (text, model) in enumerate(itertools.chain(case_models(), of_nets)):
            path = str(folder / f"{i}.onnx")
            onnx.save(model, path)
            models[path] = (text, model)
        told = audits(program, "openvino-cpu", models)
        for path, (text, model) in models.items():
            says = runtime_says(model.graph, primitives(core, path))
            predicted = audit_says(model.graph, told[path])
            unknown += sum(name not in says for name in predicted)
            predicted = {name: predicted.get(name, "float") for name in says}
            differ = {name: (says[name], predicted[name]) for name in says if predicted[name] != says[name]}
            seen.update(says.values())
            failures += bool(differ)
            if differ or "-v" in options:
                print(f"{text}: (OpenVINO, audit) {differ or says}", flush=True)
    print(f"{len(models)} models, of operators {dict(seen)}, {unknown} not told apart: "
          f"{failures} models told otherwise than the runtime does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
