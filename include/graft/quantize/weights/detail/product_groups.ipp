#pragma once
#include <graft/quantize/weights/detail/product_groups.hpp>

#include <algorithm>
#include <unordered_map>

#include <graft/config.hpp>

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
  for (const Member& member : members) total += member.bytes;
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

}  // namespace graft::inline v1::detail
