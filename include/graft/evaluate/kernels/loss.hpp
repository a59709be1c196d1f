#pragma once
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/kernels/softmax.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// -log_probabilities[n, target, ...] * weight[target] of targets [N, ...] among log probabilities [N, C, ...]. "mean"
/// divides the sum by that of the weights. An ignored target has a loss of 0, even if it is not a class.
inline Tensor likelihood_loss(const KernelContext& ctx, const Tensor& log_probabilities) {
  const Dims& dims = log_probabilities.dims();
  const Tensor& target = ctx.input(1);
  if (dims.size() < 2) throw failure({log_probabilities, " has no classes"});
  const AxisView view(dims, 1);
  Dims expected = dims;
  expected.erase(expected.begin() + 1);
  if (target.dims() != expected) throw failure({"targets ", target, " for ", log_probabilities});
  const std::vector<double> weights = ctx.has_input(2) ? ctx.input(2).to<double>()
                                                       : std::vector<double>(to_size(view.extent), 1.0);
  if (to_int(weights.size()) != view.extent)
    throw failure({weights.size(), " weights for ", view.extent, " classes"});
  const auto ignored = ctx.optional_attr<std::int64_t>("ignore_index");

  const Ints classes = target.to<std::int64_t>();
  std::vector<double> weight_of(classes.size(), 0.0);
  Ints places(classes.size(), 0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == ignored) continue;
    if (classes[i] < 0 || classes[i] >= view.extent)
      throw failure({"target ", classes[i], " among ", view.extent, " classes"});
    weight_of[i] = weights[to_size(classes[i])];
    places[i] = (to_int(i) / view.inner * view.extent + classes[i]) * view.inner + to_int(i) % view.inner;
  }
  std::vector<double> loss(classes.size(), 0.0);
  if (view.extent > 0) loss = take_runs(log_probabilities, places, 1, expected).to<double>();
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = weight_of[i] == 0 ? 0 : -loss[i] * weight_of[i];

  const auto reduction = choice(ctx, "reduction", {"none", "mean", "sum"}, "mean");
  if (reduction == "none") return Tensor::of(log_probabilities.dtype(), expected, loss);
  double total = std::accumulate(loss.begin(), loss.end(), 0.0);
  if (reduction == "mean") total /= std::accumulate(weight_of.begin(), weight_of.end(), 0.0);
  return Tensor::of(log_probabilities.dtype(), {}, {total});
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void negative_log_likelihood_loss(KernelContext& ctx) {
  ctx.set_output(0, detail::likelihood_loss(ctx, ctx.input(0)));
}

/// The same for the LogSoftmax of scores [N, C, ...].
inline void softmax_cross_entropy_loss(KernelContext& ctx) {
  const Dims dims = ctx.input(0).dims();
  if (dims.size() < 2) throw detail::failure({ctx.input(0), " has no classes"});
  Tensor log_probabilities = detail::log_softmax(ctx.take_input(0), detail::AxisView(dims, 1));
  ctx.set_output(0, detail::likelihood_loss(ctx, log_probabilities));
  ctx.set_output(1, std::move(log_probabilities));
}

inline void add_loss(Kernels& kernels) {
  kernels.add("NegativeLogLikelihoodLoss", negative_log_likelihood_loss)
      .add("SoftmaxCrossEntropyLoss", softmax_cross_entropy_loss);
}

}  // namespace graft::inline v1::standard_kernels
