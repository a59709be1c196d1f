#!/usr/bin/env python3
"""What takes the place of PackedAttention computes it.

Usage: packed_attention_test.py GRAFT_OPTIMIZE

Neither ONNX Runtime nor the standard has PackedAttention, so NumPy computes what is expected: attention within each
sequence. The loop of MultiHeadAttention runs in ONNX Runtime. PackedMultiHeadAttention has a CUDA kernel only: what is
around it runs in the reference evaluator, and the operator is written here as its documentation describes it.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from sessions import session
from surgeries import PACKED


def attention(query, key, value, scale):
    """[..., length, size]"""
    scores = scale * query @ key.swapaxes(-1, -2)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ value


def packed_attention(query, key, value, lengths):
    """[1, length, heads, size] of [1, heads, length, size]."""
    parts = [
        attention(*(x[:, :, first:end] for x in (query, key, value)), 0.5)
        for first, end in zip(lengths[:-1], lengths[1:])
    ]
    return numpy.concatenate(parts, axis=2).transpose(0, 2, 1, 3)


class PackedMultiHeadAttention(OpRun):
    op_domain = "com.microsoft"

    def _run(self, query, key, value, bias, offsets, lengths, num_heads=None, scale=None):
        assert bias is None and offsets.dtype == lengths.dtype == numpy.int32
        sequences, longest = offsets.shape
        places = offsets.ravel()
        assert sorted(places) == list(range(sequences * longest)), "the offsets are not an order of all places"
        tokens = places[: len(query)]
        result = numpy.zeros_like(value)
        padded = [numpy.zeros((sequences * longest, x.shape[1]), x.dtype) for x in (query, key, value)]
        for whole, x in zip(padded, (query, key, value)):
            whole[tokens] = x
        batches = [x.reshape(sequences, longest, num_heads, -1).swapaxes(1, 2) for x in padded]
        seen = numpy.zeros_like(batches[2])
        for i, length in enumerate(numpy.diff(lengths)):
            seen[i, :, :length] = attention(*(x[i, :, :length] for x in batches), scale)
        result[:] = seen.swapaxes(1, 2).reshape(sequences * longest, -1)[tokens]
        return (result,)


def main():
    optimize = sys.argv[1]
    model = onnx.parser.parse_model(PACKED)
    random = numpy.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        onnx.save(model, folder / "model.onnx")
        for name in ("PackedAttentionToLoopMHA", "PackedAttentionToPackedMHA"):
            command = [optimize, folder / "model.onnx", "-o", folder / f"{name}.onnx", "--surgery", name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        loop = session(str(folder / "PackedAttentionToLoopMHA.onnx"), optimize=False)
        packed = ReferenceEvaluator(str(folder / "PackedAttentionToPackedMHA.onnx"), new_ops=[PackedMultiHeadAttention])
        for lengths in ([0, 6], [0, 2, 6], [0, 3, 4, 8, 9]):
            feeds = {name: random.standard_normal((1, 2, lengths[-1], 4)).astype("f") for name in "qkv"}
            feeds["n"] = numpy.array(lengths, numpy.int32)
            expected = packed_attention(*feeds.values())
            for got in (loop.run(None, feeds)[0], packed.run(None, feeds)[0]):
                assert got.shape == expected.shape, f"{lengths}: {got.shape}, not {expected.shape}"
                numpy.testing.assert_allclose(got, expected, 1e-5, 1e-5, err_msg=str(lengths))
    print("both agree with NumPy")


if __name__ == "__main__":
    main()
