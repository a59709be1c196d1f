#pragma once
#include <string>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  f(x)                             x: [H,W], an input of the graph
// After:   f(Unsqueeze(x, [0,-1]))
//
// Before:  f(x)                             x: [B,H,W]
// After:   f(Unsqueeze(x, [1]))
//
// All nodes that read x read the result. If one of them is an Unsqueeze of constant axes, it takes this place: its axes
// stay if they make x 4-D, and become these if not. Inputs that have a default, that no node reads, or of another rank
// stay.

namespace graft::inline v1 {

struct FourDInputs {
  Ints axes_of_rank_2{0, -1}, axes_of_rank_3{1};  // which Unsqueeze adds
  std::vector<std::string> names{};               // of inputs; none: all
};

/// The pass that adds axes behind the inputs of a net, so that it computes with 4-D data. Inputs keep their shapes. The
/// values and shapes of all that follows change by design; outputs stay declared as they were, and
/// four_d_model_outputs() makes that true again. Throws Error for a name that no input has, and for axes that do not
/// make rank 4.
Pass four_d_model_inputs(FourDInputs how = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_model_inputs.ipp>
#endif
