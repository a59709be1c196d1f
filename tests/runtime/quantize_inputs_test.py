#!/usr/bin/env python3
"""What samples graft-quantize and graft-calibrate take: arrays of numpy, tensors by name, images of bytes, NaN, and
operators that ONNX Runtime alone computes.

Usage: quantize_inputs_test.py GRAFT_QUANTIZE GRAFT_CALIBRATE
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL", what)


def save_model(path, text, known=(), **constants):
    """known: tensors of f32[1,3,4,4], whose type the exporter has stated."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 16]> g {text}')
    for name in known:
        model.graph.value_info.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3, 4, 4]))
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    onnx.save(model, path)
    return path


class Inputs:
    """Runs the programs on folders of samples."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.count = programs, folder, 0
        random = np.random.default_rng(0)
        weight = random.standard_normal((4, 3, 1, 1)).astype(np.float32)
        self.two = save_model(folder / "two.onnx", """
            (float[1,3,4,4] left, float[1,3,4,4] right) => (float[1,4,4,4] y) {
            a = Conv (left, w) b = Conv (right, w) y = Add (a, b) }""", w=weight)
        self.one = save_model(folder / "one.onnx", """(float[1,3,4,4] x) => (float[1,4,4,4] y) {
            a = Conv (x, w) y = Relu (a) }""", w=weight)
        self.bytes = save_model(folder / "bytes.onnx", """(uint8[1,4,4,3] image) => (float[1,4,4,4] y) {
            f = Cast <to = 1> (image) t = Transpose <perm = [0, 3, 1, 2]> (f)
            a = Conv (t, w) y = Relu (a) }""", w=weight)
        boxes = np.array([[0, 0, 0, 3, 3]], np.float32)
        self.foreign = save_model(folder / "foreign.onnx", """(float[1,3,4,4] x) => (float[1,4,4,4] y) {
            s = MaxRoiPool <pooled_shape = [4, 4]> (x, boxes) y = Conv (s, w) }""", ["s"], w=weight, boxes=boxes)

    def new_folder(self):
        self.count += 1
        place = self.folder / f"samples{self.count}"
        place.mkdir()
        return place

    def quantize(self, model, samples, *options):
        """The program's end, and the ranges that it found."""
        ranges = self.folder / "ranges.json"
        ranges.unlink(missing_ok=True)
        command = [self.programs[0], model, "--fast", "--dry-run", "--placement", "naive", "--calibration", samples,
                   "--save-ranges", ranges, *options]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        found = json.loads(ranges.read_text()) if ranges.exists() else None
        return done, found

    def ranges(self, label, model, samples, *options):
        done, found = self.quantize(model, samples, *options)
        check(done.returncode == 0, f"{label}: {done.stderr}")
        return found

    def refused(self, model, samples, *words):
        done, _ = self.quantize(model, samples)
        check(done.returncode == 1, f"{words}: exit code {done.returncode}")
        for word in words:
            check(str(word) in done.stderr, f"the message does not name '{word}': {done.stderr}")


def array(seed, scale=1):
    return (scale * np.random.default_rng(seed).standard_normal((1, 3, 4, 4))).astype(np.float32)


def write_tensor(path, value, name=None):
    path.write_bytes(numpy_helper.from_array(value, name).SerializeToString())


def arrays_of_numpy(inputs):
    pairs = [(array(i), array(10 + i, 5)) for i in range(3)]
    reference = inputs.new_folder()
    for i, (left, right) in enumerate(pairs):
        place = reference / f"test_data_set_{i}"
        place.mkdir()
        write_tensor(place / "input_0.pb", left)
        write_tensor(place / "input_1.pb", right)
    wanted = inputs.ranges("numbered tensors", inputs.two, reference)
    named, compressed, in_order, by_name, by_number = (inputs.new_folder() for _ in range(5))
    for i, (left, right) in enumerate(pairs):
        np.savez(named / f"{i}.npz", right=right, left=left)
        np.savez_compressed(compressed / f"{i}.npz", right=right, left=left)
        np.savez(in_order / f"{i}.npz", left, right)
        for place, names in (by_name, ("left", "right")), (by_number, ("input_0", "input_1")):
            (place / f"test_data_set_{i}").mkdir()
            for name, value in zip(names, (left, right)):
                np.save(place / f"test_data_set_{i}" / f"{name}.npy", value)
    for label, place in (("npz", named), ("compressed npz", compressed), ("npz without names", in_order),
                         ("npy by name", by_name), ("npy by number", by_number)):
        check(inputs.ranges(label, inputs.two, place) == wanted, f"{label}: other ranges")
    single, tensors = inputs.new_folder(), inputs.new_folder()
    for i in range(3):
        np.save(single / f"{i}.npy", array(i))
        write_tensor(tensors / f"{i}.pb", array(i))
    check(inputs.ranges("npy", inputs.one, single) == inputs.ranges("pb", inputs.one, tensors), "npy: other ranges")


