#pragma once
#include <graft/lower/gemm_alpha_into_weight.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto gemm_alpha = attr<"alpha", float>;

inline std::vector<double> times_alpha(const Tensor& weights, float factor) {
  std::vector<double> values = weights.to<double>();
  for (double& value : values) value *= static_cast<double>(factor);
  return values;
}

inline Verdict takes_alpha(const Tensor& weights, float factor) {
  if (factor == 1 || factor == 0) return Verdict::no("its alpha is 0 or 1");
  if (!is_float(weights.dtype())) return Verdict::no("its weight is not of a float dtype");
  return fit(times_alpha(weights, factor), weights.dtype());
}

inline bool is_read_once(const Value& weights) { return weights.has_one_use(); }

inline Tensor with_alpha(const Tensor& weights, float factor) {
  return Tensor::of(weights.dtype(), weights.dims(), times_alpha(weights, factor));
}

inline constexpr auto gemm_alpha_into_weight =
    rule<"gemm-alpha-into-weight">(op<"Gemm">(x, w, opt(b)).with(gemm_alpha).as(outer).since(7),
                                   where(predicate<is_read_once>("its weight is shared")(w),
                                         predicate<takes_alpha>("")(w, gemm_alpha)),
                                   outer(x, tensor<with_alpha>(w, gemm_alpha), opt(b)).with(gemm_alpha = 1.f));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView gemm_alpha_into_weight = vocabulary::gemm_alpha_into_weight.view();

}  // namespace graft::inline v1
