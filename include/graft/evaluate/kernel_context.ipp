#pragma once
#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>

#include <string>

namespace graft::inline v1 {

GRAFT_INLINE KernelContext::KernelContext(const Node& node, std::span<Tensor> inputs, std::span<Tensor> outputs,
                                          const BodyRunner* bodies, const ParallelFor* parallel,
                                          std::optional<Clamp>* clamp)
    : node_(&node), inputs_(inputs), outputs_(outputs), bodies_(bodies), parallel_(parallel), clamp_(clamp) {}

GRAFT_INLINE const Tensor& KernelContext::input(std::size_t i) const {
  if (!has_input(i)) throw Error("input " + std::to_string(i) + " is missing");
  return inputs_[i];
}

GRAFT_INLINE Tensor KernelContext::take_input(std::size_t i) {
  input(i);
  return std::exchange(inputs_[i], Tensor());
}

GRAFT_INLINE std::vector<Tensor> KernelContext::run_body(std::string_view attribute, std::vector<Tensor> inputs) const {
  if (bodies_ == nullptr) throw Error("no runner for bodies is given").field(attribute);
  return (*bodies_)(attribute, std::move(inputs));
}

}  // namespace graft::inline v1
