#pragma once
#include <cstddef>
#include <string>

#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/detail/kept_text.hpp>
#include <graft/rewrite/intent.hpp>

namespace graft::inline v1::detail {

/// Whether `by` may stand where `old` stood, as far as their types are known.
template <class = void>
Verdict check_types(const Value& old, const Value& by, const Intent& intent) {
  const auto number = [](auto n) { return static_cast<double>(n); };
  const DType was = old.dtype(), is = by.dtype();
  if (was != DType::undefined && is != DType::undefined && was != is)
    return Verdict::no(Reason{kept_text("the replacement is " + std::string(to_string(is)) + ", what it replaces is " +
                                        std::string(to_string(was))),
                              "type", {}, 0});
  const Shape from = old.shape(), to = by.shape();
  if (intent.shapes || !from.known() || !to.known()) return Verdict::yes();
  if (from.rank() != to.rank())
    return Verdict::no(Reason{"the replacement has rank {}, what it replaces has rank {}", "type",
                              {number(to.rank()), number(from.rank())}, 2});
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    const Dim a = from[axis], b = to[axis];
    if (a.known() && b.known() && a.value() != b.value())
      return Verdict::no(Reason{"axis {} of the replacement is {} long, that of what it replaces {}", "type",
                                {number(axis), number(b.value()), number(a.value())}, 3});
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
