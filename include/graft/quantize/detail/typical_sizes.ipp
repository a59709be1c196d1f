#pragma once
#include <graft/quantize/detail/typical_sizes.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/input_extents.hpp>

namespace graft::inline v1::detail {

/// Sets the open extents of an input. Returns whether that changed it.
inline bool bind_open_extents(Value& input, const Dims& extents) {
  const Shape shape = input.shape();
  if (shape.known() && shape.rank() != extents.size()) return false;
  std::vector<Dim> dims(extents.begin(), extents.end());
  bool is_open = !shape.known();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) dims[axis] = shape[axis];
    is_open = is_open || !shape[axis].known();
  }
  if (is_open) input.graph().set_type(input, tensor_type(input.dtype(), Shape(std::move(dims))));
  return is_open;
}

GRAFT_INLINE TypicalSizes::TypicalSizes(Graph& graph, const Context& context) : types_(graph) {
  const auto* const seen = context.facts.find<InputExtents>();
  if (seen == nullptr) return;
  bool binds = false;
  for (Value* const input : graph.inputs())
    if (const std::optional<Dims> extents = seen->of(input->name())) binds |= bind_open_extents(*input, *extents);
  if (binds) infer_shapes(graph, context.infer_options({.name_unknown = false}));
}

}  // namespace graft::inline v1::detail
