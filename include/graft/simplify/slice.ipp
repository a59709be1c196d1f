#pragma once
#include <graft/simplify/slice.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/slice_range.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto inner_starts = starts.named<"inner_starts">();

inline constexpr auto inner_ends = ends.named<"inner_ends">();

inline constexpr auto inner_steps = steps.named<"inner_steps">();

using SliceRanges = std::map<std::int64_t, SliceRange>;  // by axis

/// nullopt if the lists differ in length.
inline std::optional<SliceRanges> slice_ranges(std::span<const std::int64_t> first, std::span<const std::int64_t> last,
                                               const std::optional<std::span<const std::int64_t>>& along,
                                               const std::optional<std::span<const std::int64_t>>& by) {
  const std::size_t count = first.size();
  if (last.size() != count || (along && along->size() != count) || (by && by->size() != count)) return std::nullopt;
  SliceRanges ranges;
  for (std::size_t i = 0; i < count; ++i)
    ranges[along ? (*along)[i] : static_cast<std::int64_t>(i)] = {first[i], last[i], by ? (*by)[i] : 1};
  return ranges;
}

inline std::optional<SliceRanges> composed(const SliceRanges& first, const SliceRanges& second, const Shape& extents) {
  SliceRanges all = first;
  for (const auto& [along, range] : second) {
    const auto [place, fresh] = all.try_emplace(along, range);
    if (fresh) continue;
    const auto position = static_cast<std::size_t>(along);
    const bool is_known = extents.known() && position < extents.rank();
    const std::optional<SliceRange> both = composed(place->second, range, is_known ? extents[position] : Dim());
    if (!both) return std::nullopt;
    place->second = *both;
  }
  return all;
}

inline constexpr auto slice_slice = rule<"slice-slice">(
    op<"Slice">(op<"Slice">(x).with(inner_starts, inner_ends, opt(inner_axes), opt(inner_steps)).shared())
        .with(starts, ends, opt(axes), opt(steps))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) {
      const auto first = slice_ranges(m[inner_starts], m[inner_ends], m[inner_axes], m[inner_steps]);
      const auto second = slice_ranges(m[starts], m[ends], m[axes], m[steps]);
      if (!first || !second) return Verdict::no("starts, ends, axes and steps differ in length");
      const std::optional<SliceRanges> both = composed(*first, *second, m[x].shape());
      if (!both) return Verdict::no("the result depends on an extent that is not known");
      std::array<Ints, 4> parameters;
      for (const auto& [along, range] : *both) {
        parameters[0].push_back(range.start);
        parameters[1].push_back(range.end);
        parameters[2].push_back(along);
        parameters[3].push_back(range.step);
      }
      if (m[outer].opset() < 10) {
        Value& sliced = rewriter.op("Slice", {&m[x]},
                                    {{"starts", parameters[0]}, {"ends", parameters[1]}, {"axes", parameters[2]}});
        return rewriter.replace(*m[outer].output(0), sliced);
      }
      std::array<Value*, 5> inputs{&m[x]};
      for (std::size_t i = 0; i < parameters.size(); ++i)
        inputs[i + 1] = &rewriter.ints(parameters[i], m.root().name());
      std::array<Value*, 1> successors{rewriter.clone(m[outer], inputs).output(0)};
      return rewriter.replace(m.root(), successors);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView slice_slice = rules::slice_slice.view();

}  // namespace graft::inline v1
