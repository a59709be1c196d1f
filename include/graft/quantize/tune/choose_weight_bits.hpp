#pragma once
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses the bits of each weight of MatMul and Gemm in the main graph, so that all weights take at most
/// options.bits_per_weight bits on average, with their scales and zero points. A weight counts once in each scope that
/// reads it. Those that only bodies read have the bits that they have without a budget. All others begin with
/// options.weights.bits. Then, as long as there is room, the weight gets the next more bits of which the target has a
/// kernel that by them loses least for each byte. Its loss is the share of the power of the product with the inputs
/// that is noise: tr(E G E^T) / tr(W G W^T), where G is the Gram matrix of the inputs and E the rounding error of
/// searched_block_qparams(), of 64 rows at most. Of a shared weight it is the sum over its products in the main graph.
///
/// A table that Gather and products read has options.table_bits, or 4 or 8 bits, in the form that it is stored in. Each
/// Gather adds |E|^2 / |W|^2 to its loss.
///
/// Leaves alone products that are kept in float. Does not change the graph; run quantize_weights_blockwise() with the
/// same options next. Needs a Statistics<GramMatrix> of observe_gram_matrices(); a weight without one keeps the fewest
/// bits. The report counts the weights with more bits as changes. Throws Error if the fewest bits exceed
/// bits_per_weight, if that is not given, and as options.check() does.
Pass choose_weight_bits(const Target& target, BlockwiseOptions options);

/// The same pass, which observes Gram matrices on the samples itself: of a few products at a time, as
/// quantize_weights_blockwise() with samples does. Ranks share the products, and all choose the same bits. Throws Error
/// for samples as calibrate() does.
Pass choose_weight_bits(const Target& target, BlockwiseOptions options, SampleSource samples,
                        BlockwiseLearning learning = {});

}  // namespace graft::inline v1
