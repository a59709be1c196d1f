#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Consecutive products of the main graph, whose Gram matrices are in memory at the same time.
struct ProductGroup {
  std::vector<Node*> products{};
  std::vector<const Value*> inputs{};  ///< each once
};

/// Products by a constant matrix, in the order of the graph, in groups. reads: reads a product that takes part. The
/// Gram matrices of a group have at most max_bytes, and at most the share that `least` groups would have, unless a
/// weight alone needs more. Products that share a weight are in one group, with all those between them.
std::vector<ProductGroup> product_groups(Graph& graph, const std::function<bool(const Node&, ConstantProduct&)>& reads,
                                         std::size_t max_bytes, std::size_t least = 1);

/// The same on all ranks, as many as their memory requires; one group if samples can be gone through only once.
std::vector<ProductGroup> product_groups(Graph& graph, const std::function<bool(const Node&, ConstantProduct&)>& reads,
                                         const SampleSource& samples, const BlockwiseLearning& learning,
                                         std::size_t threads);

/// What is done with the Gram matrices of a group.
struct GroupLearning {
  std::function<void(const ProductGroup&, const Statistics<GramMatrix>&)> learn;
  std::function<std::string(const ProductGroup&)> learned;  ///< as bytes for the other ranks
  std::function<void(const std::string&)> take;             ///< what another rank has learned
  std::function<void(const ProductGroup&)> finish;          ///< when the group is learned
};

/// Observes Gram matrices on the samples group by group, from the last to the first. Ranks share the groups, and finish
/// all. Returns the report of the samples, which may be cancelled.
Report learn_by_groups(const std::vector<ProductGroup>& groups, const Graph& graph, Context& context,
                       const SampleSource& samples, const BlockwiseLearning& learning, std::string_view pass_name,
                       const GroupLearning& work);

}  // namespace graft::inline v1::detail
