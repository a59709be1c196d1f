#pragma once
#include <graft/simplify/transpose.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/chain.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

GRAFT_INLINE std::optional<Ints> composed_perm(const Value& input, const std::optional<Ints>& first,
                                               const std::optional<Ints>& second) {
  const Shape known = input.shape();
  if (!first && !second && !known.known()) return std::nullopt;
  const std::size_t rank = first ? first->size() : second ? second->size() : known.rank();
  if (first && second && first->size() != second->size()) return std::nullopt;
  const auto source = [rank](const std::optional<Ints>& order, std::size_t i) {
    return order ? static_cast<std::size_t>((*order)[i]) : rank - 1 - i;
  };
  Ints composed(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t between = source(second, i);
    if (between >= rank) return std::nullopt;
    composed[i] = static_cast<std::int64_t>(source(first, between));
  }
  return composed;
}

inline constexpr auto transpose_transpose = rule<"transpose-transpose">(
    op<"Transpose">(op<"Transpose">(x).with(opt(inner_perm)).shared()).with(opt(perm)).as(outer),
    outer(x).with(perm = call<composed_perm>(x, inner_perm, perm)));

inline constexpr auto moves = node<"moves">;
inline constexpr auto turns = node<"turns">;

inline constexpr std::size_t max_moves = 64;  // each is rebuilt for each Transpose that follows

inline std::optional<Ints> to_ints(const std::optional<std::span<const std::int64_t>>& order) {
  return order ? std::optional(Ints(order->begin(), order->end())) : std::nullopt;
}

inline bool are_scalars(const Node& node) {
  for (std::size_t i = 1; i < node.input_count(); ++i)
    if (node.input(i) != nullptr) {
      const auto dims = node.input(i)->shape().dims();
      if (!dims || dims->size() > 1 || (dims->size() == 1 && dims->front() != 1)) return false;
    }
  return true;
}

/// Whether the rule waits for the last Transpose of a row. The operators in front are built again each time that the
/// rule applies: in long rows of blocks that would be dozens of times.
inline bool has_transpose_behind(const Value& turned) {
  const UserRange users = turned.users();
  if (!turned.has_one_use() || users.empty()) return false;
  return users.front().is("Transpose") && &users.front().graph() == &turned.graph();
}

inline constexpr auto transpose_elementwise_transpose = rule<"transpose-elementwise-transpose">(
    op<"Transpose">(
        chain(op<"Transpose">,
              chain(one_of<"Relu", "Clip", "LeakyRelu", "Elu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish",
                           "Softplus", "Erf", "Gelu", "Exp", "Log", "Sqrt", "Abs", "Neg", "Add", "Sub", "Mul", "Div",
                           "Pow">,
                    op<"Transpose">(x).with(opt(inner_perm)))
                  .as(moves))
            .as(turns))
        .with(opt(perm))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) {
      if (m[moves].empty()) return rewriter.decline("no node is between the Transposes");
      if (has_transpose_behind(*m[outer].output(0))) return rewriter.decline("the last Transpose of the row moves all");
      std::optional<Ints> order = to_ints(m[inner_perm]);
      std::vector<const Node*> outer_turns(m[turns].begin(), m[turns].end());
      outer_turns.push_back(&m[outer]);
      for (const Node* const turn : outer_turns) {
        order = composed_perm(m[x], order, turn->attr<Ints>("perm"));
        if (!order) return rewriter.decline("the rank is not known");
      }
      if (m[moves].size() > max_moves) return rewriter.decline("too many nodes are between the Transposes");
      for (const Node* const move : m[moves])
        if (!are_scalars(*move)) return rewriter.decline("a constant is not one element");
      Value* value = &rewriter.op("Transpose", {&m[x]}, {{"perm", *order}});
      for (Node* const move : m[moves]) {
        std::vector<Value*> operands{value};
        for (std::size_t i = 1; i < move->input_count(); ++i) operands.push_back(move->input(i));
        value = rewriter.clone(*move, operands).output(0);
      }
      return rewriter.replace(*m[outer].output(0), *value);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView transpose_transpose = rules::transpose_transpose.view();

GRAFT_INLINE constinit const RuleView transpose_elementwise_transpose = rules::transpose_elementwise_transpose.view();

}  // namespace graft::inline v1
