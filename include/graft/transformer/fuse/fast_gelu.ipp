#pragma once
#include <graft/transformer/fuse/fast_gelu.hpp>

#include <cmath>
#include <numbers>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/gelu.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/polynomial.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict is_tanh_argument(const Value& input, const Value& argument) {
  int budget = 12;
  const std::optional<detail::Polynomial> found = detail::polynomial_of(argument, input, budget);
  if (!found) return Verdict::no("the argument of Tanh is no polynomial of what it is multiplied with");
  const double linear = std::sqrt(2 * std::numbers::inv_pi), cubic = linear * 0.044715;
  const DType dtype = input.dtype();
  const double tolerance = dtype == DType::f16 || dtype == DType::bf16 ? 0x1p-7 : 0x1p-15;
  const bool is_it = (*found)[0] == 0 && (*found)[2] == 0 && std::abs((*found)[1] / linear - 1) <= tolerance &&
                     std::abs((*found)[3] / cubic - 1) <= tolerance;
  return is_it ? Verdict::yes() : Verdict::no("the argument of Tanh is another polynomial");
}

inline bool keep_rank_of_tanh_gelu(const Value& input, const std::optional<Tensor>& factor,
                                   const std::optional<Tensor>& summand) {
  return adds_no_axis(input, factor) && adds_no_axis(input, summand) && input.shape().known() &&
         input.shape().rank() > 0;
}

inline constexpr auto tanh_form = half_x_times(comm<"Add">(op<"Tanh">(y), unity));

inline constexpr auto is_of_polynomial = predicate<is_tanh_argument>("")(x, y);

inline constexpr auto keeps_rank_of_x =
    predicate<keep_rank_of_tanh_gelu>("a constant may raise the rank")(x, half, unity);

inline constexpr auto fast_gelu =
    rule<"fast-gelu">(tanh_form, where(is_short, is_of_polynomial, keeps_rank_of_x), op<"com.microsoft::FastGelu">(x));

inline constexpr auto gelu_by_tanh =
    rule<"gelu-by-tanh">(tanh_form, where(is_of_polynomial, keeps_rank_of_x), op<"Gelu">(x).with(approximate = "tanh"));

inline constexpr auto tanh_gelu_to_fast_gelu = rule<"tanh-gelu-to-fast-gelu">(
    op<"Gelu">(x).with(approximate == "tanh"), where(is_short), op<"com.microsoft::FastGelu">(x));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView fast_gelu = vocabulary::fast_gelu.view();

GRAFT_INLINE constinit const RuleView gelu_by_tanh = vocabulary::gelu_by_tanh.view();

GRAFT_INLINE constinit const RuleView tanh_gelu_to_fast_gelu = vocabulary::tanh_gelu_to_fast_gelu.view();

}  // namespace graft::inline v1
