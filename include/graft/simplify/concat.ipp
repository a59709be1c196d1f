#pragma once
#include <graft/simplify/concat.hpp>

#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline Verdict may_be_flattened(const Node& producer, const Node& reader) {
  constexpr std::size_t max_operands = 16;
  const Value& joined = *producer.output(0);
  for (const Use& use : joined.uses())
    if (use.user() != &reader) return Verdict::no("the inner Concat is also used elsewhere");
  const std::size_t reads = joined.use_count();
  const std::size_t operands = reader.input_count() - reads + reads * producer.input_count();
  if (reads > 1 && operands > max_operands) return Verdict::no("the operands of the inner Concat would be repeated");
  return Verdict::yes();
}

inline constexpr auto concat_concat = rule<"concat-concat">(
    op<"Concat">(left, op<"Concat">(middle).with(axis).as(inner).shared(), right).with(axis).as(outer),
    where(predicate<may_be_flattened>("")(inner, outer)), [](const auto& m, Rewriter& rewriter) -> Value& {
      const Node& joined = m[inner];
      const Node& reader = m[outer];
      std::vector<Value*> operands;  // of all reads, so that none is left for another rewrite
      for (Value* const operand : reader.inputs()) {
        if (operand != joined.output(0)) {
          operands.push_back(operand);
        } else {
          operands.insert(operands.end(), joined.inputs().begin(), joined.inputs().end());
        }
      }
      return *rewriter.clone(reader, operands).output(0);
    });

inline bool is_empty_along(const Value& operand, std::int64_t along) {
  const Shape dims = operand.shape();
  const auto position = static_cast<std::size_t>(along);
  return dims.known() && position < dims.rank() && same_size(dims[position], Dim(0));
}

inline constexpr auto concat_empty =
    rule<"concat-empty">(op<"Concat">(x, right).with(axis).as(outer), [](const auto& m, Rewriter& rewriter) {
      const Node& joined = m[outer];
      std::vector<Value*> operands;
      for (Value* const operand : joined.inputs())
        if (operand != nullptr && !is_empty_along(*operand, m[axis])) operands.push_back(operand);
      if (operands.empty()) operands.push_back(joined.input(0));
      if (operands.size() == joined.input_count()) return rewriter.decline("no operand is known to be empty");
      return rewriter.replace(*joined.output(0), *rewriter.clone(joined, operands).output(0));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView concat_concat = rules::concat_concat.view();

GRAFT_INLINE constinit const RuleView concat_empty = rules::concat_empty.view();

}  // namespace graft::inline v1
