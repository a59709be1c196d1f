#pragma once
#include <graft/lower/detail/surgery.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/lower/detail/keep_if_settled.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Shape Surgery::shape(std::size_t input) const {
  const Value* const value = node.input(input);
  return value != nullptr ? shapes.of(*value) : Shape();
}

GRAFT_INLINE Verdict Surgery::reads_rank_4() const {
  const Shape data = shape(0);
  if (!data.known() || data.rank() == 4) return Verdict::yes();
  return Verdict::no(Reason{"its data have rank {}, not 4", "rank", {static_cast<double>(data.rank())}, 1});
}

GRAFT_INLINE schema::Place Surgery::place_of(std::string_view parameter) const {
  const schema::Operator* const facts = node.schema();
  return facts != nullptr ? schema::parameter(*facts, parameter) : schema::Place();
}

GRAFT_INLINE bool Surgery::is_absent(std::string_view parameter) const {
  const schema::Place place = place_of(parameter);
  return place.kind == schema::Place::Kind::input ? node.input(place.index) == nullptr
                                                  : node.attribute(parameter) == nullptr;
}

GRAFT_INLINE std::optional<Ints> Surgery::given(std::string_view parameter) const {
  if (is_absent(parameter)) return std::nullopt;
  const schema::Place place = place_of(parameter);
  if (place.kind != schema::Place::Kind::input) return node.attr<Ints>(parameter);
  const std::optional<Tensor> constant = node.input(place.index)->constant();
  return constant ? std::optional(constant->to<std::int64_t>()) : std::nullopt;
}

GRAFT_INLINE void Surgery::give(std::string_view parameter, const Ints& values) const {
  const schema::Place place = place_of(parameter);
  if (place.kind == schema::Place::Kind::input) {
    give(place.index, Tensor::list(values));
  } else {
    rewriter.set_attribute(node, {parameter, values});
  }
}

GRAFT_INLINE void Surgery::give(std::size_t input, Tensor constant) const {
  const Value* const old = node.input(input);
  Value& value = rewriter.constant(std::move(constant), old != nullptr ? std::string(old->name()) : "axes");
  if (input >= node.input_count()) node.graph().resize_inputs(node, input + 1);
  rewriter.set_input(node.use(input), &value);
}

GRAFT_INLINE Value& node_with(Rewriter& rewriter, std::string_view op_type, Value& input,
                              const std::vector<Parameter>& parameters, Attributes attributes, std::string_view hint) {
  std::vector<Value*> inputs{&input};
  const schema::Operator* const facts = schema::find("", op_type, rewriter.graph().opset());
  for (const Parameter& parameter : parameters) {
    if (facts != nullptr && facts->attribute(parameter.name) != nullptr) {
      attributes.push_back({parameter.name, parameter.values});
    } else {
      inputs.push_back(&rewriter.ints(parameter.values, parameter.name));
    }
  }
  return *rewriter.node(op_type, inputs, 1, attributes, hint).output(0);
}

GRAFT_INLINE std::string Surgery::hint(std::string_view suffix) const {
  return std::string(node.name().empty() ? node.output(0)->name() : node.name()) + "_" + std::string(suffix);
}

GRAFT_INLINE Value& Surgery::op(std::string_view op_type, std::vector<Value*> inputs, const Attributes& attributes,
                                std::string_view suffix) const {
  return *rewriter.node(op_type, inputs, 1, attributes, hint(suffix)).output(0);
}

GRAFT_INLINE Value& Surgery::op_with(std::string_view op_type, Value& input, const std::vector<Parameter>& parameters,
                                     Attributes attributes, std::string_view suffix) const {
  return node_with(rewriter, op_type, input, parameters, std::move(attributes), hint(suffix));
}

/// The new nodes must fit. A later surgery may fix their readers.
inline Verdict check_edits(Node& node, const Rewriter& rewriter, const NewShapes& shapes) {
  std::vector<Node*> nodes = rewriter.edits().inserted;
  nodes.push_back(&node);
  for (Node* const made : nodes)
    if (!made->erased() && made->output(0)->is_used())
      if (Verdict fits = shapes.check(*made, true); !fits) return fits;
  return Verdict::yes();
}

GRAFT_INLINE Pass surgery_of_nodes(std::string name, std::vector<std::string_view> op_types, NodeSurgery surgery) {
  const auto run = [name, op_types = std::move(op_types), surgery = std::move(surgery)](Graph& graph,
                                                                                        Context& context) {
    Report report;
    std::vector<Node*> found;
    std::vector<Graph*> scopes = scopes_of(graph);
    std::erase_if(scopes, [](const Graph* scope) {
      while (scope->parent() != nullptr) scope = scope->parent();
      return scope->is_function();
    });
    for (Graph* const scope : scopes)
      for (Node& node : scope->nodes())
        if (node.domain().empty() && std::ranges::find(op_types, node.op_type()) != op_types.end())
          found.push_back(&node);
    if (found.empty()) return report;
    Transaction transaction(graph);
    NewShapes shapes(graph);
    Rewriter rewriter(graph, context, {.values = "the user asked for this surgery", .shapes = true});
    std::vector<Node*> changed;
    for (Node* const node : found) {
      if (node->erased()) continue;
      const std::string title = context.refusals ? display_name(*node) : std::string();
      rewriter.at(*node);
      Verdict done = surgery({*node, rewriter, shapes});
      if (done) done = check_edits(*node, rewriter, shapes);
      if (done) done = rewriter.accept();
      if (done) {
        ++report.changes;
        for (const auto* const nodes : {&rewriter.edits().changed, &rewriter.edits().inserted})
          changed.insert(changed.end(), nodes->begin(), nodes->end());
        continue;
      }
      rewriter.rollback();
      if (context.refusals) report.refuse(name, title, done.reason());
    }
    keep_if_settled(transaction, report, "an output would differ from its declaration, while other nodes do not fit",
                    [&] { return shapes.settle(changed, true); });
    return report;
  };
  return pass(name, run);
}

}  // namespace graft::inline v1::detail
