#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/either.hpp>
#include <graft/vocabulary/captures.hpp>

// Constants that broadcast along the channels of a tensor, its second axis.

namespace graft::inline v1::vocabulary {

/// Whether a constant is one value for all channels or one for each: of at most that rank, and 1 along any other axis.
inline Verdict is_along_channels(const Tensor& constant, std::size_t rank, std::int64_t channels) {
  if (channels < 1) return Verdict::no("there are no channels");
  if (constant.rank() > rank) return Verdict::no("the constant raises the rank");
  const std::size_t missing = rank - constant.rank();
  for (std::size_t i = 0; i < constant.rank(); ++i) {
    const bool is_channels = i + missing == 1;
    if (constant.dims()[i] != 1 && !(is_channels && constant.dims()[i] == channels))
      return Verdict::no("the constant is not one value for each channel");
  }
  return Verdict::yes();
}

/// Its value for each of so many channels.
inline std::vector<double> channel_values(const Tensor& constant, std::size_t channels) {
  std::vector<double> values = constant.to<double>();
  if (values.size() == 1) values.resize(channels, values[0]);
  return values;
}

/// A constant `c` added to or taken from a value by the node `outer`.
constexpr auto shifted(const pattern auto& p) { return either(comm<"Add">(p, c).as(outer), op<"Sub">(p, c).as(outer)); }
/// A value multiplied or divided by it.
constexpr auto scaled(const pattern auto& p) { return either(comm<"Mul">(p, c).as(outer), op<"Div">(p, c).as(outer)); }

/// What Mul or Div by a constant multiplies the channels by.
inline std::vector<double> factors_of(const Node& operation, const Tensor& constant, std::size_t channels) {
  std::vector<double> factors = channel_values(constant, channels);
  if (operation.is("Div"))
    for (double& number : factors) number = 1 / number;
  return factors;
}

/// What Add or Sub of a constant adds to the channels.
inline std::vector<double> shifts_of(const Node& operation, const Tensor& constant, std::size_t channels) {
  std::vector<double> shifts = channel_values(constant, channels);
  if (operation.is("Sub"))
    for (double& number : shifts) number = -number;
  return shifts;
}

}  // namespace graft::inline v1::vocabulary
