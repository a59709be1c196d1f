#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that evens out the weights of channels of a graph input in Conv, Gemm and MatMul. It multiplies the
/// channels by powers of two in front of the product, and divides the weights by them, so that each channel has weights
/// of the same magnitude. It does so if the rows of a weight differ so much that integers would lose a quarter of their
/// bits. That happens if a tool has folded the scaling of features in different units into the weight. The model
/// computes the same. Each Mul stays in float, as after exclude_nodes(). Products that exclude_nodes() names, and
/// weights with other readers, are skipped.
Pass even_out_input_weights();

/// The pass that keeps in float, as exclude_nodes() does, operators that bring the features of an input to one scale by
/// constants: Mul, Div, Add, Sub, BatchNormalization, and the nodes in front of these. It does so if the features
/// differ so much that no scale serves all of them. Nodes without a name get one.
Pass keep_input_scales_in_float();

}  // namespace graft::inline v1
