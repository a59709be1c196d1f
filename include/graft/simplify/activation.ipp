#pragma once
#include <graft/simplify/activation.hpp>

#include <cmath>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/clips.hpp>

namespace graft::inline v1 {
namespace rules {

/// The value of the inner node replaces that of the outer one.
inline constexpr auto keep_inner = [](const auto& m, Rewriter&) -> Value& { return *m[inner].output(0); };

inline constexpr auto repeated_abs = rule<"repeated-abs">(op<"Abs">(op<"Abs">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_relu = rule<"repeated-relu">(op<"Relu">(op<"Relu">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_sign = rule<"repeated-sign">(op<"Sign">(op<"Sign">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_round = rule<"repeated-round">(
    one_of<"Ceil", "Floor", "Round">(one_of<"Ceil", "Floor", "Round">(x).shared().as(inner)), keep_inner);

inline constexpr auto three = cst<"three">.scalar().all_equal(3);

inline constexpr auto six = cst<"six">.scalar().all_equal(6);

inline constexpr auto sixth = cst<"sixth">.scalar();

constexpr auto in_sixths(const pattern auto& p) { return either(op<"Div">(p, six), comm<"Mul">(p, sixth)); }

/// Whether the factor is 1 / 6. Absent, it is.
inline bool is_sixth(const std::optional<Tensor>& factor) {
  if (!factor) return true;
  const DType dtype = factor->dtype();
  const double tolerance = dtype == DType::bf16 ? 0x1p-8 : dtype == DType::f16 ? 0x1p-10 : 0x1p-22;
  return std::abs(factor->item<double>() * 6 - 1) <= tolerance;
}

inline bool has_slope_of_sixth(float slope) { return std::abs(static_cast<double>(slope) * 6 - 1) <= 0x1p-22; }

inline bool keep_rank(const Value& input, const std::optional<Tensor>& summand, const std::optional<Tensor>& divisor,
                      const std::optional<Tensor>& factor) {
  return adds_no_axis(input, summand) && adds_no_axis(input, divisor) && adds_no_axis(input, factor);
}

inline constexpr auto keeps_rank = predicate<keep_rank>("a constant may raise the rank")(x, three, six, sixth);

inline constexpr auto by_sixth = predicate<is_sixth>("the factor is not 1 / 6");

/// Runtimes have no HardSigmoid of f64.
inline constexpr auto short_float = x.dtype(DType::f32, DType::f16, DType::bf16);

inline constexpr auto relu6_of_3_more =
    op<"Clip">(comm<"Add">(short_float, three)).with(clip_min == 0.0F, clip_max == 6.0F);

inline constexpr auto hard_swish_form =
    either(in_sixths(comm<"Mul">(x, relu6_of_3_more)), comm<"Mul">(x, in_sixths(relu6_of_3_more)),
           comm<"Mul">(in_sixths(x), relu6_of_3_more));

inline constexpr auto hard_sigmoid =
    rule<"hard-sigmoid">(in_sixths(relu6_of_3_more), where(by_sixth(sixth), keeps_rank), hard_sigmoid_of_x);

inline constexpr auto hard_swish =
    rule<"hard-swish">(hard_swish_form, where(by_sixth(sixth), keeps_rank), op<"HardSwish">(x));

inline constexpr auto hard_swish_by_hard_sigmoid = rule<"hard-swish-by-hard-sigmoid">(
    hard_swish_form, where(by_sixth(sixth), keeps_rank), op<"Mul">(x, hard_sigmoid_of_x));

inline constexpr auto hard_swish_of_hard_sigmoid = rule<"hard-swish-of-hard-sigmoid">(
    comm<"Mul">(x, op<"HardSigmoid">(short_float).with(alpha, beta == 0.5F)),
    where(predicate<has_slope_of_sixth>("its alpha is not 1 / 6")(alpha)), op<"HardSwish">(x));

inline bool is_near(const Tensor& constant, double wanted) {
  // f64 models have it from f32 literals too.
  const DType dtype = constant.dtype();
  const double tolerance = dtype == DType::bf16 ? 0x1p-8 : dtype == DType::f16 ? 0x1p-10 : 0x1p-22;
  return std::abs(constant.item<double>() - wanted) <= tolerance * wanted;
}

inline bool is_root_of_2(const std::optional<Tensor>& divisor, const std::optional<Tensor>& factor) {
  return divisor ? is_near(*divisor, std::sqrt(2.0)) : factor && is_near(*factor, std::sqrt(0.5));
}

inline bool keep_rank_of_gelu(const Value& input, const std::optional<Tensor>& factor,
                              const std::optional<Tensor>& summand, const std::optional<Tensor>& divisor,
                              const std::optional<Tensor>& inverse) {
  return adds_no_axis(input, factor) && adds_no_axis(input, summand) && adds_no_axis(input, divisor) &&
         adds_no_axis(input, inverse);
}

inline constexpr auto is_gelu =
    where(predicate<is_root_of_2>("the constant is not sqrt(2)")(root, inverse_root),
          predicate<keep_rank_of_gelu>("a constant may raise the rank")(x, half, unity, root, inverse_root));

inline constexpr auto gelu = rule<"gelu">(erf_form(), is_gelu, op<"Gelu">(x));

inline constexpr auto contrib_gelu = rule<"contrib-gelu">(erf_form(), is_gelu, op<"com.microsoft::Gelu">(x));

inline constexpr auto log_softmax =
    rule<"log-softmax">(op<"Log">(op<"Softmax">(x).as(inner)), op<"LogSoftmax">(x).like(inner));

}  // namespace rules

GRAFT_INLINE constinit const RuleView repeated_abs = rules::repeated_abs.view();

GRAFT_INLINE constinit const RuleView repeated_relu = rules::repeated_relu.view();

GRAFT_INLINE constinit const RuleView repeated_round = rules::repeated_round.view();

GRAFT_INLINE constinit const RuleView repeated_sign = rules::repeated_sign.view();

GRAFT_INLINE constinit const RuleView hard_sigmoid = rules::hard_sigmoid.view();

GRAFT_INLINE constinit const RuleView hard_swish = rules::hard_swish.view();

GRAFT_INLINE constinit const RuleView hard_swish_by_hard_sigmoid = rules::hard_swish_by_hard_sigmoid.view();

GRAFT_INLINE constinit const RuleView hard_swish_of_hard_sigmoid = rules::hard_swish_of_hard_sigmoid.view();

GRAFT_INLINE constinit const RuleView contrib_gelu = rules::contrib_gelu.view();

GRAFT_INLINE constinit const RuleView gelu = rules::gelu.view();

GRAFT_INLINE constinit const RuleView log_softmax = rules::log_softmax.view();

}  // namespace graft::inline v1
