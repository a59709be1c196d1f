"""An encoder of two layers of 64 features with seeded random weights, as exporters write it in an opset."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FEATURES, HEADS = 64, 4


class Encoder:
    def __init__(self, opset):
        self.opset, self.nodes, self.constants = opset, [], []
        self.random = np.random.default_rng(0)

    def op(self, name, *inputs, **attributes):
        """Arrays become constants."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        self.nodes.append(helper.make_node(name, names, [f"v{len(self.nodes)}"], f"n{len(self.nodes)}", **attributes))
        return self.nodes[-1].output[0]

    def constant(self, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def weights(self, *dims):
        return (self.random.uniform(-1.7, 1.7, dims) / np.sqrt(dims[0])).astype(np.float32)

    def linear(self, x, size, out):
        return self.op("Add", self.op("MatMul", x, self.weights(size, out)), self.weights(out))

    def normalize(self, x):
        scale, bias = 1 + self.weights(FEATURES), self.weights(FEATURES)
        if self.opset >= 17:
            return self.op("LayerNormalization", x, scale, bias, epsilon=1e-5)
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, np.float32(2)), axes=[-1])
        deviation = self.op("Sqrt", self.op("Add", variance, np.float32(1e-5)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, deviation), scale), bias)

    def gelu(self, x):
        erf = self.op("Erf", self.op("Div", x, np.float32(np.sqrt(2))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, np.float32(1))), np.float32(0.5))

    def heads(self, x, order):
        apart = self.op("Reshape", self.linear(x, FEATURES, FEATURES), np.array([0, 0, HEADS, FEATURES // HEADS]))
        return self.op("Transpose", apart, perm=order)

    def attention(self, x):
        query, key, value = (self.heads(x, order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = self.op("Div", self.op("MatMul", query, key), np.float32(np.sqrt(FEATURES // HEADS)))
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=3), value)
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), np.array([0, 0, FEATURES]))
        return self.linear(joined, FEATURES, FEATURES)

    def layer(self, x):
        x = self.normalize(self.op("Add", self.attention(x), x))
        inner = self.gelu(self.linear(x, FEATURES, 4 * FEATURES))
        return self.normalize(self.op("Add", self.linear(inner, 4 * FEATURES, FEATURES), x))


def model(opset, batch):
    """f32[batch, 16, 64] to the same."""
    net = Encoder(opset)
    dims = [batch, 16, FEATURES]
    y = net.layer(net.layer(net.normalize("x")))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)
    graph = helper.make_graph(
        net.nodes, "net", [x], [helper.make_tensor_value_info(y, TensorProto.FLOAT, dims)], net.constants
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=helper.find_min_ir_version_for(imports))
