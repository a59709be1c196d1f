#pragma once
#include <graft/simplify/fuse/gelu.hpp>

#include <cmath>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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

inline constexpr auto is_gelu = where(predicate<is_root_of_2>("the constant is not sqrt(2)")(root, inverse_root),
                                      predicate<keep_rank_of_gelu>("a constant may raise the rank")(
                                          x, half, unity, root, inverse_root));

inline constexpr auto gelu = rule<"gelu">(erf_form, is_gelu, op<"Gelu">(x));

inline constexpr auto contrib_gelu = rule<"contrib-gelu">(erf_form, is_gelu, op<"com.microsoft::Gelu">(x));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView contrib_gelu = vocabulary::contrib_gelu.view();

GRAFT_INLINE constinit const RuleView gelu = vocabulary::gelu.view();

}  // namespace graft::inline v1
