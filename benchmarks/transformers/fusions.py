"""The fused operators that each tool makes, and the change of the outputs."""

import collections
import subprocess

import numpy
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from sessions import cases, session

FUSED = {
    "LayerNormalization": "LN", "SkipLayerNormalization": "SkipLN", "EmbedLayerNormalization": "EmbedLN",
    "SimplifiedLayerNormalization": "RMS", "RMSNormalization": "RMS", "SkipSimplifiedLayerNormalization": "SkipRMS",
    "Gelu": "Gelu", "BiasGelu": "BiasGelu", "FastGelu": "FastGelu", "QuickGelu": "QuickGelu",
    "RotaryEmbedding": "Rotary", "Attention": "Attention", "MultiHeadAttention": "MHA",
    "GroupQueryAttention": "GQA",
}


def by_loader(path, output, _):
    session(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, output)


def by_tool(path, output, _):
    from onnxruntime.transformers import optimizer

    kind = "bert" if "bert" in path.name else "gpt2"
    optimizer.optimize_model(str(path), model_type=kind, num_heads=0, hidden_size=0, opt_level=0) \
        .save_model_to_file(str(output))


def by_onnxscript(path, output, _):
    import onnx_ir
    from onnxscript.rewriter.ort_fusions import optimize_for_ort

    result = optimize_for_ort(onnx_ir.load(str(path)))
    onnx_ir.save(result[0] if isinstance(result, tuple) else result, str(output))


def by_graft(path, output, build):
    program = build / "examples/graft-optimize"
    subprocess.run([program, path, "-o", output, "--model-type", "auto"], check=True, capture_output=True)


TOOLS = {"loader": by_loader, "its tool": by_tool, "onnxscript": by_onnxscript, "graft": by_graft}


def fused(model):
    counts = collections.Counter(FUSED[node.op_type] for node in model.graph.node if node.op_type in FUSED)
    return " ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "-"


def largest_difference(before, after, inputs):
    """Over all cases, relative to the largest output, without positions that the mask excludes."""
    largest, wrong = 0.0, ""
    for name, feeds, seen in cases(inputs):
        wanted = before.run(None, feeds)
        try:
            given = after.run(None, feeds)
        except Exception as error:  # noqa: BLE001  # the runtime's own are many
            return numpy.inf, f"{name}: {str(error).splitlines()[0][-60:]}"
        for x, y in zip(wanted, given):
            if x.shape != y.shape:
                return numpy.inf, f"{name}: {y.shape} instead of {x.shape}"
            difference = numpy.abs(x - y)
            if x.ndim == 3:
                difference = difference[seen]
            worst = float(difference.max(initial=0) / max(1.0, numpy.abs(x).max(initial=0)))
            if not worst <= largest:
                largest, wrong = worst, name
    return largest, wrong


def table(options, folder):
    print(f"{'model':<28} {'by':<11} {'nodes':>5}  {'difference':<10} fused operators")
    for path in sorted((options.data / "transformers").glob("*.onnx")):
        floats = session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        inputs = floats.get_inputs()
        reference = floats
        try:
            for _, feeds, _ in cases(inputs):
                floats.run(None, feeds)
        except Exception:  # noqa: BLE001  # the runtime refuses what the exporter wrote
            reference = ReferenceEvaluator(str(path))
        for name, tool in TOOLS.items():
            output = folder / f"{path.stem}_{name.replace(' ', '_')}.onnx"
            try:
                tool(path, output, options.build)
                model = onnx.load(str(output), load_external_data=False)
                after = session(output)
            except Exception as error:  # noqa: BLE001
                print(f"{path.stem:<28} {name:<11} failed: {str(error).splitlines()[0][-80:]}", flush=True)
                continue
            difference, where = largest_difference(reference, after, inputs)
            note = f"  ({where})" if not difference <= 1e-5 else ""
            print(f"{path.stem:<28} {name:<11} {len(model.graph.node):5}  {difference:<10.1e} {fused(model)}{note}",
                  flush=True)
