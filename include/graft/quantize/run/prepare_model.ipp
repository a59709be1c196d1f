#pragma once
#include <graft/quantize/run/prepare_model.hpp>

#include <algorithm>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/lower/activation.hpp>
#include <graft/lower/flush_denormals.hpp>
#include <graft/lower/fused_operators.hpp>
#include <graft/lower/resize.hpp>
#include <graft/lower/score_factor.hpp>
#include <graft/precision/convert_floats.hpp>
#include <graft/quantize/prepare/bound_masks.hpp>
#include <graft/quantize/prepare/float_islands.hpp>
#include <graft/quantize/prepare/input_scales.hpp>
#include <graft/quantize/prepare/keep_compositions_in_float.hpp>
#include <graft/quantize/prepare/longer_branches.hpp>
#include <graft/quantize/prepare/name_normalizations.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/rewrite/committing.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/surgery/rename.hpp>
#include <graft/surgery/to_inference.hpp>
#include <graft/transformer/transformer_fusions.hpp>

namespace graft::inline v1 {

namespace detail {

/// Of the target, and of the dtypes that activations are quantized to.
inline int needed_opset(const Target& target, const StaticOptions& options) {
  int opset = std::max(target.opset, since_opset(target.activation));
  if (options.activations == Activations::mixed) opset = std::max(opset, since_opset(DType::u16));
  for (const ActivationOverride& given : options.activation_overrides)
    opset = std::max(opset, since_opset(given.dtype.value_or(target.activation)));
  return opset;
}

/// By the names of the model as it came, which nodes may share, and which may be gone later: what matches nothing is
/// reported when names are unique.
inline Pass exclude_original_names(const QuantizeOptions& options) {
  return around(exclude_nodes(options.exclude), [](const Pass& inner, Graph& graph, Context& context) {
    Report report = inner.run(graph, context);
    report.notes.clear();
    return report;
  });
}

/// transformer_fusions() simplifies, too.
inline Pass simplify_for(const Target& target, const QuantizeOptions& options) {
  SimplifyOptions simplifying;
  simplifying.keep_weights_even = true;
  FusedOperators fused = target.fused_operators;
  fused.generates |= options.cache_bits.has_value();  // then GroupQueryAttention has the caches
  const bool fuses = options.fuse_transformers && !fused.operators.empty();
  return name_normalizations() | (fuses ? transformer_fusions(fused, simplifying) : simplify(simplifying)) |
         even_out_input_weights();
}

}  // namespace detail

GRAFT_INLINE Pass prepare_for_any_target(bool freeze) {
  const Pass passes = inline_functions() | to_inference() | raise_opset(13) | decompose_fused_products() |
                      to_float32() | fold_constants() |
                      committing(fixpoint(bn_into_conv, add_into_conv_bias, gemm_bias) | eliminate_dead_code());
  return freeze ? freeze_inputs() | passes : passes;
}

GRAFT_INLINE Pass prepare_model(const Target& target, const QuantizeOptions& options) {
  Pass passes = prepare_for_any_target(options.freeze_inputs);
  if (!options.exclude.empty()) passes = detail::exclude_original_names(options) | passes;
  if (target.has(Quirk::refuses_other_domains)) passes |= decompose_fused_operators() | decompose_quick_gelus();
  const auto* const static_options = std::get_if<StaticOptions>(&options.mode);
  if (static_options == nullptr) {
    const auto* const blocks = std::get_if<BlockwiseOptions>(&options.mode);
    if (blocks != nullptr && blocks->operators == BlockOperators::standard) passes |= raise_opset(21);
    passes |= detail::simplify_for(target, options) | flush_denormals() | unique_node_names();
    return options.exclude.empty() ? passes : passes | exclude_nodes(options.exclude);
  }
  if (const int opset = detail::needed_opset(target, *static_options); opset > 13) passes |= raise_opset(opset);
  const bool rewrites = rewrites_model(static_options->placement);
  if (target.has(Quirk::pairs_on_one_branch)) passes |= longer_branches_first();
  if (rewrites) {
    passes |= detail::simplify_for(target, options) | float_islands(target);
  } else {
    passes |= resize_all_axes();
  }
  if (rewrites && target.has(Quirk::scaled_queries) && target.activation == DType::f8e4m3fn)
    passes |= score_factors_to_queries();
  passes |= flush_denormals() | unique_node_names();
  if (!options.exclude.empty()) passes |= exclude_nodes(options.exclude);
  if (rewrites) passes |= target.has(Quirk::quantizes_compositions) ? bound_masks() : keep_compositions_in_float();
  return rewrites ? passes | keep_input_scales_in_float() : passes;
}

}  // namespace graft::inline v1
