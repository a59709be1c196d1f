#pragma once
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// Whether the target has a kernel that takes activations whose scales are found as it runs, beside such weights.
Verdict has_dynamic_kernel(const Target& target, std::string_view op, DType weight);

/// Reads a MatMul or Gemm that quantize_dynamic() can write in integers; says why it cannot.
Verdict read_dynamic_product(const Node& node, ConstantProduct& product);

/// A tensor that can be quantized as the model runs, once for all the products that read it.
struct DynamicInput {
  Value* x;
  std::vector<Node*> readers;

  /// In nanoseconds, what the readers gain in integers over float, less what it takes to quantize the tensor.
  double gain(const Target& target) const;
};

/// What a product gains in integers over float, in nanoseconds, by the target's kernel of its operator; 0 if there is
/// none.
double product_gain(const Node& node, const Target& target);

/// Those of the graph's products that are not kept in float, in the order of their first readers; none if the target
/// has no kernel.
std::vector<DynamicInput> dynamic_inputs(Graph& graph, const Target& target, const KeptInFloat& kept);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/dynamic_inputs.ipp>
#endif
