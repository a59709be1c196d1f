"""Runs the language model in OpenVINO, whose CPU plugin compresses key-value caches itself, in each precision of these.

  python benchmarks/decoders/openvino_cache.py FOLDER [--threads 1] [--context 4096] [--precisions f32 u8 u4]

FOLDER is that of smollm2.py. Needs the packages openvino, gguf and numpy. The caches become states of the model, as
OpenVINO asks for. Prints the cross-entropy per token, and tokens a second behind the context.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
import numpy
import openvino
import smollm2
from figures import CHUNK, cross_entropy, generation
from openvino._offline_transformations import apply_make_stateful_transformation

TEXTS = sorted(pathlib.Path("/usr/share/perl").glob("*/Locale/Maketext/TPJ13.pod"))


class Decoder:
    def __init__(self, path, threads, precision):
        core = openvino.Core()
        model = core.read_model(path)
        pasts = [port for port in model.inputs if port.any_name.startswith("past")]
        model.reshape({port.any_name: [1, *list(port.partial_shape)[1:]] for port in model.inputs})
        apply_make_stateful_transformation(
            model, {port.any_name: port.any_name.replace("past_key_values", "present") for port in pasts})
        settings = {"KV_CACHE_PRECISION": precision, "INFERENCE_NUM_THREADS": threads,
                    "INFERENCE_PRECISION_HINT": "f32"}
        self._request = core.compile_model(model, "CPU", settings).create_infer_request()
        self.restart()

    def restart(self):
        self._request.reset_state()
        self._steps = 0

    def __call__(self, ids):
        """The logits [steps, words] of further tokens."""
        self._steps += len(ids)
        return self._request.infer({"input_ids": numpy.array([ids], numpy.int64),
                                    "attention_mask": numpy.ones((1, self._steps), numpy.int64)})[0][0]


def loss(decoder, ids):
    decoder.restart()
    logits = numpy.concatenate([decoder(ids[at:at + CHUNK]) for at in range(0, len(ids), CHUNK)])
    return cross_entropy(logits, ids) / (len(ids) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="with smollm2.onnx and smollm2.gguf")
    parser.add_argument("--text", type=pathlib.Path, default=TEXTS[-1] if TEXTS else None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=1024, help="for the cross-entropy")
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--generate", type=int, default=32)
    parser.add_argument("--precisions", nargs="+", default=["f32", "u8", "u4"])
    options = parser.parse_args()
    tokenizer = smollm2.Tokenizer(smollm2.Weights(options.folder / "smollm2.gguf"))
    ids = tokenizer.encode(options.text.read_text(errors="replace"))
    ids *= 1 + max(options.tokens, options.context) // len(ids)
    print(f"OpenVINO {openvino.__version__}, {options.threads} threads\n{'cache':<6} {'loss':>10} tokens a second")
    for precision in options.precisions:
        decoder = Decoder(options.folder / "smollm2.onnx", options.threads, precision)
        print(f"{precision:<6} {loss(decoder, ids[:options.tokens]):10.7f} "
              f"{generation(decoder, ids[:options.context], options.generate):15.2f}", flush=True)


if __name__ == "__main__":
    main()
