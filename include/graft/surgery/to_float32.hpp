#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that makes a model of 16 bit floats, f16 or bf16, one of float32, with its bodies and functions: constants,
/// the types of inner values, and the dtypes that attributes name. Inputs and outputs of the graph keep theirs, with a
/// Cast behind and before them; other Casts that then change nothing go. A model that takes or gives
/// sequences or optionals of them, which no Cast takes, is left as it is, with a note. Results change by what 16 bits
/// had rounded.
Pass to_float32();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/to_float32.ipp>
#endif
