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

/// Which layers are turned back to float, and what that is measured on.
struct LayerTrials {
  std::vector<NamePattern> candidates{};  ///< by the names of their nodes; none: every quantized node
  bool none = false;                      ///< no layer is tried: analyze() looks at tensors alone
  std::size_t samples = 16;               ///< the first so many show what each layer does; for a goal, the first 2
  /// For a goal: the forms that products get which are turned back, one form after the other until it is met, before
  /// they are left in float: dynamic, weight-only with 8 bits. The passes that write these are among those tried then,
  /// and the target has the kernels: quantize() sees to that.
  std::vector<ProductForm> forms{};
  /// How many of the worst are turned back, each alone and one upon the other: where that is analyzed.
  std::size_t in_float = std::numeric_limits<std::size_t>::max();
  /// For a goal: no trial begins later that could do with fewer layers in float. The result depends on the speed of the
  /// machine if the time ends the search.
  double max_seconds = std::numeric_limits<double>::infinity();

  bool concern(std::string_view node) const;
};

/// What a layer does to the outputs.
struct LayerEffect {
  std::string node;
  Fidelity quantized_alone;                     ///< it is quantized, all others are in float
  std::optional<Fidelity> in_float_alone{};     ///< it is in float, all others are quantized
  std::optional<Fidelity> in_float_together{};  ///< it is in float, and all in front of it in the list
};

namespace detail {

/// Of nodes without a name, which are not tried.
std::string note_of_nameless(std::size_t count);

}  // namespace detail

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/layer_trials.ipp>
#endif
