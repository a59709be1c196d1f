#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  x: f32[1,16,8], h = Reshape(x, {1, 128}), y: f32[1,4]
// After:   x: f32[N,16,8], h = Reshape(x, {0, 128}), y: f32[N,4]
//
// For "N". Where the constant shape of a Reshape holds the old batch, or a multiple of it, it gets a copy that holds
// the new one; where that is a symbol, 0, "as the input has it", or -1. Everything else must take another batch as it
// is: this is tried with a batch that equals nothing in the model. Values, shapes and signature change: of each sample
// the results are the same where the model treats samples apart.

namespace graft::inline v1 {

/// An input of the graph, and which of its axes is that of the batch.
struct BatchInput {
  template <std::convertible_to<std::string_view> T>
  BatchInput(const T& text, std::size_t batch_axis = 0) : name(std::string_view(text)), axis(batch_axis) {}

  std::string name;
  std::size_t axis;
};

/// Changes that extent of these inputs, as in change_batch("N", {"x", {"state", 1}}); by default the leading one of all
/// inputs where it is that of the first input that has a shape and no default. Its notes name outputs that do not
/// change with it. Throws Error, with the graph as it was, and names the node that is made for the old batch alone; for
/// a name of no input, and an axis that it does not have. Models whose constants are inputs want freeze_inputs() first.
Pass change_batch(std::int64_t batch, std::vector<BatchInput> inputs = {});
Pass change_batch(std::string symbol, std::vector<BatchInput> inputs = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/change_batch.ipp>
#endif
