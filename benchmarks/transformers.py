"""graft on transformers beside the tools of ONNX Runtime: what is fused, and what quantization costs and gains.

  build/venv/bin/python benchmarks/transformers.py [DATA] [--build build] [--part fusions|quantization|blocks|mixed]
      [--models MODEL...]

The first table has the fused operators of each model in DATA/transformers as ONNX Runtime's loader, its offline tool
(onnxruntime.transformers), onnxscript's rewriter and graft-optimize leave it, with the largest difference of the
outputs to those of the model as it came, over batches, lengths, caches and masks. The second one has the sentence
embeddings of DATA/models/minilm_l3.onnx: time, size, the cosine of the embedding and whether the nearest of the other
sentences is the same, on sentences that calibration did not see. The third one has the squared error of what blocks of
4 bits make of each product, by the way in which they are rounded. The last one has what static, dynamic, weight-only
and mixed products make of small nets with convolutions, and of nets for images that --models names. All sessions have
one thread, and take turns.
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
    parser.add_argument("--part", choices=["fusions", "quantization", "blocks", "mixed"], help="one table alone")
    parser.add_argument("--models", nargs="+", type=pathlib.Path, default=[],
                        help="nets for images, for the last table")
    parser.add_argument("--rounds", type=int, default=5, help="how often each sentence is timed")
    options = parser.parse_args()
    parts = {"fusions": fusions.table, "quantization": quantization.table, "blocks": blocks.table,
             "mixed": mixed.table}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in parts.items():
            if options.part in (None, name):
                table(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
