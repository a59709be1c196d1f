#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(x)                                        x: [N,C,H,W], an input of the graph
// After:   f(Transpose(x) {perm=[0,3,1,2]})            x: [N,H,W,C]
//
// Before:  y                                           y: [N,C,H,W], an output of the graph
// After:   Transpose(y) {perm=[0,2,3,1]}               y: [N,H,W,C]
//
// x has no default, and is not an output; the producer of y is a node. Names stay, shapes change by design. Then chains
// of Transposes, with elementwise operators between, become one Transpose or none: if the net starts with a Transpose
// for images with their channels last, it disappears.

struct ChannelsLast {
  bool inputs = true, outputs = true;
  std::vector<std::string> names{};  // of inputs and outputs; empty: all of rank 4
};

/// Lets callers feed and receive images with their channels last. Throws Error if no input or output has a given name,
/// or if its value does not meet the conditions above.
Pass convert_to_channels_last(ChannelsLast which = {});

}  // namespace graft::inline v1
