#pragma once
#include <cmath>
#include <optional>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  x * 0.5 * (1 + Erf(x / sqrt(2)))     in any order of the factors and summands, associated in any of
//                                                 (x * (1 + e)) * 0.5, x * ((1 + e) * 0.5) and (x * 0.5) * (1 + e)
//                                               x * (1 / sqrt(2)) for the quotient
// After:   Gelu(x)                              of the main domain, since opset 20
//          com.microsoft::Gelu(x)               by the rule contrib_gelu, at any opset
//
// The constants are single elements, sqrt(2) to 2^-22, in f16 to 2^-10, in bf16 to 2^-8. (Hendrycks and Gimpel 2016,
// exact form.)

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto half = cst<"half">.scalar().all_equal(0.5);
inline constexpr auto unity = cst<"unity">.scalar().all_equal(1);
inline constexpr auto root = cst<"root">.scalar();
inline constexpr auto inverse_root = cst<"inverse_root">.scalar();

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

inline constexpr auto one_and_erf =
    comm<"Add">(op<"Erf">(either(op<"Div">(x, root), comm<"Mul">(x, inverse_root))), unity);
inline constexpr auto erf_form =
    either(comm<"Mul">(comm<"Mul">(x, one_and_erf), half), comm<"Mul">(x, comm<"Mul">(one_and_erf, half)),
           comm<"Mul">(comm<"Mul">(x, half), one_and_erf));
inline constexpr auto is_gelu = where(predicate<is_root_of_2>("the constant is not sqrt(2)")(root, inverse_root),
                                      predicate<keep_rank_of_gelu>("a constant may raise the rank")(
                                          x, half, unity, root, inverse_root));

inline constexpr auto gelu = rule<"gelu">(erf_form, is_gelu, op<"Gelu">(x));
inline constexpr auto contrib_gelu = rule<"contrib-gelu">(erf_form, is_gelu, op<"com.microsoft::Gelu">(x));

}  // namespace detail::simplification

using detail::simplification::contrib_gelu;
using detail::simplification::gelu;

}  // namespace graft::inline v1
