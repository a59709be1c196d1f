#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1 {

/// The backward step of one execution of one node, as its backward kernel sees it: the inputs, attributes and outputs
/// of the forward kernel, and the gradients of the outputs. A backward kernel sets the gradient of each wanted input.
/// It throws Error for what it does not support.
class BackwardContext : public KernelContext {
 public:
  /// An undefined tensor is an absent input or output, or a zero gradient. The spans must outlive the context.
  BackwardContext(const Node& node, std::span<Tensor> inputs, std::span<Tensor> outputs,
                  std::span<const Tensor> output_gradients, const std::vector<bool>& wanted,
                  std::span<Tensor> gradients, const ParallelFor* parallel = nullptr)
      : KernelContext(node, inputs, outputs, nullptr, parallel),
        outputs_(outputs),
        output_gradients_(output_gradients),
        wanted_(&wanted),
        gradients_(gradients) {}

  /// Throws Error if it is absent.
  const Tensor& output(std::size_t i) const {
    if (i >= outputs_.size() || !outputs_[i]) detail::raise(Error("output " + std::to_string(i) + " is missing"));
    return outputs_[i];
  }

  /// f32, of the dims of the output; nullptr if it is zero.
  const Tensor* output_gradient(std::size_t i) const {
    return i < output_gradients_.size() && output_gradients_[i] ? &output_gradients_[i] : nullptr;
  }
  /// The gradient of the first output. Throws Error if another output has a gradient.
  const Tensor& output_gradient() const {
    for (std::size_t i = 1; i < output_gradients_.size(); ++i) {
      if (output_gradients_[i])
        detail::raise(Error("a gradient of output " + std::to_string(i) + " is not supported"));
    }
    return output_gradients_.front();
  }

  /// Whether the gradient of an input is wanted. The input is present and has floats then.
  bool needs(std::size_t i) const { return i < wanted_->size() && (*wanted_)[i]; }
  /// f32, of the dims of the input.
  void set_gradient(std::size_t i, Tensor gradient) { gradients_[i] = std::move(gradient); }

 private:
  std::span<const Tensor> outputs_;
  std::span<const Tensor> output_gradients_;
  const std::vector<bool>* wanted_;
  std::span<Tensor> gradients_;
};

}  // namespace graft::inline v1
