"""The onnx package's light_* models with seeded random weights: as they come, all their weights are the same number."""

import pathlib

import numpy as np
import onnx
from onnx import numpy_helper

FOLDER = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"


def readers(graph):
    """By value, the nodes that read it and at which input; behind an Unsqueeze too."""
    result = {}
    for node in reversed(graph.node):
        for i, name in enumerate(node.input):
            behind = result.get(node.output[0], []) if node.op_type == "Unsqueeze" else [(node, i)]
            result.setdefault(name, []).extend(behind)
    return result


def interval(node, i, dims):
    """Where random numbers keep the magnitude of what passes, and let it depend on the input."""
    if node.op_type == "BatchNormalization":
        return [None, (0.5, 1.0), (-0.2, 0.2), (-0.2, 0.2), (0.5, 1.5)][i]
    if node.op_type == "Mul":
        return 0.5, 1.5
    if node.op_type in ("Conv", "Gemm") and i == 1:
        bound = (6 / np.prod(dims[1:])) ** 0.5  # of uniform numbers that keep the variance through Relu
        return -bound, bound
    return -0.1, 0.1


def tensors(graph):
    """The names and dims of all float weights: initializers, and nodes ConstantOfShape."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for tensor in graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            yield tensor.name, tuple(tensor.dims)
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            yield node.output[0], tuple(numpy_helper.to_array(constants[node.input[0]]))


def write(source, folder):
    """Writes the model, and its weights beside it; gives its path. What Softmax reads is an output too: after it, large
    differences of small numbers are small."""
    model = onnx.load(source)
    graph = model.graph
    users = readers(graph)
    random = np.random.default_rng(0)
    path = pathlib.Path(folder, source.name)
    weights_path = path.with_suffix(".weights")
    weights = []
    with open(weights_path, "wb") as file:
        for name, dims in tensors(graph):
            tensor = onnx.TensorProto(name=name, data_type=onnx.TensorProto.FLOAT, dims=dims)
            tensor.data_location = onnx.TensorProto.EXTERNAL
            low, high = interval(*users[name][0], dims) if name in users else (0, 1)
            array = random.random(int(np.prod(dims)), np.float32)
            array *= high - low
            array += low
            for key, value in ("location", weights_path.name), ("offset", file.tell()), ("length", array.nbytes):
                tensor.external_data.add(key=key, value=str(value))
            array.tofile(file)
            weights.append(tensor)
    replaced = {tensor.name for tensor in weights}
    kept = [tensor for tensor in graph.initializer if tensor.name not in replaced]
    shapes = {node.input[0] for node in graph.node if node.op_type == "ConstantOfShape"}
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    inputs = [value for value in graph.input if value.name not in shapes | replaced]
    logits = [onnx.ValueInfoProto(name=node.input[0]) for node in nodes if node.op_type == "Softmax"]
    for field, items in (("node", nodes), ("input", inputs), ("initializer", weights + kept)):
        graph.ClearField(field)
        getattr(graph, field).extend(items)
    graph.output.extend(logits)
    model.ir_version = 4  # from where initializers need be no inputs
    onnx.save(model, path)
    return path
