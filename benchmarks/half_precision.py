"""Compares graft's conversion to float16 with other tools: onnxconverter-common, float16.py of ONNX Runtime, and
AutoCast of Model Optimizer.

  build/peers/bin/python benchmarks/half_precision.py FOLDER... [--build build] [--models NAME...] [--tools NAME...]
      [--runtimes NAME...] [--limit SECONDS]

The folders have models at any depth, such as ONNX's node tests. Each tool converts each float32 model that ONNX
Runtime's CPU provider runs; inputs and outputs stay float32. There is a line for each tool and model, and then a table
that counts the models: those converted, accepted by onnx.checker, loaded by the runtime, run without an infinity or NaN
that float32 does not have, and equal within 2 % of the largest element to what the same runtime computes in float32;
Casts in the main graph beyond those of the original, and seconds from file to file without imports; for graft those of
the whole program. Each conversion, with its runs, is a process of its own. AutoCast needs
`nvidia-modelopt[onnx]`; a tool that is not installed converts nothing.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.pop(0)  # Model Optimizer imports another float16

TOOLS = ("graft", "onnxconverter-common", "onnxruntime", "autocast")
EXTENT = 8  # of symbolic dims
TOLERANCE = 0.02


def convert(tool, source, target, build):
    """Seconds of one conversion."""
    if tool == "graft":
        program = pathlib.Path(build) / "examples/graft-optimize"
        start = time.perf_counter()
        command = [program, source, "-o", target, "--float16", "--keep-io"]
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - start
    import onnx

    if tool == "autocast":
        from modelopt.onnx.autocast import convert_to_mixed_precision

        start = time.perf_counter()
        onnx.save(convert_to_mixed_precision(str(source), keep_io_types=True), target)
        return time.perf_counter() - start
    if tool == "onnxconverter-common":
        from onnxconverter_common import float16
    else:
        from onnxruntime.transformers import float16
    start = time.perf_counter()
    model = float16.convert_float_to_float16(onnx.load(source), keep_io_types=True)
    onnx.save(model, target)
    return time.perf_counter() - start


def feeds(session, seed):
    """Random inputs: normal floats, and integers 0 and 1."""
    import numpy

    random = numpy.random.default_rng(seed)
    dtypes = {"float": "f4", "float16": "f2", "double": "f8", "bool": "?", "int64": "i8", "int32": "i4", "uint8": "u1"}
    result = {}
    for one in session.get_inputs():
        shape = [extent if isinstance(extent, int) and extent > 0 else EXTENT for extent in one.shape]
        dtype = numpy.dtype(dtypes[one.type[len("tensor(") : -1]])
        values = random.standard_normal(shape) if dtype.kind == "f" else random.integers(0, 2, shape)
        result[one.name] = values.astype(dtype)
    return result


class OpenVino:
    """OpenVINO's CPU plugin in the types of the graph."""

    def __init__(self, path):
        import openvino

        self.model = openvino.Core().compile_model(str(path), "CPU")

    def run(self, _, given):
        result = self.model({name: value for name, value in given.items()})
        return [result[i] for i in range(len(self.model.outputs))]


def executor(runtime, path):
    if runtime == "openvino":
        return OpenVino(path)
    if runtime == "reference":
        from onnx.reference import ReferenceEvaluator

        return ReferenceEvaluator(str(path))
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def casts(path):
    import onnx

    return sum(node.op_type == "Cast" for node in onnx.load(path, load_external_data=False).graph.node)


def judge(runtime, source, target):
    """What becomes of a converted model: the last step that it passes, and the error."""
    import numpy
    import onnx

    result = {"casts": casts(target) - casts(source), "checked": True}
    try:
        onnx.checker.check_model(str(target), full_check=True)
    except Exception:
        result["checked"] = False
    given = feeds(executor("onnxruntime", source), 1)
    try:
        wanted = executor(runtime, source).run(None, given)
    except Exception as error:
        return {**result, "step": "not run in float32", "why": str(error)[-200:]}
    try:
        converted = executor(runtime, target)
    except Exception as error:
        return {**result, "step": "refused", "why": str(error)[-200:]}
    try:
        got = converted.run(None, given)
    except Exception as error:
        return {**result, "step": "fails", "why": str(error)[-200:]}
    worst = 0.0
    for a, b in zip(wanted, got):
        if not isinstance(a, numpy.ndarray) or a.dtype.kind != "f":
            continue
        a, b = a.astype("f8"), numpy.asarray(b).astype("f8")
        finite = numpy.isfinite(a)
        if not numpy.isfinite(b[finite]).all():
            return {**result, "step": "infinite"}
        if finite.any():
            worst = max(worst, float(numpy.abs(a - b)[finite].max() / max(numpy.abs(a[finite]).max(), 1e-9)))
    return {**result, "step": "equal" if worst <= TOLERANCE else "differs", "error": worst}


