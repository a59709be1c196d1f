#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/quantize/weights/ranks.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(x, w)
// After:   com.microsoft::MatMulNBits(x, codes, scales, zero_points)
//    or    MatMul(x, DequantizeLinear(codes, scales, zero_points) {axis=0, block_size})
//
// w is a constant float32 matrix [K, N], or the Transpose of one; a scale serves a block of K. Likewise Gemm, whose
// alpha goes into the scales, and whose bias times beta is added behind.
//
// Before:  Gather(table, ids)
// After:   com.microsoft::GatherBlockQuantized(codes, ids, scales, zero_points)
//
// A scale serves a block of a row of the table.
//
// Before:  Gather(table, ids), MatMul(x, Transpose(table))
// After:   com.microsoft::GatherBlockQuantized(Reshape(codes), ids, scales, zero_points)
//          com.microsoft::MatMulNBits(x, codes, scales, zero_points)
//
// Table and product are in one graph, and share their blocks: the head of a language model whose embeddings are tied
// to it. Likewise Gemm(x, table) {transB=1}, with alpha 1.

namespace graft::inline v1 {

class Node;
struct KeptInFloat;

namespace detail {
struct ConstantProduct;
}

/// The method of finding codes and q-params of a block.
enum class BlockMethod : std::uint8_t {
  nearest,  ///< q-params that reach every value, and the nearest codes
  search,   ///< q-params of least squared error, weighted by the mean squares of the inputs if these are known
  gptq,     ///< codes of least error in the product, from the Gram matrices of the inputs: gptq_blocks()
};

/// The operators for block-quantized weights.
enum class BlockOperators : std::uint8_t {
  contrib,   ///< com.microsoft's MatMulNBits and GatherBlockQuantized
  standard,  ///< DequantizeLinear of opset 21, for the runtime to fuse, with positive scales; tables have 8 bits
};

struct BlockwiseOptions {
  BlockForm weights{};
  BlockMethod method = BlockMethod::search;
  BlockOperators operators = BlockOperators::contrib;
  /// The most bits that a weight may take on average, with its scales: for choose_weight_bits(), which quantize() runs
  /// on samples, and which gives weights from weights.bits to 8. nullopt: all have weights.bits.
  std::optional<double> bits_per_weight{};
  /// The precision of MatMulNBits: 1: float32; 4: int8, to which it quantizes activations block by block. It is always
  /// written, because defaults differ between runtimes. nullopt: 4, unless quantize() finds on samples that 4 loses
  /// more than the integer weights do and, for weights of more than 4 bits, that the outputs are poor.
  std::optional<int> accuracy_level{};
  /// The tables of Gather to store in integers too; nullopt: none.
  std::optional<EmbeddingOptions> tables = EmbeddingOptions();
  /// 4 or 8. Default: those of weights, or the next for which the target has a kernel. For a table that a product reads
  /// too it is 8, or 4 or 8 within bits_per_weight; bits that ProductForms gives to that product take precedence.
  std::optional<int> table_bits{};

  /// Throws Error for weights out of bounds, and for an accuracy_level or table_bits of standard operators.
  void check() const;
};

namespace detail {

/// The operator that reads the blocks of a product's weight.
constexpr const char* block_operator(BlockOperators operators) {
  return operators == BlockOperators::contrib ? "com.microsoft::MatMulNBits" : "DequantizeLinear";
}

/// The form of the weights that this operator reads.
constexpr BlockForm block_form(const BlockwiseOptions& options) {
  BlockForm form = options.weights;
  form.positive_scales |= options.operators == BlockOperators::standard;
  return form;
}

/// How the weight of a product is stored. Tied: the tables of Gather share it.
struct StoredForm {
  BlockForm blocks{};
  bool is_tied = false;
};

/// The forms between which a budget of bits chooses for a product, by bits; tied ones only if there are any, with
/// table_bits if these are given. In a body nothing is chosen, and the only form is that of the product.
std::vector<StoredForm> forms_within_budget(const Node& node, const ConstantProduct& product, const Target& target,
                                            const BlockwiseOptions& options, const KeptInFloat& kept);

}  // namespace detail

/// The pass that stores the constant weights of every MatMul and Gemm, in graph and bodies, in integers of few bits,
/// with a scale for each block; activations stay in float. If the facts have ProductForms, it quantizes the weight-only
/// products, with the bits given there, and no others; with bits_per_weight the others too, except dynamic ones, with
/// weights.bits. A shared weight is stored once in each scope, using the inputs of all its products. BlockMethod::gptq
/// needs a Statistics<GramMatrix> of observe_gram_matrices(); it falls back to `search` for tables and for inputs
/// without one, for example in bodies. The pass skips nodes of exclude_nodes(), and nodes for which the target has no
/// kernel; notes give the reason by node. Runs on context.threads threads; the result does not depend on their number.
/// Throws Error as options.check() does.
Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions options = {});

struct BlockwiseLearning {
  ExecutorFactory make_executor{};  ///< runs samples on context.threads threads
  /// Gram matrices of so many bytes are in memory at the same time, or that of one input if it has more; nullopt: an
  /// eighth of physical_memory().
  std::optional<std::size_t> max_bytes{};
  Ranks ranks{};
};

/// The same pass, which observes Gram matrices on the samples itself: of a few products at a time, whose weights it
/// then quantizes. It needs far less memory than observe_gram_matrices(), but runs samples several times. Ranks share
/// the products, and all end with the quantized model. The result depends neither on the memory nor on the ranks. The
/// facts keep no Gram matrix. Samples that can be gone through only once are run once, with all Gram matrices. Throws
/// Error for samples as calibrate() does.
Pass quantize_weights_blockwise(const Target& target, BlockwiseOptions options, SampleSource samples,
                                BlockwiseLearning learning = {});

}  // namespace graft::inline v1
