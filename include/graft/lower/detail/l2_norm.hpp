#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/vocabulary/batch_normalization.hpp>

// x / sqrt(mean(x^2)) is x over its 2-norm, times the root of the number of elements. The factor goes into the weight.

namespace graft::inline v1::vocabulary {

inline constexpr auto norm_axis = attr<"axis", std::int64_t>.named<"norm_axis">();
inline constexpr auto norm_order = attr<"p", std::int64_t>;

/// Whether an epsilon may be left out: LpNormalization adds nothing to its sum of squares.
inline bool is_tiny(double least) { return least >= 0 && least <= 1e-4; }

/// w times the root of the last extent of x. Where w is all ones, one element is enough.
inline Tensor root_weight(const Value& input, const Tensor& weights) {
  const Shape from = input.shape();
  const double factor = std::sqrt(static_cast<double>(from[from.rank() - 1].value()));
  std::vector<double> numbers = weights.to<double>();
  bool is_one =
      weights.rank() <= from.rank() && std::ranges::all_of(numbers, [](double number) { return number == 1; });
  for (std::size_t i = 0; i < weights.rank() && is_one; ++i) {
    const Dim extent(weights.dims()[weights.rank() - 1 - i]);
    is_one = extent.value() == 1 || same_size(extent, from[from.rank() - 1 - i]);
  }
  if (is_one) return Tensor::of(weights.dtype(), {1}, {factor});
  for (double& number : numbers) number *= factor;
  return Tensor::of(weights.dtype(), weights.dims(), numbers);
}

inline Verdict has_root_weight(const Value& input, const Tensor& weights) {
  const Shape from = input.shape();
  if (!from.known() || from.rank() == 0 || !from[from.rank() - 1].known())
    return Verdict::no("the last extent is not known");
  if (!is_float(weights.dtype())) return Verdict::no("its weight is not of floats");
  return fit(root_weight(input, weights).to<double>(), weights.dtype());
}

inline bool is_last_axis(const Value& input, std::int64_t given) {
  return given == -1 || (input.shape().known() && given == static_cast<std::int64_t>(input.shape().rank()) - 1);
}

}  // namespace graft::inline v1::vocabulary
