#pragma once
#include <graft/quantize/detail/block_products.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool takes_blocks(const Target& target, std::string_view op, const BlockForm& form, std::int64_t rows) {
  const bool is_plain = form.symmetric && rows % form.block_size == 0;
  const auto takes = [&](const BlockKernel& kernel) {
    return kernel.op == op && kernel.takes(form.bits, form.block_size) && (is_plain || !kernel.is_plain);
  };
  return std::ranges::any_of(target.block_kernels, takes);
}

GRAFT_INLINE Verdict read_block_product(const Node& node, ConstantProduct& product) {
  if (Verdict reads = ConstantProduct::read(node, product); !reads) return reads;
  if (product.w->constant()->rank() != 2) return Verdict::no("its weight is not one matrix");
  return product.has_finite_weight();
}

GRAFT_INLINE const KernelCost* block_cost(const Target& target, int bits) {
  if (!takes_blocks(target, "com.microsoft::MatMulNBits", {.bits = bits})) return nullptr;
  const auto known = std::ranges::find(target.block_costs, bits, &BlockCost::bits);
  return known != target.block_costs.end() ? &known->cost : nullptr;
}

/// The bias for the product, as an operand of the Add behind it.
inline double time_of_added_bias(const Node& node, const ConstantProduct& product, const Target& target) {
  const auto add = std::ranges::find(target.kernels, "Add", &IntegerKernel::op);
  if (product.bias == nullptr || add == target.kernels.end()) return 0;
  return time_of(*node.output(0), add->in_float);
}

GRAFT_INLINE std::vector<BlockProduct> block_products(Graph& graph, const Target& target, const KeptInFloat& kept,
                                                      int bits) {
  std::vector<BlockProduct> products;
  const KernelCost* const cost = block_cost(target, bits);
  if (cost == nullptr) return products;
  ConstantProduct product;
  for (Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = is_product(node) ? integer_kernel(node, target) : nullptr;
    if (kernel == nullptr || kept.holds(node) || !read_block_product(node, product)) continue;
    if (product.transposes_x || node.output(0) == nullptr) continue;
    const double gain = time_in_float(node, *kernel) - graft::time_of(kernel_work(node, *kernel), *cost) -
                        time_of_added_bias(node, product, target);
    if (gain > 0) products.push_back({&node, gain});
  }
  return products;
}

}  // namespace graft::inline v1::detail
