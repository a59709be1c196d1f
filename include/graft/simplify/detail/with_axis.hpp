#pragma once
#include <cstdint>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Squeeze or Unsqueeze with one axis, as an attribute or an input as the opset requires.
inline Value& with_axis(std::string_view op_type, Value& value, std::int64_t at, Rewriter& rewriter) {
  if (value.graph().opset() < 13) return rewriter.op(op_type, {&value}, {{"axes", {at}}});
  return rewriter.op(op_type, {&value, &rewriter.ints({at}, "axes")});
}

}  // namespace graft::inline v1::detail
