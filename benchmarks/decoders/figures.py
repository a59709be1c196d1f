"""Figures of a decoder, for run.py and openvino_cache.py. A decoder has restart(), and gives the logits of tokens."""

import statistics
import time

import numpy

CHUNK = 512


def cross_entropy(logits, ids):
    """The sum over all tokens but the first, of the logits [steps, words] of all tokens."""
    logits = logits[:-1].astype(numpy.float64)
    logits -= logits.max(axis=1, keepdims=True)
    chosen = logits[numpy.arange(len(ids) - 1), ids[1:]]
    return float((numpy.log(numpy.exp(logits).sum(axis=1)) - chosen).sum())


def generation(decoder, context, count):
    """Tokens a second behind the tokens of a context."""
    decoder.restart()
    for start in range(0, len(context), CHUNK):
        last = decoder(context[start:start + CHUNK])[-1]
    seconds = []
    for _ in range(count):
        start = time.perf_counter()
        last = decoder([int(last.argmax())])[-1]
        seconds.append(time.perf_counter() - start)
    return 1 / statistics.median(seconds)
