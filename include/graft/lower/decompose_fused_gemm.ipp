#pragma once
#include <graft/lower/decompose_fused_gemm.hpp>

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

inline Verdict decompose_gemm(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  Value& result = rewriter.op("Gemm", {node.input(0), node.input(1), node.input(2)},
                              copied_attributes(node, {"alpha", "beta", "transA", "transB"}));
  const auto alpha = node.attr<float>("activation_alpha"), beta = node.attr<float>("activation_beta");
  if (beta && !alpha) return Verdict::no("its activation has its second parameter alone");
  Floats numbers;
  if (alpha) numbers.push_back(*alpha);
  if (beta) numbers.push_back(*beta);
  return put_activated(rewriter, node, result, numbers);
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto decompose_fused_gemm = rule<"decompose-fused-gemm">(
    op<"com.microsoft::FusedGemm">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_gemm(rewriter, m[outer]); });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_fused_gemm = vocabulary::decompose_fused_gemm.view();

}  // namespace graft::inline v1
