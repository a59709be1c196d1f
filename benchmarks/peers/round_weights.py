"""Learns the rounding of a model's weights with one of the peers, in a separate process.

  round_weights.py TOOL FLOAT PLAIN SAMPLES OUTPUT --weights W --activations A [--steps N]

adaround, adaquant: onnxsim's, for models with QuantizeLinear and DequantizeLinear. They start from the model PLAIN,
whose weights are rounded to nearest. aimet: AdaRound of aimet-onnx, which quantizes FLOAT itself, also 4 or 8 bits.
SAMPLES is a folder in ONNX's format of test data. --steps: instead of each tool's default.
"""

import argparse
import pathlib

import numpy
import onnx
from onnx import numpy_helper


def samples(folder, model):
    return [{value.name: numpy_helper.to_array(onnx.load_tensor(place / f"input_{i}.pb"))
             for i, value in enumerate(model.graph.input)}
            for place in sorted(pathlib.Path(folder).iterdir())]


def load_float(path):
    """With initializers that are not inputs, too."""
    model = onnx.load(path)
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 10)
    return model


def name_alike(floats, quantized):
    """Nodes that compute one tensor in both models get one name, by which onnxsim pairs them."""
    by_output = {node.output[0]: node for node in floats.graph.node}
    for node in quantized.graph.node:
        if node.output[0] in by_output:
            node.name = by_output[node.output[0]].name = f"{node.op_type} of {node.output[0]}"


def state_zero_points(model):
    """onnxsim does not read a DequantizeLinear without a zero point."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "DequantizeLinear" or len(node.input) > 2 or node.input[0] not in constants:
            continue
        dtype = onnx.helper.tensor_dtype_to_np_dtype(constants[node.input[0]].data_type)
        zeros = numpy.zeros(constants[node.input[1]].dims, dtype)
        model.graph.initializer.append(numpy_helper.from_array(zeros, f"zeros of {node.output[0]}"))
        node.input.append(f"zeros of {node.output[0]}")


def clip(model, bits):
    """onnxsim takes the range of int8."""
    weights = {node.input[0] for node in model.graph.node if node.op_type == "DequantizeLinear"}
    most = 2 ** (bits - 1) - 1
    for tensor in model.graph.initializer:
        if tensor.name in weights and tensor.data_type == onnx.TensorProto.INT8:
            codes = numpy.clip(numpy_helper.to_array(tensor), -most, most)
            tensor.CopyFrom(numpy_helper.from_array(codes, tensor.name))


def onnxsim(floats, options):
    from onnxsim import quark_finetune

    learned = onnx.load(options.plain)
    name_alike(floats, learned)
    state_zero_points(learned)
    steps = {} if options.steps is None else {"num_iterations": options.steps}
    learned, layers = quark_finetune.finetune(floats, learned, samples(options.samples, floats),
                                              quark_finetune.FinetuneOptions(algorithm=options.tool, **steps))
    if not layers:
        raise SystemExit("onnxsim finds no layer")
    clip(learned, options.weights)
    return learned


def aimet(floats, options):
    import aimet_onnx

    dtypes = {4: aimet_onnx.int4, 8: aimet_onnx.int8}
    if not {options.weights, options.activations} <= {*dtypes}:
        raise SystemExit("aimet-onnx writes 4 and 8 bits")
    feeds = samples(options.samples, floats)
    simulation = aimet_onnx.QuantizationSimModel(floats, param_type=dtypes[options.weights],
                                                 activation_type=dtypes[options.activations])
    aimet_onnx.apply_adaround(simulation, feeds, **({} if options.steps is None else {"num_iterations": options.steps}))
    simulation.compute_encodings(feeds)
    return simulation.to_onnx_qdq()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", choices=["adaround", "adaquant", "aimet"])
    for name in ("float", "plain", "samples", "output"):
        parser.add_argument(name)
    for name in ("--weights", "--activations"):
        parser.add_argument(name, type=int, default=8)
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    floats = load_float(options.float)
    onnx.save((aimet if options.tool == "aimet" else onnxsim)(floats, options), options.output)


if __name__ == "__main__":
    main()
