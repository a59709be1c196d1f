#pragma once
#include <graft/quantize/audit/expected_time.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether it multiplies the scales of a product whose activations are quantized as the model runs, or its sums by
/// these: a runtime makes one operator of it all.
inline bool scales_dynamic_product(const Node& node) {
  return node.is("Mul") && std::ranges::any_of(node.inputs(), [](const Value* input) {
           if (input == nullptr) return false;
           const Node* const cast = made_by(*input, "Cast");
           return made_by(*input, "DynamicQuantizeLinear") != nullptr ||
                  (cast != nullptr && made_by(*cast->input(0), "MatMulInteger") != nullptr);
         });
}

/// What is quantized and dequantized to give the value; itself if that is not so.
inline const Value* before_quantizers(const Value* value) {
  for (const Node* maker = value->producer(); maker != nullptr; maker = value->producer()) {
    if (!is_quantize(*maker) && !is_dequantize(*maker)) break;
    value = maker->input(0);
  }
  return value;
}

/// The entry of the table that has the costs of products; nullptr if there is none.
inline const IntegerKernel* product_kernel(const Target& target) {
  const auto kernel = std::ranges::find(target.kernels, "MatMul", &IntegerKernel::op);
  return kernel != target.kernels.end() ? &*kernel : nullptr;
}

/// The kernel of a product whose activations are quantized as the model runs; nullptr if it is none.
inline const IntegerKernel* dynamic_kernel(const Node& node, const Target& target) {
  if (!node.is("MatMulInteger") || node.input(0) == nullptr) return nullptr;
  return made_by(*node.input(0), "DynamicQuantizeLinear") != nullptr ? product_kernel(target) : nullptr;
}

/// The cost of a product by a weight in blocks; nullptr if the target states it for other blocks or another accuracy
/// level.
inline const KernelCost* cost_of_blocks(const Node& node, const Target& target) {
  const auto attribute = [&](const char* name, std::int64_t otherwise) {
    return node.attr<std::int64_t>(name).value_or(otherwise);
  };
  if (attribute("block_size", 0) != 32 || attribute("accuracy_level", 0) != 4) return nullptr;
  return block_cost(target, static_cast<int>(attribute("bits", 4)));
}

/// Adds a product of activations in float by a weight in blocks. One of unknown cost counts as in float.
inline void add_block_product(const Node& node, const Target& target, ExpectedTime& time) {
  if (!node.is("com.microsoft::MatMulNBits") || node.output(0) == nullptr) return;
  const IntegerKernel* const kernel = product_kernel(target);
  if (kernel == nullptr) return;
  const auto rows = static_cast<double>(node.attr<std::int64_t>("K").value_or(1));
  KernelWork work;
  work.results = elements_of(node.output(0)->shape());
  work.elements = std::max(work.results, elements_of(node.input(0)->shape()));
  work.products = work.results * rows;
  work.weights = rows * static_cast<double>(node.attr<std::int64_t>("N").value_or(1));
  time.in_float += graft::time_of(work, kernel->in_float);
  const KernelCost* const cost = cost_of_blocks(node, target);
  time.quantized += graft::time_of(work, cost != nullptr ? *cost : kernel->in_float);
}

/// Whether an operator without an integer kernel takes no time, or takes it as a part of another one.
inline bool takes_no_time(const Node& node, const Target& target) {
  constexpr std::array<std::string_view, 7> ops{"Constant",
                                                "Identity",
                                                "Dropout",
                                                "Cast",
                                                "DynamicQuantizeLinear",
                                                "MatMulInteger",
                                                "com.microsoft::MatMulNBits"};
  if (node.is_any_of(ops)) return true;
  if (is_quantize(node) || is_dequantize(node) || scales_dynamic_product(node)) return true;
  if (fused_activation(node, target) != nullptr) return true;
  return std::ranges::all_of(node.inputs(),
                             [](const Value* input) { return input == nullptr || input->is_constant(); });
}

/// Of an operator without an integer kernel.
inline double time_of_other(const Node& node, const Target& target) {
  if (takes_no_time(node, target)) return 0;
  const auto known = std::ranges::find_if(target.float_costs, [&](const FloatCost& one) { return node.is(one.op); });
  return graft::time_of(float_work(node), known != target.float_costs.end() ? known->cost : target.other);
}

}  // namespace detail

GRAFT_INLINE ExpectedTime expected_time(const Graph& graph, const Audit& found, const Target& target) {
  ExpectedTime time;
  std::unordered_set<const Node*> fused, gives_floats;
  auto finding = found.findings.begin();
  for (const Node& node : graph.nodes()) {
    const bool is_found =
        finding != found.findings.end() && finding->op == node.op_type() && finding->node == display_name(node);
    const bool is_fused = is_found && finding->fused();
    if (is_found && finding->float_result) gives_floats.insert(&node);
    if (is_found) ++finding;
    if (const IntegerKernel* const dynamic = detail::dynamic_kernel(node, target)) {
      time.in_float += detail::time_in_float(node, *dynamic);
      time.quantized += detail::time_in_integers(node, *dynamic);
    }
    detail::add_block_product(node, target, time);
    if (node.is("DynamicQuantizeLinear")) time.quantized += detail::time_of(*node.input(0), target.dynamic_quantize);
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr || node.input(0) == nullptr) {
      const double other = detail::time_of_other(node, target);
      time.in_float += other;
      time.quantized += other;
      continue;
    }
    if (detail::scales_dynamic_product(node)) continue;
    const double in_float = detail::time_in_float(node, *kernel);
    time.in_float += in_float;
    time.quantized += is_fused ? detail::time_in_integers(node, *kernel) : in_float;
    if (is_fused) fused.insert(&node);
  }
  // A kernel takes in what it reads dequantized, and gives what it makes quantized, activations behind it included.
  const auto is_taken_in = [&](const Use& use) { return use.user() != nullptr && fused.contains(use.user()); };
  const auto comes_from_kernel = [&](const Value* value) {
    while (value != nullptr && value->producer() != nullptr) {
      const Node& node = *value->producer();
      if (fused.contains(&node)) return !gives_floats.contains(&node);
      if (fused_activation(node, target) == nullptr && !detail::lets_quantizers_pass(node, target)) return false;
      value = detail::passing_tensor(node);
    }
    return false;
  };
  for (const Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = fused.contains(&node) ? integer_kernel(node, target) : nullptr;
    if (kernel != nullptr && !comes_from_kernel(detail::before_quantizers(node.input(kernel->first_operand))))
      time.quantized += detail::time_apart(node, *kernel);
    if (is_quantize(node) && !comes_from_kernel(node.input(0)))
      time.quantized += detail::conversion_time(*node.input(0), target.quantize, target);
    if (is_dequantize(node) && !node.input(0)->is_constant() &&
        !std::ranges::all_of(node.output(0)->uses(), is_taken_in))
      time.quantized += detail::conversion_time(*node.output(0), target.dequantize, target);
  }
  return time;
}

}  // namespace graft::inline v1
