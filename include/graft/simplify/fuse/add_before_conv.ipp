#pragma once
#include <graft/simplify/fuse/add_before_conv.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline std::vector<double> shifted_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                          const Node& operation, const Tensor& constant) {
  return input_shifted(product, weights, old,
                       shifts_of(operation, constant, WeightChannels(product, weights.dims()).inputs()));
}

inline Verdict shifts_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  return fit(shifted_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor shifted_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                           const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = shifted_biases(product, weights, old, operation, constant);
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto add_before_conv = rule<"add-before-conv">(
    weighted(shifted(x)),
    where(no_padding(conv), predicate<shifts_inputs>("")(x, conv, w, b, outer, c)),
    conv(x, w, tensor<shifted_bias>(conv, w, b, outer, c)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView add_before_conv = vocabulary::add_before_conv.view();

}  // namespace graft::inline v1
