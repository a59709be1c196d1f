"""Photographs, and a reader of samples for the runtime's quantizer, for the scripts in this folder."""

import pathlib
import sys

from onnxruntime.quantization import CalibrationDataReader

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))
from imagenet import MEAN, STD, image  # noqa: E402, F401


class Reader(CalibrationDataReader):
    """Returns the samples one by one, as feeds by name."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)
