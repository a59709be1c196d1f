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
// All nodes that read x do so, but an Unsqueeze of constant axes: one that makes x 4-D stays, another one gets these
// axes, and the others read what it makes. An input that has a default, that no node reads, or of another rank, stays.

namespace graft::inline v1 {

struct FourDInputs {
  Ints axes_of_rank_2{0, -1}, axes_of_rank_3{1};  // which Unsqueeze adds
  std::vector<std::string> names{};               // of inputs; none: all
};

/// The pass that makes a net 4-D from its inputs on. They stay as they are; values and shapes of all that follows
/// change by design, but for what outputs are declared as: four_d_model_outputs() gives them that again. Throws Error
/// for a name that no input has, and for axes that are not those of rank 4.
Pass four_d_model_inputs(FourDInputs how = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_model_inputs.ipp>
#endif
