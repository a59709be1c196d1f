#pragma once
#include <functional>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/backward_context.hpp>
#include <graft/evaluate/detail/operator_table.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// Computes the gradients of a node's inputs.
using BackwardKernel = std::function<void(BackwardContext&)>;

/// The backward kernels by operator. A value type: copy the standard set and add to the copy.
class BackwardKernels {
 public:
  /// Every operator that graft differentiates itself.
  static const BackwardKernels& standard();

  /// op is "Conv" or "domain::Op"; throws Error for an empty name. If several kernels serve an opset, the one added
  /// last is used.
  BackwardKernels& add(std::string_view op, Opsets opsets, BackwardKernel kernel) {
    added_.add(op, opsets, std::move(kernel));
    return *this;
  }
  BackwardKernels& add(std::string_view op, BackwardKernel kernel) { return add(op, Opsets{}, std::move(kernel)); }

  /// nullptr if there is none. The standard kernels do not serve operators for which the node's model has a kernel of
  /// its own.
  const BackwardKernel* find(const Node& node) const;

 private:
  static const BackwardKernels& built_in();

  standard_kernels::detail::OperatorTable<BackwardKernel> added_;
  const BackwardKernels* base_ = nullptr;  // the built-in kernels; nullptr in a table without them
};

}  // namespace graft::inline v1
