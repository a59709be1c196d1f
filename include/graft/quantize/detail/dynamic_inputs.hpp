#pragma once
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>

namespace graft::inline v1::detail {

/// Whether the target has a kernel for such weights that finds the scales of activations during the run.
Verdict has_dynamic_kernel(const Target& target, std::string_view op, DType weight);

/// Reads a MatMul or Gemm that quantize_dynamic() can write in integers; else returns the reason.
Verdict read_dynamic_product(const Node& node, ConstantProduct& product);

/// A tensor that can be quantized during the run, once for all products that read it.
struct DynamicInput {
  Value* x;
  std::vector<Node*> readers;

  /// The time in nanoseconds that the readers gain over float, minus the time of quantizing the tensor.
  double gain(const Target& target) const;
};

/// The time in nanoseconds that a product gains over float, by the target's kernel of its operator; 0 if there is no
/// kernel.
double product_gain(const Node& node, const Target& target);

/// The inputs of the graph's products that are not kept in float, in the order of their first readers; empty if the
/// target has no kernel.
std::vector<DynamicInput> dynamic_inputs(Graph& graph, const Target& target, const KeptInFloat& kept);

}  // namespace graft::inline v1::detail
