#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>

namespace graft::inline v1::detail {

/// An operator with an integer kernel, and the activations behind it that the kernel absorbs.
struct Unit {
  Node* node;
  const IntegerKernel* kernel;
  std::vector<const Node*> row;   ///< those activations
  std::vector<Value*> branches;   ///< tensors that the row reads beside the kernel's result, to be quantized with it
  Value* result;                  ///< the output of the row; of several moved outputs, the first
  bool may_end_in_float = false;  ///< the result need not be quantized

  bool moves_values() const { return kernel->form == KernelForm::passthrough; }

  /// Calls f(input) for each input to quantize, except for weights and biases.
  template <class F>
  void for_each_operand(F f) const {
    const bool is_weighted = kernel->form == KernelForm::weighted;
    const std::size_t end = is_weighted ? 2 : operand_end(*node, *kernel);
    for (std::size_t i = is_weighted ? 0 : kernel->first_operand; i < end; ++i)
      if (!is_weighted || !node->input(i)->is_constant()) f(i);
  }
  /// Calls f(value) for each.
  template <class F>
  void for_each_result(F f) const {
    if (!moves_values()) return f(*result);
    for (Value& output : node->outputs())
      if (!output.name().empty()) f(output);
  }
};

struct Units {
  /// An operator for which the target has a kernel, and the reason to keep its values in float, if there is one.
  struct Refused {
    Node* node;
    Reason reason;
  };

  std::vector<Unit> units;
  std::vector<Refused> refused;
};

/// The tensors that a row of activations reads beside the kernel's result, where the target needs a pair behind these.
std::vector<Value*> quantized_branches(const Value& result, std::span<const Node* const> row, const Target& target);

/// In the order of the graph.
Units find_units(Graph& graph, const PairQParams& qparams, const Target& target, const KeptInFloat& kept);

}  // namespace graft::inline v1::detail
