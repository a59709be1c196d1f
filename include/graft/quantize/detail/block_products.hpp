#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>

namespace graft::inline v1::detail {

/// Whether the target has the operator for such blocks.
bool takes_blocks(const Target& target, std::string_view op, const BlockForm& form, std::int64_t rows = 0);

/// Reads a MatMul or Gemm whose weight quantize_weights_blockwise() can write in blocks; else returns the reason.
Verdict read_block_product(const Node& node, ConstantProduct& product);

/// The target's kernel MatMulNBits for weights of this many bits; nullptr if the target has none, or states no cost for
/// it.
const KernelCost* block_cost(const Target& target, int bits);

/// A product that is faster with activations in float and an integer weight.
struct BlockProduct {
  Node* node;
  double gain;  ///< over float, in nanoseconds
};

/// Such products of the graph that are not kept in float, by the target's costs for weights of this many bits. Leaves
/// out products whose input is transposed first, because they would need another node.
std::vector<BlockProduct> block_products(Graph& graph, const Target& target, const KeptInFloat& kept, int bits);

}  // namespace graft::inline v1::detail
