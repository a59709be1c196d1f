#pragma once
#include <graft/transformer/fuse/gelu.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {
namespace detail {

/// The coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

/// nullopt if a power exceeds x^3.
inline std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial result{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= result.size()) return std::nullopt;
      result[i + j] += a[i] * b[j];
    }
  }
  return result;
}

/// The value as a polynomial in x, if at most `budget` sums, products and powers make it from x and constants of one
/// element.
inline std::optional<Polynomial> polynomial_of(const Value& value, const Value& x, int& budget) {
  if (&value == &x) return Polynomial{0, 1, 0, 0};
  if (value.is_constant()) {
    const std::optional<Tensor> constant = value.constant();
    if (!constant || constant->size() != 1 || constant->rank() > 1) return std::nullopt;
    return Polynomial{constant->item<double>(), 0, 0, 0};
  }
  const Node* const node = value.producer();
  if (node == nullptr || --budget < 0 || node->input_count() != 2 || node->input(0) == nullptr ||
      node->input(1) == nullptr)
    return std::nullopt;
  const bool is_sum = node->is("Add") || node->is("Sub");
  if (!is_sum && !node->is("Mul") && !node->is("Div") && !node->is("Pow")) return std::nullopt;
  const std::optional<Polynomial> a = polynomial_of(*node->input(0), x, budget);
  const std::optional<Polynomial> b = a ? polynomial_of(*node->input(1), x, budget) : std::nullopt;
  if (!b) return std::nullopt;
  if (is_sum) {
    Polynomial sum = *a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += node->is("Add") ? (*b)[i] : -(*b)[i];
    return sum;
  }
  if (node->is("Mul")) return product(*a, *b);
  if ((*b)[1] != 0 || (*b)[2] != 0 || (*b)[3] != 0) return std::nullopt;
  const double number = (*b)[0];
  if (node->is("Div")) return number != 0 ? product(*a, {1 / number, 0, 0, 0}) : std::nullopt;
  std::optional<Polynomial> power = number == 2 || number == 3 ? product(*a, *a) : std::nullopt;
  return power && number == 3 ? product(*power, *a) : power;
}

}  // namespace detail

GRAFT_INLINE Pass fuse_gelus(const FusedOperators& runtime) {
  return detail::fusions("fuse_gelus", runtime,
                         {{"com.microsoft::BiasGelu", bias_gelu},
                          {"com.microsoft::FastGelu", bias_fast_gelu},
                          {"Gelu", gelu},
                          {"com.microsoft::Gelu", contrib_gelu},
                          {"com.microsoft::FastGelu", fast_gelu},
                          {"com.microsoft::FastGelu", tanh_gelu_to_fast_gelu},
                          {"Gelu", gelu_by_tanh},
                          {"com.microsoft::QuickGelu", quick_gelu},
                          {"com.microsoft::QuickGelu", silu_to_quick_gelu}});
}

namespace rules {

inline constexpr auto slope = cst<"slope">.scalar();

inline bool keeps_rank_of(const Value& input, const Tensor& factor) { return adds_no_axis(input, factor); }

inline constexpr auto quick_gelu =
    rule<"quick-gelu">(comm<"Mul">(x, op<"Sigmoid">(comm<"Mul">(x, slope))),
                       where(is_short, predicate<keeps_rank_of>("a constant may raise the rank")(x, slope)),
                       op<"com.microsoft::QuickGelu">(x).with(alpha = call<as_float>(slope)));

inline constexpr auto silu_to_quick_gelu = rule<"silu-to-quick-gelu">(
    comm<"Mul">(x, op<"Sigmoid">(x)), where(is_short), op<"com.microsoft::QuickGelu">(x).with(alpha = 1.0F));

}  // namespace rules

GRAFT_INLINE constinit const RuleView quick_gelu = rules::quick_gelu.view();

GRAFT_INLINE constinit const RuleView silu_to_quick_gelu = rules::silu_to_quick_gelu.view();

namespace rules {

inline Verdict is_tanh_argument(const Value& input, const Value& argument) {
  int budget = 12;
  const std::optional<detail::Polynomial> found = detail::polynomial_of(argument, input, budget);
  if (!found) return Verdict::no("the argument of Tanh is not a polynomial of the other factor");
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

}  // namespace rules

GRAFT_INLINE constinit const RuleView fast_gelu = rules::fast_gelu.view();

GRAFT_INLINE constinit const RuleView gelu_by_tanh = rules::gelu_by_tanh.view();

GRAFT_INLINE constinit const RuleView tanh_gelu_to_fast_gelu = rules::tanh_gelu_to_fast_gelu.view();

namespace rules {

inline constexpr auto has_bias = where(is_short, predicate<is_bias_of_rows>("")(x, b));

inline constexpr auto x_and_bias = comm<"Add">(x, b);

inline constexpr auto bias_gelu =
    rule<"bias-gelu">(either(op<"com.microsoft::Gelu">(x_and_bias), op<"Gelu">(x_and_bias).with(approximate == "none")),
                      has_bias, op<"com.microsoft::BiasGelu">(x, b));

inline constexpr auto bias_fast_gelu = rule<"bias-fast-gelu">(
    either(op<"com.microsoft::FastGelu">(x_and_bias), op<"Gelu">(x_and_bias).with(approximate == "tanh")), has_bias,
    op<"com.microsoft::FastGelu">(x, b));

}  // namespace rules

GRAFT_INLINE constinit const RuleView bias_gelu = rules::bias_gelu.view();

GRAFT_INLINE constinit const RuleView bias_fast_gelu = rules::bias_fast_gelu.view();

}  // namespace graft::inline v1
