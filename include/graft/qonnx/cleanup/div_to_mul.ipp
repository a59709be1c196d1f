#pragma once
#include <graft/qonnx/cleanup/div_to_mul.hpp>

#include <cmath>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Tensor reciprocals(const Tensor& constant) {
  std::vector<double> values = constant.to<double>();
  for (double& value : values) value = 1 / value;
  return Tensor::of(constant.dtype(), constant.dims(), values);
}

/// The greatest exponent of a number whose reciprocal is normal.
inline int greatest_exponent(DType dtype) { return dtype == DType::f16 ? 14 : dtype == DType::f64 ? 1022 : 126; }

inline Verdict are_powers_of_two(const Tensor& constant) {
  for (const double value : constant.to<double>()) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    if (std::fabs(fraction) != 0.5) return Verdict::no("a divisor is not a power of two");
    if (std::abs(exponent - 1) > greatest_exponent(constant.dtype()))
      return Verdict::no("the reciprocal of a divisor is no normal number");
  }
  return Verdict::yes();
}

inline Verdict have_reciprocals(const Tensor& constant) {
  const Tensor results = reciprocals(constant);
  for (const double value : results.to<double>())
    if (!std::isfinite(value) || value == 0) return Verdict::no("the reciprocal of a divisor is not finite, or 0");
  return Verdict::yes();
}

inline constexpr auto divisor = c.dtype(DType::f32, DType::f16, DType::bf16, DType::f64);

inline constexpr auto div_to_mul =
    rule<"div-to-mul">(op<"Div">(x, divisor).as(outer), where(predicate<are_powers_of_two>("")(c)),
                       op<"Mul">(x, tensor<reciprocals>(c)).like(outer));

inline constexpr auto div_to_mul_rounded =
    rule<"div-to-mul-rounded">(op<"Div">(x, divisor).as(outer), where(predicate<have_reciprocals>("")(c)),
                               op<"Mul">(x, tensor<reciprocals>(c)).like(outer))
        .changes_values("one unit in the last place");

}  // namespace vocabulary

namespace qonnx {

GRAFT_INLINE constinit const RuleView div_to_mul = vocabulary::div_to_mul.view();

GRAFT_INLINE constinit const RuleView div_to_mul_rounded = vocabulary::div_to_mul_rounded.view();

GRAFT_INLINE Pass divs_to_muls(bool exact) {
  return on_typed_graph("divs_to_muls", exact ? sweep(div_to_mul) : sweep(div_to_mul, div_to_mul_rounded));
}

}  // namespace qonnx

}  // namespace graft::inline v1
