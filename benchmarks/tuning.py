"""Measures graft-tune on equal sessions, and whether its choice is as good in a second run.

  build/venv/bin/python benchmarks/tuning.py MODEL.onnx... [--runs 30] [--choices 1] [--build build] [--given ARGUMENTS]

The first part compares the default with an option that does nothing in sequential mode: every gain or loss is noise.
The second part searches options, and compares the chosen ones with the default in another process. --given has
arguments for graft-tune, as in --given="--dim batch=1 --budget 20". Run it beside other programs, which cause noise.
"""

import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import tempfile

NOTHING = "session.inter_op.allow_spinning=0"


def tune(args, model, *more):
    """The JSON result of graft-tune."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        program = args.build / "examples/graft-tune"
        subprocess.run([program, model, *more, *args.given, "--json", result], check=True, stdout=subprocess.DEVNULL)
        return json.loads(result.read_text())


def compared(args, model, settings):
    return tune(args, model, *(part for setting in settings for part in ("--compare", setting)))


def print_ratios(title, results):
    ratios = [result["ratio"] for result in results]
    faster = sum(result["chosen"] != result["base"] for result in results)
    slower = sum(ratio["low"] > 1 for ratio in ratios)
    widths = [ratio["high"] / ratio["low"] - 1 if ratio["high"] and ratio["low"] else float("inf") for ratio in ratios]
    print(
        f"{title}: of {len(results)} runs {faster} say faster, {slower} slower; "
        f"ratio {min(r['ratio'] for r in ratios):.3f} to {max(r['ratio'] for r in ratios):.3f}, "
        f"intervals {100 * statistics.median(widths):.1f} % wide, "
        f"{statistics.median(r['pairs'] for r in ratios):.0f} pairs, "
        f"{statistics.median(result['seconds'] for result in results):.0f} s each",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--choices", type=int, default=1, help="number of searches for each model")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--given", type=shlex.split, default=[], help="arguments of graft-tune")
    args = parser.parse_args()
    for model in args.models:
        if args.runs:
            print_ratios(f"{model.stem}, nothing changed", [compared(args, model, [NOTHING]) for _ in range(args.runs)])
        for _ in range(args.choices):
            found = tune(args, model)
            settings = [f"{name}={value}" for name, value in found["chosen"].items() - found["base"].items()]
            if settings:
                print_ratios(f"{model.stem}, {', '.join(settings)}", [compared(args, model, settings)])
            else:
                print(f"{model.stem}: the default is chosen", flush=True)


if __name__ == "__main__":
    main()
