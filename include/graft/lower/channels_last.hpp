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
// x has no default, and is no output as well; a node makes y. Their names stay, their shapes change by design. Behind
// it, Transposes in a row, with elementwise operators between, become one or none: one that the net had in front of
// images whose channels come last goes.

struct ChannelsLast {
  bool inputs = true, outputs = true;
  std::vector<std::string> names{};  // of inputs and outputs; none: all of rank 4 among them
};

/// The pass that lets callers feed and receive images with their channels last. Throws Error for a name that no input
/// or output has, or whose value does not meet these conditions.
Pass convert_to_channels_last(ChannelsLast which = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/channels_last.ipp>
#endif
