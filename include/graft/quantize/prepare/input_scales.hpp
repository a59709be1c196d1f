#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that multiplies, in front of Conv, Gemm and MatMul, the channels of an input of the graph by powers of two,
/// and divides the weights behind, so that each channel has weights of the same magnitude. It does so where the rows of
/// a weight differ so much that integers would lose a quarter of their bits, as where a tool has folded the scaling of
/// features of different units into the weight. The model computes what it did. Each Mul stays in float, as after
/// exclude_nodes(). Products that exclude_nodes() names, and weights that others read too, stay as they are.
Pass even_out_input_weights();

/// The pass that keeps in float, as exclude_nodes() does, what brings the features of an input to one scale by
/// constants: Mul, Div, Add, Sub and BatchNormalization, and what stands in front of these. It does so where the
/// features lie so far apart that no scale serves all of them. What has no name gets one.
Pass keep_input_scales_in_float();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/input_scales.ipp>
#endif
