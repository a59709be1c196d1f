"""Small models, one for each optimization by its title: what there is before, and which operators are left.

Text is that of onnx.parser: the graph, or the whole model where it begins with "<".
"""

FUNCTIONS = '<ir_version: 8, opset_import: ["" : 17, "local" : 1]> '
TWICE = '<opset_import: ["" : 17], domain: "local"> twice (x) => (y) { y = Add(x, x) } '
BOTH = '<opset_import: ["" : 17], domain: "local"> both (x) => (y, z) { y = Abs(x) z = Add(x, x) } '

# title: (opset, graph, the operators that are left, in alphabetical order, those that simplify() leaves if others)
OPTIMIZATIONS = {
    "Constant Folding": (
        17,
        "g (float[2] x) => (float[2] y) <float[2] a = {1,2}, float[2] b = {3,4}> { c = Mul(a, b) y = Add(x, c) }",
        "Add",
    ),
    "Constant Propagation": (
        17,
        """g (float[2] x) => (float[2] y) {
            c = Constant <value = float[2] {1,2}> () d = Identity(c) e = Neg(d) y = Add(x, e) }""",
        "Add Constant Neg",
        "Add",
    ),
    "Sequence Simplification": (
        17,
        """g (float[2,3] a, float[2,3] b) => (float[6,3] y, float[2,3] z, float[3] u) <int64 at = {-1}, int64 o = {0}> {
            s = SequenceConstruct(a, b) e = SequenceEmpty() f = SequenceInsert(e, a) g = SequenceInsert(f, b, o)
            h = SequenceInsert(g, a) y = ConcatFromSequence <axis = 0> (h) t = SequenceAt(s, at) z = Neg(t)
            p = SplitToSequence <axis = 0, keepdims = 0> (a) q = SequenceAt(p, at) u = Abs(q) }""",
        "Abs Concat Neg Split Squeeze",
    ),
    "Remove Unused Nodes": (17, "g (float[2] x) => (float[2] y) { a = Relu(x) b = Abs(a) y = Neg(x) }", "Neg"),
    "Eliminate Nop Cast": (17, "g (float[2] x) => (float[2] y) { a = Cast <to = 1> (x) y = Neg(a) }", "Neg"),
    "Eliminate Nop Dropout": (11, "g (float[2] x) => (float[2] y) { a = Dropout <ratio = 0.0> (x) y = Neg(a) }", "Neg"),
    "Eliminate Nop Flatten": (
        17,
        "g (float[1,6] x) => (float[1,6] y) { a = Flatten <axis = 0> (x) y = Neg(a) }",
        "Neg",
    ),
    "Extract Constant to Initializer": (
        17,
        "g (float[2] x) => (float[2] y) { c = Constant <value = float[2] {1,2}> () y = Add(x, c) }",
        "Add",
    ),
    "Eliminate If with Const Cond": (
        17,
        """g (float[2] x) => (float[2] y) <bool c = {0}> {
            a = Abs(x)
            y = If(c) <then_branch = t () => (p) { p = Neg(a) }, else_branch = e () => (q) { q = Exp(a) }> }""",
        "Abs Exp",
    ),
    "Eliminate Nop Monotone ArgMax": (
        17,
        """g (float[2,5] x) => (int64[2] y) {
            a = Softmax <axis = 1> (x) y = ArgMax <axis = 1, keepdims = 0> (a) }""",
        "ArgMax",
        "ArgMax Softmax",
    ),
    "Eliminate Nop Pad": (
        17,
        "g (float[2,3] x) => (float[2,3] y) <int64[4] p = {0,0,0,0}> { a = Pad(x, p) y = Neg(a) }",
        "Neg",
    ),
    "Eliminate Nop Concat": (17, "g (float[2,3] x) => (float[2,3] y) { a = Concat <axis = 1> (x) y = Neg(a) }", "Neg"),
    "Eliminate Nop Split": (
        17,
        "g (float[2,3] x) => (float[2,3] y) <int64[1] s = {3}> { a = Split <axis = 1> (x, s) y = Neg(a) }",
        "Neg",
    ),
    "Eliminate Nop Expand": (
        17,
        "g (float[2,3] x) => (float[2,3] y) <int64[2] s = {1,3}> { a = Expand(x, s) y = Neg(a) }",
        "Neg",
    ),
    "Eliminate Shape Gather": (
        17,
        """g (float[N,3] x) => (int64 y) <int64 i = {-1}, int64 o = {1}> {
            s = Shape(x) a = Gather <axis = 0> (s, i) n = Size(x) y = Mul(n, a) }""",
        "Mul Size",
    ),
    "Eliminate Slice after Shape": (
        17,
        """g (float[N,3,4] x) => (float[N,3,4] y) <int64[1] b = {1}, int64[1] e = {3}, int64[1] m = {-1}> {
            s = Shape(x) a = Slice(s, b, e) t = Concat <axis = 0> (m, a) y = Reshape(x, t) }""",
        "Concat Reshape",
        "Identity",
    ),
    "Eliminate Nop Transpose": (
        17,
        "g (float[2,3] x) => (float[2,3] y) { a = Transpose <perm = [0,1]> (x) y = Neg(a) }",
        "Neg",
    ),
    "Fuse Add Bias into Conv": (
        17,
        """g (float[1,2,4,4] x, float[3,2,1,1] w) => (float[1,3,4,4] y) <float[3,1,1] b = {1,2,3}> {
            a = Conv(x, w) y = Add(a, b) }""",
        "Conv",
    ),
    "Fuse BN into Conv": (
        17,
        """g (float[1,2,4,4] x) => (float[1,2,4,4] y)
            <float[2,2,1,1] w = {1,2,3,4}, float[2] s = {1,2}, float[2] b = {1,-1}, float[2] m = {1,0},
             float[2] v = {1,4}>
            { a = Conv(x, w) y = BatchNormalization(a, s, b, m, v) }""",
        "Conv",
    ),
    "Fuse Consecutive Concats": (
        17,
        """g (float[2,1] a, float[2,2] b, float[2,3] c) => (float[2,6] y) {
            d = Concat <axis = 1> (a, b) y = Concat <axis = -1> (d, c) }""",
        "Concat",
    ),
    "Fuse Consecutive LogSoftmax": (
        17,
        "g (float[2,5] x) => (float[2,5] y) { a = Softmax(x) y = Log(a) }",
        "LogSoftmax",
    ),
    "Fuse Consecutive Reduce+Unsqueeze": (
        17,
        """g (float[2,3,4] x) => (float[2,1,4] y) <int64[1] u = {-2}> {
            a = ReduceMax <axes = [1], keepdims = 0> (x) y = Unsqueeze(a, u) }""",
        "ReduceMax",
    ),
    "Fuse Consecutive Squeezes": (
        17,
        """g (float[1,2,1,3] x) => (float[2,3] y) <int64[1] a = {0}, int64[1] b = {1}> {
            c = Squeeze(x, a) y = Squeeze(c, b) }""",
        "Squeeze",
    ),
    "Fuse Consecutive Transposes": (
        17,
        """g (float[2,3,4] x) => (float[4,3,2] y) {
            a = Transpose <perm = [1,2,0]> (x) y = Transpose <perm = [1,0,2]> (a) }""",
        "Transpose",
    ),
    "Fuse MatMul+Add Bias into GEMM": (
        17,
        """g (float[2,3] x) => (float[2,2] y) <float[3,2] w = {1,2,3,4,5,6}, float[2] b = {1,2}> {
            a = MatMul(x, w) y = Add(a, b) }""",
        "Gemm",
    ),
    "Fuse Pad into Conv": (
        17,
        """g (float[1,1,3,3] x) => (float[1,1,3,3] y)
            <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}, int64[8] p = {0,0,1,1,0,0,1,1}>
            { a = Pad(x, p) y = Conv(a, w) }""",
        "Conv",
    ),
    "Fuse Pad into Pool": (
        17,
        """g (float[1,1,4,4] x) => (float[1,1,4,4] y) <int64[8] p = {0,0,1,1,0,0,1,1}> {
            a = Pad(x, p) y = AveragePool <kernel_shape = [3,3]> (a) }""",
        "AveragePool",
    ),
    "Fuse Transpose into GEMM": (
        17,
        "g (float[3,2] x, float[3,4] w) => (float[2,4] y) { a = Transpose <perm = [1,0]> (x) y = Gemm(a, w) }",
        "Gemm",
    ),
    "Fuse Concat into Reshape": (
        17,
        """g (float[N,6] x) => (float[N,2,3] y) <int64[2] t = {2,3}, int64 i = {0}, int64[1] u = {0}> {
            s = Shape(x) n = Gather(s, i) m = Unsqueeze(n, u) c = Concat <axis = 0> (m, t) y = Reshape(x, c) }""",
        "Reshape",
    ),
    "Eliminate Nop Reshape": (
        17,
        "g (float[N,3] x) => (float[N,3] y) <int64[2] s = {-1,3}> { a = Reshape(x, s) y = Neg(a) }",
        "Neg",
    ),
    "Eliminate Nop with Unit": (
        17,
        """g (float[2] x) => (float[2] y) <float[1] o = {1}, float[1] z = {0}> {
            a = Mul(o, x) b = Add(a, z) c = Sub(b, z) d = Div(c, o) e = Pow(d, o) y = Neg(e) }""",
        "Neg",
    ),
    "Eliminate Common Subexpression": (
        17,
        "g (float[2] x) => (float[2] y) { a = Exp(x) b = Exp(x) y = Add(a, b) }",
        "Add Exp",
    ),
    "Fuse QKV": (
        17,
        """g (float[2,2] x) => (float[2,2] q, float[2,2] k, float[2,2] v)
            <float[2,2] a = {1,2,3,4}, float[2,2] b = {5,6,7,8}, float[2,2] c = {9,10,11,12}> {
            q = MatMul(x, a) k = MatMul(x, b) v = MatMul(x, c) }""",
        "MatMul Split",
        "MatMul MatMul MatMul",
    ),
    "Fuse Consecutive Unsqueezes": (
        17,
        """g (float[2,3] x) => (float[1,2,1,3] y) <int64[1] a = {1}, int64[1] b = {0}> {
            c = Unsqueeze(x, a) y = Unsqueeze(c, b) }""",
        "Unsqueeze",
    ),
    "Eliminate Deadend Nodes": (17, "g (float[2] x) => (float[2] y) { a = Exp(x) b, c = Split(a) y = Neg(x) }", "Neg"),
    "Eliminate Identity Nodes": (
        17,
        "g (float[2] x) => (float[2] y) { a = Neg(x) b = Identity(a) y = Identity(b) }",
        "Neg",
    ),
    "Eliminate Shape Ops": (
        17,
        "g (float[2,3] x, int64[2] z) => (int64[2] y) { a = Shape(x) y = Add(z, a) }",
        "Add",
    ),
    "Fuse Consecutive Slices": (
        17,
        """g (float[4,6] x) => (float[2,3] y)
            <int64[1] o = {1}, int64[1] z = {0}, int64[1] t = {3}, int64[1] f = {6}, int64[1] s = {2}> {
            a = Slice(x, o, t, z, o) y = Slice(a, z, f, o, s) }""",
        "Slice",
    ),
    "Eliminate Unused Initializer": (
        17,
        "g (float[2] x) => (float[2] y) <float[3] w = {1,2,3}> { y = Neg(x) }",
        "Neg",
    ),
    "Eliminate Duplicate Initializer": (
        17,
        """g (float[2] x) => (float[2] y) <float[2] a = {1,2}, float[2] b = {1,2}> {
            c = Add(x, a) d = Exp(c) y = Mul(d, b) }""",
        "Add Exp Mul",
    ),
    "Broadcast to MatMul": (
        17,
        """g (float[2,3,4] a, float[2,4,5] b) => (float[2,3,5] y)
            <int64[4] s = {1,2,3,4}, int64[4] t = {1,2,4,5}, int64[3] u = {2,3,5}> {
            p = Reshape(a, s) q = Reshape(b, t) r = MatMul(p, q) y = Reshape(r, u) }""",
        "MatMul",
    ),
    "Cast Constant of Shape": (
        17,
        """g (int64[2] s) => (float[A,B] y) { a = ConstantOfShape <value = int64[1] {3}> (s) y = Cast <to = 1> (a) }""",
        "ConstantOfShape",
    ),
    "GEMM to MatMul+Add": (
        17,
        """g (float[2,3,4] a, float[4,5] b) => (float[2,3,5] y)
            <float[5] c = {1,2,3,4,5}, int64[2] s = {6,4}, int64[3] t = {2,3,5}> {
            p = Reshape(a, s) q = Gemm(p, b, c) y = Reshape(q, t) }""",
        "Add MatMul",
        "Gemm Reshape Reshape",
    ),
    "No-Op Removal": (
        17,
        """g (float[2] x) => (float[2] y) <float o = {1}, float z = {0}, float r = {0.5}> {
            a = Mul(x, o) b = Add(z, a) c = Dropout(b, r) y = Neg(c) }""",
        "Neg",
    ),
    "Remove Unused Functions": (
        0,
        FUNCTIONS + "g (float[2] x) => (float[2] y) { y, z = local.both(x) }" + BOTH + TWICE,
        "Abs Add both",
        "Abs Add Add both",
    ),
    "Inline Functions with Unused Outputs": (
        0,
        FUNCTIONS + "g (float[2] x) => (float[2] y) { a, z = local.both(x) y = local.twice(a) }" + BOTH + TWICE,
        "Abs Add Add twice",
        "Abs Add Add both twice",
    ),
    "Inline Simple Functions": (
        0,
        FUNCTIONS + "g (float[2] x) => (float[2] y) { a = local.twice(x) y = Neg(a) }" + TWICE,
        "Add Neg",
        "Add Neg twice",
    ),
}
