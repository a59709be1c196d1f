#pragma once
#include <graft/lower/four_d/remove_intermediary_squeezes.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

namespace detail {

inline bool holds_positions(const Value& value, const Shape& shape) {
  return is_integer(value.dtype()) && shape.known() && shape.rank() < 2;
}

}  // namespace detail

GRAFT_INLINE Pass remove_intermediary_squeezes() {
  const auto surgery = [](const detail::Surgery& at) {
    Value* const data = at.node.input(0);
    Value& result = *at.node.output(0);
    if (data == nullptr || data->is_graph_input()) return Verdict::no("it reads an input of the graph");
    if (result.is_graph_output()) return Verdict::no("it makes an output of the graph");
    if (detail::holds_positions(*data, at.shape(0)) || detail::holds_positions(result, at.shapes.of(result)))
      return Verdict::no("its integers are a shape, or positions");
    if (Verdict done = at.rewriter.replace(result, *data); !done) return done;
    if (data->producer() != nullptr && !data->is_graph_output()) {
      at.shapes.forget(*data);  // a node that reads it may wait for another surgery to fit
      return Verdict::yes();
    }
    for (Node& user : data->users())
      if (Verdict fits = at.shapes.check(user, true); !fits) return fits;
    return Verdict::yes();
  };
  return detail::surgery_of_nodes("remove_intermediary_squeezes", {"Squeeze", "Unsqueeze"}, surgery);
}

}  // namespace graft::inline v1
