#pragma once
#include <cstdint>
#include <optional>

#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(x, w)
// After:   com.microsoft::MatMulNBits(x, codes, scales, zero_points)
//    or    MatMul(x, DequantizeLinear(codes, scales, zero_points) {axis=0, block_size})
//
// w is a constant float32 matrix [K, N]; a scale serves a block of K. Likewise Gemm, of which alpha goes into the
// scales, and the bias times beta is added behind.
//
// Before:  Gather(table, ids)
// After:   com.microsoft::GatherBlockQuantized(codes, ids, scales, zero_points)
//
// A scale serves a block of a row of the table.

namespace graft::inline v1 {

/// How codes and q-params of a block are found.
enum class BlockMethod : std::uint8_t {
  nearest,  ///< the q-params that reach every value, and the nearest codes
  search,   ///< q-params of least squared error, weighed by the mean squares of the inputs where these are known
  gptq,     ///< codes of least error in the product, by the Gram matrices of the inputs: gptq_blocks()
};

/// The operators that weights of blocks are written in.
enum class BlockOperators : std::uint8_t {
  contrib,   ///< com.microsoft's MatMulNBits and GatherBlockQuantized
  standard,  ///< DequantizeLinear of opset 21, for the runtime to fuse, with positive scales; tables have 8 bits
};

struct BlockwiseOptions {
  BlockForm form{};
  BlockMethod method = BlockMethod::search;
  BlockOperators operators = BlockOperators::contrib;
  /// What MatMulNBits multiplies in: 1: float32; 4: int8, to which it quantizes activations, block by block. It is
  /// always written, for runtimes differ in what they do without. nullopt: 4, unless quantize() finds on samples that
  /// this loses more than the integers of weights do and, with weights of more than 4 bits, that it is poor.
  std::optional<int> accuracy_level{};
  /// Which tables that Gather reads become integers too; nullopt: none.
  std::optional<EmbeddingOptions> tables = EmbeddingOptions();
  std::optional<int> table_bits{};  ///< as many as weights, or the next for which the target has a kernel
};

/// The pass that stores the constant weights of every MatMul and Gemm, in graph and bodies, in integers of few bits,
/// with a scale for each block; activations stay in float. Where the facts have ProductForms, it quantizes the
/// weight-only ones, with the bits that these say, and no other product. Weights that several share are stored
/// once in each scope, by the inputs of all of them.
/// BlockMethod::gptq needs a Statistics<GramMatrix> of observe_gram_matrices(), and searches where an input has none,
/// in bodies say, and for tables. It leaves what exclude_nodes() names, and what the target has no kernel for; notes
/// say why, by node. Throws Error for a form that is out of bounds.
Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/weights/quantize_weights_blockwise.ipp>
#endif
