#pragma once
#include <graft/quantize/detail/dynamic_inputs.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include <graft/config.hpp>
#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Verdict has_dynamic_kernel(const Target& target, std::string_view op, DType weight) {
  const auto takes = [&](const DynamicKernel& kernel) { return kernel.op == op && kernel.takes(weight); };
  return std::ranges::any_of(target.dynamic_kernels, takes) ? Verdict::yes()
                                                            : Verdict::no("the target has no dynamic kernel for it");
}

GRAFT_INLINE Verdict read_dynamic_product(const Node& node, ConstantProduct& product) {
  if (Verdict reads = ConstantProduct::read(node, product); !reads) return reads;
  if (Verdict finite = product.has_finite_weight(); !finite) return finite;
  const DType dtype = product.x->dtype();
  return dtype == DType::f32 || dtype == DType::undefined ? Verdict::yes() : Verdict::no("its input is not of float32");
}

GRAFT_INLINE double product_gain(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = integer_kernel(node, target);
  return kernel != nullptr ? time_in_float(node, *kernel) - time_in_integers(node, *kernel) : 0;
}

GRAFT_INLINE double DynamicInput::gain(const Target& target) const {
  double gained = -time_of(*x, target.dynamic_quantize);
  for (const Node* const reader : readers) gained += std::max(product_gain(*reader, target), 0.0);
  return gained;
}

GRAFT_INLINE std::vector<DynamicInput> dynamic_inputs(Graph& graph, const Target& target, const KeptInFloat& kept) {
  std::vector<DynamicInput> inputs;
  if (!has_dynamic_kernel(target, "MatMulInteger", DType::i8)) return inputs;
  std::unordered_map<const Value*, std::size_t> places;
  ConstantProduct product;
  for (Node& node : graph.nodes()) {
    if (!is_product(node) || kept.holds(node) || !read_dynamic_product(node, product)) continue;
    const auto [place, is_new] = places.try_emplace(product.x, inputs.size());
    if (is_new) inputs.push_back({product.x, {}});
    inputs[place->second].readers.push_back(&node);
  }
  return inputs;
}

}  // namespace graft::inline v1::detail
