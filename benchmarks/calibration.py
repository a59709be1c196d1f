"""Measures time and peak memory of calibration with graft and with ONNX Runtime's own Python calibrators.

Each runs in a separate process on two threads and reads its images itself; they take turns.

  calibration.py MODEL.onnx IMAGES [--graft-calibrate build/examples/graft-calibrate] [--images 40 160] [--rounds 3]
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
from process import measured  # noqa: E402

PREPROCESSING = ["--resize", "256", "--crop", "224", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225"]
METHODS = {"min-max": "MinMax", "percentile": "Percentile", "entropy": "Entropy"}


def runtimes_own(model, folder, method):
    """The calibration of quantize_static, in a separate process."""
    import onnx
    import onnxruntime
    from onnxruntime.quantization.calibrate import CalibrationMethod, create_calibrator

    from images import Reader, image

    class Threads(onnxruntime.SessionOptions):
        def __init__(self):
            super().__init__()
            self.intra_op_num_threads = 2

    onnxruntime.SessionOptions = Threads
    with tempfile.TemporaryDirectory() as place:
        calibrator = create_calibrator(model, None, os.path.join(place, "augmented.onnx"),
                                       getattr(CalibrationMethod, METHODS[method]))
        name = onnx.load(model).graph.input[0].name
        calibrator.collect_data(Reader({name: image(path)} for path in sorted(pathlib.Path(folder).iterdir())))
        calibrator.compute_data()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("images", type=pathlib.Path)
    parser.add_argument("--graft-calibrate", default="build/examples/graft-calibrate")
    parser.add_argument("--images", dest="counts", type=int, nargs="+", default=[40, 160])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    files = sorted(arguments.images.iterdir())
    print(f"{'':<22}{'graft':>20}{'ONNX Runtime':>20}{'time':>8}{'memory':>8}")
    with tempfile.TemporaryDirectory() as name:
        for count in arguments.counts:
            folder = pathlib.Path(name, str(count))
            folder.mkdir()
            for file in files[:count]:
                (folder / file.name).symlink_to(file.resolve())
            for method in METHODS:
                ours = [arguments.graft_calibrate, "run", arguments.model, "--calibration", folder, *PREPROCESSING,
                        "--observer", method, "--threads", "2", "--statistics", pathlib.Path(name, "statistics"),
                        "-o", pathlib.Path(name, "ranges.json")]
                theirs = [sys.executable, __file__, "--runtimes-own", arguments.model, folder, method]
                runs = [(measured(ours), measured(theirs)) for _ in range(arguments.rounds)]
                (our_time, our_memory), (their_time, their_memory) = (
                    [statistics.median(run[side][what] for run in runs) for what in (0, 1)] for side in (0, 1))
                print(f"{method + ',':<12}{count:>4} images{our_time:>9.1f} s{our_memory / 2**20:>6.0f} MB"
                      f"{their_time:>9.1f} s{their_memory / 2**20:>6.0f} MB{our_time / their_time:>7.2f}x"
                      f"{our_memory / their_memory:>7.3f}x", flush=True)


if sys.argv[1:2] == ["--runtimes-own"]:
    runtimes_own(*sys.argv[2:])
else:
    main()
