#pragma once
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/block_matrix.hpp>

namespace graft::inline v1::detail {

inline bool is_nbits(const Node& node) { return node.is("com.microsoft::MatMulNBits"); }

/// The integers of a weight with a scale for each block, of a com.microsoft MatMulNBits, or of a MatMul or Gemm with
/// a DequantizeLinear that has a block_size along its inputs. Rows are output channels. Integers of a signed dtype are
/// moved to those of the unsigned one. nullopt if the node has no such constant weight, if its scales are not float32
/// or its zero points are floats, and for a MatMulNBits with a bias or indices of groups.
std::optional<BlockMatrix> read_block_weight(const Node& node);

/// Such a weight in float, [columns, rows]: as a MatMul multiplies by it.
Tensor float_matrix(const BlockMatrix& weight);

/// Stores other integers and scales of such a weight, in the same form with the same zero points.
void store_block_weight(Node& node, const BlockMatrix& weight);

}  // namespace graft::inline v1::detail
