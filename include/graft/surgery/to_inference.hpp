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
// training_mode of Dropout is a constant. The mask may be used since opset 12, where it is all true in inference. Below
// opset 7 it is unused, because inference does not fill it. The statistics of BatchNormalization are unused.

/// Turns a model that was exported in training mode into an inference model, with its bodies and functions. Results
/// change to those of inference. remove_dropout removes the remaining Dropouts. Notes give the number of changed nodes,
/// and the name and reason of each node that stays in training mode. Run it before raise_opset(), which throws for most
/// nodes in training mode, and after inline_functions(), which turns arguments of calls into constants.
Pass to_inference();

// Before:  MemcpyFromHost(x), MemcpyToHost(x)
// After:   x
//
// ONNX Runtime writes these nodes, of the main domain or of com.microsoft, when it saves a model after placing its
// nodes on devices. If the result is a graph output, the producer of x takes over its name. An Identity replaces the
// copy if this is impossible: x is a graph input, an initializer, an output already, or a value of an outer scope.
// Values, shapes and signature stay.

/// Removes copies between devices, in bodies and functions, too.
Pass remove_memcpy();

}  // namespace graft::inline v1
