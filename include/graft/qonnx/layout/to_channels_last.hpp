#pragma once
#include <graft/lower/channels_last.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Relu(Conv(Quant(x), w))                                    channels in the second place
// After:   Transpose(Relu(channels_last::Conv(Transpose(Quant(x)), w')))
//
// The steps are passes of this folder, each of which keeps what the model computes: insert_channels_last(),
// sink_transposes(), absorb_transposes(); those left over constants are computed. Shapes of inputs and outputs of the
// graph change only if asked for.

namespace graft::inline v1::qonnx {

/// The pass that moves channels to the last place wherever there is an operator for it. Its note counts the Transposes
/// that remain. signature: which inputs and outputs are to have their channels last, too, as for
/// convert_to_channels_last(); without names, all of rank 4.
Pass to_channels_last(ChannelsLast signature = {.inputs = false, .outputs = false});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/layout/to_channels_last.ipp>
#endif
