#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/lower/four_d/inputs.hpp>
#include <graft/lower/four_d/matmul.hpp>
#include <graft/lower/four_d/movement.hpp>
#include <graft/lower/four_d/outputs.hpp>
#include <graft/lower/four_d/reduction.hpp>
#include <graft/rewrite/intent.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<Surgeon> rank_surgeons() {
  using Arguments = const SurgeonArguments&;
  constexpr Intent shapes{.shapes = true}, by_design{.values = "by design", .shapes = true};
  return {
      {"Flatten",
       "replaces Flatten by Reshape to [1,1,1,-1]",
       {},
       shapes,
       [](Arguments) { return flatten_to_reshape(); }},
      {"Gather",
       "moves Gather from axis 1 to 2, and makes a list of a single index",
       {},
       by_design,
       [](Arguments) { return four_d_gather(); }},
      {"GatherElements",
       "makes the indices of GatherElements 4-D",
       {},
       shapes,
       [](Arguments) { return four_d_gather_elements(); }},
      {"MatMulToTransposeConvTranspose",
       "replaces products with constant matrices by Conv between Transposes",
       {},
       {.values = "rounding"},
       [](Arguments) { return matmul_to_transpose_conv_transpose(); }},
      {"Non4DExpand", "makes shapes of Expand 4-D", {}, shapes, [](Arguments) { return four_d_expand(); }},
      {"Non4DInitializers", "makes constants 4-D", {}, shapes, [](Arguments) { return four_d_initializers(); }},
      {"Non4DLpNorm",
       "moves LpNormalization to the last axis",
       {},
       by_design,
       [](Arguments) { return four_d_lp_normalization(); }},
      {"Non4DModelInputs",
       "unsqueezes inputs of rank 2 and 3 to rank 4",
       {},
       by_design,
       [](Arguments) { return four_d_model_inputs(); }},
      {"Non4DModelOutputs",
       "squeezes outputs to their declared rank",
       {},
       shapes,
       [](Arguments) { return four_d_model_outputs(); }},
      {"Non4DReshape", "makes shapes of Reshape 4-D", {}, shapes, [](Arguments) { return four_d_reshape(); }},
      {"Non4DSlice", "moves Slice to the last axis", {}, by_design, [](Arguments) { return four_d_slice(); }},
      {"Non4DTranspose",
       "makes permutations of Transpose 4-D",
       {},
       by_design,
       [](Arguments) { return four_d_transpose(); }},
      {"ReduceMax",
       "reshapes maxima along the last axis of images to a row",
       {{"count", ParameterKind::integer, false, std::int64_t{3600}}},
       shapes,
       [](Arguments arguments) { return reduce_max_to_row(given<std::int64_t>(arguments, "count")); }},
      {"RemoveIntermediarySqueezeAndUnsqueeze",
       "removes Squeeze and Unsqueeze within a net",
       {},
       shapes,
       [](Arguments) { return remove_intermediary_squeezes(); }},
      {"ReshapeClipReduceSum",
       "replaces Reshape, Clip and ReduceSum by sums of slices",
       {},
       shapes,
       [](Arguments) { return reshape_clip_reduce_sum_to_slices(); }},
      {"ReshapeReduceSum",
       "replaces Reshape and ReduceSum by sums of slices",
       {},
       shapes,
       [](Arguments) { return reshape_reduce_sum_to_slices(); }},
      {"StandaloneReduceSum",
       "makes ReduceSum keep the rank, and sum over axis 2 instead of 1",
       {},
       by_design,
       [](Arguments) { return four_d_reduce_sum(); }},
  };
}

}  // namespace graft::inline v1::detail
