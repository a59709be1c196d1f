#pragma once
#include <graft/quantize/place/activation_dtypes.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/detail/rename_key.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/unmatched_name.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<DType> ActivationDTypes::own(const Value& value) const {
  const auto place = by_name.find(value.name());
  return place == by_name.end() ? std::nullopt : std::optional(place->second);
}

GRAFT_INLINE void ActivationDTypes::rename(std::string_view from, std::string_view to) {
  detail::rename_key(by_name, from, to);
}

GRAFT_INLINE void ActivationDTypes::join(std::string_view name, std::span<const std::string> parts) {
  std::optional<DType> shared;
  for (const std::string& part : parts) {
    const auto own = by_name.find(part);
    if (own == by_name.end() || (shared && *shared != own->second)) return;
    shared = own->second;
  }
  if (shared) by_name.insert_or_assign(std::string(name), *shared);
}

GRAFT_INLINE Pass override_activations(std::vector<ActivationOverride> overrides) {
  int opset = 10;
  for (const ActivationOverride& given : overrides)
    opset = std::max(opset, detail::since_opset(with_activations({}, given.dtype).activation));
  const auto run = [overrides = std::move(overrides)](Graph& graph, Context& context) {
    Report report;
    ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    const std::vector<const Value*> values = observable(graph);
    for (const ActivationOverride& given : overrides) {
      bool matched = false;
      for (const Value* const value : values) {
        if (!given.tensors.matches(value->name())) continue;
        matched = true;
        dtypes.by_name.insert_or_assign(std::string(value->name()), given.dtype);
        ++report.changes;
      }
      if (!matched) report.notes.push_back(no_tensor_called(given.tensors, graph));
    }
    context.facts.provide(std::move(dtypes));
    return report;
  };
  return pass("override_activations", run)
      .needs(needs_opset(opset))
      .provides<ActivationDTypes>()
      .preserves_all();
}

}  // namespace graft::inline v1
