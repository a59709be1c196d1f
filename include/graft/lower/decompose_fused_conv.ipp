#pragma once
#include <graft/lower/decompose_fused_conv.hpp>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/copied_attributes.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/fused_product.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

inline Verdict decompose_conv(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  const Attributes attributes =
      copied_attributes(node, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  Value* result = &rewriter.op("Conv", {node.input(0), node.input(1), node.input(2)}, attributes);
  if (node.input(3) != nullptr) result = &rewriter.op("Add", {result, node.input(3)});
  return put_activated(rewriter, node, *result, node.attr<Floats>("activation_params").value_or(Floats()));
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto decompose_fused_conv = rule<"decompose-fused-conv">(
    op<"com.microsoft::FusedConv">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_conv(rewriter, m[outer]); });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_fused_conv = vocabulary::decompose_fused_conv.view();

}  // namespace graft::inline v1
