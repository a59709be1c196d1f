#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

// Conv and Gemm with constant weights, and their input and output channels.

namespace graft::inline v1::vocabulary {

/// A Conv or Gemm of constants, captured as `conv`.
constexpr auto weighted(const pattern auto& input) { return one_of<"Conv", "Gemm">(input, w, opt(b)).as(conv); }

/// Whether a weight is a non-empty tensor of floats, and a bias has one value for each output channel.
inline Verdict has_channels(const Node& product, const Tensor& weights, const std::optional<Tensor>& old) {
  if (!is_float(weights.dtype())) return Verdict::no("its weight is not of floats");
  const bool is_gemm = product.is("Gemm"), is_matrix = is_gemm || product.is("MatMul");
  if (weights.rank() < 2 || (is_matrix && weights.rank() != 2) || weights.size() == 0)
    return Verdict::no("its weight has no channels");
  if (is_gemm && product.attr<float>("beta").value_or(1) != 1) return Verdict::no("its beta is not 1");
  const std::int64_t groups = is_matrix ? 1 : product.attr<std::int64_t>("group").value_or(1);
  if (groups < 1 || weights.dims()[0] % groups != 0) return Verdict::no("its groups have different sizes");
  const WeightChannels channels(product, weights.dims());
  if (old && (old->rank() != 1 || old->size() != static_cast<std::int64_t>(channels.outputs())))
    return Verdict::no("its bias is not one value for each output channel");
  return Verdict::yes();
}

/// The same, and the input channels are the second axis of the input.
inline Verdict reads_channels(const Node& product, const Tensor& weights, const std::optional<Tensor>& old) {
  if (product.is("Gemm") && product.attr<std::int64_t>("transA").value_or(0) != 0)
    return Verdict::no("it transposes its input");
  return has_channels(product, weights, old);
}

/// The factor of a Gemm's product, but not of its bias.
inline double alpha_of(const Node& product) {
  return product.is("Gemm") ? static_cast<double>(product.attr<float>("alpha").value_or(1)) : 1;
}

inline std::vector<double> given_biases(const std::optional<Tensor>& old, std::size_t channels) {
  return old ? old->to<double>() : std::vector<double>(channels);
}

/// Whether a constant is along the channels of a product's input, and does not broadcast it.
inline Verdict is_along_inputs(const Value& input, const Node& product, const Tensor& weights, const Tensor& constant) {
  const auto channels = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).inputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), channels); !holds) return holds;
  const Shape from = input.shape();
  if (!from.known() || from.rank() != weights.rank()) return Verdict::no("the rank of the input is not known");
  if (constant.size() != 1 && !same_size(from[1], Dim(channels)))
    return Verdict::no("the constant may broadcast the input");
  return Verdict::yes();
}

/// The weights of a product after its input was multiplied by a factor for each channel.
inline std::vector<double> input_scaled(const Node& product, const Tensor& weights,
                                        const std::vector<double>& factors) {
  std::vector<double> numbers = weights.to<double>();
  WeightChannels(product, weights.dims()).each([&](std::size_t i, std::size_t, std::size_t input) {
    numbers[i] *= factors[input];
  });
  return numbers;
}

/// The biases of a product after a number was added to each channel of its input, everywhere under the weight.
inline std::vector<double> input_shifted(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                         const std::vector<double>& shifts) {
  const WeightChannels channels(product, weights.dims());
  const std::vector<double> numbers = weights.to<double>();
  const double multiplier = alpha_of(product);
  std::vector<double> sums = given_biases(old, channels.outputs());
  channels.each([&](std::size_t i, std::size_t output, std::size_t input) {
    sums[output] += multiplier * numbers[i] * shifts[input];
  });
  return sums;
}

/// Whether the weight reads elements of the input only, and no padding.
inline bool pads_nothing(const Node& product) {
  if (!product.is("Conv")) return true;
  const auto how = product.attr<std::string_view>("auto_pad").value_or("NOTSET");
  if (how == "VALID") return true;
  if (how != "NOTSET") return false;
  for (const std::int64_t pad : product.attr<Ints>("pads").value_or(Ints()))
    if (pad != 0) return false;
  return true;
}
inline constexpr auto no_padding = predicate<pads_nothing>("the Conv reads padding, to which nothing is added");

}  // namespace graft::inline v1::vocabulary
