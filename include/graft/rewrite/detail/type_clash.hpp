#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/detail/kept_text.hpp>
#include <graft/rewrite/intent.hpp>

namespace graft::inline v1::detail {

/// Whether `by` may replace `old` according to their known types.
inline Verdict check_types(const Value& old, const Value& by, const Intent& intent) {
  const auto number = [](auto n) { return static_cast<double>(n); };
  const DType was = old.dtype(), is = by.dtype();
  if (was != DType::undefined && is != DType::undefined && was != is)
    return Verdict::no(Reason{kept_text("the replacement is " + std::string(to_string(is)) + ", the original is " +
                                        std::string(to_string(was))),
                              "type", {}, 0});
  const Shape from = old.shape(), to = by.shape();
  if (intent.shapes || !from.known() || !to.known()) return Verdict::yes();
  if (from.rank() != to.rank())
    return Verdict::no(Reason{"the replacement has rank {}, the original has rank {}", "type",
                              {number(to.rank()), number(from.rank())}, 2});
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    const Dim a = from[axis], b = to[axis];
    if (a.known() && b.known() && a.value() != b.value())
      return Verdict::no(Reason{"axis {} has extent {} in the replacement, {} in the original", "type",
                                {number(axis), number(b.value()), number(a.value())}, 3});
  }
  return Verdict::yes();
}

/// The type of `by` after it replaces `old`, provided that check_types() accepts them. Each extent is the more exact
/// one of both. nullopt if `old` adds nothing.
inline std::optional<onnx::TypeProto> joint_type(const Value& old, const Value& by) {
  if (old.type() == nullptr || old.type() == by.type()) return std::nullopt;
  if (by.type() == nullptr) return *old.type();
  if (!old.type()->has_tensor_type() || !by.type()->has_tensor_type()) return std::nullopt;
  const DType dtype = by.dtype() != DType::undefined ? by.dtype() : old.dtype();
  const Shape from = old.shape(), to = by.shape();
  if (!from.known()) {
    if (dtype == by.dtype()) return std::nullopt;
    return to.known() ? tensor_type(dtype, to) : tensor_type(dtype);
  }
  std::vector<Dim> dims = infer::to_dims(to.known() ? to : from);
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (const auto both = infer::unify(dims[axis], from[axis])) dims[axis] = *both;
  Shape shape(std::move(dims));
  if (dtype == by.dtype() && shape == to) return std::nullopt;
  return tensor_type(dtype, shape);
}

}  // namespace graft::inline v1::detail
