#pragma once
#include <graft/lower/standard_rms_norm.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/lower/detail/normalization.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto standard_rms_norm = rule<"standard-rms-norm">(
    op<"SimplifiedLayerNormalization">(x, y).with(axis, epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      const Node& node = m[outer];
      std::vector<Value*> successors(node.output_count());
      if (node.graph().opset() >= 23) {
        const std::int64_t first = node.attr<std::int64_t>("axis").value_or(-1);
        successors[0] = &rewriter.op("RMSNormalization", {&m[x], &m[y]}, {{"axis", first}, {"epsilon", m[epsilon]}});
      } else {
        successors[0] = &detail::Normalization(rewriter, node, m[x].dtype(), m[x].shape().rank()).rms(m[x], m[y]);
      }
      return rewriter.replace(m[outer], successors);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView standard_rms_norm = vocabulary::standard_rms_norm.view();

GRAFT_INLINE Pass standard_rms_norms() { return on_typed_graph("standard_rms_norms", sweep(standard_rms_norm)); }

}  // namespace graft::inline v1
