#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Passes that mend models with Q/DQ for runtimes which take int8 around 0 alone, such as TensorRT. They need no
// samples, and reach bodies too. Quantizers with computed q-params stay, and so do tensors of integers that others
// than quantizers read or that are inputs or outputs of the graph.

/// Makes pairs and dequantized constants of uint8, or of int8 with other zero points than 0, int8 with the zero point
/// 0, which is written. Where uint8 has the zero point 128 the integers are shifted, and values stay. Elsewhere the
/// scale grows until the range fits, by a factor of 2 at most, and constants are rounded again. A Clip in front of a
/// pair keeps the ends of its range, a Relu where the least value is 0, unless the tensor is known to be never negative
/// and only the lower end would move. int32 biases of the products of tensors with new scales become float.
Pass symmetric_int8();

/// Makes float constants of dequantized int32 constants, as biases are. Values stay.
Pass float_biases();

/// Writes what runtimes take differently where it is absent: the axis of a quantizer with several scales, and the zero
/// point of one without, as a 0 of its dtype. Values stay.
Pass state_quantizers();

/// Quantizes dequantized constant weights of Conv, ConvTranspose, Gemm and MatMul again, along the output channels,
/// where they have scales along another axis. Weights are rounded once more. Their int32 biases become float.
Pass quantize_along_outputs();

/// Takes pairs between Conv, ConvTranspose, Gemm or MatMul and an activation away where another pair stands behind the
/// activation, and moves them behind a Relu. The kernel then takes the activation with it. A pair around 0 that is
/// moved rounds as before; without the first of two, values are rounded once less. A first pair with 0 at an end of its
/// range does the work of a Relu or Clip, and stays, unless it is a Relu that follows, and the pair behind reaches no
/// further.
Pass quantize_behind_activations();

}  // namespace graft::inline v1
