#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Turns a model of 16-bit floats, f16 or bf16, into float32, with its bodies and functions: constants, types of inner
/// values, and dtypes in attributes. Graph inputs and outputs keep their dtypes, by Casts after and before them. Other
/// Casts that then change nothing are removed. If an input or output is a sequence or optional of 16-bit floats, which
/// Cast does not support, the model stays as it was, with a note. Results change by the rounding to 16 bits.
Pass to_float32();

}  // namespace graft::inline v1
