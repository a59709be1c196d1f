#pragma once
#include <graft/graph/graph.hpp>
#include <graft/qonnx/datatype/data_types.hpp>
#include <graft/rewrite/pass.hpp>

// What the data type of an output follows from, node by node:
//
//     Quant             scale 1, zero point 0:  INTn or UINTn; of one bit BIPOLAR or BINARY
//                       another scale:          SCALEDINT<n>
//                       another zero point, or a bit width that is no one integer:  FLOAT32
//     BipolarQuant      BIPOLAR if the scale is 1, else FLOAT32
//     FloatQuant        FLOAT<exponent,mantissa,bias> if the scale is 1, else FLOAT32
//     Trunc             FLOAT32
//     MultiThreshold    its out_dtype if there is one, and out_scale and out_bias are integers, else FLOAT32
//     QuantAvgPool2d    INTn or UINTn of obits
//     QuantizeLinear    INTn or UINTn of the dtype
//     DequantizeLinear  SCALEDINT<n>
//     Sign              TERNARY
//     Conv, MatMul, Gemm, Add, Sub, Mul
//                       of integers INT32, or UINT32 if none is signed and it is no Sub; of integers with scales
//                       SCALEDINT<32>; else FLOAT32
//     movement of data, MaxPool, Clip, nearest Resize
//                       that of the first input
//     Concat            that of its inputs if they agree, else FLOAT32
//     Pad, Scatter      that of the first input if what is filled in is of it, else FLOAT32
//     any other         what its annotation says, else FLOAT32, or FLOAT16 for f16
//
// Graph inputs and initializers have the type of their annotation. These are the rules of QONNX's InferDataTypes, but
// for three by which a tensor may hold what its type does not: that takes the first input's type for Concat, Pad and
// Scatter whatever else goes in, and BIPOLAR for Sign, which of 0 is 0.

namespace graft::inline v1::qonnx {

struct DataTypeOptions {
  /// Otherwise FLOAT32 stands for SCALEDINT<n>.
  bool allow_scaled_integers = true;
};

/// The data types of all that a graph and the bodies in it compute, and of the inputs and initializers that have an
/// annotation. Initializers count as constants, whether a caller
/// could override them or not, and so does what is computed from constants. Throws Error for an annotation that names
/// no type, and for an out_dtype that names none.
DataTypes infer_data_types(Graph& graph, const DataTypeOptions& options = {});

/// The pass that provides DataTypes. The graph stays as it is.
Pass infer_data_types(const DataTypeOptions& options = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/datatype/infer_data_types.ipp>
#endif
