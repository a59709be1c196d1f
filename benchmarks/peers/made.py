"""The models that graft and its peers optimize."""

import pathlib
import subprocess

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

BLOCK = 10  # nodes, of which two compute something


def chain(nodes, path):
    """A chain of nodes; every peer could reduce each block to Relu and Add."""
    constants = {
        "one": numpy.float32(1),
        "zero": numpy.float32(0),
        "addend": numpy.linspace(-1, 1, 8, dtype=numpy.float32),
        "shape": numpy.array([4, 8], numpy.int64),
    }
    made, value = [], "x"

    def add(op, *more, **attributes):
        nonlocal value
        output = f"v{len(made)}"
        made.append(helper.make_node(op, [value, *more], [output], **attributes))
        value = output

    for _ in range(nodes // BLOCK):
        add("Identity")
        add("Transpose", perm=[1, 0])
        add("Transpose", perm=[1, 0])
        add("Relu")
        add("Mul", "one")
        add("Add", "zero")
        add("Reshape", "shape")
        add("Cast", to=TensorProto.FLOAT)
        add("Add", "addend")
        add("Identity")
    made[-1].output[0] = "y"
    graph = helper.make_graph(
        made,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 8])],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def subjects(args, folder):
    """(name, path) of each."""
    for exponent in range(3, args.largest + 1):
        path = folder / f"chain{exponent}.onnx"
        chain(10**exponent, path)
        yield f"chain of 10^{exponent}", path
    made = subprocess.run([args.build / "benchmarks" / "topologies", folder, "0", "exported_transformer"],
                          capture_output=True, text=True)
    if made.returncode == 0:
        yield "transformer of 24 layers", folder / "exported_transformer.onnx"
    else:
        print(f"without the transformer: {made.stderr.strip()}")
    light = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for path in sorted(light.glob("*.onnx")):
        yield path.stem, path
    for place in ("models", "transformers"):
        for path in sorted((args.data / place).glob("*.onnx")):
            yield path.stem, path
