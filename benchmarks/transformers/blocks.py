"""The squared error of products by weights in blocks of 4 bits, by rounding method."""

import subprocess

import numpy
import onnx
from onnx import numpy_helper
from sessions import sentences, session

METHODS = ("rtn", "search", "gptq")


def products(model):
    """For each MatMul by a constant matrix: its result, its input and the matrix."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in constants:
            yield node.output[0], node.input[0], numpy_helper.to_array(constants[node.input[1]])


def matrix(node, constants):
    """The weight of MatMulNBits, [K, N]. The runtime dequantizes it by multiplying the identity."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    features = attributes["K"]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMulNBits", ["x", *node.input[1:]], ["y"], domain="com.microsoft",
                               **{**attributes, "accuracy_level": 1})],
        "one", [onnx.helper.make_tensor_value_info("x", 1, [features, features])],
        [onnx.helper.make_tensor_value_info("y", 1, None)],
        [constants[name] for name in node.input[1:] if name])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17),
                                                         onnx.helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    import onnxruntime

    one = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return one.run(None, {"x": numpy.eye(features, dtype=numpy.float32)})[0]


def inputs_of(path, names, feeds):
    """The inputs of the products in the float model, for all sentences: [tokens, features] by name."""
    model = onnx.load(str(path))
    for name in names:
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    import onnxruntime

    one = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = {name: [] for name in names}
    for feed in feeds:
        for name, value in zip(names, one.run(names, feed)):
            rows[name].append(value.reshape(-1, value.shape[-1]))
    return {name: numpy.concatenate(values) for name, values in rows.items()}


def table(options, folder):
    path = options.data / "models/minilm_l3.onnx"
    feeds = list(sentences(options.data / "text/evaluation", session(path).get_inputs()))
    known = list(products(onnx.load(str(path))))
    inputs = inputs_of(path, sorted({x for _, x, _ in known}), feeds)
    errors = {}
    for method in METHODS:
        output = folder / f"blocks_{method}.onnx"
        subprocess.run([options.build / "examples/graft-quantize", path, "-o", output, "--weight-only", "4", "--block",
                        "32", "--method", method, "--calibration", options.data / "text/calibration"],
                       check=True, capture_output=True)
        model = onnx.load(str(output))
        constants = {tensor.name: tensor for tensor in model.graph.initializer}
        made = {node.output[0]: node for node in model.graph.node if node.op_type == "MatMulNBits"}
        errors[method] = {result: float(((inputs[x] @ (matrix(made[result], constants) - weight)) ** 2).sum())
                          for result, x, weight in known if result in made}
    print("\nsquared error of products, 4 bits in blocks of 32, as a share of that of rounding to the nearest")
    ratios = {method: [errors[method][name] / errors["rtn"][name] for name in errors["rtn"]] for method in METHODS}
    for method in METHODS:
        print(f"{method:<8} in all {sum(errors[method].values()) / sum(errors['rtn'].values()):.2f}, "
              f"of a product {min(ratios[method]):.2f} to {max(ratios[method]):.2f}")
