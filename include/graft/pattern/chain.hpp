#pragma once
#include <concepts>
#include <cstddef>

#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

template <std::size_t N, std::size_t A, std::size_t W, class C>
struct Chain : Pattern<N, A, W, C> {
  /// Binds the nodes in topological order, from the reader of p on.
  template <class Node>
  constexpr auto as(const Node&) const {
    Chain<N, A, W, detail::Join<C, Captures<with_form(Node::id, Form::list)>>> p;
    p.nodes = this->nodes;
    p.attrs = this->attrs;
    p.words = this->words;
    p.nodes[0].name = Node::name;
    p.nodes[0].id = Node::id;
    return p;
  }
};

/// Zero or more nodes of these operators, then p: chain(one_of<"Transpose", "Reshape">, p). The chain passes through
/// the first input of each node. Other inputs are constants, and the only output has one reader. Tries the longest
/// chain first.
template <class Movement, pattern P>
constexpr auto chain(const Movement&, const P& p) {
  static_assert(std::derived_from<Movement, detail::OperatorTag>,
                "graft: chain(...) takes op<...>, one_of<...> or any_op, without operands, and a pattern");
  using C = detail::Join<typename P::captures, Captures<detail::only_looked_for>>;
  detail::Builder<Chain<P::node_count + 1, P::attr_count, P::word_count, C>> b;
  PatternNode row;
  row.step = Step::chain;
  row.op = Movement::names;
  b.add(row);
  b.result.nodes[b.append(p, 0)].same_value = true;
  return b.finish();
}

}  // namespace graft::inline v1
