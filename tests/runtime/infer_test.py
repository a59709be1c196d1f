#!/usr/bin/env python3
"""Compares graft's shape inference with onnx.shape_inference, value by value.

Usage: infer_test.py PRINT_TYPES [-v] [MODEL ...]

PRINT_TYPES is the program graft_print_types. Without models, every .onnx file under $GRAFT_TEST_DATA is taken.
Fails where graft says less than the Python package infers, or something else; what it says beyond is counted, and with
-v listed. The package keeps declared types that are false, which graft replaces: what it says without any counts too.
"""

import os
import pathlib
import subprocess
import sys

import onnx
from onnx import shape_inference

SKIPPED = 77
DTYPES = {
    "FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "STRING": "string", "BOOL": "bool",
    "UINT8": "u8", "INT8": "i8", "UINT16": "u16", "INT16": "i16", "UINT32": "u32", "INT32": "i32", "UINT64": "u64",
    "INT64": "i64", "COMPLEX64": "c64", "COMPLEX128": "c128", "UINT4": "u4", "INT4": "i4", "UINT2": "u2", "INT2": "i2",
    "FLOAT8E4M3FN": "f8e4m3fn", "FLOAT8E4M3FNUZ": "f8e4m3fnuz", "FLOAT8E5M2": "f8e5m2", "FLOAT8E5M2FNUZ": "f8e5m2fnuz",
    "FLOAT8E8M0": "f8e8m0", "FLOAT4E2M1": "f4e2m1",
}


def reference(path, declared=True):
    """{scoped name: (dtype, dims or None)}; a dim is an int, a symbol or None. declared: with the types of results."""
    model = onnx.load(path)
    import_missing_domains(model)
    if not declared:
        forget_results(model.graph)
    inferred = shape_inference.infer_shapes(model, strict_mode=False, data_prop=True)
    types = {}
    collect(inferred.graph, "", types)
    return types


def forget_results(graph):
    """Takes away what is declared of outputs and inner values, except the dtypes of outputs."""
    del graph.value_info[:]
    for output in graph.output:
        output.type.tensor_type.ClearField("shape")
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                forget_results(attribute.g)


def import_missing_domains(model):
    """The package refuses a node whose domain is not imported; graft goes on without it."""
    imported = {opset.domain for opset in model.opset_import}

    def visit(graph):
        for node in graph.node:
            if node.domain not in imported and not (node.domain == "ai.onnx" and "" in imported):
                imported.add(node.domain)
                model.opset_import.append(onnx.helper.make_opsetid(node.domain, 1))
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    visit(attribute.g)

    visit(model.graph)


def collect(graph, scope, types):
    present = {i.name for i in graph.input} | {name for node in graph.node for name in node.output}
    for info in [*graph.input, *graph.output, *graph.value_info]:
        if info.name in present and info.type.HasField("tensor_type"):
            types[scope + info.name] = tensor_type(info.type.tensor_type)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                collect(attribute.g, f"{scope}{node.output[0]}/{attribute.name}/", types)


def tensor_type(proto):
    name = onnx.TensorProto.DataType.Name(proto.elem_type)
    dims = None
    if proto.HasField("shape"):
        dims = [dim(d) for d in proto.shape.dim]
    return DTYPES.get(name, name.lower()), dims


def dim(proto):
    if proto.HasField("dim_value"):
        return proto.dim_value if proto.dim_value >= 0 else None  # some exporters write -1 for what they do not know
    return proto.dim_param or None


def ours(program, path):
    text = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    types = {}
    for line in text.splitlines():
        name, _, spelled = line.rpartition(": ")
        dtype, bracket, dims = spelled.partition("[")
        if not bracket:
            types[name] = (dtype, None)
            continue
        dims = dims[:-1].split(",") if dims != "]" else []
        types[name] = (dtype, [None if d == "?" else int(d) if d.lstrip("-").isdigit() else d for d in dims])
    return types


def compare(name, want, got, renamed):
    """(what is wrong or None, whether graft says more). `renamed` maps the package's own symbols to graft's."""
    if got is None:
        return f"{name}: not told, expected {show(want)}", False
    wrong = f"{name}: {show(got)}, expected {show(want)}"
    if want[0] != got[0] and want[0] != "undefined":
        return wrong, False
    if want[1] is None:
        return None, got[1] is not None
    if got[1] is None or len(got[1]) != len(want[1]):
        return wrong, False
    more = False
    for w, g in zip(want[1], got[1]):
        if w is None:
            more |= g is not None
        elif isinstance(w, int) or not w.startswith("unk__"):
            if g != w and not (isinstance(w, str) and isinstance(g, int)):
                return wrong, False
            more |= g != w
        elif g is None or renamed.setdefault(w, g) != g:
            return f"{wrong} ({w} was {renamed.get(w)})", False
        else:
            more |= isinstance(g, int)
    return None, more


def show(kind):
    dtype, dims = kind
    return dtype if dims is None else f"{dtype}[{','.join('?' if d is None else str(d) for d in dims)}]"


def main(arguments):
    verbose = "-v" in arguments
    program, *models = [a for a in arguments if a != "-v"]
    root = os.environ.get("GRAFT_TEST_DATA", "")
    if not models:
        if not pathlib.Path(root).is_dir():
            print("skipped: GRAFT_TEST_DATA names no folder")
            return SKIPPED
        # Models that show faults are too much for the reference, or no models at all. Other tests have them.
        models = sorted(str(p) for p in pathlib.Path(root).rglob("*.onnx") if not {"faults", "reports"} & {*p.parts})
    failures = compared = beyond = 0
    for path in models:
        want, got = reference(path), ours(program, path)
        inferred = reference(path, declared=False)
        renamed, renamed_inferred = {}, {}
        extra = [name for name, kind in got.items() if name not in want and kind[1] is not None]
        for name, kind in want.items():
            wrong, more = compare(name, kind, got.get(name), renamed)
            if name in inferred:
                wrong = compare(name, inferred[name], got.get(name), renamed_inferred)[0] and wrong
            compared += 1
            if wrong:
                failures += 1
                print(f"{path}: {wrong}")
            elif more:
                extra.append(name)
        beyond += len(extra)
        if verbose:
            for name in extra:
                print(f"{path}: more: {name}: {show(got[name])}, not {show(want[name]) if name in want else '?'}")
    print(f"{len(models)} models, {compared} values compared, {beyond} told more exactly, {failures} worse")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
