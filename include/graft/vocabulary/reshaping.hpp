#pragma once
#include <cstdint>

#include <graft/graph/value.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/vocabulary/captures.hpp>

// Operators that change dims, but neither the elements nor their order.

namespace graft::inline v1::vocabulary {

// Their attributes, which follow from the dims of the result. Some became inputs in later versions.
inline constexpr auto any_allowzero = allowzero.named<"any_allowzero">();
inline constexpr auto any_axis = attr<"axis", std::int64_t>.named<"any_axis">();
inline constexpr auto any_axes = attr<"axes", Ints>.named<"any_axes">();
inline constexpr auto any_shape = attr<"shape", Ints>.named<"any_shape">();

/// Any of them over `input`, for any dims.
constexpr auto reshaping(const pattern auto& input) {
  return one_of<"Reshape", "Flatten", "Squeeze", "Unsqueeze">(input, rest<>)
      .with(opt(any_allowzero), opt(any_axis), opt(any_axes), opt(any_shape));
}

}  // namespace graft::inline v1::vocabulary
