"""Runs a decoder in a process of its own, and prints what it measured as JSON: decoders.py calls it.

  run.py MODEL GGUF TEXT --threads N --tokens N --prompt N --contexts N... --generate N
"""

import argparse
import json
import pathlib
import resource
import sys
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
import numpy
import onnxruntime
from figures import cross_entropy, generation

WINDOW = 1024
DTYPES = {"tensor(float)": numpy.float32, "tensor(int8)": numpy.int8, "tensor(uint8)": numpy.uint8}


class Decoder:
    """A session whose caches are buffers of a fixed length, which each run extends in place."""

    def __init__(self, path, threads, length):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._past = [tensor for tensor in self._session.get_inputs() if tensor.name.startswith("past")]
        self._present = [tensor.name for tensor in self._session.get_outputs() if tensor.name.startswith("present")]
        self._caches = [onnxruntime.OrtValue.ortvalue_from_numpy(
            numpy.zeros((1, tensor.shape[1], length, tensor.shape[3]), DTYPES[tensor.type])) for tensor in self._past]
        self._steps = 0

    def restart(self):
        self._steps = 0

    def __call__(self, ids):
        """The logits [steps, words] of further tokens."""
        binding = self._session.io_binding()
        self._steps += len(ids)
        binding.bind_cpu_input("input_ids", numpy.array([ids], numpy.int64))
        binding.bind_cpu_input("attention_mask", numpy.ones((1, self._steps), numpy.int64))
        binding.bind_output("logits")
        for past, present, cache in zip(self._past, self._present, self._caches):
            binding.bind_ortvalue_input(past.name, cache)
            binding.bind_ortvalue_output(present, cache)
        self._session.run_with_iobinding(binding)
        return binding.get_outputs()[0].numpy()[0]


def loss(decoder, ids):
    decoder.restart()
    return cross_entropy(decoder(ids), ids)


def main():
    import smollm2

    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("gguf", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    for name in ("threads", "tokens", "prompt", "generate"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--contexts", type=int, nargs="*", required=True)
    options = parser.parse_args()
    ids = smollm2.Tokenizer(smollm2.Weights(options.gguf)).encode(options.text.read_text(errors="replace"))
    longest = max(options.contexts, default=0)
    ids = (ids * (1 + max(longest, options.tokens) // len(ids)))
    decoder = Decoder(options.model, options.threads, max(longest + options.generate, WINDOW, options.prompt))
    windows = [ids[at:min(at + WINDOW, options.tokens)] for at in range(0, options.tokens, WINDOW)]
    found = {"loss": sum(loss(decoder, window) for window in windows) / sum(len(window) - 1 for window in windows)}
    seconds = []
    for _ in range(3):
        decoder.restart()
        start = time.perf_counter()
        decoder(ids[:options.prompt])
        seconds.append(time.perf_counter() - start)
    found["prompt"] = options.prompt / min(seconds)
    found["generation"] = [generation(decoder, ids[:context], options.generate) for context in options.contexts]
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(found))


if __name__ == "__main__":
    main()
