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
// The example uses "N". A constant shape of a Reshape may have the old batch, or a multiple of it. The Reshape then
// gets a copy with the new batch; for a symbol the copy has 0, which copies the input's extent, or -1. All other nodes
// must accept another batch without changes. The pass tests this with a batch that equals no number in the model.
// Values, shapes and signature change. If the model treats samples independently, the results of each sample stay.

namespace graft::inline v1 {

/// A graph input, and its batch axis.
struct BatchInput {
  template <std::convertible_to<std::string_view> T>
  BatchInput(const T& text, std::size_t batch_axis = 0) : name(std::string_view(text)), axis(batch_axis) {}

  std::string name;
  std::size_t axis;
};

/// Changes the batch extent of these inputs, as in change_batch("N", {"x", {"state", 1}}). By default, it takes the
/// first input with a shape and without a default, and changes the leading extent of all inputs that have the same one.
/// Notes name outputs that do not change with the batch. Throws Error if no input has a given name or axis, and if a
/// node supports only the old batch, which the Error names; the graph stays as it was. If constants of the model are
/// inputs, run freeze_inputs() before.
Pass change_batch(std::int64_t batch, std::vector<BatchInput> inputs = {});
Pass change_batch(std::string symbol, std::vector<BatchInput> inputs = {});

}  // namespace graft::inline v1
