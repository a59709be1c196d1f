#pragma once
#include <graft/simplify/fold/constant_if.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// The branch that an If takes always; nullptr where that is not known, and for any other node.
inline const Graph* taken_branch(const Node& node) {
  const Value* const condition = node.is("If") ? node.input(0) : nullptr;
  if (condition == nullptr || condition->dtype() != DType::boolean || !condition->is_constant()) return nullptr;
  try {
    const std::optional<Tensor> contents = condition->constant();
    if (!contents || contents->size() != 1) return nullptr;
    return node.body(contents->item<bool>() ? "then_branch" : "else_branch");
  } catch (const Error&) {
    return nullptr;
  }
}

inline constexpr auto condition = cst<"condition">.scalar().dtype(DType::boolean);

inline constexpr auto constant_if =
    rule<"constant-if">(op<"If">(condition).as(outer), [](const auto& m, Rewriter& rewriter) {
      return rewriter.inline_bodies(m[outer], &taken_branch);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView constant_if = vocabulary::constant_if.view();

}  // namespace graft::inline v1
