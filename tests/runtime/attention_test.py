#!/usr/bin/env python3
"""Compares transformers whose attention has been fused with what they were, in stock ONNX Runtime.

Usage: attention_test.py FUSE_ATTENTION

FUSE_ATTENTION is the program graft_fuse_attention. Whole nets are those below $GRAFT_TEST_DATA. Batches, lengths and
masks vary: none, padding at either end, holes, rows that see nothing. Fails where an output moves by more than 1e-5,
where the runtime refuses a model, or where exports of one net do not end with the same fused operators.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import sessions
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TOLERANCE = 1e-5
HALF_TOLERANCE = 4e-3  # results of f16, of 1 to 4, in several roundings
random = np.random.default_rng(0)


def masks(batch, length):
    """By name; 1 is a step that counts."""
    whole = np.ones((batch, length), np.int64)
    yield "all", whole
    if length < 3:
        return
    right, left, holes, nothing = (whole.copy() for _ in range(4))
    for row in range(batch):
        right[row, length - 1 - row % (length - 1):] = 0
        left[row, :1 + row % (length - 1)] = 0
    holes[:, 1::2] = 0
    nothing[-1] = 0
    yield from [("right", right), ("left", left), ("holes", holes), ("nothing", nothing)]


def bert_feeds(session):
    names = [given.name for given in session.get_inputs()]
    for batch in 1, 3:
        for length in 1, 5, 16:
            for name, mask in masks(batch, length):
                ids = random.integers(0, 100, (batch, length))
                values = {"attention_mask": mask, "input_mask": mask, "token_type_ids": ids % 2, "segment_ids": ids % 2}
                yield f"{batch}x{length} {name}", {name: values.get(name, ids) for name in names}


def decoder_feeds(session):
    """What has been said before stands in the cache."""
    for batch in 1, 3:
        for past, length in (0, 1), (0, 6), (4, 1), (5, 3):
            for name, mask in masks(batch, past + length):
                if name == "nothing":  # lowest and half of it add up to -inf here, whose softmax means nothing
                    continue
                feeds = {"input_ids": random.integers(0, 200, (batch, length)), "attention_mask": mask,
                         "position_ids": np.tile(np.arange(past, past + length), (batch, 1))}
                for given in session.get_inputs():
                    if given.name.startswith("past"):
                        feeds[given.name] = random.standard_normal((batch, 2, past, 8)).astype(np.float32)
                yield f"{batch}x{length} behind {past} {name}", feeds


def cached(folder, groups):
    """A step of attention behind a cache, 4 heads over so many groups of keys; the path of the model."""
    heads, size = 4, 16
    constants = {"split": [0, 0, heads, size], "split_groups": [0, 0, groups, size], "join": [0, 0, heads * size],
                 "axis": [2], "times": [1, 1, heads // groups, 1, 1], "repeated": [0, heads, -1, size]}
    arrays = [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in constants.items()]
    arrays.append(numpy_helper.from_array(np.array(size ** 0.5, np.float32), "root"))
    nodes = []

    def op(name, *inputs, output=None, **attributes):
        nodes.append(helper.make_node(name, inputs, [output or f"t{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def by_heads(x, split):
        return op("Transpose", op("Reshape", x, split), perm=[0, 2, 1, 3])

    def with_past(name):
        present = op("Concat", f"past_{name}", by_heads(name, "split_groups"), output=f"present_{name}", axis=2)
        if groups == heads:
            return present
        return op("Reshape", op("Expand", op("Unsqueeze", present, "axis"), "times"), "repeated")

    key, value = with_past("key"), with_past("value")
    scores = op("MatMul", by_heads("query", "split"), op("Transpose", key, perm=[0, 1, 3, 2]))
    attended = op("MatMul", op("Softmax", op("Div", scores, "root"), axis=-1), value)
    op("Reshape", op("Transpose", attended, perm=[0, 2, 1, 3]), "join", output="y")

    def info(name, *dims):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)

    inputs = [info("query", "b", 1, heads * size), info("key", "b", 1, groups * size),
              info("value", "b", 1, groups * size), info("past_key", "b", groups, "p", size),
              info("past_value", "b", groups, "p", size)]
    outputs = [info("y", "b", 1, heads * size), info("present_key", "b", groups, "t", size),
               info("present_value", "b", groups, "t", size)]
    graph = helper.make_graph(nodes, "cached", inputs, outputs, arrays)
    path = pathlib.Path(folder) / f"cached_{groups}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    return path


def cached_feeds(session):
    for batch in 1, 3:
        for past in 0, 1, 5:
            extents = {"b": batch, "p": past}
            yield f"{batch} behind {past}", {
                given.name: random.standard_normal([extents.get(dim, dim) for dim in given.shape]).astype(np.float32)
                for given in session.get_inputs()}


class Forms:
    """Attention of 4 heads over a batch, in the spellings of different frameworks."""

    heads, size, features = 4, 8, 32

    def __init__(self, dtype=np.float32):
        self.dtype, self.nodes, self.constants = dtype, [], []

    def op(self, name, *inputs, output=None, **attributes):
        """Arrays become constants."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        self.nodes.append(helper.make_node(name, names, [output or f"t{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def constant(self, value):
        array = np.asarray(value)
        array = array.astype(self.dtype if array.dtype.kind == "f" else array.dtype)
        self.constants.append(numpy_helper.from_array(array, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def linear(self, x, out=features):
        weight = np.random.default_rng(len(self.nodes)).standard_normal((self.features, out)) / self.features ** 0.5
        return self.op("Add", self.op("MatMul", x, weight), weight[0])

    def by_heads(self, x):
        return self.op("Transpose", self.op("Reshape", x, [0, 0, self.heads, self.size]), perm=[0, 2, 1, 3])

    def joined(self, attended):
        turned = self.op("Transpose", attended, perm=[0, 2, 1, 3])
        return self.op("Reshape", turned, [0, 0, self.features], output="y")

    def scaled(self, x):
        return self.op("Mul", x, self.size ** -0.5)

    def extent(self, x, axis):
        return self.op("Slice", self.op("Shape", x), np.array([axis]), np.array([axis + 1]))

    def steps_first(self):
        """torch.nn.MultiheadAttention, with a mask of keys for each head."""
        x = self.op("Transpose", "x", perm=[1, 0, 2])
        q, k, v = (self.op("Transpose", self.op("Reshape", self.linear(x), [0, -1, self.size]), perm=[1, 0, 2])
                   for _ in range(3))
        scores = self.op("MatMul", self.scaled(q), self.op("Transpose", k, perm=[0, 2, 1]))
        attended = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        rows = self.op("Reshape", self.op("Transpose", attended, perm=[1, 0, 2]), [-1, self.features])
        steps = self.op("Concat", self.extent("x", 1), self.extent("x", 0), [self.features], axis=0)
        self.op("Transpose", self.op("Reshape", self.linear(rows), steps), perm=[1, 0, 2], output="y")

    def merged_batches(self):
        """BART: heads are merged with the batch, and split for the mask."""
        batch, steps = self.extent("x", 0), self.extent("x", 1)
        merged = self.op("Concat", [-1], steps, [self.size], axis=0)
        q, k, v = (self.op("Reshape", self.by_heads(self.linear("x")), merged) for _ in range(3))
        scores = self.op("MatMul", self.scaled(q), self.op("Transpose", k, perm=[0, 2, 1]))
        apart = self.op("Reshape", scores, self.op("Concat", batch, [self.heads], steps, steps, axis=0))
        again = self.op("Reshape", self.op("Add", apart, "mask"), self.op("Concat", [-1], steps, steps, axis=0))
        attended = self.op("MatMul", self.op("Softmax", again, axis=-1), v)
        self.joined(self.op("Reshape", attended, self.op("Concat", batch, [self.heads], steps, [self.size], axis=0)))

    def guarded(self):
        """Rows that see nothing are 0."""
        q, k, v = (self.by_heads(self.linear("x")) for _ in range(3))
        scores = self.op("MatMul", self.scaled(q), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        weights = self.op("Softmax", self.op("Add", scores, "mask"), axis=-1)
        self.joined(self.op("MatMul", self.op("Where", self.op("IsNaN", weights), np.array(0.0), weights), v))

    def widened(self):
        """The softmax of f16 scores runs in f32."""
        q, k, v = (self.by_heads(self.linear("x")) for _ in range(3))
        scores = self.op("MatMul", self.scaled(q), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        wide = self.op("Cast", self.op("Add", scores, "mask"), to=TensorProto.FLOAT)
        weights = self.op("Cast", self.op("Softmax", wide, axis=-1), to=TensorProto.FLOAT16)
        self.joined(self.op("MatMul", weights, v))

    def stacked(self):
        """timm: one projection, whose parts are stacked."""
        apart = self.op("Reshape", self.linear("x", 3 * self.features), [0, 0, 3, self.heads, self.size])
        stack = self.op("Transpose", apart, perm=[2, 0, 3, 1, 4])
        q, k, v = (self.op("Gather", stack, np.array(i), axis=0) for i in range(3))
        scores = self.op("MatMul", self.scaled(q), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        self.joined(self.op("MatMul", self.op("Softmax", scores, axis=-1), v))

    def partly_turned(self):
        """GPT-NeoX: the first half of each head is turned by its position."""
        steps = self.op("Squeeze", self.extent("x", 1), [0])
        positions = self.op("Cast", self.op("Range", np.array(0), steps, np.array(1)), to=TensorProto.FLOAT)
        angles = self.op("Mul", self.op("Unsqueeze", positions, [1]), np.array([1.0, 0.1]))
        cosines, sines = (self.op(name, self.op("Concat", angles, angles, axis=-1)) for name in ("Cos", "Sin"))

        def part(x, start, end):
            return self.op("Slice", x, [start], [end], [3])

        def turned(x):
            first, rest = part(x, 0, 4), part(x, 4, 8)
            crossed = self.op("Concat", self.op("Neg", part(first, 2, 4)), part(first, 0, 2), axis=-1)
            whole = self.op("Add", self.op("Mul", first, cosines), self.op("Mul", crossed, sines))
            return self.op("Concat", whole, rest, axis=-1)

        q, k, v = (self.by_heads(self.linear("x")) for _ in range(3))
        scores = self.op("MatMul", self.scaled(turned(q)), self.op("Transpose", turned(k), perm=[0, 1, 3, 2]))
        self.joined(self.op("MatMul", self.op("Softmax", scores, axis=-1), v))

    def capped(self, keys="x"):
        """Gemma 2: scores are capped before they are masked, here by what is behind a query."""
        q, k, v = (self.by_heads(self.linear(x)) for x in ("x", keys, keys))
        scores = self.scaled(self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2])))
        capped = self.op("Mul", self.op("Tanh", self.op("Div", scores, np.array(0.5))), np.array(0.5))
        columns, rows = (self.op("Range", np.array(0), self.op("Squeeze", self.extent(x, 1), [0]), np.array(1))
                         for x in (keys, "x"))
        seen = self.op("LessOrEqual", self.op("Unsqueeze", columns, [0]), self.op("Unsqueeze", rows, [1]))
        mask = self.op("Where", seen, np.array(0.0), np.array(-1e38))
        self.joined(self.op("MatMul", self.op("Softmax", self.op("Add", capped, mask), axis=-1), v))

    def capped_across(self):
        """The same with more keys than queries, which GroupQueryAttention does not take."""
        self.capped(self.op("Concat", "x", "x", axis=1))

    def traced(self):
        """BLOOM as traced: heads are merged by products of extents, and biases are added in front of the mask."""
        batch, steps = (self.op("Gather", self.op("Shape", "x"), np.array(axis), axis=0) for axis in (0, 1))
        merged = self.op("Unsqueeze", self.op("Mul", batch, np.array(self.heads)), [0])
        steps = self.op("Unsqueeze", steps, [0])
        whole = self.op("Concat", merged, [-1], [self.size], axis=0)
        q, k, v = (self.op("Reshape", self.by_heads(self.linear("x")), whole) for _ in range(3))
        scores = self.scaled(self.op("MatMul", q, self.op("Transpose", k, perm=[0, 2, 1])))
        slopes = self.op("Add", self.op("Squeeze", "mask", [2]), np.linspace(0, 1, self.heads)[:, None])
        biased = self.op("Add", scores, self.op("Reshape", slopes, [-1, 1, 0]))
        apart = self.op("Concat", self.op("Unsqueeze", batch, [0]), [self.heads], steps, [-1], axis=0)
        weights = self.op("Softmax", self.op("Add", self.op("Reshape", biased, apart), "mask"), axis=-1)
        attended = self.op("MatMul", self.op("Reshape", weights, self.op("Concat", merged, steps, [-1], axis=0)), v)
        batches = self.op("Div", self.op("Gather", self.op("Shape", attended), np.array(0), axis=0),
                          np.array(self.heads))
        heads = self.op("Concat", self.op("Unsqueeze", batches, [0]), [self.heads], steps, [self.size], axis=0)
        self.joined(self.op("Reshape", attended, heads))

    def subtracted(self):
        """XLNet: products and biases are scaled together, and the mask is subtracted."""
        q, k, v = (self.by_heads(self.linear("x")) for _ in range(3))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        biased = self.scaled(self.op("Add", scores, np.linspace(0, 1, self.heads)[:, None, None]))
        self.joined(self.op("MatMul", self.op("Softmax", self.op("Sub", biased, self.op("Neg", "mask")), axis=-1), v))

    def save(self, folder, form):
        """The path of the model."""
        getattr(self, form)()
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        inputs = [helper.make_tensor_value_info("x", kind, ["b", "s", self.features])]
        if any("mask" in node.input for node in self.nodes):
            inputs.append(helper.make_tensor_value_info("mask", kind, ["b", 1, 1, "s"]))
        outputs = [helper.make_tensor_value_info("y", kind, ["b", "s", self.features])]
        graph = helper.make_graph(self.nodes, form, inputs, outputs, self.constants)
        path = pathlib.Path(folder) / f"{form}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
        return path


def form_feeds(session):
    """Masks hide by -inf; those of f16 by its lowest."""
    names = [given.name for given in session.get_inputs()]
    dtype = np.float16 if session.get_inputs()[0].type == "tensor(float16)" else np.float32
    low = np.finfo(dtype).min if dtype == np.float16 else -np.inf
    for batch in 1, 3:
        for length in 1, 5, 16:
            for name, mask in masks(batch, length):
                feeds = {"x": random.standard_normal((batch, length, Forms.features)).astype(dtype),
                         "mask": np.where(mask == 1, 0, low).astype(dtype)[:, None, None]}
                yield f"{batch}x{length} {name}", {name: feeds[name] for name in names}


FORMS = [("steps_first", np.float32), ("merged_batches", np.float32), ("stacked", np.float32), ("guarded", np.float32),
         ("widened", np.float16), ("traced", np.float32), ("subtracted", np.float32)]
# Exports of one net, what to feed them, and the operators that are to come out, by runtime.
FAMILIES = [
    ("transformers/bert2_*.onnx", bert_feeds, {"ort-cpu": "Attention 2", "multi-head": "MultiHeadAttention 2"}),
    ("transformers/bert2_*_dyn23.onnx", bert_feeds, {"onnx": "Attention 2"}),
    ("transformers/decoder2_*.onnx", decoder_feeds, {"ort-cpu": "MultiHeadAttention 2, RotaryEmbedding 4"}),
    ("transformers/decoder2_*_dyn23.onnx", decoder_feeds, {"onnx": "Attention 2, RotaryEmbedding 4"}),
    ("transformers/exported_*.onnx", bert_feeds, {"ort-cpu": "Attention 2", "multi-head": "MultiHeadAttention 2"}),
    ("models/minilm_l3.onnx", bert_feeds, {"ort-cpu": "Attention 3", "multi-head": "MultiHeadAttention 3"}),
]
# The runtime refuses the mask of its Attention: the standard's reference implementation runs instead.
REFUSED = {"bert2_sdpa_erf_dyn23"}


def fuse(program, runtime, model, result):
    """The operators for attention that the result has, and how many."""
    passes = ["fuse_rotary_embeddings", "fuse_attention", "expand_attention_masks"]
    done = subprocess.run([program, runtime, model, result, *passes], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    nodes = onnx.load(result).graph.node
    merged = {node.input[0] for node in nodes if node.op_type == "Attention" and node.domain}
    if any(node.op_type == "MatMul" and node.input[0] in merged for node in nodes):
        raise RuntimeError("a projection is left beside Attention")
    return ", ".join(line for line in done.stdout.splitlines() if "Attention" in line or "Rotary" in line)


def difference(expected, actual):
    """The greatest one, where both say the same of what is not a number."""
    if expected.shape != actual.shape:
        return np.inf
    undefined = np.isnan(expected)
    if expected.size == 0 or not np.array_equal(undefined, np.isnan(actual)):
        return 0 if expected.size == 0 else np.inf
    return float(np.max(np.abs(expected - actual), where=~undefined, initial=0))


def compare(feeds_of, runtime, model, fused):
    """The number of comparisons, and the greatest difference with its case."""
    before = ReferenceEvaluator(str(model)) if model.stem in REFUSED else sessions.session(str(model))
    after = sessions.session(str(fused))
    worst, count = (0, ""), 0
    for name, feeds in feeds_of(after):
        if name.endswith("nothing") and runtime == "onnx" and sessions.HIDDEN_ROWS_ARE_ZERO:
            continue  # the model averages
        for expected, actual in zip(before.run(None, feeds), after.run(None, feeds)):
            if expected.dtype.kind == "f":
                worst = max(worst, (difference(expected, actual), name))
                count += 1
    return count, *worst


def main():
    program, data = sys.argv[1], pathlib.Path(os.environ.get("GRAFT_TEST_DATA", "none"))
    failed = compared = 0
    cases = [(feeds_of, runtime, wanted, model) for pattern, feeds_of, runtimes in FAMILIES
             for runtime, wanted in runtimes.items() for model in sorted(data.glob(pattern))]
    with tempfile.TemporaryDirectory() as folder:
        for groups, wanted in (2, "GroupQueryAttention 1"), (4, "MultiHeadAttention 1"):
            cases.append((cached_feeds, "ort-cpu", wanted, cached(folder, groups)))
        for form, dtype in FORMS:
            path = Forms(dtype).save(folder, form)
            for runtime, wanted in ("ort-cpu", "Attention 1"), ("multi-head", "MultiHeadAttention 1"):
                cases.append((form_feeds, runtime, wanted, path))
        cases.append((form_feeds, "ort-cpu", "GroupQueryAttention 1", Forms().save(folder, "capped")))
        cases.append((form_feeds, "ort-cpu", "", Forms().save(folder, "capped_across")))
        path = Forms().save(folder, "partly_turned")
        cases.append((form_feeds, "ort-cpu", "MultiHeadAttention 1, RotaryEmbedding 2", path))
        for feeds_of, runtime, wanted, model in cases:
            fused = pathlib.Path(folder) / "fused.onnx"
            try:
                operators = fuse(program, runtime, model, fused)
                count, worst, case = compare(feeds_of, runtime, model, fused)
                print(f"{model.stem} for {runtime}: {operators}; {count} outputs, {worst:.1e} at {case}")
                compared += count
                failed += not worst <= (HALF_TOLERANCE if model.stem == "widened" else TOLERANCE) or operators != wanted
            except Exception as error:  # the runtime's own exceptions have no common base
                print(f"FAILED  {model.stem} for {runtime}: {str(error).splitlines()[0]}")
                failed += 1
    print(f"{compared} compared, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
