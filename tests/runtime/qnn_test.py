#!/usr/bin/env python3
"""Compares what graft's audit predicts for QNN HTP with what the backend was seen to do with small models.

The models and the recorded results are those of qnn_cases.py and cases.json, in the folder spec/qnn beside that of
GRAFT_TEST_DATA. A model is accepted, refused or fails. It is wrong if it is accepted, and its results are far from
those of ONNX Runtime's CPU provider. Where GRAFT_QNN is set, onnxruntime-qnn is installed into the folder qnn of
GRAFT_BUILD, and the models are run with it, too.

Usage: qnn_test.py QUANTIZE_MODEL [-v]

QUANTIZE_MODEL is the program graft_quantize_model.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import onnx

SKIPPED = 77
PACKAGES = ["onnxruntime-qnn==2.7.0", "onnxruntime==1.31.1", "onnx", "numpy"]
# Of a range of the dtype, on average. What is computed right, but in float or from a coarser dtype, is below.
WRONG = 1 / 300
# The targets for older processors, and the names of their results.
OLDER = {"qnn-htp-v69": "v69", "qnn-htp-v68": "no_soc_model"}
# Without 16-bit floats these fail, where the audit says that they are left out. No rule for it was found.
UNEXPLAINED = {"hardswish_s16", "conv_ResizeNearest_before"}
# Their quantizers vanish or move, so that a model of these alone computes nothing.
MOVES = {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Identity", "DequantizeLinear", "QuantizeLinear"}


def recorded(case, result):
    """("accepted" or "wrong" or "refused" or "failed", how it is computed)."""
    if result["status"] != "accepted":
        return result["status"], None
    dtypes = " ".join(result.get("qnn", case["v73"].get("qnn", []))).replace("f16", "")
    steps = 65536 if "16" in dtypes or "16" in str(case["args"].get("out", "")) else 256
    means = [output.get("mean_steps", 0) for output in result["outputs"]]
    return ("wrong" if max(means) > WRONG * steps else "accepted"), result.get("computed")


def predicted(findings):
    """The same of the findings of the audit: (form, severity, code, operator)."""
    forms = collections.Counter(form for form, *_ in findings)
    if forms["refused"]:
        return "failed", None
    if forms["left to another backend"]:
        return "refused", None
    is_wrong = any(form == "integers" and severity == "error" for form, severity, *_ in findings)
    # Those that are computed when the model is loaded have no severity; those of int64 are none of a quantizer.
    computes = {
        form
        for form, severity, code, op in findings
        if op not in MOVES and code != "not_float32" and (form, severity) != ("float", "none")
    }
    how = {frozenset(): "moved or folded", frozenset({"integers"}): "integer", frozenset({"float"}): "float"}
    return ("wrong" if is_wrong else "accepted"), how.get(frozenset(computes), "mixed")


def agree(said, seen):
    """What computes nothing in the graph of the backend may be in the model: movements, and pairs that vanish.
    Operators without a kernel, which are in float, have no finding."""
    if said[0] != seen[0] or said[0] == "wrong":
        return said[0] == seen[0]
    alike = said[1] == seen[1] or (said[1], seen[1]) == ("integer", "mixed")
    return alike or None in (said[1], seen[1]) or "moved or folded" in (said[1], seen[1])


def audits(program, paths, target="qnn-htp"):
    """{path: findings}"""
    lines = subprocess.run([program, "findings", target, *paths], capture_output=True, text=True, check=True).stdout
    found = {path: [] for path in paths}
    for line in lines.splitlines():
        path, *finding = line.split("\t")
        found[path].append(tuple(finding))
    return found


def disagreements_of(target, results, cases, paths, program):
    """Those on an older processor, of the cases with results for it."""
    found = audits(program, list(paths.values()), target)
    count = failures = 0
    for case in cases:
        if results not in case or case["name"] not in paths.keys() - UNEXPLAINED:
            continue
        is_same = case[results] == "same"
        seen = recorded(case, case["v73"] if is_same else case[results])
        said = predicted(found[paths[case["name"]]])
        count += 1
        if not agree(said, seen):
            failures += 1
            print(f"{case['name']}: audit for {target} {said}, backend {seen}: {found[paths[case['name']]]}")
    print(f"{target}: {count} models, {failures} predicted otherwise than the backend does")
    return failures


def run_on_backend(folder, cases, build):
    """The cases with what the installed backend does with them."""
    python = build / "qnn" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", build / "qnn"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    results = build / "qnn" / "results.json"
    script = [python, folder / "qnn_cases.py", "run", folder / "cases.json", "--option", "soc_model=60", "-o", results]
    subprocess.run(script, check=True, stderr=subprocess.DEVNULL)
    return {result["name"]: result for result in json.loads(results.read_text())}


def main(program, *options):
    data = os.environ.get("GRAFT_TEST_DATA")
    folder = pathlib.Path(data or "").parent / "spec" / "qnn"
    if not data or not (folder / "cases.json").exists():
        print("skipped: there are no cases beside GRAFT_TEST_DATA")
        return SKIPPED
    sys.path.insert(0, str(folder))
    import qnn_cases  # it stands beside the cases

    cases = json.loads((folder / "cases.json").read_text())
    now = {}
    if os.environ.get("GRAFT_QNN"):
        now = run_on_backend(folder, cases, pathlib.Path(os.environ["GRAFT_BUILD"]))
    failures, outcomes, left = 0, collections.Counter(), []
    with tempfile.TemporaryDirectory() as name:
        paths = {}
        for case in cases:
            try:
                model, _ = qnn_cases.build(case)
            except Exception as error:  # ONNX Runtime, which chooses the scales, may be older than the operator
                left.append(f"{case['name']}: {str(error)[:100]}")
                continue
            paths[case["name"]] = os.path.join(name, case["name"] + ".onnx")
            onnx.save(model, paths[case["name"]])
        found = audits(program, list(paths.values()))
        for case in cases:
            if case["name"] not in paths:
                continue
            said = predicted(found[paths[case["name"]]])
            seen = [recorded(case, case["v73"])]
            if now:
                seen.append((now[case["name"]]["status"], None))
                if seen[0][0] == "wrong" and seen[1][0] == "accepted":
                    seen[1] = seen[0]
            outcomes[said[0]] += 1
            differs = [one for one in seen if not agree(said, one)]
            failures += bool(differs)
            if differs or "-v" in options:
                print(f"{case['name']}: audit {said}, backend {seen}: {found[paths[case['name']]]}")
        print(f"{len(paths)} models, {dict(outcomes)}: {failures} predicted otherwise than the backend does")
        for target, results in OLDER.items():
            failures += disagreements_of(target, results, cases, paths, program)
    print("\n".join(["not built:", *left]) if left else "all were built")
    return 1 if failures or len(left) > 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
