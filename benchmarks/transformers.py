"""Compares graft with the tools of ONNX Runtime on transformers: fused operators, gain and loss of quantization.

  build/venv/bin/python benchmarks/transformers.py [DATA] [--build build] [--part fusions|quantization|blocks|mixed]
      [--models MODEL...]

The first table has the fused operators of each model in DATA/transformers after ONNX Runtime's loader, its offline tool
(onnxruntime.transformers), onnxscript's rewriter and graft-optimize. It includes the largest difference of the outputs
from those of the original model, over batches, lengths, caches and masks. The second table is for the sentence
embeddings of DATA/models/minilm_l3.onnx: time, size, the cosine of the embedding, and whether the nearest other
sentence is the same, on sentences that calibration did not see. The third one has the squared error of each product
with weights in blocks of 4 bits, by rounding method. The last one has small nets with convolutions, and nets for images
that --models names, with static, dynamic, weight-only and mixed products. All sessions have one thread, and take turns.
"""

import argparse
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(pathlib.Path(__file__).parent / "transformers"))
import blocks  # noqa: E402
import fusions  # noqa: E402
import mixed  # noqa: E402
import quantization  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=pathlib.Path,
                        default=os.environ.get("GRAFT_TEST_DATA") or ROOT.parent / "shared/data")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--part", choices=["fusions", "quantization", "blocks", "mixed"], help="print only this table")
    parser.add_argument("--models", nargs="+", type=pathlib.Path, default=[],
                        help="nets for images, for the last table")
    parser.add_argument("--rounds", type=int, default=5, help="number of times that each sentence is timed")
    options = parser.parse_args()
    parts = {"fusions": fusions.table, "quantization": quantization.table, "blocks": blocks.table,
             "mixed": mixed.table}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in parts.items():
            if options.part in (None, name):
                table(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
