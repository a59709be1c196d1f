#pragma once
#include <graft/lower/drop_group_index.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr std::size_t group_index_input = 4;

inline Verdict has_idle_group_index(const Node& node) {
  const Value* const given = node.input(group_index_input);
  if (given == nullptr) return Verdict::no("it has no group index");
  const std::optional<Tensor> index = given->constant();
  if (!index) return Verdict::no("its group index is not constant");
  const std::int64_t rows = node.attr<std::int64_t>("K").value_or(0);
  const std::int64_t size = node.attr<std::int64_t>("block_size").value_or(0);
  if (rows < 1 || size < 1 || index->size() < rows) return Verdict::no("its group index is too short");
  const std::vector<std::int64_t> groups = index->to<std::int64_t>();
  for (std::int64_t k = 0; k < rows; ++k)
    if (groups[static_cast<std::size_t>(k)] != k / size)
      return Verdict::no("its group index puts rows in other groups");
  return Verdict::yes();
}

inline constexpr auto drop_group_index =
    rule<"drop-group-index">(op<"com.microsoft::MatMulNBits">(rest<>).with(any_attributes).as(outer),
                             where(predicate<has_idle_group_index>("")(outer)), [](const auto& m, Rewriter& rewriter) {
                               rewriter.remove_input(m[outer].use(group_index_input));
                               return Verdict::yes();
                             });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView drop_group_index = vocabulary::drop_group_index.view();

GRAFT_INLINE Pass drop_group_indices() { return on_typed_graph("drop_group_indices", sweep(drop_group_index)); }

}  // namespace graft::inline v1
