#pragma once
#include <graft/lower/activation.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {
namespace detail {

/// Builds the nodes of one Gelu, with numbers of its dtype.
class GeluParts {
 public:
  GeluParts(Rewriter& rewriter, DType dtype) : rewriter_(rewriter), dtype_(dtype) {}

  Value& sum(Value& x, Value* bias) { return bias != nullptr ? rewriter_.op("Add", {&x, bias}) : x; }
  Value& by_erf(Value& x) {
    return half_times(x, rewriter_.op("Erf", {&rewriter_.op("Mul", {&x, &number(std::numbers::sqrt2 / 2)})}));
  }
  Value& by_tanh(Value& x) {
    Value& cube = rewriter_.op("Mul", {&rewriter_.op("Mul", {&x, &x}), &x});
    Value& inner = rewriter_.op("Add", {&x, &rewriter_.op("Mul", {&number(0.044715), &cube})});
    const double slope = std::sqrt(2 * std::numbers::inv_pi);
    return half_times(x, rewriter_.op("Tanh", {&rewriter_.op("Mul", {&number(slope), &inner})}));
  }

 private:
  Value& number(double value) { return rewriter_.constant(Tensor::scalar(dtype_, value), "number"); }
  /// 0.5 x (1 + y)
  Value& half_times(Value& x, Value& y) {
    return rewriter_.op("Mul", {&rewriter_.op("Mul", {&number(0.5), &x}), &rewriter_.op("Add", {&number(1), &y})});
  }

  Rewriter& rewriter_;
  DType dtype_;
};

}  // namespace detail

namespace rules {

inline constexpr auto approximation = attr<"approximate", std::string_view>.named<"approximation">();

inline Verdict takes_numbers(const Value& input) {
  if (!is_float(input.dtype())) return Verdict::no("the dtype is not known");
  return input.graph().opset() >= 7 ? Verdict::yes() : Verdict::no("Mul does not broadcast before opset 7");
}

inline constexpr auto is_typed = where(predicate<takes_numbers>("")(x));

inline bool has_erf(const Value& input) { return input.graph().opset() >= 9; }

inline constexpr auto decompose_gelu =
    rule<"decompose-gelu">(either(op<"Gelu">(x).with(approximation == "none"), op<"com.microsoft::Gelu">(x),
                                  op<"com.microsoft::BiasGelu">(x, opt(addend))),
                           where(predicate<takes_numbers>("")(x), predicate<has_erf>("Erf needs opset 9")(x)),
                           [](const auto& m, Rewriter& rewriter) -> Value& {
                             detail::GeluParts parts(rewriter, m[x].dtype());
                             return parts.by_erf(parts.sum(m[x], m[addend]));
                           });

inline constexpr auto decompose_tanh_gelu = rule<"decompose-tanh-gelu">(
    either(op<"Gelu">(x).with(approximation == "tanh"), op<"com.microsoft::FastGelu">(x, opt(addend))), is_typed,
    [](const auto& m, Rewriter& rewriter) -> Value& {
      detail::GeluParts parts(rewriter, m[x].dtype());
      return parts.by_tanh(parts.sum(m[x], m[addend]));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_gelu = rules::decompose_gelu.view();

GRAFT_INLINE constinit const RuleView decompose_tanh_gelu = rules::decompose_tanh_gelu.view();

GRAFT_INLINE Pass decompose_gelus() {
  return on_typed_graph("decompose_gelus", sweep(decompose_gelu, decompose_tanh_gelu));
}

namespace rules {

inline constexpr auto erf_to_tanh =
    rule<"erf-to-tanh">(op<"Erf">(x.dtype(DType::f32, DType::f16, DType::bf16, DType::f64)),
                        op<"Tanh">(op<"Mul">(x, scalar(605.0 / 503).like(x))))
        .changes_values("by less than 0.02");

}  // namespace rules

GRAFT_INLINE constinit const RuleView erf_to_tanh = rules::erf_to_tanh.view();

GRAFT_INLINE Pass erfs_to_tanhs() { return on_typed_graph("erfs_to_tanhs", sweep(erf_to_tanh)); }

namespace rules {

inline Verdict takes_scalar(const Value& input) {
  if (input.dtype() == DType::undefined) return Verdict::no("the dtype is not known");
  return input.graph().opset() >= 7 ? Verdict::yes() : Verdict::no("Mul does not broadcast before opset 7");
}

inline constexpr auto quick_gelu_to_sigmoid =
    rule<"quick-gelu-to-sigmoid">(op<"com.microsoft::QuickGelu">(x).with(alpha), where(predicate<takes_scalar>("")(x)),
                                  op<"Mul">(x, op<"Sigmoid">(op<"Mul">(scalar(alpha).like(x), x))));

}  // namespace rules

GRAFT_INLINE constinit const RuleView quick_gelu_to_sigmoid = rules::quick_gelu_to_sigmoid.view();

GRAFT_INLINE Pass decompose_quick_gelus() {
  return on_typed_graph("decompose_quick_gelus", sweep(quick_gelu_to_sigmoid));
}

namespace rules {

/// Weights that a caller may override cannot absorb a factor.
inline bool is_over_constants(const Node& product) {
  for (std::size_t i = 1; i < product.input_count(); ++i)
    if (product.input(i) != nullptr && !product.input(i)->is_constant()) return false;
  return product.input_count() > 1;
}

inline Verdict takes_factor(const Value& input, const Node& activation) {
  const Node* const maker = made_by(input, "Conv", 0);
  if (maker != nullptr && input.use_count() == 1 && is_over_constants(*maker)) return Verdict::yes();
  return takes_depthwise_conv(input, *activation.output(0));
}

inline constexpr auto has_conv_for_factor = predicate<takes_factor>("");

/// x has two readers then, so no Conv before it can absorb the factor.
inline Verdict takes_own_factor(const Value& input, const Node& activation) {
  return takes_depthwise_conv(input, *activation.output(0));
}

inline constexpr auto takes_its_own_conv = predicate<takes_own_factor>("");

inline constexpr auto hard_sigmoid_to_clip = rule<"hard-sigmoid-to-clip">(
    op<"HardSigmoid">(single).with(alpha, beta).as(outer).since(7), where(has_conv_for_factor(x, outer)),
    op<"Clip">(op<"Add">(op<"Mul">(x, scalar(alpha).like(x)), scalar(beta).like(x)))
        .with(clip_min = 0.0F, clip_max = 1.0F));

inline constexpr auto hard_swish_to_hard_sigmoid = rule<"hard-swish-to-hard-sigmoid">(
    op<"HardSwish">(single).as(outer), where(takes_its_own_conv(x, outer)), op<"Mul">(x, hard_sigmoid_of_x));

}  // namespace rules

GRAFT_INLINE constinit const RuleView hard_sigmoid_to_clip = rules::hard_sigmoid_to_clip.view();

GRAFT_INLINE constinit const RuleView hard_swish_to_hard_sigmoid = rules::hard_swish_to_hard_sigmoid.view();

}  // namespace graft::inline v1