def tensors_by_name(inputs):
    """The names in the files win over their numbers."""
    swapped, numbered = inputs.new_folder() / "test_data_set_0", inputs.new_folder() / "test_data_set_0"
    for place, names in (swapped, ("right", "left")), (numbered, ("", "")):
        place.mkdir()
        for i, name in enumerate(names):
            write_tensor(place / f"input_{i}.pb", array(7, 5 if i == (0 if name else 1) else 1), name)
    check(inputs.ranges("by name", inputs.two, swapped.parent) ==
          inputs.ranges("by number", inputs.two, numbered.parent), "named tensors: other ranges")
    twice = inputs.new_folder() / "test_data_set_0"
    twice.mkdir()
    write_tensor(twice / "input_0.pb", array(1), "right")
    write_tensor(twice / "input_1.pb", array(2), "")
    inputs.refused(inputs.two, twice.parent, twice / "input_1.pb", "second tensor for 'right'", "input_0.pb")


def images_of_bytes(inputs):
    place = inputs.new_folder()
    pixels = np.arange(4 * 4 * 3, dtype=np.uint8).reshape(4, 4, 3) * 5
    (place / "0.ppm").write_bytes(b"P6 4 4 255\n" + pixels.tobytes())
    arrays = inputs.new_folder()
    np.save(arrays / "0.npy", pixels[None])
    check(inputs.ranges("image of bytes", inputs.bytes, place) == inputs.ranges("bytes", inputs.bytes, arrays),
          "an image of bytes: other ranges")


def samples_with_nan(inputs):
    place, without = inputs.new_folder(), inputs.new_folder()
    for i in range(4):
        np.save(place / f"{i}.npy", array(i))
        np.save(without / f"{i}.npy", array(i))
    holes = array(5, 100)
    holes[0, 1, 2, 3] = np.nan
    np.save(place / "2.npy", holes)
    (without / "2.npy").unlink()
    inputs.refused(inputs.one, place, place / "2.npy", "holds NaN")
    done, found = inputs.quantize(inputs.one, place, "--skip-nan")
    check("skipped 1 of 4 samples, which hold NaN" in done.stderr, f"--skip-nan: {done.stderr}")
    check(found == inputs.ranges("the others", inputs.one, without), "--skip-nan: other ranges")
    statistics = inputs.folder / "statistics"
    done = subprocess.run([inputs.programs[1], "run", inputs.one, "--calibration", place, "--skip-nan", "--statistics",
                           statistics], capture_output=True, text=True)
    check(done.returncode == 0 and "3 samples" in done.stdout, f"graft-calibrate: {done.stdout}{done.stderr}")
    only = inputs.new_folder()
    np.save(only / "0.npy", holes)
    done, _ = inputs.quantize(inputs.one, only, "--skip-nan")
    check(done.returncode == 1 and "all 1 samples hold NaN" in done.stderr, f"nothing but NaN: {done.stderr}")


def foreign_operators(inputs):
    place = inputs.new_folder()
    np.save(place / "0.npy", array(0))
    done, found = inputs.quantize(inputs.foreign, place)
    if "built without ONNX Runtime" in done.stderr:
        return
    check(done.returncode == 0 and "no kernel for MaxRoiPool" in done.stderr, f"MaxRoiPool: {done.stderr}")
    check(found is not None and "s" in json.dumps(found), f"MaxRoiPool: no range of its output: {found}")
    done = subprocess.run([inputs.programs[1], "run", inputs.foreign, "--calibration", place, "--statistics",
                           inputs.folder / "statistics"], capture_output=True, text=True)
    check(done.returncode == 0 and "MaxRoiPool" in done.stderr, f"graft-calibrate, MaxRoiPool: {done.stderr}")


def bad_files(inputs):
    place = inputs.new_folder()
    file = place / "0.npz"
    file.write_bytes(b"PK no archive")
    inputs.refused(inputs.two, place, file, "is not a .npz file")
    np.savez(file, left=array(0), middle=array(0))
    inputs.refused(inputs.two, place, file, "middle", "none of the inputs 'left', 'right'")
    np.savez(file, left=array(0))
    inputs.refused(inputs.two, place, file, "'right'")
    np.savez(file, left=array(0), right=np.asfortranarray(array(0)))
    inputs.refused(inputs.two, place, file, "right", "Fortran")
    np.savez(file, left=array(0), right=array(0)[..., :2])
    inputs.refused(inputs.two, place, file, "right")
    np.savez(file, left=array(0), right=array(0))
    whole = file.read_bytes()
    file.write_bytes(whole.replace(array(0).tobytes()[:16], b"X" * 16))
    inputs.refused(inputs.two, place, file, "left", "cannot be read")
    file.unlink()
    np.save(place / "0.npy", array(0))
    inputs.refused(inputs.two, place, place, "*.npz")


def main(*programs):
    with tempfile.TemporaryDirectory() as name:
        inputs = Inputs(programs, pathlib.Path(name))
        for test in (arrays_of_numpy, tensors_by_name, images_of_bytes, samples_with_nan, foreign_operators, bad_files):
            test(inputs)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
