"""Small models, one or more for each surgery by name: what is ordered, and what is left.

Text is that of onnx.parser: the graph, or the whole model where it begins with "<".
"""

from typing import NamedTuple

import onnx

MICROSOFT = '<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> '


class Case(NamedTuple):
    surgeon: str
    arguments: dict
    text: str
    operators: str  # that are left, in alphabetical order; "*" for any of the standard
    tolerance: float = 1e-5  # None: values change by design
    expected: object = None  # (result) -> whether it is what was ordered
    opset: int = 17
    runs: bool = True  # on the CPU provider, with random inputs


def inputs(model):
    return [value.name for value in model.graph.input]


def outputs(model):
    return [value.name for value in model.graph.output]


def dims(value):
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def input_dims(model):
    return [dims(value) for value in model.graph.input]


def output_dims(model):
    return [dims(value) for value in model.graph.output]


def infos(model):
    return {value.name: value.type.tensor_type for value in model.graph.value_info}


def node(model, op_type):
    return next(node for node in model.graph.node if node.op_type == op_type)


def attribute(model, op_type, name):
    return next(onnx.helper.get_attribute_value(a) for a in node(model, op_type).attribute if a.name == name)


def constant(model, name):
    """The contents of an initializer, or of a Constant."""
    for tensor in model.graph.initializer:
        if tensor.name == name:
            return onnx.numpy_helper.to_array(tensor)
    return onnx.numpy_helper.to_array(next(n for n in model.graph.node if name in n.output).attribute[0].t)


def unsqueezed(model):
    return sorted(constant(model, n.input[1]).tolist() for n in model.graph.node if n.op_type == "Unsqueeze")


def operand(model, op_type, position):
    return constant(model, node(model, op_type).input[position])


def listed(model, op_type, position):
    return operand(model, op_type, position).tolist()


ADD = "g (float[2,3] a, float[2,3] b) => (float[2,3] y) { h = Add(a, b) y = Neg(h) }"
NAMED = "g (float[2,3] a, float[2,3] b) => (float[2,3] y) { [first] h = Add(a, b) [second] y = Neg(h) }"
QDQ = """g (float[2,3] x) => (float[2,3] y) <float s = {0.1}, uint8 z = {128}> {
    a = Relu(x) q = QuantizeLinear(a, s, z) d = DequantizeLinear(q, s, z) y = Neg(d) }"""
INPUT_QDQ = """g (float[2,3] x) => (float[2,3] y) <float s = {0.1}, uint8 z = {128}> {
    q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) y = Neg(d) }"""

ROTARY = (
    MICROSOFT
    + """g (float[{dims}] x, int64[2,3] at) => (float[{dims}] y)
        <float[4,2] c = {{1,1,0.5,0.9,-0.4,0.8,-1,0.7}}, float[4,2] s = {{0,0,0.8,0.1,0.9,0.2,0.1,0.3}}>
        {{ y = com.microsoft.RotaryEmbedding <{attributes}> (x, at, c, s) }}"""
)


CACHES = (
    MICROSOFT
    + """g (float[2,3,8] x, int64[2,3] at, bool long) => (float[2,3,8] y) {
        c, s = If(long) <
            then_branch = t () => (float[4,2] a, float[4,2] b) {
                a = Constant <value = float[4,2] {1,1,0.5,0.9,-0.4,0.8,-1,0.7}> ()
                b = Constant <value = float[4,2] {0,0,0.8,0.1,0.9,0.2,0.1,0.3}> () },
            else_branch = e () => (float[3,2] d, float[3,2] f) {
                d = Constant <value = float[3,2] {1,1,0.5,0.9,-0.4,0.8}> ()
                f = Constant <value = float[3,2] {0,0,0.8,0.1,0.9,0.2}> () }>
        y = com.microsoft.RotaryEmbedding <num_heads = 2> (x, at, c, s) }"""
)


def numbers(values):
    """As onnx.parser reads them."""
    return "{" + ",".join(map(str, values)) + "}"


TABLE = [(7 * i) % 23 - 11 for i in range(5 * 32)]
TRANSPOSE = [TABLE[row * 32 + column] for column in range(32) for row in range(5)]
NIBBLES = [(3 * i) % 16 for i in range(5 * 32)]  # of one matrix in 4 bits and, as multiples of 16, in 8
BYTES = [NIBBLES[i] + 16 * NIBBLES[i + 1] for i in range(0, 5 * 32, 2)]


