#pragma once
#include <graft/simplify/fuse/mul_before_conv.hpp>

#include <cstddef>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/gelu_factor.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Tensor input_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                                  const Tensor& constant) {
  const WeightChannels channels(product, weights.dims());
  return Tensor::of(weights.dtype(), weights.dims(),
                    input_scaled(product, weights, factors_of(operation, constant, channels.inputs())));
}

inline Verdict scales_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  const std::size_t inputs = WeightChannels(product, weights.dims()).inputs();
  return fit(input_scaled(product, weights, factors_of(operation, constant, inputs)), weights.dtype());
}

inline constexpr auto mul_before_conv =
    rule<"mul-before-conv">(weighted(scaled(x)),
                            where(predicate<is_no_part_of_gelu>("")(outer),
                                  predicate<scales_inputs>("")(x, conv, w, b, outer, c)),
                            conv(x, tensor<input_scaled_weight>(conv, w, outer, c), opt(b)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView mul_before_conv = vocabulary::mul_before_conv.view();

}  // namespace graft::inline v1
