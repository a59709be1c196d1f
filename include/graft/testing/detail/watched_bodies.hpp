#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

inline bool is_finite(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) return true;
  const std::vector<double> numbers = tensor.to<double>();
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

/// Kernels that record whether nodes of bodies read computed values that are not finite. Observers of an evaluator see
/// values of the main graph only.
class WatchedBodies {
 public:
  WatchedBodies(const Graph& graph, const Kernels& kernels) : kernels_(&kernels) {
    for (const Graph* const scope : graph.model().scopes()) {
      if (scope == &graph) continue;
      for (const Node& node : scope->nodes()) watch(node);
    }
  }
  WatchedBodies(const WatchedBodies&) = delete;
  WatchedBodies& operator=(const WatchedBodies&) = delete;

  const Kernels& kernels() const { return watched_ ? *watched_ : *kernels_; }

  void start() { finite_ = true; }
  /// Since the start.
  bool are_finite() const { return finite_; }

 private:
  void watch(const Node& node) {
    const Kernel* const found = kernels_->find(node);
    if (found == nullptr) return;
    if (!watched_) watched_.emplace(*kernels_);
    const Kernel watching = [this, found](KernelContext& context) {
      for (std::size_t i = 0; i < context.input_count(); ++i) {
        const Value* const input = context.node().input(i);
        if (input == nullptr || input->is_constant() || !context.has_input(i)) continue;
        finite_ = finite_ && is_finite(context.input(i));
      }
      (*found)(context);
    };
    watched_->add(to_string(OpName{node.domain(), node.op_type()}), {node.opset(), node.opset()}, watching);
  }

  const Kernels* kernels_;
  std::optional<Kernels> watched_;
  bool finite_ = true;
};

}  // namespace graft::inline v1::detail
