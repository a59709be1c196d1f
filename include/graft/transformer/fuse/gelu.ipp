#pragma once
#include <graft/transformer/fuse/gelu.hpp>

#include <graft/config.hpp>
#include <graft/simplify/fuse/gelu.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/fuse/bias_gelu.hpp>
#include <graft/transformer/fuse/fast_gelu.hpp>
#include <graft/transformer/fuse/quick_gelu.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass fuse_gelus(const FusedOperators& runtime) {
  return detail::fusions("fuse_gelus", runtime,
                         {{"com.microsoft::BiasGelu", bias_gelu},
                          {"com.microsoft::FastGelu", bias_fast_gelu},
                          {"Gelu", gelu},
                          {"com.microsoft::Gelu", contrib_gelu},
                          {"com.microsoft::FastGelu", fast_gelu},
                          {"com.microsoft::FastGelu", tanh_gelu_to_fast_gelu},
                          {"Gelu", gelu_by_tanh},
                          {"com.microsoft::QuickGelu", quick_gelu},
                          {"com.microsoft::QuickGelu", silu_to_quick_gelu}});
}

}  // namespace graft::inline v1
