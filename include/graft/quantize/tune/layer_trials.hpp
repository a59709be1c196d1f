#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/fidelity.hpp>

namespace graft::inline v1 {

/// The layers that are turned back to float, and the samples for measuring.
struct LayerTrialOptions {
  std::vector<NamePattern> candidates{};  ///< names of nodes; if empty, every quantized node is a candidate
  bool none = false;                      ///< try no layer: analyze() then measures tensors only
  std::size_t samples = 16;               ///< number of samples for measuring a layer; for a goal, the first 2 are used
  /// For a goal: forms to try for products that are turned back, one form after the other, before they stay in float:
  /// dynamic, weight-only with 8 bits. The tried passes must include those that write these forms, and the target must
  /// have the kernels; quantize() ensures both.
  std::vector<ProductForm> forms{};
  /// For an analysis: number of the worst layers to turn back, each alone and cumulatively.
  std::size_t in_float = std::numeric_limits<std::size_t>::max();
  /// For a goal: the time limit for starting trials with fewer layers in float. If the time ends the search, the result
  /// depends on the speed of the machine.
  double max_seconds = std::numeric_limits<double>::infinity();

  bool includes(std::string_view node) const;
  [[deprecated("use includes()")]] bool concern(std::string_view node) const { return includes(node); }
};

using LayerTrials [[deprecated("use LayerTrialOptions")]] = LayerTrialOptions;

/// The effect of a layer on the outputs.
struct LayerEffect {
  std::string node;
  Fidelity quantized_alone;                     ///< only this layer is quantized
  std::optional<Fidelity> in_float_alone{};     ///< only this layer is in float
  std::optional<Fidelity> in_float_together{};  ///< this layer and all before it in the list are in float
};

namespace detail {

/// The note about nodes without a name, which are not tried.
std::string note_of_nameless(std::size_t count);

}  // namespace detail

}  // namespace graft::inline v1
