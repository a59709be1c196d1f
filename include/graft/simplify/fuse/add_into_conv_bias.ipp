#pragma once
#include <graft/simplify/fuse/add_into_conv_bias.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
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

inline std::vector<double> added_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                        const Node& operation, const Tensor& constant) {
  const std::size_t channels = WeightChannels(product, weights.dims()).outputs();
  const std::vector<double> shifts = shifts_of(operation, constant, channels);
  std::vector<double> numbers = given_biases(old, channels);
  for (std::size_t m = 0; m < channels; ++m) numbers[m] += shifts[m];
  return numbers;
}

inline Verdict shifts_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                              const Node& operation, const Tensor& constant) {
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), outputs); !holds) return holds;
  return fit(added_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor added_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                         const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = added_biases(product, weights, old, operation, constant);
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto add_into_conv_bias =
    rule<"add-into-conv-bias">(shifted(weighted(x)), where(predicate<shifts_outputs>("")(conv, w, b, outer, c)),
                               conv(x, w, tensor<added_bias>(conv, w, b, outer, c)));

inline Verdict shifts_channels(const Value& weights, const Node& operation, const Tensor& constant) {
  const Shape dims = weights.shape();
  if (!is_float(constant.dtype())) return Verdict::no("the constant is not of floats");
  if (!dims.known() || dims.rank() < 3 || !dims[0].known()) return Verdict::no("the channels are not known");
  if (Verdict holds = is_along_channels(constant, dims.rank(), dims[0].value()); !holds) return holds;
  return fit(shifts_of(operation, constant, static_cast<std::size_t>(dims[0].value())), constant.dtype());
}

inline Tensor bias_of_shift(const Value& weights, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = weights.shape()[0].value();
  return Tensor::of(constant.dtype(), {channels}, shifts_of(operation, constant, static_cast<std::size_t>(channels)));
}

inline constexpr auto add_into_computed_conv_bias = rule<"add-into-computed-conv-bias">(
    shifted(op<"Conv">(x, y).as(conv)), where(predicate<shifts_channels>("")(y, outer, c)),
    conv(x, y, tensor<bias_of_shift>(y, outer, c)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView add_into_computed_conv_bias = vocabulary::add_into_computed_conv_bias.view();

GRAFT_INLINE constinit const RuleView add_into_conv_bias = vocabulary::add_into_conv_bias.view();

}  // namespace graft::inline v1
