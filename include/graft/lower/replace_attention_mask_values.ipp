#pragma once
#include <graft/lower/replace_attention_mask_values.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

class MaskValues {
 public:
  MaskValues(float threshold, float replacement) : threshold_(threshold), replacement_(replacement) {}

  /// Of an initializer.
  bool replace(Value& value, Context& context, Report& report) const {
    if (value.dtype() != DType::f32 || !value.is_constant()) return false;
    const std::optional<Tensor> raised = raise(value.constant());
    if (!raised || !is_mask(value, value.name(), context, report)) return false;
    value.graph().set_initializer(value, *raised);
    return true;
  }

  /// Of a Constant or ConstantOfShape.
  bool replace(Node& node, Context& context, Report& report) const {
    for (const char* const name : {"value", "value_float", "value_floats"}) {
      if (node.attribute(name) == nullptr || is_reference(*node.attribute(name))) continue;
      const Attribute attribute = raised(node, name);
      if (attribute.name().empty() || !is_mask(*node.output(0), display_name(node), context, report)) continue;
      node.graph().set_attribute(node, attribute);
      return true;
    }
    return false;
  }

 private:
  /// The same with other elements; nullopt if none is below the threshold.
  std::optional<Tensor> raise(const std::optional<Tensor>& contents) const {
    if (!contents || contents->dtype() != DType::f32) return std::nullopt;
    std::vector<float> numbers = contents->to<float>();
    if (!raise(numbers)) return std::nullopt;
    return Tensor::of<float>(contents->dims(), numbers);
  }
  bool raise(std::vector<float>& numbers) const {
    bool changes = false;
    for (float& number : numbers) {
      changes = changes || number < threshold_;
      if (number < threshold_) number = replacement_;
    }
    return changes;
  }
  /// Without a name if nothing changes.
  Attribute raised(const Node& node, std::string_view name) const {
    if (name == "value") {
      const std::optional<Tensor> tensor = raise(node.attr<Tensor>(name));
      return tensor ? Attribute(name, *tensor) : Attribute("", 0);
    }
    Floats numbers = name == "value_float" ? Floats{*node.attr<float>(name)} : *node.attr<Floats>(name);
    if (!raise(numbers)) return {"", 0};
    return name == "value_float" ? Attribute(name, numbers[0]) : Attribute(name, numbers);
  }

  static bool is_mask(const Value& value, std::string_view name, const Context& context, Report& report) {
    for (const Use& use : value.uses()) {
      const Node* const user = use.user();
      const auto is_any = [&](auto... ops) { return (user->is(ops) || ...); };
      if (user != nullptr && is_any("Add", "Mul", "Expand", "Where", "Shape")) continue;
      if (context.refusals)
        report.refusals.push_back({"replace_attention_mask_values", std::string(name),
                                   user == nullptr
                                       ? "it is a graph output"
                                       : display_name(*user) + ", a " + std::string(user->op_type()) + ", reads it"});
      return false;
    }
    return true;
  }

  float threshold_, replacement_;
};

}  // namespace detail

GRAFT_INLINE Pass replace_attention_mask_values(float threshold, float replacement) {
  if (std::isnan(threshold) || std::isnan(replacement)) throw Error("the threshold or the replacement is not a number");
  const detail::MaskValues values(threshold, replacement);
  return pass("replace_attention_mask_values", [values](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    for (Graph* const scope : scopes_of(graph)) {
      for (Value* const value : scope->initializers()) report.changes += values.replace(*value, context, report);
      for (Node& node : scope->nodes())
        if (node.is("Constant") || node.is("ConstantOfShape")) report.changes += values.replace(node, context, report);
    }
    transaction.keep();
    return report;
  });
}

}  // namespace graft::inline v1
