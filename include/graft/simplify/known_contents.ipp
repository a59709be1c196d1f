#pragma once
#include <graft/simplify/known_contents.hpp>

#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/integer_math.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline std::optional<Tensor> contents_of(const Node& node, KnownContents& known) {
  const Value& result = *node.output(0);
  if (result.dtype() != DType::undefined && !infer::is_followed(result.dtype())) return std::nullopt;  // most are not
  const Contents* const contents = known.contents(result);
  if (contents == nullptr || (result.dtype() != DType::undefined && result.dtype() != contents->dtype))
    return std::nullopt;
  const std::optional<Ints> elements = contents->ints();
  return elements ? std::optional(Tensor::of(contents->dtype, contents->dims, *elements)) : std::nullopt;
}

inline constexpr auto put_contents = [](const auto& m, Rewriter& rewriter) {
  std::optional<Tensor> contents = contents_of(m[outer], rewriter.known_contents());
  if (!contents) return Verdict::no("its elements are not known");
  rewriter.keep_known_contents();
  return rewriter.replace(*m[outer].output(0), rewriter.constant(*std::move(contents), m[outer].output(0)->name()));
};

inline constexpr auto known_contents = rule<"known-contents">(
    one_of<"Shape", "Size", "Gather", "Slice", "Concat", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Expand",
           "Range", "ConstantOfShape", "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Min", "Max", "ReduceMin",
           "ReduceMax", "ReduceSum", "ReduceProd", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And",
           "Or", "Not", "Where">(rest<>)
        .as(outer),
    put_contents);

inline constexpr auto known_shape = rule<"known-shape">(op<"Shape">(any).as(outer), put_contents);

inline constexpr auto any_shape_of = op<"Shape">(any).with(any_attributes).shared();

inline constexpr auto known_shape_gather =
    rule<"known-shape-gather">(op<"Gather">(any_shape_of, any).as(outer), put_contents);

inline constexpr auto known_shape_slice =
    rule<"known-shape-slice">(op<"Slice">(any_shape_of, rest<>).as(outer), put_contents);

}  // namespace rules

GRAFT_INLINE constinit const RuleView known_contents = rules::known_contents.view();

GRAFT_INLINE constinit const RuleView known_shape = rules::known_shape.view();

GRAFT_INLINE constinit const RuleView known_shape_gather = rules::known_shape_gather.view();

GRAFT_INLINE constinit const RuleView known_shape_slice = rules::known_shape_slice.view();

}  // namespace graft::inline v1
