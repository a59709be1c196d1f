#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/print.hpp>
#include <graft/pattern/attribute_words.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/detail/pattern_printer.hpp>
#include <graft/pattern/detail/read_constant.hpp>
#include <graft/pattern/explain.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/pattern/root_ops.hpp>

namespace graft::inline v1 {

namespace detail {

/// Formats one failure.
class FailureText {
 public:
  FailureText(const RulePattern& pattern, const Failure& failure, const Node* root)
      : pattern_(pattern), failure_(failure), root_(root) {}

  std::string text() const {
    switch (failure_.why) {
      case Why::none: return "";
      case Why::op: return operand() + " is " + there() + ", expected " + operators();
      case Why::opset:
        return node() + " is of opset " + std::to_string(failure_.node->opset()) + ", expected " + versions();
      case Why::extra_input: return node() + " has more inputs than the pattern";
      case Why::missing_input: return operand() + " is absent, expected " + wanted();
      case Why::unexpected_input: return operand() + " is " + there() + ", expected none";
      case Why::not_constant: return operand() + " is " + there() + ", expected a constant";
      case Why::other_value: return operand() + " is " + there() + ", not what " + wanted() + " was bound to before";
      case Why::other_output:
        if (failure_.value == nullptr) return node() + " has no output " + std::to_string(row().out);
        return operand() + " is output " + std::to_string(failure_.value->index()) + of(*failure_.node) +
               ", expected output " + std::to_string(row().out);
      case Why::constraint:
        return operand() + " is " + there() + typed() + ", expected ." + PatternPrinter(pattern_).constraint(attr());
      case Why::unreadable: return operand() + " is " + there() + ", which cannot be read" + reading_error();
      case Why::attribute_absent:
        return attribute() + " is absent and has no default, expected " +
               (attr().mode == AttrMode::equals ? PatternPrinter(pattern_).attribute(attr())
                                                : with_article(attribute_kind(attr().type)));
      case Why::attribute_type:
        return attribute() + " is " + type_there() + ", expected " + with_article(attribute_kind(attr().type));
      case Why::attribute_not_constant: return attribute() + " is an input that is not constant";
      case Why::attribute_unreadable: return attribute() + " cannot be read";
      case Why::attribute_rank_unknown: return attribute() + " depends on a rank that is not known";
      case Why::attribute_value:
        if (attr().mode != AttrMode::equals) return attribute() + " is out of range";
        return attribute() + " is " + value_there() + ", expected " + PatternPrinter(pattern_).attribute(attr());
      case Why::attribute_differs:
        return attribute() + " is " + value_there() + ", not what '" +
               std::string(attr().capture.empty() ? attr().name : attr().capture) + "' was bound to before";
      case Why::attribute_unmentioned:
        return node() + " has " + std::string(failure_.name) +
               ", which is not its default and which the pattern does not mention; " + remedy();
      case Why::no_further_root: return "no other node matches " + PatternPrinter(pattern_).row(at());
      case Why::used_elsewhere:
        return "an output" + of(*failure_.node) + " is also used by " + describe(*failure_.user);
      case Why::used_in_body:
        return "an output" + of(*failure_.node) + " is also used inside a body, by " + describe(*failure_.user);
      case Why::graph_output: return "an output" + of(*failure_.node) + " is a graph output";
      case Why::refused: return to_string(failure_.reason);
      case Why::budget: return "the budget of steps is spent";
    }
    return "";
  }

 private:
  std::size_t at() const { return static_cast<std::size_t>(failure_.row); }
  const PatternNode& row() const { return pattern_.nodes[at()]; }
  const PatternAttr& attr() const { return pattern_.attrs[static_cast<std::size_t>(failure_.attr)]; }
  std::string node() const { return failure_.node == root_ ? "it" : describe(*failure_.node); }
  std::string of(const Node& node) const { return &node == root_ ? "" : " of " + describe(node); }
  std::string wanted() const { return PatternPrinter(pattern_).row(at()); }
  std::string attribute() const { return std::string(attr().name) + of(*failure_.node); }

  std::string operators() const {
    std::string names = PatternPrinter::operators(row().op);
    for (std::size_t bar; (bar = names.find('|')) != std::string::npos;) names.replace(bar, 1, " or ");
    return names;
  }
  std::string versions() const {
    if (row().before == 0xffff) return "since " + std::to_string(row().since);
    if (row().since == 0) return "before " + std::to_string(row().before);
    return "since " + std::to_string(row().since) + " and before " + std::to_string(row().before);
  }
  std::string operand() const {
    if (failure_.user == nullptr) return "the root";
    return "input " + std::to_string(failure_.input) + of(*failure_.user);
  }
  std::string value_there() const {
    const onnx::AttributeProto* const attribute = failure_.node->attribute(attr().name);
    if (attribute == nullptr) return attr().param ? "another" : "absent, and its default is another";
    if (attr().type == Kind::dtype) return std::string(to_string(static_cast<DType>(attribute->i())));
    return to_string(*attribute).substr(attr().name.size() + 1);
  }
  /// " of f32[2,3]", as far as known.
  std::string typed() const {
    if (failure_.value == nullptr || failure_.value->dtype() == DType::undefined) return "";
    return " of " + std::string(to_string(failure_.value->dtype())) + to_string(failure_.value->shape());
  }
  std::string type_there() const {
    if (const onnx::AttributeProto* const given = failure_.node->attribute(attr().name))
      return is_reference(*given) ? "a reference to an attribute of the function" : with_article(kind(*given));
    return attr().param ? "an input of another type" : "by default of another type";
  }
  std::string remedy() const {
    const std::string name(failure_.name);
    const onnx::AttributeProto* const given = failure_.node->attribute(name);
    const std::string type(declared_type(given ? kind(*given) : onnx::AttributeProto::UNDEFINED));
    return "to keep it, bind the node by .as(node) and build node(...) or .like(node); to read it, write "
           ".with(opt(attr<\"" + name + "\", " + type + ">))";
  }
  std::string reading_error() const {
    const std::string why_not = read_constant(*failure_.value).why_not;
    return why_not.empty() ? "" : ": " + why_not;
  }
  std::string there() const {
    if (failure_.node != nullptr) return describe(*failure_.node);
    if (failure_.value == nullptr) return "nothing";
    if (const Node* const producer = failure_.value->producer()) return describe(*producer);
    const Value& value = *failure_.value;
    const std::string kind = value.is_constant() ? "constant " : value.is_graph_input() ? "graph input " : "";
    return kind + "%" + std::string(value.name());
  }

  const RulePattern& pattern_;
  const Failure& failure_;
  const Node* root_;
};

}  // namespace detail

GRAFT_INLINE std::string explain(const RulePattern& pattern, const Failure& failure, const Node* root) {
  return detail::FailureText(pattern, failure, root).text();
}

GRAFT_INLINE std::vector<Explanation> explain(const RulePattern& pattern, Graph& graph,
                                              std::span<const Argument> arguments) {
  const Linked linked(pattern, std::as_const(graph.model()), arguments);
  Matcher matcher;
  std::vector<Explanation> result;
  for (Node& node : graph.nodes()) {
    if (!linked.may_be_root(node.op())) continue;
    Explanation& one = result.emplace_back();
    one.node = &node;
    one.matched = matcher.run(linked, node);
    if (!one.matched) one.failure = matcher.state().best;
    one.text = detail::describe(node) + ": " + (one.matched ? "matched" : explain(pattern, one.failure, &node));
  }
  return result;
}

}  // namespace graft::inline v1
