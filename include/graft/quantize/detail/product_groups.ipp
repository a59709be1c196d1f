#pragma once
#include <graft/quantize/detail/product_groups.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/memory.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/detail/share_parts.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<ProductGroup> product_groups(Graph& graph,
                                                      const std::function<bool(const Node&, ConstantProduct&)>& reads,
                                                      std::size_t max_bytes, std::size_t least) {
  struct Member {
    Node* node;
    const Value* input;
    std::size_t bytes;
    const Value* weight;
  };
  std::vector<Member> members;
  std::unordered_map<const Value*, std::size_t> last;  // by weight
  ConstantProduct product;
  for (Node& node : graph.nodes()) {
    if (!is_product(node) || !reads(node, product) || product.transposes_x) continue;
    const auto columns = static_cast<std::size_t>(product.w->constant()->dims()[product.transposes_w ? 1 : 0]);
    last[product.w] = members.size();
    members.push_back({&node, product.x, columns * columns * sizeof(double), product.w});
  }
  std::size_t total = 0;
  std::unordered_set<const Value*> counted;
  for (const Member& member : members) total += counted.insert(member.input).second ? member.bytes : 0;
  max_bytes = std::min(max_bytes, (total + least - 1) / least);
  std::vector<ProductGroup> groups;
  std::size_t bytes = 0, reach = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    const bool is_known = !groups.empty() && std::ranges::find(groups.back().inputs, member.input) !=
                                                 groups.back().inputs.end();
    const std::size_t added = is_known ? 0 : member.bytes;
    if (groups.empty() || (i > reach && added > 0 && bytes + added > max_bytes)) {
      groups.emplace_back();
      bytes = 0;
    }
    ProductGroup& group = groups.back();
    group.products.push_back(member.node);
    if (!is_known) group.inputs.push_back(member.input);
    bytes += added;
    reach = std::max(reach, last[member.weight]);
  }
  return groups;
}

/// The least number of bytes that a rank has for Gram matrices, so that all make the same groups.
inline std::size_t agreed_bytes(const BlockwiseLearning& learning, std::size_t threads) {
  // Each thread gathers into matrices of its own, and GPTQ factors a matrix.
  const std::size_t own = learning.max_bytes.value_or(physical_memory() / 8) / (threads + 2);
  if (learning.ranks.count < 2) return own;
  return static_cast<std::size_t>(least(learning.ranks, static_cast<double>(own)));
}

GRAFT_INLINE std::vector<ProductGroup> product_groups(Graph& graph,
                                                      const std::function<bool(const Node&, ConstantProduct&)>& reads,
                                                      const SampleSource& samples, const BlockwiseLearning& learning,
                                                      std::size_t threads) {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  if (samples.begins_anew()) bytes = agreed_bytes(learning, std::max<std::size_t>(threads, 1));
  return product_groups(graph, reads, bytes, learning.ranks.count);
}

GRAFT_INLINE Report learn_by_groups(const std::vector<ProductGroup>& groups, const Graph& graph, Context& context,
                                    const SampleSource& samples, const BlockwiseLearning& learning,
                                    std::string_view pass_name, const GroupLearning& work) {
  const Ranks& ranks = learning.ranks;
  Report report;
  for (std::size_t left = groups.size(); left > 0; left -= std::min(left, ranks.count)) {
    Statistics<GramMatrix> inputs;
    std::string learned;
    if (ranks.rank < left) {
      const ProductGroup& group = groups[left - 1 - ranks.rank];
      Report gathered = run_samples(graph, group.inputs, {{samples, StatisticsSink(inputs)}}, learning.make_executor,
                                    context, pass_name);
      if (gathered.outcome == Outcome::cancelled) return gathered;
      if (left == groups.size()) report = std::move(gathered);  // later groups skip the same unreadable samples
      work.learn(group, inputs);
      if (ranks.count > 1) learned = work.learned(group);
    }
    if (ranks.count > 1)
      for (const std::string& other : ranks.exchange(std::move(learned))) work.take(other);
    for (std::size_t rank = 0; rank < std::min(left, ranks.count); ++rank) work.finish(groups[left - 1 - rank]);
  }
  return report;
}

}  // namespace graft::inline v1::detail
