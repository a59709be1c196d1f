#pragma once
#include <graft/transformer/fuse/projections.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/ints.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>
#include <graft/vocabulary/slice_range.hpp>

namespace graft::inline v1 {
namespace detail {

/// A reader's view of one stacked value: the value, or the input of a Reshape.
struct StackedPart {
  std::size_t number = 0;
  Value* value = nullptr;
  Node* reshape = nullptr;
};

/// The output of a Squeeze of the first axis that is the only reader of a value.
inline Value* squeezed(const Value& value) {
  if (!value.has_one_use() || value.is_graph_output()) return nullptr;
  const Node& reader = *value.uses().front().user();
  if (!reader.is("Squeeze") || &reader.graph() != &value.graph()) return nullptr;
  const auto over = reader.input(1) != nullptr ? known_ints(*reader.input(1)) : reader.attr<Ints>("axes");
  return over == Ints{0} ? reader.output(0) : nullptr;
}

/// A Reshape that is the only reader of a value and copies no extent, so that a first axis of 1 may be missing.
inline Node* reshaped(const Value& value) {
  if (!value.has_one_use() || value.is_graph_output()) return nullptr;
  Node& reader = *value.uses().front().user();
  if (!reader.is("Reshape") || &reader.graph() != &value.graph() || reader.input(0) != &value) return nullptr;
  const auto target = reader.input(1) == nullptr ? std::nullopt : known_ints(*reader.input(1));
  return target && std::find(target->begin(), target->end(), 0) == target->end() ? &reader : nullptr;
}

/// The index of the value that a Slice of axis 0 takes from a stack of `count`; -1 for other nodes.
inline std::int64_t taken_by(const Node& slice, std::int64_t count) {
  const auto number = [&](std::size_t input, const char* attribute) -> std::optional<std::int64_t> {
    const auto given = input < slice.input_count()
                           ? slice.input(input) != nullptr ? known_ints(*slice.input(input)) : std::nullopt
                           : slice.attr<Ints>(attribute);
    return given && given->size() == 1 ? std::optional((*given)[0]) : std::nullopt;
  };
  const auto start = number(1, "starts"), end = number(2, "ends"), along = number(3, "axes");
  const bool steps = slice.input(4) != nullptr && number(4, "") != 1;
  if (!start || !end || along != 0 || steps) return -1;
  const auto taken = vocabulary::elements_of({*start, *end, 1}, count);
  return taken.count == 1 ? taken.start : -1;
}

/// All readers of a stack of `count` values along axis 0; nullopt if there are readers of other kinds.
inline std::optional<std::vector<StackedPart>> parts_of(const Value& stack, std::int64_t count) {
  std::vector<StackedPart> parts;
  if (stack.is_graph_output()) return std::nullopt;
  for (const Node& reader : stack.users()) {
    if (&reader.graph() != &stack.graph() || reader.input(0) != &stack) return std::nullopt;
    if (reader.is("Slice")) {
      const std::int64_t number = taken_by(reader, count);
      Value* const alone = squeezed(*reader.output(0));
      Node* const other = alone != nullptr ? nullptr : reshaped(*reader.output(0));
      if (number < 0 || (alone == nullptr && other == nullptr)) return std::nullopt;
      parts.push_back({static_cast<std::size_t>(number), alone, other});
      continue;
    }
    if (reader.attr<std::int64_t>("axis").value_or(0) != 0) return std::nullopt;
    if (reader.is("Gather")) {
      const auto chosen = reader.input(1) == nullptr ? std::nullopt : reader.input(1)->constant();
      if (!chosen || chosen->rank() != 0) return std::nullopt;
      const auto given = chosen->item<std::int64_t>(), number = given < 0 ? given + count : given;
      if (number < 0 || number >= count) return std::nullopt;
      parts.push_back({static_cast<std::size_t>(number), reader.output(0)});
    } else if (reader.is("Split") && static_cast<std::int64_t>(reader.output_count()) == count) {
      for (std::size_t i = 0; i < reader.output_count(); ++i) {
        Value* const alone = squeezed(*reader.output(i));
        if (alone == nullptr) return std::nullopt;
        parts.push_back({i, alone});
      }
    } else {
      return std::nullopt;
    }
  }
  return parts;
}

}  // namespace detail

namespace rules {

inline Verdict stacks_parts(const Value& whole, const Node& reshaped, const Ints& order) {
  const Shape given = whole.shape(), apart = reshaped.output(0)->shape();
  if (apart.rank() < 4 || order.size() != apart.rank() || order[0] != 2)
    return Verdict::no("the third axis does not become the first");
  for (std::size_t i = 0; i < 2; ++i)
    if (!same_size(given[i], apart[i])) return Verdict::no("more axes than the last one are split");
  for (std::size_t i = 2; i < apart.rank(); ++i)
    if (!apart[i].known() || apart[i].value() < 1) return Verdict::no("an extent is not known");
  return Verdict::yes();
}

inline constexpr auto stacked_projections = rule<"stacked-projections">(
    op<"Transpose">(op<"Reshape">(x.rank(3), any).with(opt(any_allowzero)).as(inner)).with(perm).as(outer),
    where(predicate<stacks_parts>("")(x, inner, perm)), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Shape apart = m[inner].output(0)->shape();
      const std::int64_t count = apart[2].value();
      const auto parts = detail::parts_of(*m[outer].output(0), count);
      if (!parts || parts->empty()) return Verdict::no("the stacked values are not read one by one");
      Ints target{0, 0}, order, same{0, 1};
      std::int64_t width = 1;
      for (std::size_t i = 3; i < apart.rank(); ++i) {
        width *= apart[i].value();
        target.push_back(apart[i].value());
        same.push_back(static_cast<std::int64_t>(i) - 1);
      }
      for (std::size_t i = 1; i < apart.rank(); ++i) order.push_back(m[perm][i] > 2 ? m[perm][i] - 1 : m[perm][i]);
      std::vector<Value*> inputs{&m[x]};
      Attributes attributes{{"axis", 2}};
      const Ints widths(static_cast<std::size_t>(count), width);
      if (m[outer].graph().opset() >= 13) {
        inputs.push_back(&rewriter.constant(Tensor::of<std::int64_t>({count}, widths), "widths"));
      } else {
        attributes.emplace_back("split", widths);
      }
      const Node& split = rewriter.node("Split", inputs, static_cast<std::size_t>(count), attributes);
      const auto extents = static_cast<std::int64_t>(target.size());
      for (const detail::StackedPart& part : *parts) {
        Value* made = split.output(part.number);
        if (extents > 3)
          made = &rewriter.op("Reshape",
                              {made, &rewriter.constant(Tensor::of<std::int64_t>({extents}, target), "extents")});
        if (order != same) made = &rewriter.op("Transpose", {made}, {{"perm", order}});
        if (part.reshape != nullptr) {
          rewriter.set_input(part.reshape->use(0), made);
          continue;
        }
        if (Verdict done = rewriter.replace(*part.value, *made); !done) return done;
      }
      return Verdict::yes();
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView stacked_projections = rules::stacked_projections.view();

namespace rules {

inline Verdict transposes_each(const Value& whole, const Node& merged, const Node& split) {
  const Shape given = whole.shape(), batches = merged.output(0)->shape(), result = split.output(0)->shape();
  if (batches.rank() != 3 || result.rank() != 4) return Verdict::no("the ranks are not known, or are not 3 and 4");
  // The number of matrices follows from the number of elements.
  if (!same_size(batches[1], given[2]) || !same_size(batches[2], given[3]))
    return Verdict::no("the Reshape changes the matrices");
  const bool back = same_size(result[0], given[0]) && same_size(result[1], given[1]) &&
                    same_size(result[2], given[3]) && same_size(result[3], given[2]);
  return back ? Verdict::yes() : Verdict::no("the result has other axes");
}

inline constexpr auto batched_transpose = rule<"batched-transpose">(
    op<"Reshape">(
        op<"Transpose">(op<"Reshape">(x.rank(4), any).with(opt(any_allowzero)).as(inner)).with(perm == ints(0, 2, 1)),
        any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    where(predicate<transposes_each>("")(x, inner, outer)), op<"Transpose">(x).with(perm = ints(0, 1, 3, 2)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView batched_transpose = rules::batched_transpose.view();

}  // namespace graft::inline v1
