"""Transformers of two small layers with seeded random weights, as torch and optimum export them in an opset."""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

FEATURES, HEADS, GROUPS, SIZE, INNER, WORDS, STEPS = 32, 4, 2, 8, 64, 99, 64
LOWEST = np.finfo(np.float32).min
IMAGE = 16


def integers(*values):
    return np.array(values, np.int64)


class Net:
    def __init__(self, opset):
        self.opset, self.nodes, self.constants, self.inputs = opset, [], [], []
        self.random = np.random.default_rng(0)

    def op(self, name, *inputs, outputs=1, **attributes):
        """Arrays and numbers become constants."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        made = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(name, names, made, **attributes))
        return made[0] if outputs == 1 else made

    def constant(self, value):
        array = np.asarray(value)
        array = array.astype(np.float32) if array.dtype.kind == "f" else array
        self.constants.append(numpy_helper.from_array(array, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def input(self, name, *dims, dtype=TensorProto.INT64):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def model(self, y, *dims, caches=()):
        """caches: further outputs, [batch, GROUPS, P + steps, SIZE]."""
        cached = ["batch", GROUPS, "P + steps", SIZE]
        outputs = [helper.make_tensor_value_info(y, TensorProto.FLOAT, dims)]
        outputs += [helper.make_tensor_value_info(cache, TensorProto.FLOAT, cached) for cache in caches]
        graph = helper.make_graph(self.nodes, "net", self.inputs, outputs, self.constants)
        imports = [helper.make_opsetid("", self.opset)]
        made = helper.make_model(graph, opset_imports=imports, ir_version=8)
        checker.check_model(made)
        return made

    # What is spelt otherwise in another opset.

    def unsqueeze(self, x, *axes):
        if self.opset >= 13:
            return self.op("Unsqueeze", x, integers(*axes))
        for axis in axes:
            x = self.op("Unsqueeze", x, axes=[axis])
        return x

    def mean(self, x):
        if self.opset >= 18:
            return self.op("ReduceMean", x, integers(-1))
        return self.op("ReduceMean", x, axes=[-1])

    def thirds(self, x):
        if self.opset >= 13:
            return self.op("Split", x, integers(*[FEATURES] * 3), outputs=3, axis=2)
        return self.op("Split", x, outputs=3, axis=2, split=[FEATURES] * 3)

    def extent(self, x, axis):
        return self.op("Gather", self.op("Shape", x), np.int64(axis), axis=0)

    def dims(self, *extents):
        parts = [self.unsqueeze(each, 0) if isinstance(each, str) else integers(each) for each in extents]
        return self.op("Concat", *parts, axis=0)

    # Parts of layers.

    def weights(self, *dims):
        return self.random.standard_normal(dims) / np.sqrt(dims[0])

    def linear(self, x, size=FEATURES, out=FEATURES, bias=True):
        product = self.op("MatMul", x, self.weights(size, out))
        return self.op("Add", self.constant(self.weights(out)), product) if bias else product

    def normalize(self, x):
        scale, bias = 1 + 0.1 * self.weights(FEATURES), self.weights(FEATURES)
        if self.opset >= 17:
            return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
        centred = self.op("Sub", x, self.mean(x))
        deviation = self.op("Sqrt", self.op("Add", self.mean(self.op("Pow", centred, 2.0)), 1e-5))
        return self.op("Add", self.op("Mul", self.op("Div", centred, deviation), scale), bias)

    def root_mean_square(self, x):
        deviation = self.op("Sqrt", self.op("Add", self.mean(self.op("Pow", x, 2.0)), 1e-6))
        return self.op("Mul", 1 + 0.1 * self.weights(FEATURES), self.op("Mul", x, self.op("Div", 1.0, deviation)))

    def gelu(self, x):
        if self.opset >= 20:
            return self.op("Gelu", x)
        shifted = self.op("Add", self.op("Erf", self.op("Div", x, np.sqrt(2.0))), 1.0)
        return self.op("Mul", self.op("Mul", x, shifted), 0.5)

    def gelu_by_tanh(self, x):
        cubic = self.op("Add", x, self.op("Mul", self.op("Pow", x, 3.0), 0.044715))
        shifted = self.op("Add", self.op("Tanh", self.op("Mul", cubic, np.sqrt(2 / np.pi))), 1.0)
        return self.op("Mul", self.op("Mul", x, 0.5), shifted)

    def feed_forward(self, x, activation, bias=True):
        return self.linear(activation(self.linear(x, FEATURES, INNER, bias)), INNER, FEATURES, bias)

    # Masks and attention.

    def mask(self, given, kind):
        """Of [batch, steps]: 0 for steps that count, the lowest float for others."""
        rows = self.unsqueeze(given, 1, 2)
        if kind == "row":
            return self.op("Mul", self.op("Sub", 1.0, self.op("Cast", rows, to=TensorProto.FLOAT)), LOWEST)
        steps = self.extent(given, 1)
        dims = self.dims(self.extent(given, 0), 1, steps, steps)
        if kind == "guarded":  # torch's expand() leaves the extents that are -1
            ones = self.op("ConstantOfShape", integers(4), value=helper.make_tensor("one", TensorProto.INT64, [1], [1]))
            dims = self.op("Where", self.op("Equal", dims, self.op("Mul", ones, np.int64(-1))), ones, dims)
        hidden = self.op("Sub", 1.0, self.op("Cast", self.op("Expand", rows, dims), to=TensorProto.FLOAT))
        return self.op("Where", self.op("Cast", hidden, to=TensorProto.BOOL), LOWEST, hidden)

    def by_heads(self, x, perm):
        apart = self.op("Reshape", x, self.dims(self.extent(x, 0), self.extent(x, 1), HEADS, SIZE))
        return self.op("Transpose", apart, perm=perm)

    def causal(self, scores, keys, queries, kind):
        """GPT-2 takes rows up to the last key from a table; others the first rows."""
        count = self.extent(keys, 3)
        first = self.op("Sub", count, self.extent(queries, 2)) if kind == "last rows" else self.constant(np.int64(0))
        table = self.constant(np.tril(np.ones((1, 1, STEPS, STEPS), bool)))
        end = self.unsqueeze(count, 0)
        rows = self.op("Slice", table, self.unsqueeze(first, 0), end, integers(2), integers(1))
        return self.op("Where", self.op("Slice", rows, integers(0), end, integers(3), integers(1)), scores, LOWEST)

    def attention(self, q, k, v, scale="scores", added=(), hidden=None, causal=None):
        """added: to the scores, before what is causal or behind it; hidden: the steps of a mask that are 0 are."""
        queries, values = self.by_heads(q, [0, 2, 1, 3]), self.by_heads(v, [0, 2, 1, 3])
        if scale == "roots":  # scaled_dot_product_attention
            keys = self.op("Transpose", self.by_heads(k, [0, 2, 1, 3]), perm=[0, 1, 3, 2])
            size = self.op("Slice", self.op("Shape", queries), integers(-1), integers(np.iinfo(np.int64).max))
            root = self.op("Sqrt", self.op("Cast", size, to=TensorProto.FLOAT))
            part = self.op("Sqrt", self.op("Div", np.array([1.0]), root))
            queries, keys = self.op("Mul", queries, part), self.op("Mul", keys, part)
        else:
            keys = self.by_heads(k, [0, 2, 3, 1])
        if scale == "queries":
            queries = self.op("Div", queries, np.sqrt(SIZE))
        scores = self.op("MatMul", queries, keys)
        if scale == "scores":
            scores = self.op("Div", scores, np.sqrt(SIZE))
        if hidden is not None:
            rows = self.dims(self.extent(hidden, 0), 1, 1, self.extent(hidden, 1))
            rows = self.op("Reshape", self.op("Equal", hidden, np.int64(0)), rows)
            scores = self.op("Where", self.op("Expand", rows, self.op("Shape", scores)), LOWEST, scores)
        if causal:
            scores = self.causal(scores, keys, queries, causal)
        for each in added:
            scores = self.op("Add", scores, each)
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=3), values), perm=[0, 2, 1, 3])
        return self.op("Reshape", mixed, self.dims(self.extent(mixed, 0), self.extent(mixed, 1), FEATURES))

    def attention_of(self, x, bias=True, **how):
        return self.linear(self.attention(*(self.linear(x, bias=bias) for _ in range(3)), **how), bias=bias)

    def embedding(self, ids, positions):
        words = self.op("Gather", self.weights(WORDS, FEATURES) * 4, ids)
        steps = self.extent(ids, 1)
        if positions == "slice":
            table = np.arange(STEPS, dtype=np.int64)[np.newaxis]
            places = self.op("Slice", table, integers(0), self.unsqueeze(steps, 0), integers(1), integers(1))
        elif positions == "range":
            places = self.unsqueeze(self.op("Range", np.int64(0), steps, np.int64(1)), 0)
        else:  # RoBERTa counts the words that are not padding
            counted = self.op("Cast", self.op("Not", self.op("Equal", ids, np.int64(1))), to=TensorProto.INT32)
            sums = self.op("Mul", self.op("CumSum", counted, np.int64(1)), counted)
            places = self.op("Add", self.op("Cast", sums, to=TensorProto.INT64), np.int64(1))
        return self.op("Add", words, self.op("Gather", self.weights(STEPS + 2, FEATURES) * 2, places))


def words(net):
    return net.input("input_ids", "batch", "steps"), net.input("attention_mask", "batch", "steps")


def bert(opset, mask="row", scale="scores", positions="slice"):
    """DistilBERT hides scores by an Expand of the mask to their shape: mask "hidden"."""
    net = Net(opset)
    ids, given = words(net)
    x = net.normalize(net.embedding(ids, positions))
    how = {"hidden": given} if mask == "hidden" else {"added": [net.mask(given, mask)]}
    for _ in range(2):
        x = net.normalize(net.op("Add", net.attention_of(x, scale=scale, **how), x))
        x = net.normalize(net.op("Add", net.feed_forward(x, net.gelu), x))
    return net.model(x, "batch", "steps", FEATURES)


def gpt2(opset, causal="last rows"):
    net = Net(opset)
    ids, given = words(net)
    x, mask = net.embedding(ids, "range"), net.mask(given, "row")
    for _ in range(2):
        before = net.normalize(x)
        rows = net.op("Reshape", before, net.dims(-1, net.extent(before, 2)))
        joined = net.op("Gemm", rows, net.weights(FEATURES, 3 * FEATURES), net.weights(3 * FEATURES))
        dims = net.dims(net.extent(before, 0), net.extent(before, 1), 3 * FEATURES)
        parts = net.thirds(net.op("Reshape", joined, dims))
        x = net.op("Add", net.linear(net.attention(*parts, added=[mask], causal=causal)), x)
        x = net.op("Add", net.feed_forward(net.normalize(x), net.gelu_by_tanh), x)
    return net.model(net.normalize(x), "batch", "steps", FEATURES)


def decoder(opset, low=LOWEST):
    """With a cache and heads that queries share. The mask asks for the padding at each key of each batch."""
    net = Net(opset)
    ids, given = net.input("input_ids", "batch", "steps"), net.input("attention_mask", "batch", "T")
    pasts = [net.input(f"past.{i}", "batch", GROUPS, "P", SIZE, dtype=TensorProto.FLOAT) for i in range(4)]
    count = lambda first, end: net.op("Range", first, end, np.int64(1))  # noqa: E731
    past = net.extent(pasts[0], 2)
    queries = count(past, net.op("Add", past, net.extent(ids, 1)))
    total = net.op("Add", past, net.extent(queries, 0))
    keys = net.unsqueeze(count(np.int64(0), total), 0, 1, 2)
    batches = net.unsqueeze(count(np.int64(0), net.extent(ids, 0)), 1, 2, 3)
    places = net.op("Add", keys, net.op("Mul", batches, net.extent(given, 1)))
    padding = net.op("Gather", net.op("Reshape", net.op("Cast", given, to=TensorProto.BOOL), integers(-1)), places)
    shown = net.op("And", net.op("LessOrEqual", keys, net.unsqueeze(queries, 0, 1, 3)), padding)
    dims = net.dims(net.extent(ids, 0), 1, net.extent(queries, 0), total)
    mask = net.op("Where", net.op("Expand", shown, dims), 0.0, low)
    x, caches = net.op("Gather", net.weights(WORDS, FEATURES) * 4, ids), []
    for layer in range(2):
        before, operands = net.root_mean_square(x), []
        for i, heads in enumerate((HEADS, GROUPS, GROUPS)):
            part = net.linear(before, FEATURES, heads * SIZE, bias=False)
            part = net.op("Reshape", part, net.dims(net.extent(x, 0), net.extent(x, 1), -1, SIZE))
            part = net.op("Transpose", part, perm=[0, 2, 1, 3])
            if i != 0:
                caches.append(net.op("Concat", pasts[2 * layer + i - 1], part, axis=2))
                repeats = net.dims(net.extent(x, 0), GROUPS, HEADS // GROUPS, net.extent(caches[-1], 2), SIZE)
                repeated = net.op("Expand", net.unsqueeze(caches[-1], 2), repeats)
                part = net.op("Reshape", repeated, net.dims(net.extent(x, 0), HEADS, -1, SIZE))
            operands.append(part)
        scores = net.op("MatMul", operands[0], net.op("Transpose", operands[1], perm=[0, 1, 3, 2]))
        weights = net.op("Softmax", net.op("Add", net.op("Mul", scores, SIZE ** -0.5), mask), axis=-1)
        if np.isinf(low):
            weights = net.op("Where", net.op("IsNaN", weights), 0.0, weights)
        mixed = net.op("Transpose", net.op("MatMul", weights, operands[2]), perm=[0, 2, 1, 3])
        joined = net.op("Reshape", mixed, net.dims(net.extent(x, 0), net.extent(x, 1), -1))
        x = net.op("Add", x, net.linear(joined, bias=False))
    return net.model(net.root_mean_square(x), "batch", "steps", FEATURES, caches=caches)


def t5(opset):
    net = Net(opset)
    ids, given = words(net)
    x = net.op("Gather", net.weights(WORDS, FEATURES) * 4, ids)
    places = net.op("Range", np.int64(0), net.extent(ids, 1), np.int64(1))
    distance = net.op("Abs", net.op("Sub", net.unsqueeze(places, 0), net.unsqueeze(places, 1)))
    table = net.op("Gather", net.weights(32, HEADS) * 3, net.op("Min", distance, np.int64(31)))
    bias = net.unsqueeze(net.op("Transpose", table, perm=[2, 0, 1]), 0)
    bias = net.op("Add", bias, net.mask(given, "row"))
    for _ in range(2):
        x = net.op("Add", x, net.attention_of(net.root_mean_square(x), bias=False, scale=None, added=[bias]))
        inner = net.feed_forward(net.root_mean_square(x), lambda wide: net.op("Relu", wide), bias=False)
        x = net.op("Add", x, inner)
    return net.model(net.root_mean_square(x), "batch", "steps", FEATURES)


def vit(opset, scale="scores"):
    net = Net(opset)
    pixels = net.input("pixels", "batch", 3, IMAGE, IMAGE, dtype=TensorProto.FLOAT)
    patches = net.op("Conv", pixels, net.weights(FEATURES, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4])
    patches = net.op("Transpose", net.op("Reshape", patches, integers(0, FEATURES, -1)), perm=[0, 2, 1])
    first = net.op("Expand", net.weights(1, 1, FEATURES), net.dims(net.extent(pixels, 0), 1, FEATURES))
    count = (IMAGE // 4) ** 2 + 1
    x = net.op("Add", net.op("Concat", first, patches, axis=1), net.weights(1, count, FEATURES))
    for _ in range(2):
        x = net.op("Add", net.attention_of(net.normalize(x), scale=scale), x)
        x = net.op("Add", net.feed_forward(net.normalize(x), net.gelu), x)
    return net.model(net.normalize(x), "batch", count, FEATURES)


def forms():
    """Names and models."""
    for opset in 11, 12, 14, 17, 18, 20:
        for positions in ("slice", "range", "counted") if opset in (14, 20) else ("slice",):
            for mask in "row", "whole", "guarded", "hidden":
                for scale in ("scores", "queries", "roots") if opset >= 13 else ("scores",):
                    yield f"bert {opset} {positions} {mask} {scale}", bert(opset, mask, scale, positions)
        for causal in "last rows", "first rows":
            yield f"gpt2 {opset} {causal}", gpt2(opset, causal)
        if opset >= 12:  # Min of integers
            yield f"t5 {opset}", t5(opset)
        if opset >= 14:
            yield f"decoder {opset} lowest", decoder(opset)
            yield f"decoder {opset} infinity", decoder(opset, -np.inf)
        for scale in "scores", "roots":
            yield f"vit {opset} {scale}", vit(opset, scale)