def runs(source):
    """Whether the original is a float32 model that ONNX Runtime runs and onnx.checker accepts."""
    import onnx

    text = onnx.load(source, load_external_data=False)
    if not any(info.type.tensor_type.elem_type == 1 for info in [*text.graph.input, *text.graph.output]):
        return False
    try:
        onnx.checker.check_model(str(source), full_check=True)
        session = executor("onnxruntime", source)
        session.run(None, feeds(session, 1))
    except Exception:
        return False
    return True


def one(tool, source, target, build, *runtimes):
    """Prints the seconds of a conversion, and then what each runtime makes of the result."""
    with contextlib.redirect_stdout(sys.stderr):
        seconds = convert(tool, source, target, build)
    print(json.dumps(seconds), flush=True)
    for runtime in runtimes:
        print(json.dumps(judge(runtime, source, target)), flush=True)


def apart(limit, *arguments):
    """What this script prints in a process of its own, until it crashes or takes too long."""
    command = [sys.executable, __file__, "--apart", *map(str, arguments)]
    try:
        printed = subprocess.run(command, capture_output=True, text=True, timeout=limit).stdout
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode()
    return [json.loads(line) for line in printed.splitlines() if line.startswith(("{", "true", *"0123456789"))]


class Totals:
    """Counts of one tool over models."""

    def __init__(self, runtimes):
        self.converted = self.checked = self.casts = 0
        self.seconds = 0.0
        self.steps = {runtime: collections.Counter() for runtime in runtimes}

    def rows(self, tool):
        for runtime, counts in self.steps.items():
            finite = counts["equal"] + counts["differs"]
            loaded = self.converted - counts["refused"] - counts["not run in float32"]
            yield (f"| {tool} | {runtime} | {self.converted} | {self.checked} | {loaded} | {finite} | "
                   f"{counts['equal']} | {self.casts} | {self.seconds:.1f} |")


def compare(tool, model, source, target, args):
    """Converts one model, prints a line for each runtime, and counts."""
    totals = args.totals[tool]
    found = apart(args.limit, "one", tool, source, target, args.build, *args.runtimes)
    if not found:
        print(f"{tool}: {model}: not converted", flush=True)
        return
    totals.converted += 1
    totals.seconds += found[0]
    for k, runtime in enumerate(args.runtimes, 1):
        result = found[k] if k < len(found) else {"step": "refused", "why": "crash"}
        totals.steps[runtime][result["step"]] += 1
        if k == 1:
            totals.checked += result.get("checked", False)
            totals.casts += result.get("casts", 0)
        print(f"{tool}: {model}: {runtime}: {result['step']}, {result.get('casts', '?')} Casts, {found[0]:.2f} s, "
              f"error {result.get('error', 0):.1e}" + (f", {result['why']!r}" if "why" in result else "") +
              ("" if result.get("checked") else ", refused by onnx.checker"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--build", default="build")
    parser.add_argument("--models", nargs="*", default=[], help="names of files without .onnx; default: all")
    parser.add_argument("--tools", nargs="*", default=TOOLS, choices=TOOLS)
    parser.add_argument("--runtimes", nargs="*", default=["onnxruntime"], help="onnxruntime, openvino, reference")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a model with its runs")
    args = parser.parse_args()
    models = [(folder, path) for folder in args.folders for path in sorted(folder.rglob("*.onnx"))]
    models = [(folder, path) for folder, path in models if path.parent.name != "faults"]
    models = [(folder, path) for folder, path in models if not args.models or path.stem in args.models]
    args.totals = {tool: Totals(args.runtimes) for tool in args.tools}
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary) / "model.onnx"
        for folder, path in models:
            if not apart(args.limit, "runs", path):
                continue
            count += 1
            for tool in args.tools:
                compare(tool, path.relative_to(folder.parent), path, target, args)
    print(f"\n{count} models\n")
    print("| tool | runtime | converted | checked | loaded | finite | equal | Casts | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for tool, totals in args.totals.items():
        for row in totals.rows(tool):
            print(row)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--apart"]:
        step, *rest = sys.argv[2:]
        if step == "one":
            one(*rest)
        elif runs(*rest):
            print("true")
    else:
        main()
