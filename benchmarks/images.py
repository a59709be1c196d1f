"""Photographs, and the runtime's quantizer's way to read samples, for the scripts beside this one."""

import pathlib
import sys

from onnxruntime.quantization import CalibrationDataReader

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))
from imagenet import MEAN, STD, image  # noqa: E402, F401


class Reader(CalibrationDataReader):
    """Each sample, which is feeds by name, when it is asked for."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)
