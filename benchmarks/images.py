"""Photographs, and the runtime's quantizer's way to read them, for the scripts beside this one."""

import pathlib
import sys

from onnxruntime.quantization import CalibrationDataReader

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))
from imagenet import image  # noqa: E402, F401


class Reader(CalibrationDataReader):
    """Each sample when it is asked for: from any iterable of arrays."""

    def __init__(self, name, samples):
        self.samples = ({name: sample} for sample in samples)

    def get_next(self):
        return next(self.samples, None)
