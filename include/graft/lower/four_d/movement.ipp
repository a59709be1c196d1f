#pragma once
#include <graft/lower/four_d/movement.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass flatten_to_reshape() {
  return detail::surgery_of_nodes("flatten_to_reshape", {"Flatten"}, [](const detail::Surgery& at) {
    if (at.node.input(0) == nullptr) return Verdict::no("it has no input");
    return at.rewriter.replace(*at.node.output(0),
                               at.op_with("Reshape", *at.node.input(0), {{"shape", {1, 1, 1, -1}}}, {}, "reshape"));
  });
}

GRAFT_INLINE Pass four_d_reshape() {
  return detail::surgery_of_nodes("four_d_reshape", {"Reshape"}, [](const detail::Surgery& at) {
    const std::optional<Ints> shape = at.given("shape");
    if (!shape) return Verdict::no("its shape is not constant");
    if (shape->size() != 3) return Verdict::no("its shape does not have three entries");
    Ints longer = *shape;
    if (at.node.attr<std::int64_t>("allowzero").value_or(0) != 0) {
      longer.insert(longer.begin(), 1);  // with allowzero, 0 is an extent
    } else {
      const auto first = std::find_if(longer.begin(), longer.end(), [](std::int64_t entry) { return entry != 0; });
      const bool copies = std::find(longer.begin(), longer.end(), 0) != longer.end();
      if (Verdict rank = at.reads_rank_4(); copies && !rank) return rank;
      longer.insert(first, first == longer.end() ? 0 : 1);
    }
    at.give("shape", longer);
    return Verdict::yes();
  });
}

GRAFT_INLINE Pass four_d_expand() {
  return detail::surgery_of_nodes("four_d_expand", {"Expand"}, [](const detail::Surgery& at) {
    std::optional<Ints> shape = at.given("shape");
    if (!shape) return Verdict::no("its shape is not constant");
    if (shape->size() != 3) return Verdict::no("its shape does not have three entries");
    shape->insert(shape->begin(), 1);
    at.give("shape", *shape);
    return Verdict::yes();
  });
}

GRAFT_INLINE Pass four_d_gather() {
  return detail::surgery_of_nodes("four_d_gather", {"Gather"}, [](const detail::Surgery& at) {
    const Shape indices = at.shape(1);
    if (!indices.known()) return Verdict::no("the rank of its indices is not known");
    if (indices.rank() > 1)
      return Verdict::no("its indices have rank 2 or more, so the result has another rank than the data");
    const bool moves = at.node.attr<std::int64_t>("axis").value_or(0) == 1, drops = indices.rank() == 0;
    if (!moves && !drops) return Verdict::no("it keeps the rank already, and its axis is not 1");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    if (moves) at.rewriter.set_attribute(at.node, {"axis", 2});
    if (!drops) return Verdict::yes();
    Value& index = *at.node.input(1);
    if (const std::optional<Tensor> constant = index.constant()) {
      at.give(1, constant->reshaped({1}));
    } else {
      at.rewriter.set_input(at.node.use(1), &at.op_with("Reshape", index, {{"shape", {1}}}, {}, "index"));
    }
    return Verdict::yes();
  });
}

GRAFT_INLINE Pass four_d_gather_elements() {
  return detail::surgery_of_nodes("four_d_gather_elements", {"GatherElements"}, [](const detail::Surgery& at) {
    const std::optional<Tensor> indices =
        at.node.input(1) != nullptr ? at.node.input(1)->constant() : std::optional<Tensor>();
    if (!indices) return Verdict::no("its indices are not constant");
    if (indices->rank() == 0) {
      if (at.shape(0).known() && at.shape(0).rank() != 1) return Verdict::no("its data are not of rank 1");
      at.give(1, indices->reshaped({1}));
      return Verdict::yes();
    }
    if (indices->rank() != 3) return Verdict::no("its indices are not of rank 3");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    Dims dims = indices->dims();
    dims.insert(dims.begin(), 1);
    at.give(1, indices->reshaped(dims));
    const std::int64_t axis = at.node.attr<std::int64_t>("axis").value_or(0);
    if (axis >= 0) at.rewriter.set_attribute(at.node, {"axis", axis + 1});
    return Verdict::yes();
  });
}

GRAFT_INLINE Pass four_d_slice(Ints axes) {
  return detail::surgery_of_nodes("four_d_slice", {"Slice"}, [from = std::move(axes)](const detail::Surgery& at) {
    const std::optional<Ints> given = at.given("axes");
    if (!given) return Verdict::no("its axes are not given, or not constant");
    if (given->size() != 1) return Verdict::no("it has several axes");
    if (std::find(from.begin(), from.end(), given->front()) == from.end())
      return Verdict::no("its axis is not one of the given axes");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    at.give("axes", {-1});
    return Verdict::yes();
  });
}

GRAFT_INLINE Pass four_d_transpose() {
  return detail::surgery_of_nodes("four_d_transpose", {"Transpose"}, [](const detail::Surgery& at) {
    const std::optional<Ints> perm = at.node.attr<Ints>("perm");
    if (!perm || perm->empty()) return Verdict::no("its perm is not given");
    if (perm->size() != 2 && perm->size() != 3) return Verdict::no("its perm does not have two or three entries");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    Ints moved;
    const auto ahead = static_cast<std::int64_t>(4 - perm->size());
    for (std::int64_t axis = 0; axis < ahead; ++axis) moved.push_back(axis);
    for (const std::int64_t axis : *perm) moved.push_back(axis + ahead);
    at.rewriter.set_attribute(at.node, {"perm", moved});
    return Verdict::yes();
  });
}

namespace detail {

inline bool holds_positions(const Value& value, const Shape& shape) {
  return is_integer(value.dtype()) && shape.known() && shape.rank() < 2;
}

}  // namespace detail

GRAFT_INLINE Pass remove_intermediary_squeezes() {
  const auto surgery = [](const detail::Surgery& at) {
    Value* const data = at.node.input(0);
    Value& result = *at.node.output(0);
    if (data == nullptr || data->is_graph_input()) return Verdict::no("its input is a graph input");
    if (result.is_graph_output()) return Verdict::no("its result is a graph output");
    if (detail::holds_positions(*data, at.shape(0)) || detail::holds_positions(result, at.shapes.of(result)))
      return Verdict::no("its integers are a shape, or positions");
    if (Verdict done = at.rewriter.replace(result, *data); !done) return done;
    if (data->producer() != nullptr && !data->is_graph_output()) {
      at.shapes.forget(*data);  // another surgery may fix the readers
      return Verdict::yes();
    }
    for (Node& user : data->users())
      if (Verdict fits = at.shapes.check(user, true); !fits) return fits;
    return Verdict::yes();
  };
  return detail::surgery_of_nodes("remove_intermediary_squeezes", {"Squeeze", "Unsqueeze"}, surgery);
}

}  // namespace graft::inline v1
