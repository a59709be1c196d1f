#pragma once
#include <graft/testing/detail/grow/growth.hpp>

#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>
#include <graft/testing/detail/grow/pattern_grower.hpp>
#include <graft/testing/detail/grow/recipe.hpp>

namespace graft::inline v1::detail {

/// Whether f(), which may throw Unfit, added something.
template <class F>
bool try_to_add(GraphGrower& grower, F&& add) {
  const std::size_t mark = grower.mark();
  Transaction transaction(grower.graph());
  try {
    add();
    transaction.keep();
    return true;
  } catch (const Unfit&) {
  } catch (const Error&) {
  }
  transaction.rollback();
  grower.forget(mark);
  return false;
}

/// Adds a node that computes the same as another.
inline void add_twin(GraphGrower& grower) {
  const std::vector<Value*> made = grower.made();
  if (made.empty()) throw Unfit();
  const Node& node = *grower.dice().any_of(made)->producer();
  if (!node.bodies().empty()) throw Unfit();
  Attributes attributes;
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) attributes.emplace_back(attribute);
  const std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  grower.add(to_string(OpName{node.domain(), node.op_type()}), inputs, node.output_count(), attributes);
}

GRAFT_INLINE void grow(GraphGrower& grower, std::size_t nodes) {
  const Vocabulary& vocabulary = grower.vocabulary();
  const std::vector<std::string> operators = vocabulary.operators.empty() ? random_operators() : vocabulary.operators;
  Dice& dice = grower.dice();
  for (int ideas = 0; grower.graph().nodes().size() < nodes && ideas < 200; ++ideas) {
    if (!vocabulary.patterns.empty() && dice.one_in(4)) {
      PatternGrower(grower, dice.any_of(vocabulary.patterns).before).add(30);
      continue;
    }
    try_to_add(grower, [&] {
      if (dice.one_in(12)) return add_twin(grower);
      if (vocabulary.bodies && dice.one_in(30)) return add_control(grower);
      NodeMaker node(grower, dice.any_of(operators));
      const Recipe* const recipe = find_recipe(node.op());
      if (recipe == nullptr) throw Unfit();
      recipe->make(node);
      node.finish();
    });
  }
}

GRAFT_INLINE void outline_some(Model& model, Dice& dice) {
  std::vector<Node*> nodes;
  for (Node& node : model.graph().nodes())
    if (node.bodies().empty() && !node.is("Constant")) nodes.push_back(&node);
  if (nodes.size() < 2) return;
  const std::size_t first = dice.below(nodes.size() - 1);
  const std::size_t count = 1 + dice.below(std::min<std::size_t>(3, nodes.size() - first));
  try {
    Context context;
    Rewriter rewriter(model.graph(), context, Intent());
    rewriter.outline(std::span(nodes).subspan(first, count), "local::Part");
    static_cast<void>(rewriter.accept());
  } catch (const Error&) {
    // They cannot form a function, for example if one of their inputs is computed between them.
  }
}

}  // namespace graft::inline v1::detail