def embedding(bits, weight):
    """A table in 8 bits, and a product by a weight."""
    return (
        MICROSOFT
        + f"""g (int64[2,3] i, float[2,3,32] x) => (float[2,3,32] e, float[2,3,5] y)
            <uint8[5,32] t = {numbers(16 * n for n in NIBBLES)}, float[5,1] s = {{1,2,3,4,5}}, {weight}> {{
            e = com.microsoft.GatherBlockQuantized <bits = 8, block_size = 32, quantize_axis = 1> (t, i, s)
            y = com.microsoft.MatMulNBits <K = 32, N = 5, bits = {bits}, block_size = 32> (x, w, r) }}"""
    )


PACKED = """<ir_version: 8, opset_import: ["" : 17, "custom" : 1]>
    g (float[1,2,S,4] q, float[1,2,S,4] k, float[1,2,S,4] v, int32[N] n) => (float[1,S,2,4] y) {
        y = custom.PackedAttention <num_heads = 2, scale = 0.5> (q, k, v, n) }"""


def first_input(model, op_type, position):
    """What the node that makes an input reads first."""
    name = node(model, op_type).input[position]
    return next(n for n in model.graph.node if name in n.output).input[0]


SURGERIES = [
    Case(
        "RenameInputs",
        {"old_names": ["a", "b"], "new_names": ["b", "c"]},
        ADD,
        "Add Neg",
        None,
        lambda m: inputs(m) == ["b", "c"] and list(node(m, "Add").input) == ["b", "c"],
    ),
    Case(
        "RenameOutputs",
        {"old_names": ["y"], "new_names": ["z"]},
        ADD,
        "Add Neg",
        1e-5,
        lambda m: outputs(m) == ["z"],
    ),
    Case("InferShapes", {}, ADD, "Add Neg", 1e-5, lambda m: infos(m)["h"].shape.dim[1].dim_value == 3),
    Case(
        "RemoveShapes",
        {},
        "g (float[2,3] a) => (float[2,3] y) <float[2,3] h> { h = Abs(a) y = Neg(h) }",
        "Abs Neg",
        1e-5,
        lambda m: not infos(m) and output_dims(m) == [[2, 3]],
    ),
    Case(
        "RemoveAllTensorValueShapes",
        {},
        "g (float[2,3] a) => (float[2,3] y) <float[2,3] h> { h = Abs(a) y = Neg(h) }",
        "Abs Neg",
        1e-5,
        lambda m: infos(m)["h"].elem_type == 1 and not infos(m)["h"].HasField("shape"),
    ),
    Case(
        "RemoveInitializerFromInputs",
        {},
        "g (float[2] w = {1,2}, float[2] x) => (float[2] y) { y = Add(x, w) }",
        "Add",
        1e-5,
        lambda m: inputs(m) == ["x"],
    ),
    Case("ReorderInputs", {"permutation": [1, 0]}, ADD, "Add Neg", 1e-5, lambda m: inputs(m) == ["b", "a"]),
    Case(
        "ReplaceErfWithTanh",
        {},
        "g (float[2,3] x) => (float[2,3] y) { a = Erf(x) y = Neg(a) }",
        "Mul Neg Tanh",
        0.02,
        lambda m: abs(listed(m, "Mul", 1) - 605 / 503) < 1e-6,
    ),
    Case(
        "ZeroOutInput",
        {"node_name": "first", "input_idx": 1},
        NAMED,
        "Add Constant Neg",
        None,
        lambda m: node(m, "Constant").output[0] == "first_zero_output_0"
        and listed(m, "Add", 1) == [[0, 0, 0], [0, 0, 0]],
    ),
    Case(
        "RemoveInputs",
        {"names": ["b"]},
        "g (float[2,3] a, float[2,3] b) => (float[2,3] y) { h = Sum(a, b) y = Neg(h) }",
        "Neg Sum",
        None,
        lambda m: inputs(m) == ["a"] and list(node(m, "Sum").input) == ["a"],
    ),
    Case(
        "ExposeOutputs",
        {"names": ["first"]},
        NAMED,
        "Add Neg",
        1e-5,
        lambda m: outputs(m) == ["y", "h"] and output_dims(m)[1] == [2, 3],
    ),
    Case(
        "ExposeQuantizedOutput",
        {"output_name": "y"},
        """g (float[2,3] x) => (float[2,3] y) <float s = {0.1}, int8 z = {-3}> {
            a = Neg(x) q = QuantizeLinear(a, s, z) y = DequantizeLinear(q, s, z) }""",
        "Identity Identity Neg QuantizeLinear",
        None,
        lambda m: outputs(m) == ["q", "y_exposed_scale_output", "y_exposed_zero_point_output"]
        and [o.type.tensor_type.elem_type for o in m.graph.output] == [3, 1, 3]
        and output_dims(m)[0] == [2, 3],
    ),
    Case(
        "AddIntermediateTensorsToOutputs",
        {"intermediate_tensor_to_add": ["h"]},
        ADD,
        "Add Neg",
        1e-5,
        lambda m: outputs(m) == ["y", "h"],
    ),
    Case(
        "AddIntermediateTensorsToOutputs",
        {},
        "g (float[2] x) => (int64[1] y) { a = Shape(x) b = Neg(a) y = Abs(b) }",
        "Abs Neg Shape",
        1e-5,
        lambda m: outputs(m) == ["y", "a", "b"] and m.graph.output[2].type.tensor_type.elem_type == 7,
    ),
    Case(
        "DecomposeQuickGelu",
        {},
        MICROSOFT + "g (float[2,3] x) => (float[2,3] y) { y = com.microsoft.QuickGelu <alpha = 1.5> (x) }",
        "Mul Mul Sigmoid",
        1e-5,
        lambda m: [o.domain for o in m.opset_import] == [""],
    ),
    Case(
        "RMSNormToL2Norm",
        {},
        """g (float[2,4] x) => (float[2,4] y) <float two = {2}, float e = {1e-6}, float[4] w = {1,2,3,4}> {
            p = Pow(x, two) m = ReduceMean <axes = [-1]> (p) a = Add(m, e) r = Sqrt(a) d = Div(x, r) y = Mul(d, w) }""",
        "LpNormalization Mul",
        1e-4,
        lambda m: listed(m, "Mul", 1) == [2, 4, 6, 8] and attribute(m, "LpNormalization", "p") == 2,
    ),
    Case(
        "SimplifiedLayerNormToL2Norm",
        {},
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> {
            y = SimplifiedLayerNormalization <epsilon = 1e-6> (x, w) }""",
        "LpNormalization Mul",
        1e-4,
        lambda m: listed(m, "Mul", 1) == [2, 4, 6, 8],
    ),
    Case(
        "SimplifiedLayerNormToRMSNorm",
        {},
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> {
            y = SimplifiedLayerNormalization <epsilon = 1e-6> (x, w) }""",
        "Add Div Mul Pow ReduceMean Sqrt",
    ),
    Case(
        "PowReduceSumPowDiv2LpNorm",
        {},
        """g (float[2,4] x) => (float[2,4] y) <float two = {2}, float half = {0.5}, int64[1] l = {-1}> {
            p = Pow(x, two) s = ReduceSum(p, l) r = Pow(s, half) y = Div(x, r) }""",
        "LpNormalization",
    ),
    Case(
        "MatMulAddToGemm",
        {},
        """g (float[2,3,4] x) => (float[2,3,2] y) <float[4,2] w = {1,2,3,4,5,6,7,8}, float[2] b = {1,2}> {
            a = MatMul(x, w) c = Add(b, a) y = Relu(c) }""",
        "Gemm Relu Reshape Reshape",
    ),
    Case(
        "GemmToMatMulAdd",
        {},
        """g (float[2,4] x) => (float[2,2] y) <float[2,4] w = {1,2,3,4,5,6,7,8}, float[2] b = {1,2}> {
            y = Gemm <transB = 1> (x, w, b) }""",
        "Add MatMul",
    ),
    Case(
        "ReplaceAttentionMaskValue",
        {"replacement": -100},
        """g (float[2] x) => (float[2] y) <float[2] m = {0, -3.4e38}, float[2] k = {1, -3.4e38}> {
            a = Add(x, m) b = Max(x, k) c = Mul(b, b) y = Sub(a, c) }""",
        "Add Max Mul Sub",
        None,
        lambda m: listed(m, "Add", 1) == [0, -100] and listed(m, "Max", 1)[1] < -3e38,
    ),
    Case("RemoveQDQ", {}, QDQ, "Neg Relu", 0.06),
    Case(
        "RemoveQDQ",
        {"keep_clip_after_inputs": True},
        INPUT_QDQ,
        "Clip Neg",
        0.06,
        lambda m: abs(listed(m, "Clip", 1) + 12.8) < 1e-6 and abs(listed(m, "Clip", 2) - 12.7) < 1e-6,
    ),
    Case(
        "QDQToClip",
        {},
        INPUT_QDQ,
        "Clip Neg",
        0.06,
        lambda m: abs(listed(m, "Clip", 1) + 12.8) < 1e-6 and abs(listed(m, "Clip", 2) - 12.7) < 1e-6,
    ),
    Case(
        "RemoveDeqLin",
        {},
        """g (float[2,2] x) => (float[2,2] y)
            <int8[2,2] w = {1,2,3,4}, float[2] s = {0.5,0.25}, int8[2] z = {0,1}> {
            d = DequantizeLinear <axis = 0> (w, s, z) y = Add(x, d) }""",
        "Add",
        1e-5,
        lambda m: listed(m, "Add", 1) == [[0.5, 1], [0.5, 0.75]],
    ),
    Case(
        "MatMulToTransposeConvTranspose",
        {},
        """g (float[1,1,5,3] x) => (float[1,1,5,2] y) <float[3,2] w = {1,2,3,4,5,6}> { y = MatMul(x, w) }""",
        "Conv Transpose Transpose",
        1e-5,
        lambda m: attribute(m, "Transpose", "perm") == [0, 3, 2, 1] and operand(m, "Conv", 1).shape == (2, 3, 1, 1),
    ),
    Case(
        "RemoveIntermediarySqueezeAndUnsqueeze",
        {},
        """g (float[1,2,3] x) => (float[1,2,3] y) <int64[1] z = {0}> {
            a = Relu(x) b = Squeeze(a, z) c = Neg(b) d = Unsqueeze(c, z) y = Abs(d) }""",
        "Abs Neg Relu",
    ),
    Case(
        "Non4DModelInputs",
        {},
        "g (float[2,3] x, float[8,16,32] z) => (float[A,B,C,D] y, float[E,F,G,H] v) { y = Neg(x) v = Abs(z) }",
        "Abs Neg Unsqueeze Unsqueeze",
        None,
        lambda m: input_dims(m) == [[2, 3], [8, 16, 32]] and unsqueezed(m) == [[0, -1], [1]],
    ),
    Case(
        "Non4DModelOutputs",
        {},
        """g (float[2,3] x) => (float[2,3] y) <int64[2] a = {0,1}> { u = Unsqueeze(x, a) y = Neg(u) }""",
        "Neg Squeeze Unsqueeze",
        None,  # what is declared was not what was computed
        lambda m: listed(m, "Squeeze", 1) == [0, 1],
    ),
    Case(
        "StandaloneReduceSum",
        {},
        "g (float[1,2,3,4] x) => (float[A,B,C,D] y) <int64[1] a = {1}> { y = ReduceSum <keepdims = 0> (x, a) }",
        "ReduceSum",
        None,
        lambda m: listed(m, "ReduceSum", 1) == [2] and (attribute(m, "ReduceSum", "keepdims") == 1),
    ),
    Case(
        "Gather",
        {},
        "g (float[1,2,3,4] x) => (float[A,B,C,D] y) <int64 i = {1}> { y = Gather <axis = 1> (x, i) }",
        "Gather",
        None,
        lambda m: attribute(m, "Gather", "axis") == 2 and listed(m, "Gather", 1) == [1],
    ),
    Case(
        "GatherElements",
        {},
        """g (float[1,2,3,4] x) => (float[A,B,C,D] y) <int64[1,2,1] i = {0,1}> {
            y = GatherElements <axis = 1> (x, i) }""",
        "GatherElements",
        None,
        lambda m: operand(m, "GatherElements", 1).shape == (1, 1, 2, 1),
    ),
    Case(
        "Non4DInitializers",
        {},
        """g (float[1,2,3,4] x) => (float[1,2,3,4] y) <float[4] k = {1,2,3,4}, float[2,3,4] m> {
            a = Mul(x, k) b = Div(a, k) y = Sub(b, k) }""",
        "Div Mul Sub",
        1e-5,
        lambda m: operand(m, "Mul", 1).shape == operand(m, "Div", 1).shape == (1, 1, 1, 4),
    ),
    Case(
        "Non4DReshape",
        {},
        "g (float[1,512,768] x) => (float[A,B,C,D] y) <int64[3] s = {-1,512,768}> { y = Reshape(x, s) }",
        "Reshape",
        None,
        lambda m: listed(m, "Reshape", 1) == [1, -1, 512, 768],
    ),
    Case(
        "Non4DExpand",
        {},
        "g (float[1,1,3] x) => (float[A,B,C,D] y) <int64[3] s = {1,2,3}> { y = Expand(x, s) }",
        "Expand",
        None,
        lambda m: listed(m, "Expand", 1) == [1, 1, 2, 3],
    ),
    Case(
        "Non4DTranspose",
        {},
        "g (float[1,2,3,4] x) => (float[A,B,C,D] y) { y = Transpose <perm = [0,2,1]> (x) }",
        "Transpose",
        None,
        lambda m: attribute(m, "Transpose", "perm") == [0, 1, 3, 2],
    ),
    Case(
        "Non4DSlice",
        {},
        """g (float[1,2,3,4] x) => (float[A,B,C,D] y) <int64[1] b = {0}, int64[1] e = {1}, int64[1] a = {2}> {
            y = Slice(x, b, e, a) }""",
        "Slice",
        None,
        lambda m: listed(m, "Slice", 3) == [-1],
    ),
    Case(
        "Non4DLpNorm",
        {},
        "g (float[1,2,3,4] x) => (float[1,2,3,4] y) { y = LpNormalization <axis = 1> (x) }",
        "LpNormalization",
        None,
        lambda m: not any(a.name == "axis" and a.i != -1 for a in node(m, "LpNormalization").attribute),
    ),
    Case(
        "Flatten",
        {},
        "g (float[2,3,4] x) => (float[A,B] y) { a = Flatten(x) y = Neg(a) }",
        "Neg Reshape",
        None,
        lambda m: listed(m, "Reshape", 1) == [1, 1, 1, -1],
    ),
    Case(
        "ReshapeReduceSum",
        {},
        """g (float[1,2,3,8] x) => (float[1,2,3,2] y) <int64[5] s = {1,2,3,2,4}, int64[1] l = {-1}> {
            a = Reshape(x, s) y = ReduceSum <keepdims = 0> (a, l) }""",
        "Concat ReduceSum ReduceSum Slice Slice",
    ),
    Case(
        "ReshapeClipReduceSum",
        {},
        """g (float[1,2,3,8] x) => (float[1,2,3,2] y)
            <int64[5] s = {1,2,3,2,4}, int64[1] l = {-1}, float n = {0}, float o = {1}> {
            a = Reshape(x, s) c = Clip(a, n, o) y = ReduceSum <keepdims = 0> (c, l) }""",
        "Clip Clip Concat ReduceSum ReduceSum Slice Slice",
    ),
    Case(
        "ReduceMax",
        {"count": 6},
        "g (float[1,2,3,4] x) => (float[A,B,C,D] y) { y = ReduceMax <axes = [3]> (x) }",
        "ReduceMax Reshape",
        None,
        lambda m: listed(m, "Reshape", 1) == [1, 1, 1, 6],
    ),
    Case(
        "ReciprocalMulToDiv",
        {},
        "g (float[2] x, float[2] z) => (float[2] y) { r = Reciprocal(x) y = Mul(z, r) }",
        "Div",
    ),
    Case(
        "DeduplicateNodes",
        {},
        "g (float[2] x) => (float[2] y) { a = Exp(x) b = Exp(x) y = Add(a, b) }",
        "Add Exp",
    ),
    Case(
        "DeduplicateSubgraphInitializers",
        {},
        """g (float[2] x, bool c) => (float[2] y) { y = If(c) <
            then_branch = t () => (p) <float[2] u = {1,2}, float[2] v = {1,2}> { r = Add(x, u) p = Mul(r, v) },
            else_branch = e () => (q) { q = Exp(x) }> }""",
        "Add Exp If Mul",
        1e-5,
        lambda m: len(m.graph.node[0].attribute[0].g.initializer) == 1,
    ),
    Case(
        "RenameInputDims",
        {"input_name": "x", "dim_idx": 0, "dim_name": "batch"},
        "g (float[N,3] x) => (float[N,3] y) { y = Neg(x) }",
        "Neg",
        1e-5,
        lambda m: input_dims(m) == output_dims(m) == [["batch", 3]],
    ),
    Case(
        "RenameOutputDims",
        {"output_idx": 0, "dim_idx": 0, "dim_name": "kept"},
        "g (float[N,3] x) => (float[unk,3] y) <float[3] w> { y = Neg(x) }",
        "Neg",
        None,
        lambda m: output_dims(m) == [["kept", 3]],
    ),
    Case("RemoveMemcpy", {}, "g (float[2] x) => (float[2] y) { a = MemcpyToHost(x) y = Abs(a) }", "Abs", None),
    Case(
        "RemoveGidxFromMatMulNBits",
        {},
        MICROSOFT
        + f"""g (float[2,32] x) => (float[2,1] y)
            <uint8[1,2,8] w = {numbers(range(16))}, float[2] s = {{1,0.5}},
             int32[32] g = {numbers(i // 16 for i in range(32))}>
            {{ y = com.microsoft.MatMulNBits <K = 32, N = 1, bits = 4, block_size = 16> (x, w, s, , g) }}""",
        "MatMulNBits",
        1e-5,
        lambda m: len(node(m, "MatMulNBits").input) == 3,
    ),
    Case(
        "RemoveRopeMultiCache",
        {},
        CACHES,
        "Constant Constant RotaryEmbedding",
        1e-5,
        lambda m: operand(m, "RotaryEmbedding", 2).shape == (3, 2),
    ),
    Case(
        "RemoveRopeMultiCache",
        {"use_large_cache": True},
        CACHES,
        "Constant Constant RotaryEmbedding",
        1e-5,
        lambda m: operand(m, "RotaryEmbedding", 2).shape == (4, 2),
    ),
    Case("DecomposeRotaryEmbedding", {}, ROTARY.format(dims="2,3,8", attributes="num_heads = 2"), "*"),
    Case("DecomposeRotaryEmbedding", {}, ROTARY.format(dims="2,2,3,4", attributes="interleaved = 1"), "*"),
    Case(
        "TieWordEmbeddings",
        {},
        f"""g (int64[2,3] i, float[B,T,32] x) => (float[2,3,32] e, float[B,T,5] y)
            <float[5,32] t = {numbers(TABLE)}, float[32,5] w = {numbers(TRANSPOSE)}> {{
            e = Gather(t, i) y = MatMul(x, w) }}""",
        "Concat Gather Gemm Reshape Reshape Shape Slice",
        1e-5,
        lambda m: node(m, "Gemm").input[1] == "t" and all(tensor.name != "w" for tensor in m.graph.initializer),
    ),
    Case(
        "TieWordEmbeddings",
        {},
        embedding(8, f"uint8[5,1,32] w = {numbers(16 * n for n in NIBBLES)}, float[5] r = {{1,2,3,4,5}}"),
        "GatherBlockQuantized MatMulNBits Reshape",
        1e-5,
        lambda m: first_input(m, "MatMulNBits", 1) == "t" and node(m, "MatMulNBits").input[2] == "s",
    ),
    Case(
        "QuantizeEmbeddingInt8",
        {},
        f"g (int64[2,3] i) => (float[2,3,32] y) <float[5,32] t = {numbers(TABLE)}> {{ y = Gather(t, i) }}",
        "GatherBlockQuantized",
        11 / 128,
        lambda m: operand(m, "GatherBlockQuantized", 0).dtype == "uint8" and len(m.graph.initializer) == 2,
    ),
    Case(
        "ShareEmbeddingLmHead",
        {},
        embedding(4, f"uint8[5,1,16] w = {numbers(BYTES)}, float[5] r = {{16,32,48,64,80}}"),
        "GatherBlockQuantized MatMulNBits Reshape",
        1e-5,
        lambda m: first_input(m, "MatMulNBits", 1) == "t" and attribute(m, "MatMulNBits", "bits") == 8,
    ),
    Case(
        "PackedAttentionToLoopMHA",
        {},
        PACKED,
        "Cast Concat Gather Gather Identity Loop MultiHeadAttention Reshape Reshape Reshape Reshape Size Slice Slice "
        "Slice Slice Slice Slice Transpose Transpose Transpose Unsqueeze",
        None,
        lambda m: sorted(o.domain for o in m.opset_import) == ["", "com.microsoft"],
        runs=False,
    ),
    Case(
        "PackedAttentionToPackedMHA",
        {},
        PACKED,
        "Add Cast Compress Compress Concat Less Mul Not PackedMultiHeadAttention Range Range ReduceMax Reshape Reshape "
        "Reshape Reshape Reshape Reshape Shape Size Slice Slice Sub Transpose Transpose Transpose Transpose Unsqueeze "
        "Unsqueeze",
        None,
        lambda m: abs(attribute(m, "PackedMultiHeadAttention", "scale") - 0.5) < 1e-6,
        runs=False,
    ),
]
