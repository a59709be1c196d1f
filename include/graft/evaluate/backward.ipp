#pragma once
#include <graft/evaluate/backward.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/run_kernel.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace standard_kernels::detail {

/// Throws Error unless each gradient is f32, of the dims of its tensor.
inline void check_gradients(std::span<const Tensor> gradients, std::span<const Tensor> tensors, std::string_view name) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Tensor& gradient = gradients[i];
    if (!gradient) continue;
    if (gradient.dtype() != DType::f32) throw failure({"a gradient of ", name, " ", i, " is ", gradient, ", not f32"});
    if (i < tensors.size() && tensors[i] && gradient.dims() != tensors[i].dims())
      throw failure({"a gradient of ", gradient.dims(), " for ", name, " ", i, " of ", tensors[i].dims()});
  }
}

}  // namespace standard_kernels::detail

GRAFT_INLINE std::vector<Tensor> backward(const Node& node, std::span<const Tensor> inputs,
                                          std::span<const Tensor> outputs, std::span<const Tensor> output_gradients,
                                          const std::vector<bool>& wanted, const ParallelFor* parallel,
                                          const BackwardKernels& kernels) {
  namespace detail = standard_kernels::detail;
  const BackwardKernel* const kernel = kernels.find(node);
  if (kernel == nullptr) throw detail::no_kernel(node, "backward kernel");
  std::vector<Tensor> gradients(inputs.size());
  detail::name_errors(node, [&] {
    if (wanted.size() != inputs.size())
      throw detail::failure({wanted.size(), " numbers in `wanted` for ", inputs.size(), " inputs"});
    detail::check_gradients(output_gradients, outputs, "output");
    std::vector<bool> real = wanted;
    for (std::size_t i = 0; i < real.size(); ++i) real[i] = real[i] && is_float(inputs[i].dtype());
    const auto defined = [](const Tensor& gradient) { return static_cast<bool>(gradient); };
    if (std::find(real.begin(), real.end(), true) == real.end() || std::ranges::none_of(output_gradients, defined))
      return;
    std::vector<Tensor> given(inputs.begin(), inputs.end()), made(outputs.begin(), outputs.end());
    made.resize(node.output_count());
    BackwardContext context(node, given, made, output_gradients, real, gradients, parallel);
    (*kernel)(context);
    detail::check_gradients(gradients, inputs, "input");
  });
  return gradients;
}

GRAFT_INLINE bool has_backward(const Node& node, const BackwardKernels& kernels) {
  return kernels.find(node) != nullptr;
}

}  // namespace graft::inline v1
