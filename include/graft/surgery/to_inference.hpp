#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Dropout(x, ratio?, true)                               from opset 12 on
//          Dropout(x) {is_test=0}                                 below opset 7, where 0 is the default
//          y, mean, var = BatchNormalization(x, scale, bias, mean0, var0) {training_mode=1}
//                                                                 from opset 14 on
//          y, mean, var, saved_mean, saved_var = BatchNormalization(x, scale, bias, mean0, var0)
//                                                                 below opset 14; below 7 with is_test=0 as well
// After:   Dropout(x, ratio?), Dropout(x) {is_test=1}
//          y = BatchNormalization(x, scale, bias, mean0, var0)    below opset 7 {is_test=1}
//
// training_mode of Dropout is a constant. Its mask may be read from opset 12 on, where it is all true in inference;
// below opset 7, where inference does not fill it, it is not. Nothing reads the statistics that BatchNormalization
// makes, and they are no outputs of the graph.

/// The pass that makes an inference model of one that was exported in training mode, with its bodies and functions.
/// Results change: the nodes compute what they do in inference. remove_dropout takes out the Dropouts that are left.
/// Its notes say how many nodes were switched, and why others stay in training mode: each is named. Comes before
/// raise_opset(), which throws for most of what is in training mode, and behind inline_functions(), which makes
/// constants of what calls give their functions.
Pass to_inference();

// Before:  MemcpyFromHost(x), MemcpyToHost(x)
// After:   x
//
// ONNX Runtime writes them, of the main domain or of com.microsoft, into models that it saves after it placed their
// nodes on devices. Where the result is a graph output, what makes x gets its name; an Identity takes the place of the
// copy where nothing could bear it: x is an input, an initializer, an output already, or of a scope outside. Values,
// shapes and signature do not change.

/// Takes out copies between devices, in bodies and functions too.
Pass remove_memcpy();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/to_inference.ipp>
#endif
