#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/name_pattern.hpp>
#include <graft/quantize/observe.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The dtype that the tensors which a pattern matches are quantized to.
struct ActivationOverride {
  NamePattern tensors;
  DType dtype;
};

/// The tensors that have a dtype of their own: what override_activations() tells inject_qdq().
struct ActivationDTypes {
  std::map<std::string, DType, std::less<>> by_name{};

  /// nullopt if the tensor has none of its own.
  std::optional<DType> own(const Value& value) const {
    const auto place = by_name.find(value.name());
    return place == by_name.end() ? std::nullopt : std::optional(place->second);
  }
  DType of(const Value& value, const Target& target) const { return own(value).value_or(target.activation); }
  /// The target, with the dtype of this tensor.
  Target target_of(const Value& value, const Target& target) const {
    return with_activations(target, of(value, target));
  }

  /// Those of the facts; none if there are none.
  static ActivationDTypes of(const Facts& facts) {
    const ActivationDTypes* const given = facts.find<ActivationDTypes>();
    return given != nullptr ? *given : ActivationDTypes();
  }
};

/// The pass after which inject_qdq() quantizes tensors of the main graph to another dtype than the target's: int8,
/// uint8, or int16 and uint16, which need opset 21; of several patterns that match one the last decides. What merely
/// moves a tensor keeps its dtype. Kernels that do not take it leave the operator in float between its quantizers: the
/// audit tells. Its notes are the patterns that match no tensor. Throws Error for other dtypes.
inline Pass override_activations(std::vector<ActivationOverride> overrides) {
  bool is_wide = false;
  for (const ActivationOverride& given : overrides)
    is_wide = is_wide || bits(with_activations({}, given.dtype).activation) == 16;
  const auto run = [overrides = std::move(overrides)](Graph& graph, Context& context) {
    Report report;
    ActivationDTypes dtypes = ActivationDTypes::of(context.facts);
    const std::vector<const Value*> values = observable(graph);
    for (const ActivationOverride& given : overrides) {
      bool matched = false;
      for (const Value* const value : values) {
        if (!given.tensors.matches(value->name())) continue;
        matched = true;
        dtypes.by_name.insert_or_assign(std::string(value->name()), given.dtype);
        ++report.changes;
      }
      if (!matched) report.notes.push_back("no tensor is called '" + given.tensors.text() + "'");
    }
    context.facts.provide(std::move(dtypes));
    return report;
  };
  return pass("override_activations", run).needs(needs_opset(is_wide ? 21 : 10)).makes({"activation_dtypes"});
}

}  // namespace graft::inline v1
