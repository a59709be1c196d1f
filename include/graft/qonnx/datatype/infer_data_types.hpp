#pragma once
#include <graft/graph/graph.hpp>
#include <graft/qonnx/datatype/data_types.hpp>
#include <graft/rewrite/pass.hpp>

// The rules for the data type of an output, node by node:
//
//     Quant             scale 1, zero point 0:  INTn or UINTn; of one bit BIPOLAR or BINARY
//                       another scale:          SCALEDINT<n>
//                       another zero point, or a bit width that is not one integer:  FLOAT32
//     BipolarQuant      BIPOLAR if the scale is 1, else FLOAT32
//     FloatQuant        FLOAT<exponent,mantissa,bias> if the scale is 1, else FLOAT32
//     Trunc             FLOAT32
//     MultiThreshold    its out_dtype if there is one, and out_scale and out_bias are integers, else FLOAT32
//     QuantAvgPool2d    INTn or UINTn of obits
//     QuantizeLinear    INTn or UINTn of the dtype
//     DequantizeLinear  SCALEDINT<n>
//     Sign              TERNARY
//     Conv, MatMul, Gemm, Add, Sub, Mul
//                       that of the dtype if it is an integer; of integers in float32 INT32, or UINT32 if none is
//                       signed and it is not a Sub; of integers with scales SCALEDINT<32>; else FLOAT32
//     movement of data, MaxPool, Clip, nearest Resize
//                       that of the first input
//     Concat            that of its inputs if they agree, else FLOAT32
//     Pad, Scatter      that of the first input if it has the filled-in value, else FLOAT32
//     any other, and outputs behind the first except those of Split
//                       that of the annotation, else that of the dtype: INTn, UINTn, BINARY for bool, FLOAT16 for f16,
//                       else FLOAT32
//
// Graph inputs and initializers have the type of their annotation. These are the rules of QONNX's InferDataTypes,
// except for rules by which a tensor may hold values outside of its type: that uses the first input's type for Concat,
// Pad and Scatter with any other inputs, that of the first output for all outputs, and BIPOLAR for Sign, although Sign
// of 0 is 0.

namespace graft::inline v1::qonnx {

struct DataTypeOptions {
  /// If false, FLOAT32 replaces SCALEDINT<n>.
  bool allow_scaled_integers = true;
};

/// The data types of all tensors that a graph and its bodies compute, and of the inputs and initializers with an
/// annotation. Initializers count as constants, even if callers may override them, and so do tensors that are computed
/// from constants. Throws Error for an annotation or an out_dtype that is not a type.
DataTypes infer_data_types(Graph& graph, const DataTypeOptions& options = {});

/// The pass that provides DataTypes. It does not change the graph.
Pass infer_data_types(const DataTypeOptions& options = {});

}  // namespace graft::inline v1::qonnx
