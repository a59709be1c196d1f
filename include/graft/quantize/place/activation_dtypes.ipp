#pragma once
#include <graft/quantize/place/activation_dtypes.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
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

GRAFT_INLINE std::optional<int> ActivationDTypes::bits_of(const Value& value) const {
  const auto place = bits.find(value.name());
  return place == bits.end() ? std::nullopt : std::optional(place->second);
}

GRAFT_INLINE void ActivationDTypes::rename(std::string_view from, std::string_view to) {
  detail::rename_key(by_name, from, to);
  detail::rename_key(bits, from, to);
}

GRAFT_INLINE void ActivationDTypes::join(std::string_view name, std::span<const std::string> parts) {
  const auto join_in = [&](auto& map) {
    if (parts.empty()) return;
    const auto first = map.find(parts.front());
    for (const std::string& part : parts) {
      const auto own = map.find(part);
      if (own == map.end() || own->second != first->second) return;
    }
    map.insert_or_assign(std::string(name), first->second);
  };
  join_in(by_name);
  join_in(bits);
}

GRAFT_INLINE Pass override_activations(std::vector<ActivationOverride> overrides) {
  int opset = 10;
  for (const ActivationOverride& given : overrides) {
    if (given.dtype) opset = std::max(opset, detail::since_opset(with_activations({}, *given.dtype).activation));
    if (!given.bits) continue;
    if (*given.bits < 2 || *given.bits > 8)
      throw Error("the bits of activations are 2 to 8, not " + std::to_string(*given.bits)).field(given.tensors.text());
    opset = std::max(opset, 12);
  }
  const auto run = [overrides = std::move(overrides)](Graph& graph, Context& context) {
    Report report;
    ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    const std::vector<const Value*> values = observable(graph);
    for (const ActivationOverride& given : overrides) {
      bool matched = false;
      for (const Value* const value : values) {
        if (!given.tensors.matches(value->name())) continue;
        matched = true;
        const std::string name(value->name());
        dtypes.by_name.erase(name);
        dtypes.bits.erase(name);
        if (given.dtype) dtypes.by_name.emplace(name, *given.dtype);
        if (given.bits) dtypes.bits.emplace(name, *given.bits);
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
