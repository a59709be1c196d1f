#pragma once
#include <graft/quantize/prepare/float_islands.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/activation.hpp>
#include <graft/lower/activation_order.hpp>
#include <graft/lower/channel_shuffle.hpp>
#include <graft/lower/depthwise_conv.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/lower/image_conv.hpp>
#include <graft/lower/reduce.hpp>
#include <graft/lower/resize.hpp>
#include <graft/lower/softmax.hpp>
#include <graft/quantize/prepare/detail/input_scale.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/simplify/conv.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/simplify/transpose.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether the runtime merges these into a Gemm. It then keeps the bias in float, unless the model has a Gemm already.
inline bool merges_matmul_with_add(const Target& target) {
  return std::any_of(target.kernels.begin(), target.kernels.end(),
                     [](const IntegerKernel& kernel) { return kernel.has(KernelQuirk::merges_with_add); });
}

/// Whether convolutions are slow over images: they copy a row of taps at once, which is short with few channels.
inline bool is_slow_over_images(const Target& target) {
  return std::any_of(target.kernels.begin(), target.kernels.end(),
                     [](const IntegerKernel& kernel) {
                       return kernel.first_layer && kernel.first_layer->in_integers.piece > 0;
                     });
}

/// Whether the integer kernels are slower for a mean of nine values than for a sum of nine products.
inline bool averages_slowly(const Target& target) {
  const auto kernel_of = [&](std::string_view op) {
    const auto is_of = [op](const IntegerKernel& kernel) { return kernel.op == op; };
    return std::find_if(target.kernels.begin(), target.kernels.end(), is_of);
  };
  const auto conv = kernel_of("Conv"), pool = kernel_of("AveragePool");
  if (conv == target.kernels.end() || pool == target.kernels.end()) return false;
  const KernelCost& product = conv->few_channels ? conv->few_channels->in_integers : conv->in_integers;
  return pool->in_integers.element > product.element + 9 * product.product;
}

/// Rules that rewrite operators without an integer kernel of the target, or with a slow one, into operators with a
/// faster one. ONNX Runtime 1.24 takes 1.2 to 2.5 times as long for a QLinearMul and a QLinearAdd of constants as for a
/// depthwise Conv.
inline std::vector<RuleView> float_island_rules(const Target& target) {
  const auto computes = [&](std::string_view op) { return has_entry(target.kernels, op); };
  const auto fuses = [&](std::string_view op) { return has_entry(target.activations, op); };
  std::vector<RuleView> rules;
  if (computes("Conv")) {
    for (const RuleView& rule :
         {bn_into_conv.view(), mul_into_conv.view(), add_into_conv_bias.view(), activation_before_movement.view()})
      rules.push_back(rule);
    // Operators between kernels are in float there, or vanish into these.
    if (!target.has(Quirk::pairs_on_inputs))
      for (const RuleView& rule :
           {bn_to_depthwise_conv.view(), mul_to_depthwise_conv.view(), add_to_depthwise_conv.view()})
        rules.push_back(rule);
    if (fuses("Clip") && !fuses("HardSigmoid")) rules.push_back(hard_sigmoid_to_clip.view());
    if (fuses("Clip") && !fuses("HardSwish") && computes("Mul")) rules.push_back(hard_swish_to_hard_sigmoid.view());
  }
  if (computes("Softmax")) {  // ONNX Runtime's kernel moves the axis to the end element by element
    rules.push_back(softmax_along_last_axis.view());
    rules.push_back(transpose_transpose.view());
  }
  if (averages_slowly(target)) {
    rules.push_back(average_pool_to_depthwise_conv.view());
    rules.push_back(pad_into_conv.view());
  }
  if (is_slow_over_images(target)) rules.push_back(image_conv_to_depth.view());
  if (computes("MaxPool")) rules.push_back(activation_before_max_pool.view());
  if (computes("Gemm")) rules.push_back(gemm_alpha_into_weight.view());
  if (computes("Gemm") && merges_matmul_with_add(target)) rules.push_back(batched_matmul_add_to_gemm.view());
  if (computes("GlobalAveragePool") && !computes("ReduceMean")) {
    rules.push_back(reduce_mean_to_global_average_pool.view());
    rules.push_back(reduce_mean_to_flat_average.view());
  }
  return rules;
}

/// Whether the target's kernel of the operator lacks the attribute.
inline bool lacks(const Target& target, std::string_view op, std::string_view attribute) {
  const auto is_of = [&](const LackedAttributes& lacked) { return lacked.one.name == attribute; };
  return std::any_of(target.kernels.begin(), target.kernels.end(), [&](const IntegerKernel& kernel) {
    return kernel.op == op && std::any_of(kernel.lacks.begin(), kernel.lacks.end(), is_of);
  });
}

}  // namespace detail

GRAFT_INLINE Pass float_islands(const Target& target) {
  const NodeCondition condition = [](const Node& root, const Context&) {
    return detail::scales_input(root) ? Verdict::no("it brings features of an input to one scale") : Verdict::yes();
  };
  Pass passes(detail::RuleSet("fixpoint", detail::float_island_rules(target), true, condition));
  if (detail::lacks(target, "Resize", "axes")) passes = resize_all_axes() | passes;
  if (detail::has_entry(target.kernels, "Conv") && !target.has(Quirk::pairs_on_inputs))
    passes = passes | channel_shuffles_to_gathers();
  return passes.named("float_islands");
}

}  // namespace graft::inline v1
