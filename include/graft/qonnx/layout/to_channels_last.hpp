#pragma once
#include <graft/lower/channels_last.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  Conv(x, w, b?)
// After:   Transpose(channels_last::Conv(Transpose(x), Transpose(w), b?))
//
// Also MaxPool and BatchNormalization, which become operators of qonnx.custom_op.channels_last, and QuantAvgPool2d,
// whose data_layout becomes NHWC. x is of rank 3 or 4: [N,C,W] or [N,C,H,W] becomes [N,W,C] or [N,H,W,C]; weights do
// too, and are transposed here if they are constants or quantizers of such. Where x comes from a Transpose that the new
// one undoes, both are left out. A MaxPool makes no indices; BatchNormalization is in inference, with
// one parameter for each channel. The domain is imported
// at the version of the main domain, and attributes that were left to their defaults are written; pads stand for
// auto_pad, for which extents are known. Values, shapes and signature stay.

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the nodes that stay.
Pass insert_channels_last();

// Before:  Relu(Conv(Quant(x), w))                                    channels in the second place
// After:   Transpose(Relu(channels_last::Conv(Transpose(Quant(x)), w')))
//
// The steps are passes of this folder, each of which keeps what the model computes: insert_channels_last(),
// sink_transposes(), absorb_transposes(); those left over constants are computed. Shapes of inputs and outputs of the
// graph change only if asked for.

/// The pass that moves channels to the last place wherever there is an operator for it. Its note counts the Transposes
/// that remain. signature: which inputs and outputs are to have their channels last, too, as for
/// convert_to_channels_last(); without names, all of rank 4.
Pass to_channels_last(ChannelsLast signature = {.inputs = false, .outputs = false});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/layout/to_channels_last.ipp>
#endif
