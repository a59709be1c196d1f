#!/usr/bin/env python3
"""graft-tune beside stock ONNX Runtime in Python.

Usage: graft_tune_test.py GRAFT_TUNE

Every option that the program lists is one that the runtime takes; the options and the code that a search gives are set
in Python, and the session then computes what the default one does.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL", what)


def net():
    """Two convolutions, one between quantizers, on a map that is large enough to be timed."""
    text = """
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1,8,N,N] x) => (float[1,8,N,N] y)
    <float s = {0.05}, uint8 z = {128}> {
      q = QuantizeLinear(x, s, z)
      d = DequantizeLinear(q, s, z)
      c = Conv <pads = [1,1,1,1]> (d, w)
      r = Relu(c)
      t = Conv <pads = [1,1,1,1]> (r, w)
      y = Add(t, x)
    }"""
    model = onnx.parser.parse_model(text)
    weight = numpy.random.default_rng(0).normal(0, 0.1, (8, 8, 3, 3)).astype(numpy.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    return model


def outputs(path, options, x):
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def check_options(program, path):
    values = {"sequential": "parallel", "all": "basic", "0": "1", "1": "0"}
    texts = {"session.intra_op_thread_affinities": "1", "optimization.disable_specified_optimizers": "NhwcTransformer"}
    names = []
    for line in run(program, "--list").stdout.splitlines():
        name, preset = line.split()[:2]
        names.append(name)
        setting = f"{name}={texts.get(name) or values[preset]}"
        more = ["--compare", "intra_op_num_threads=2"] if "affinities" in name else []
        ended = run(program, path, "--compare", setting, *more, "--dim", "N=16", "--budget", "0", "--tolerance", "1")
        check(ended.returncode == 0 and setting in ended.stdout, f"{setting}: {ended.stdout}{ended.stderr}")
    check(len(names) == 14, f"{len(names)} options are listed")


def check_search(program, path, folder):
    log = folder / "t.json"
    ended = run(program, path, "--dim", "N=32", "--budget", "8", "--threads", "2", "--json", log, "--write", "python")
    check(ended.returncode == 0, ended.stderr)
    result = json.loads(log.read_text())
    check(result["runtime"] == "ONNX Runtime " + onnxruntime.__version__, result["runtime"])
    check(ended.stdout.endswith("\n" + result["python"]), "the code is printed")
    names = {trial["option"] for trial in result["trials"]} | set(result["untried"])
    check({"intra_op_num_threads", "graph_optimization_level", "session.qdqisint8allowed"} <= names, f"tried {names}")
    for trial in result["trials"]:
        check(len(trial["times"]) == len(trial["times_of_default"]) == trial["ratio"]["pairs"], f"rounds of {trial}")
    check(result["base"] == {"intra_op_num_threads": "2"}, f"the default is {result['base']}")
    check(result["chosen"] in (result["base"], result["candidate"]), "what is chosen is what was found, or the default")
    if result["chosen"] != result["base"]:
        check(result["ratio"]["high"] < 1, "what is chosen is faster beyond noise")
    scope = {"onnxruntime": onnxruntime}
    exec(result["python"], scope)
    x = numpy.random.default_rng(1).normal(0, 1, (1, 8, 32, 32)).astype(numpy.float32)
    expected = outputs(path, onnxruntime.SessionOptions(), x)
    apart = numpy.abs(outputs(path, scope["options"], x) - expected).max() / numpy.abs(expected).max()
    check(apart <= result["tolerance"], f"outputs are {apart} apart")


def check_defaults(program, path, folder):
    """Options that equal the runtime's default are not set."""
    settings = {"execution_mode": "sequential", "graph_optimization_level": "all", "intra_op_num_threads": "1",
                "enable_cpu_mem_arena": "1", "session.intra_op.allow_spinning": "0"}
    arguments = [word for name, value in settings.items() for word in ("--compare", f"{name}={value}")]
    log = folder / "c.json"
    ended = run(program, path, *arguments, "--dim", "N=16", "--json", log, "--budget", "0")
    check(ended.returncode == 0, ended.stderr)
    check(json.loads(log.read_text())["candidate"] == {"intra_op_num_threads": "1",
                                                       "session.intra_op.allow_spinning": "0"}, ended.stdout)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = str(folder / "m.onnx")
        onnx.save(net(), path)
        check_options(program, path)
        check_search(program, path, folder)
        check_defaults(program, path, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
