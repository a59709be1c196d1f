#pragma once
#include <graft/lower/channels_last.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  Conv(x, w, b?)
// After:   Transpose(channels_last::Conv(Transpose(x), Transpose(w), b?))
//
// Also MaxPool and BatchNormalization, which become operators of qonnx.custom_op.channels_last, and QuantAvgPool2d,
// whose data_layout becomes NHWC. x is of rank 3 or 4: [N,C,W] or [N,C,H,W] becomes [N,W,C] or [N,H,W,C]; weights do
// too, and are transposed here if they are constants or quantizers of such. If x is the output of the inverse
// Transpose, both are left out. A MaxPool must have no indices; BatchNormalization must be in inference mode, with one
// parameter for each channel. The domain is imported at the version of the main domain, and default attributes are
// written. pads replace auto_pad; this needs known extents. Values, shapes and signature stay.

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the skipped nodes.
Pass insert_channels_last();

// Before:  Relu(Conv(Quant(x), w))                                    channels on the second axis
// After:   Transpose(Relu(channels_last::Conv(Transpose(Quant(x)), w')))
//
// The steps are passes of this folder, which do not change the results: insert_channels_last(), sink_transposes(),
// absorb_transposes(). Remaining Transposes of constants are computed. Shapes of inputs and outputs of the graph change
// only on request.

/// The pass that moves channels to the last axis wherever an operator exists for it. Its note counts the remaining
/// Transposes. signature: the inputs and outputs that get their channels last too, as for convert_to_channels_last();
/// without names, all of rank 4.
Pass to_channels_last(ChannelsLast signature = {.inputs = false, .outputs = false});

}  // namespace graft::inline v1::qonnx
