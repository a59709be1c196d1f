#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/where.hpp>
#include <graft/vocabulary/captures.hpp>

// A Pad before an operator that pads its spatial axes itself: Conv, pools.

namespace graft::inline v1::vocabulary {

inline constexpr auto own_pads = attr<"pads", Ints>.named<"own_pads">();
inline constexpr auto auto_pad = attr<"auto_pad", std::string_view>;
inline constexpr auto pad_value = param<"value", float>;  // constant_value since version 11

/// The sum of both, in the order of Conv: the starts of the spatial axes, then their ends. `along`: the axes of `more`;
/// absent: all. nullopt if it pads other axes, or crops.
inline std::optional<Ints> summed_pads(const Ints& own, const Ints& more, const std::optional<Ints>& along) {
  const std::size_t spatial = own.size() / 2, count = along ? along->size() : spatial + 2;
  if (more.size() != 2 * count) return std::nullopt;
  Ints sum = own;
  for (std::size_t i = 0; i < more.size(); ++i) {
    const std::size_t at = i % count;
    const std::int64_t axis_of_x = along ? (*along)[at] : static_cast<std::int64_t>(at);
    if (more[i] == 0) continue;
    if (more[i] < 0 || axis_of_x < 2 || axis_of_x >= static_cast<std::int64_t>(spatial + 2)) return std::nullopt;
    sum[static_cast<std::size_t>(axis_of_x - 2) + (i < count ? 0 : spatial)] += more[i];
  }
  return sum;
}

inline bool pads_spatial_axes(const Ints& own, const Ints& more, const std::optional<Ints>& along) {
  return summed_pads(own, more, along).has_value();
}
inline constexpr auto spatial_pads = predicate<pads_spatial_axes>("it pads batch or channels, or crops");

inline bool has_explicit_pads(std::string_view how, const Ints& own) {
  const auto is_0 = [](std::int64_t pad) { return pad == 0; };
  return how == "NOTSET" || (how == "VALID" && std::all_of(own.begin(), own.end(), is_0));
}
inline constexpr auto explicit_pads = predicate<has_explicit_pads>("its reader pads by auto_pad");

}  // namespace graft::inline v1::vocabulary
