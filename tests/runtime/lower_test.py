#!/usr/bin/env python3
"""Compares what ONNX Runtime computes before and after a lowering, without optimizations of its own.

Usage: lower_test.py LOWER_MODEL

LOWER_MODEL is the program graft_lower_model. Fails where an output moves by more than the case allows, where the
runtime refuses the lowered model, where an operator is left that was to go, or where its domain is still imported.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
random = np.random.default_rng(0)


def floats(*dims, dtype=np.float32):
    return random.standard_normal(dims).astype(dtype)


class Case:
    """Nodes over inputs and constants, and the pass. Arrays are constants; expected are outputs that the runtime
    cannot compute of the given model."""

    def __init__(self, name, passes, nodes, inputs, constants=(), outputs=("y",), opset=17, tolerance=1e-5, gone=(),
                 feeds=None, dims=None, types=None, expected=None):
        self.name, self.passes, self.nodes, self.inputs, self.opset = name, passes, nodes, inputs, opset
        self.constants, self.outputs, self.tolerance, self.gone = dict(constants), outputs, tolerance, set(gone)
        self.feeds, self.dims, self.types = feeds or (lambda: inputs), dims or {}, types or {}
        self.expected = expected

    def model(self):
        def info(name, array):
            dims = self.dims.get(name, array.shape)
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims)

        outputs = [helper.make_tensor_value_info(name, self.types.get(name, TensorProto.FLOAT), None)
                   for name in self.outputs]
        graph = helper.make_graph(
            self.nodes, "case", [info(*item) for item in self.inputs.items()], outputs,
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()])
        for output in graph.output:
            output.type.tensor_type.ClearField("shape")
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def tensor_dtype(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def node(op, inputs, outputs=("y",), domain="", **attributes):
    return helper.make_node(op, list(inputs), list(outputs), domain=domain, **attributes)


def quick_gelu():
    for dtype, tolerance in (np.float32, 1e-6), (np.float16, 2e-3):
        for alpha in {}, {"alpha": 0.7}:
            yield Case(f"QuickGelu {dtype.__name__} {alpha}", "decompose_quick_gelus",
                       [node("QuickGelu", "x", domain=MICROSOFT, **alpha)], {"x": floats(2, 5, dtype=dtype)},
                       tolerance=tolerance, gone=[MICROSOFT], types={"y": tensor_dtype(dtype)})


def gelus():
    forms = [
        ("Gelu", "x", {}, MICROSOFT), ("FastGelu", "x", {}, MICROSOFT), ("FastGelu", "xb", {}, MICROSOFT),
        ("BiasGelu", "xb", {}, MICROSOFT), ("Gelu", "x", {}, ""), ("Gelu", "x", {"approximate": "tanh"}, ""),
    ]
    for op, inputs, attributes, domain in forms:
        for dtype, tolerance in (np.float32, 2e-6), (np.float16, 4e-3):
            values = {"x": floats(2, 3, 500, dtype=dtype) * dtype(3), "b": floats(500, dtype=dtype)}
            yield Case(f"{op} {inputs} {attributes} {dtype.__name__}", "decompose_gelus",
                       [node(op, inputs, domain=domain, **attributes)], {name: values[name] for name in inputs},
                       opset=20, tolerance=tolerance, gone=[MICROSOFT, "Gelu"], types={"y": tensor_dtype(dtype)})


def layer_norms():
    for dtype, tolerance in (np.float32, 1e-5), (np.float16, 4e-3):
        x, skip, w, b, c = (floats(*dims, dtype=dtype) for dims in ((2, 3, 8), (1, 3, 8), (8,), (8,), (8,)))
        types = {name: tensor_dtype(dtype) for name in "yh"}
        for opset in 17, 18:
            for axis, inputs in (-1, "xw"), (2, "xwb"):
                yield Case(f"LayerNormalization {inputs} {dtype.__name__} {opset}", "decompose_layer_normalizations",
                           [node("LayerNormalization", inputs, axis=axis, epsilon=1e-6)], {"x": x}, {"w": w, "b": b},
                           opset=opset, tolerance=tolerance, gone=["LayerNormalization"], types=types)
            for inputs in ["x", "s", "w"], ["x", "s", "w", "b"], ["x", "s", "w", "b", "c"], ["x", "s", "w", "", "c"]:
                for epsilon in {}, {"epsilon": 1e-3}:
                    yield Case(f"SkipLayerNormalization {inputs} {epsilon} {dtype.__name__} {opset}",
                               "decompose_layer_normalizations",
                               [node("SkipLayerNormalization", inputs, ["y", "", "", "h"], MICROSOFT, **epsilon)],
                               {"x": x, "s": skip}, {"w": w, "b": b, "c": c}, outputs=["y", "h"], opset=opset,
                               tolerance=tolerance, gone=[MICROSOFT], types=types)
        yield Case(f"RMSNormalization {dtype.__name__}", "simplified_layer_norms_to_rms_norms",
                   [node("RMSNormalization", "xw", axis=-1, epsilon=1e-6)], {"x": x}, {"w": w}, opset=23,
                   tolerance=tolerance, gone=["RMSNormalization"], types=types)


def fused_products():
    a, b, bias = floats(2, 3, 4), floats(2, 5, 4), floats(5)
    for alpha in {}, {"alpha": 0.3}:
        yield Case(f"FusedMatMul {alpha}", "decompose_fused_products",
                   [node("FusedMatMul", "ab", domain=MICROSOFT, transB=1, **alpha)], {"a": a, "b": b}, tolerance=1e-6,
                   gone=[MICROSOFT], types={"y": TensorProto.FLOAT})
    for swaps, dims in ({}, (3, 2, 4)), ({"transA": 1}, (4, 2, 3)):
        yield Case(f"FusedMatMul of moved batches {swaps}", "decompose_fused_products",
                   [node("FusedMatMul", "ab", domain=MICROSOFT, transBatchA=1, transBatchB=1, transB=1, **swaps)],
                   {"a": floats(*dims), "b": floats(5, 2, 4)}, tolerance=1e-6, gone=[MICROSOFT],
                   types={"y": TensorProto.FLOAT})
    x, w, z = floats(1, 2, 5, 5), floats(4, 2, 3, 3), floats(1, 4, 3, 3)
    activations = [("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("HardSigmoid", [0.3, 0.4]),
                   ("Clip", [-0.1, 0.5])]
    for op, numbers in activations:
        attributes = {"activation": op, **({"activation_params": numbers} if numbers else {})}
        yield Case(f"FusedConv {op}", "decompose_fused_products",
                   [node("FusedConv", "xwc", domain=MICROSOFT, dilations=[1, 1], **attributes)], {"x": x},
                   {"w": w, "c": bias[:4]}, tolerance=1e-6, gone=[MICROSOFT], types={"y": TensorProto.FLOAT})
    yield Case("FusedConv of a sum", "decompose_fused_products",
               [node("FusedConv", "xwcz", domain=MICROSOFT, activation="Relu")], {"x": x, "z": z},
               {"w": w, "c": bias[:4]}, tolerance=1e-6, gone=[MICROSOFT], types={"y": TensorProto.FLOAT})
    for op, numbers in {"Relu": {}, "LeakyRelu": {"activation_alpha": 0.2},
                        "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4}}.items():
        yield Case(f"FusedGemm {op}", "decompose_fused_products",
                   [node("FusedGemm", "abc", domain=MICROSOFT, activation=op, transB=1, alpha=0.5, **numbers)],
                   {"a": a[0]}, {"b": b[0], "c": bias}, tolerance=1e-6, gone=[MICROSOFT],
                   types={"y": TensorProto.FLOAT})


def einsums():
    equations = {"bhid,bhjd->bhij": [("B", 2, "I", 3), ("B", 2, "J", 3)],
                 "ibnd,jbnd->bnij": [("I", "B", 2, 3), ("J", "B", 2, 3)],
                 "ibh,hnd->ibnd": [("I", "B", 6), (6, 2, 3)],
                 "ibnd,hnd->ibh": [("I", "B", 2, 3), (6, 2, 3)],
                 "zij,zjkl->zlki": [("B", "I", 3), ("B", 3, 2, 5)],
                 "zjkl,zij->iklz": [(2, 3, 2, "J"), (2, 4, 3)]}
    for equation, dims in equations.items():
        for extents in {"B": 2, "I": 4, "J": 5}, {"B": 0, "I": 4, "J": 5}, {"B": 2, "I": 0, "J": 0}:
            x, y = (floats(*(extents.get(dim, dim) for dim in each)) for each in dims)
            is_empty = x.size == 0 or y.size == 0  # with which the runtime's Einsum crashes
            yield Case(f"Einsum {equation} of {extents}", "einsums_to_matmuls",
                       [node("Einsum", "ab", equation=equation)], {"a": x, "b": y}, gone=["Einsum"],
                       dims=dict(zip("ab", dims)), expected=[np.einsum(equation, x, y)] if is_empty else None)
    yield Case("Einsum of one operand", "einsums_to_matmuls", [node("Einsum", "a", equation="abc->cab")],
               {"a": floats(2, 3, 4)}, gone=["Einsum"])


def embeddings():
    ids, types = (random.integers(0, 2, (2, 3)).astype(np.int32) for _ in range(2))
    tables = {"w": floats(9, 8), "p": floats(6, 8), "t": floats(2, 8), "g": floats(8), "b": floats(8)}
    positions = np.array([[3, 1, 5]], np.int32)
    for inputs in (["i", "", "w", "p", "", "g", "b"], ["i", "k", "w", "p", "t", "g", "b"],
                   ["i", "k", "w", "p", "t", "g", "b", "", "c"]):
        for dims in {}, {"i": ["B", "S"], "k": ["B", "S"]}:
            given = {"i": ids, "k": types, "c": positions}
            yield Case(f"EmbedLayerNormalization {inputs} {dims}", "decompose_embed_layer_normalizations",
                       [node("EmbedLayerNormalization", inputs, ["y", "", "h"], MICROSOFT, epsilon=1e-6)],
                       {name: given[name] for name in given if name in inputs}, tables, outputs=["y", "h"], dims=dims,
                       gone=[MICROSOFT])


def rotary():
    """Every form: layout, where positions come from, order of the pairs, part of a head, extents left open."""
    batch, heads, steps, half = 2, 3, 4, 4
    forms = [
        ((batch, heads, steps, 8), {}),
        ((batch, heads, steps, 8), {"num_heads": heads}),
        ((batch, 1, steps, 8), {}),
        ((batch, steps, heads * 8), {}),
        ((batch, steps, heads * 8), {"num_heads": heads}),
        ((batch, steps, 8), {}),
        ((batch, heads, steps, 12), {"num_heads": heads, "rotary_embedding_dim": 8}),
        ((batch, steps, heads * 12), {"num_heads": heads, "rotary_embedding_dim": 8}),
        ((batch, steps, heads * 8), {"num_heads": heads, "rotary_embedding_dim": 8}),
        ((batch, steps, 12), {"num_heads": 1, "rotary_embedding_dim": 8}),
    ]
    positions = {"of each step": random.integers(0, 10, (batch, steps)), "of the first step": np.array([3])}
    angles = floats(10, half)
    for dims, attributes in forms:
        for kind, position in positions.items():
            for interleaved in 0, 1:
                for dtype, tolerance in (np.float32, 1e-6), (np.float16, 4e-3):
                    for opened in False, True:
                        named = {}
                        if opened:
                            named["x"] = ["B", "S", "D"] if len(dims) == 3 else ["B", "H", "S", "D"]
                            if position.size > 1:
                                named["p"] = ["B", "S"]
                        yield Case(
                            f"RotaryEmbedding {dims} {attributes} positions {kind} interleaved={interleaved} "
                            f"{dtype.__name__} open={opened}",
                            "decompose_rotary_embeddings",
                            [node("RotaryEmbedding", ["x", "p", "c", "s"], domain=MICROSOFT, interleaved=interleaved,
                                  **attributes)],
                            {"x": floats(*dims, dtype=dtype), "p": position.astype(np.int64)},
                            {"c": np.cos(angles).astype(dtype), "s": np.sin(angles).astype(dtype)},
                            tolerance=tolerance, gone=[MICROSOFT, "RotaryEmbedding"], dims=named,
                            types={"y": tensor_dtype(dtype)})


def norms():
    x, skip, weight, bias = floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8)
    x[0, 0] = 0
    skip[0, 0] = 0
    tolerances = {"simplified_layer_norms_to_l2_norms": 1e-4, "simplified_layer_norms_to_rms_norms": 1e-5}
    for passes, tolerance in tolerances.items():
        for opset in 13, 18:
            yield Case(f"SimplifiedLayerNormalization {passes} {opset}", passes,
                       [node("SimplifiedLayerNormalization", "xw", axis=-1, epsilon=1e-6, stash_type=1)], {"x": x},
                       {"w": weight}, opset=opset, tolerance=tolerance,
                       gone=["SimplifiedLayerNormalization", MICROSOFT])
            yield Case(f"SkipSimplifiedLayerNormalization {passes} {opset}", passes,
                       [node("SkipSimplifiedLayerNormalization", "xsw", ["y", "", "", "h"], MICROSOFT, epsilon=1e-6)],
                       {"x": x, "s": skip}, {"w": weight}, outputs=["y", "h"], opset=opset, tolerance=tolerance,
                       gone=[MICROSOFT])
            yield Case(f"SkipSimplifiedLayerNormalization with bias {passes} {opset}", passes,
                       [node("SkipSimplifiedLayerNormalization", "xswb", ["y"], MICROSOFT, epsilon=1e-6)],
                       {"x": x + 1, "s": skip}, {"w": weight, "b": bias}, opset=opset, tolerance=tolerance,
                       gone=[MICROSOFT])
    half = floats(2, 8, dtype=np.float16) * np.float16(900)
    yield Case("SimplifiedLayerNormalization of half precision", "simplified_layer_norms_to_rms_norms",
               [node("SimplifiedLayerNormalization", "xw")], {"x": half}, {"w": weight.astype(np.float16)},
               tolerance=4e-3, gone=["SimplifiedLayerNormalization"], types={"y": TensorProto.FLOAT16})
    numbers = {"two": np.float32(2), "e": np.float32(1e-6), "one": np.float32(1), "w": weight}
    start = [node("Pow", ["x", "two"], ["q"]), node("ReduceMean", "q", ["m"], axes=[-1]), node("Add", "me", ["a"]),
             node("Sqrt", "a", ["r"])]
    for name, middle in {
        "Div": [node("Div", "xr", ["d"])],
        "Div by 1 and Mul": [node("Div", ["one", "r"], ["i"]), node("Mul", "xi", ["d"])],
        "Reciprocal and Mul": [node("Reciprocal", "r", ["i"]), node("Mul", "ix", ["d"])],
    }.items():
        yield Case(f"RMSNorm by {name}", "rms_norms_to_l2_norms", [*start, *middle, node("Mul", "wd")], {"x": x},
                   numbers, tolerance=1e-4, gone=["ReduceMean", "Sqrt"])
    squares = [node("Pow", ["x", "two"], ["q"]), node("ReduceSum", ["q", "axes"], ["n"]),
               node("Pow", ["n", "half"], ["r"]), node("Div", "xr")]
    yield Case("Pow, ReduceSum, Pow, Div", "pow_reduce_sums_to_lp_norms", squares, {"x": floats(2, 3, 8)},
               {"two": np.float32(2), "half": np.float32(0.5), "axes": np.array([1])}, gone=["ReduceSum", "Div"])


def products():
    x, w, c = floats(2, 5, 3), floats(3, 4), floats(4)
    yield Case("MatMul, Add, Relu of a batch", "matmul_adds_to_gemms",
               [node("MatMul", "xw", ["h"]), node("Add", "ch", ["a"]), node("Relu", "a")], {"x": x},
               {"w": w, "c": c}, gone=["MatMul", "Add"])
    yield Case("MatMul and Add", "matmul_adds_to_gemms", [node("MatMul", "xw", ["h"]), node("Add", "hc")],
               {"x": x[0], "w": w}, {"c": c}, gone=["MatMul", "Add"])
    for transposes in ({}, {"transA": 1}, {"transB": 1}, {"transA": 1, "transB": 1}):
        for factors in {}, {"alpha": 0.5, "beta": 2.0}:
            left = x[0].T if "transA" in transposes else x[0]
            right = w.T if "transB" in transposes else w
            for constant in False, True:
                inputs, constants = {"x": np.ascontiguousarray(left)}, {}
                (constants if constant else inputs).update(w=np.ascontiguousarray(right), c=c)
                yield Case(f"Gemm {transposes} {factors} constant={constant}", "gemms_to_matmul_adds",
                           [node("Gemm", "xwc", **transposes, **factors)], inputs, constants, gone=["Gemm"])
    yield Case("Gemm between Reshapes", "gemms_to_matmul_adds",
               [node("Reshape", ["x", "rows"], ["f"]), node("Gemm", "fwc", ["h"], transB=1),
                node("Reshape", ["h", "back"])], {"x": x},
               {"w": np.ascontiguousarray(w.T), "c": c, "rows": np.array([-1, 3]), "back": np.array([2, 5, 4])},
               gone=["Gemm", "Reshape"])
    yield Case("Reciprocal and Mul", "reciprocal_muls_to_divs", [node("Reciprocal", "x", ["r"]), node("Mul", "rz")],
               {"x": x + 5, "z": x}, gone=["Reciprocal", "Mul"])
    yield Case("Erf", "erfs_to_tanhs", [node("Erf", "x")], {"x": floats(1000) * 2}, tolerance=0.02, gone=["Erf"])


def group_index():
    rows, columns, block = 32, 3, 16
    packed = random.integers(0, 256, (columns, rows // block, block // 2)).astype(np.uint8)
    constants = {"b": packed, "s": floats(columns * rows // block), "g": (np.arange(rows) // block).astype(np.int32)}
    attributes = {"K": rows, "N": columns, "bits": 4, "block_size": block}
    yield Case("MatMulNBits with a group index", "drop_group_indices",
               [node("MatMulNBits", ["x", "b", "s", "", "g"], domain=MICROSOFT, **attributes)], {"x": floats(2, rows)},
               constants, tolerance=1e-5)


def quantizers():
    x = floats(2, 3, 8)
    for dtype, zero in (np.uint8, 100), (np.int8, -20):
        quantized = [node("QuantizeLinear", "xsz", ["q"]), node("DequantizeLinear", "qsz")]
        params = {"s": np.float32(0.02), "z": dtype(zero)}
        yield Case(f"a pair of {dtype.__name__} to Clip", "qdq_to_clips", quantized, {"x": x * 5}, params,
                   tolerance=0.011 / 2, gone=["QuantizeLinear"])
        yield Case(f"an input's pair of {dtype.__name__} kept as Clip", "remove_qdq_but_clips",
                   [*quantized[:1], node("DequantizeLinear", "qsz", ["d"]), node("Relu", "d")], {"x": x * 5}, params,
                   tolerance=0.011 / 2, gone=["QuantizeLinear"])
    axes = {"tensor": ((), {}), "axis": ((8,), {"axis": 1}), "blocks": ((4, 4), {"axis": 1, "block_size": 2})}
    for kind, (dims, attributes) in axes.items():
        weight = random.integers(-128, 128, (4, 8)).astype(np.int8)
        constants = {"w": weight, "s": abs(floats(*dims)) + np.float32(0.1),
                     "z": random.integers(-9, 9, dims).astype(np.int8).reshape(dims)}
        constants["s"] = np.asarray(constants["s"], np.float32)
        yield Case(f"a constant with scales of {kind}", "remove_dequantized_constants",
                   [node("DequantizeLinear", "wsz", ["d"], **attributes), node("Add", "xd")], {"x": floats(4, 8)},
                   constants, opset=21, tolerance=1e-6, gone=["DequantizeLinear"])


def attention():
    """What GroupQueryAttention gives from lengths that are inputs."""
    batch, steps, past, size = 2, 1, 3, 8
    mask = np.ones((batch, past + steps), np.int64)
    inputs = {"attention_mask": mask, "q": floats(batch, steps, 2 * size), "k": floats(batch, steps, 2 * size),
              "v": floats(batch, steps, 2 * size), "pk": floats(batch, 2, past, size),
              "pv": floats(batch, 2, past, size)}
    nodes = [
        node("ReduceSum", ["attention_mask", "one"], ["r"]), node("Sub", ["r", "unit"], ["t"]),
        node("Cast", "t", ["lengths"], to=TensorProto.INT32), node("Squeeze", ["lengths", "one"], ["n"]),
        node("Shape", ["attention_mask"], ["dims"]), node("Gather", ["dims", "index"], ["w"]),
        node("Cast", "w", ["m"], to=TensorProto.INT32),
        node("GroupQueryAttention", ["q", "k", "v", "pk", "pv", "n", "m"], ["y", "a", "b"], MICROSOFT, num_heads=2,
             kv_num_heads=2),
    ]
    constants = {"one": np.array([1]), "unit": np.array([[1]]), "index": np.array(1)}
    rest = {name: array for name, array in inputs.items() if name != "attention_mask"}
    lengths = {"past_seq_len": np.full((batch, 1), past, np.int32),
               "total_seq_len": np.array(past + steps, np.int32)}
    yield Case("attention_mask to lengths", "attention_masks_to_sequence_lengths", nodes, inputs, constants,
               outputs=["y", "a", "b"], feeds=lambda: rest | lengths, gone=["ReduceSum", "Shape"])


def cases():
    for family in (quick_gelu, gelus, layer_norms, embeddings, rotary, norms, products, fused_products, einsums,
                   group_index, quantizers, attention):
        yield from family()


def ran(path, inputs):
    return sessions.session(str(path), optimize=False).run(None, inputs)


def failure(case, program, folder):
    """What is wrong; nothing if all is well."""
    given, lowered = folder / "given.onnx", folder / "lowered.onnx"
    onnx.save(case.model(), given)
    before = ran(given, case.inputs) if case.expected is None else case.expected
    run = subprocess.run([program, case.passes, given, lowered], stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        return run.stderr.strip()
    model = onnx.load(lowered)
    left = {op for each in model.graph.node for op in (each.op_type, each.domain)}
    left |= {opset.domain for opset in model.opset_import}
    if left & case.gone:
        return f"{', '.join(left & case.gone)} is left"
    after = ran(lowered, case.feeds())
    for ours, theirs in zip(after, before):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"{ours.dtype}{ours.shape} instead of {theirs.dtype}{theirs.shape}"
        ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
        difference = np.max(abs(ours - theirs), initial=0)
        if not difference <= case.tolerance * max(1, np.max(abs(theirs), initial=0)):
            return f"moved by {difference:.3g}"
    return None


def main():
    program = sys.argv[1]
    failed = count = 0
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            try:
                message = failure(case, program, pathlib.Path(folder))
            except Exception as error:  # the runtime's own exceptions have no common base
                message = str(error).splitlines()[0]
        count += 1
        failed += message is not None
        if message is not None:
            print(f"FAILED  {case.name}: {message}")
    print(f"{count} compared, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
