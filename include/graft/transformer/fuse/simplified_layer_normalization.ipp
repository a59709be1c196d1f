#pragma once
#include <graft/transformer/fuse/simplified_layer_normalization.hpp>

#include <string_view>

#include <graft/config.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/layer_normalization.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/fuse/normalization_operands.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto bare_simplified_layer_normalization = rule<"bare-simplified-layer-normalization">(
    over_root_mean_square, where(is_short, predicate<is_bare_normalization>("")(x, axes)),
    op<"SimplifiedLayerNormalization">(x, tensor<ones_over>(x, axes))
        .with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto bare_rms_normalization =
    rule<"bare-rms-normalization">(over_root_mean_square,
                                   where(predicate<is_at_most_single>("RMSNormalization would compute in f32")(x),
                                         predicate<is_bare_normalization>("")(x, axes)),
                                   op<"RMSNormalization">(x, tensor<ones_over>(x, axes))
                                       .with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

inline constexpr auto rms_to_simplified_layer_normalization = rule<"rms-to-simplified-layer-normalization">(
    op<"RMSNormalization">(x, y).with(first_axis, epsilon), where(is_short),
    op<"SimplifiedLayerNormalization">(x, y).with(first_axis, epsilon));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView bare_simplified_layer_normalization =
    vocabulary::bare_simplified_layer_normalization.view();

GRAFT_INLINE constinit const RuleView bare_rms_normalization = vocabulary::bare_rms_normalization.view();

GRAFT_INLINE constinit const RuleView rms_to_simplified_layer_normalization =
    vocabulary::rms_to_simplified_layer_normalization.view();

GRAFT_INLINE Pass fuse_simplified_layer_normalizations(const FusedOperators& runtime) {
  constexpr std::string_view simplified = "SimplifiedLayerNormalization", rms = "RMSNormalization";
  const std::string_view made = detail::is_wanted(runtime, simplified) ? simplified : rms;
  return detail::fusions("fuse_simplified_layer_normalizations", runtime,
                         {{simplified, bare_simplified_layer_normalization},
                          {simplified, rms_to_simplified_layer_normalization},
                          {rms, bare_rms_normalization},
                          {made, scale_into_normalization},
                          {made, narrow_normalization}});
}

}  // namespace graft::inline v1
