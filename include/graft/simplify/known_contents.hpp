#pragma once
#include <optional>

#include <graft/graph/infer.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Shape(x), or what is computed from it: Gather, Slice, Concat, arithmetic ...
// After:   a constant
//
// Every element is known to shape inference: from extents that are numbers, and constants. At most 1024 of them, i64,
// i32 or bool.

namespace graft::inline v1 {
namespace detail::simplification {

inline std::optional<Tensor> contents_of(const Node& node, KnownContents& known) {
  const Value& result = *node.output(0);
  const Contents* const contents = known.contents(result);
  if (contents == nullptr || (result.dtype() != DType::undefined && result.dtype() != contents->dtype))
    return std::nullopt;
  const std::optional<Ints> elements = contents->ints();
  return elements ? std::optional(Tensor::of(contents->dtype, contents->dims, *elements)) : std::nullopt;
}

inline constexpr auto known_contents = rule<"known-contents">(
    one_of<"Shape", "Size", "Gather", "Slice", "Concat", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Expand",
           "Range", "ConstantOfShape", "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Min", "Max", "ReduceMin",
           "ReduceMax", "ReduceSum", "ReduceProd", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And",
           "Or", "Not", "Where">(rest<>)
        .as(outer),
    [](const auto& m, Rewriter& rewriter) {
      std::optional<Tensor> contents = contents_of(m[outer], rewriter.known_contents());
      if (!contents) return Verdict::no("its elements are not known");
      rewriter.keep_known_contents();
      return rewriter.replace(*m[outer].output(0), rewriter.constant(*std::move(contents), m[outer].output(0)->name()));
    });

}  // namespace detail::simplification

using detail::simplification::known_contents;

}  // namespace graft::inline v1
