#pragma once
#include <graft/simplify/identity.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool leaves_its_name(const Node& identity) {
  const Value& input = *identity.input(0);
  if (!identity.output(0)->is_graph_output()) return true;
  return input.producer() != nullptr && &input.graph() == &identity.graph() && !input.is_graph_output();
}

inline constexpr auto remove_identity = rule<"remove-identity">(
    op<"Identity">(x).as(outer), where(predicate<leaves_its_name>("it gives a graph output its name")(outer)), x);

/// A Dropout in inference.
inline constexpr auto dropout =
    op<"Dropout">(x, opt(any), opt(cst<"training_mode">.all_equal(0)))
        .with(opt(attr<"ratio", float>), opt(attr<"seed", std::int64_t>), opt(attr<"is_test", std::int64_t> == 1));

inline constexpr auto remove_dropout = rule<"remove-dropout">(dropout, x);

inline constexpr auto ratio = param<"ratio", float>;

inline constexpr auto remove_dropout_of_0 = rule<"remove-dropout-of-0">(
    op<"Dropout">(x, rest<>).with(ratio == 0.f, opt(attr<"seed", std::int64_t>), opt(attr<"is_test", std::int64_t>)),
    x);

inline constexpr auto remove_dropout_with_mask =
    rule<"remove-dropout-with-mask">(dropout.as(outer).since(12), [](const auto& m, Rewriter& rewriter) {
      const Node& node = m[outer];
      if (node.output_count() < 2 || node.output(1)->use_count() == 0) return rewriter.decline("its mask is unused");
      const std::size_t nodes = node.graph().nodes().size();
      const std::optional<Dims> dims = m[x].shape().dims();
      if (!dims) return rewriter.decline("the extents of its mask are not known, so the mask would take more nodes");
      Value& extents = rewriter.ints(*dims, "shape");
      const Tensor kept = Tensor::of(DType::boolean, {1}, std::vector<std::uint8_t>{1});
      std::vector<Value*> successors{&m[x], &rewriter.op("ConstantOfShape", {&extents}, {{"value", kept}})};
      const Graph& scope = node.graph();
      Verdict done = rewriter.replace(m[outer], successors);
      if (scope.nodes().size() > nodes) return rewriter.decline("it would take more nodes");
      return done;
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView remove_identity = rules::remove_identity.view();

GRAFT_INLINE constinit const RuleView remove_dropout = rules::remove_dropout.view();

GRAFT_INLINE constinit const RuleView remove_dropout_of_0 = rules::remove_dropout_of_0.view();

GRAFT_INLINE constinit const RuleView remove_dropout_with_mask = rules::remove_dropout_with_mask.view();

}  // namespace graft::inline v1
