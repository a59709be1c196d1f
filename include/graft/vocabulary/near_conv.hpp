#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::vocabulary {

/// Whether a Conv reads the value, possibly through elementwise operators and pools. Visits the nearest 32 of them.
inline bool leads_to_conv(const Value& value) {
  constexpr std::array<std::string_view, 14> passed{
      "Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish",         "MaxPool",
      "Add",  "Sub",  "Mul",       "Div",     "AveragePool", "GlobalAveragePool", "ReduceMean"};
  constexpr std::size_t enough = 32;
  std::vector<const Value*> reached{&value};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Use& use : reached[i]->uses()) {
      if (use.is_graph_output()) continue;
      const Node& user = *use.user();
      if (user.is("Conv")) return true;
      const auto found = std::find(passed.begin(), passed.end(), user.op_type());
      if (user.output_count() == 0) continue;
      if (user.domain().empty() && found != passed.end() && reached.size() < enough) reached.push_back(user.output(0));
    }
  }
  return false;
}

/// Whether no extent is known to be 0, which Conv rejects.
inline bool has_elements(const Shape& extents) {
  for (std::size_t i = 0; i < extents.rank(); ++i)
    if (extents[i] == Dim(0)) return false;
  return true;
}

/// Whether a depthwise Conv can be inserted between a value and a channelwise result of it, and helps. Graph inputs
/// have few channels, and a depthwise Conv is slow then. Away from Convs, no other node runs in integers.
inline Verdict takes_depthwise_conv(const Value& input, const Value& result) {
  const Shape from = input.shape();
  if (from.rank() != 4 || !from[1].known()) return Verdict::no("it does not have rank 4 and known channels");
  if (!has_elements(from)) return Verdict::no("it has no elements");
  if (!is_float(input.dtype())) return Verdict::no("it is not of floats");
  if (input.producer() == nullptr) return Verdict::no("its producer is not a node");
  return leads_to_conv(result) ? Verdict::yes() : Verdict::no("no Conv reads it");
}

}  // namespace graft::inline v1::vocabulary
