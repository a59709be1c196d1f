#pragma once
#include <graft/rewrite/pass.hpp>

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

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the nodes that stay.
Pass insert_channels_last();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/layout/insert_channels_last.ipp>
#endif
