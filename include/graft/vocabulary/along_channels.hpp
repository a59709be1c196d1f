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

/// Whether a constant has one value for all channels or one for each: its rank is at most `rank`, other extents are 1.
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

/// The constant's value for each of `channels` channels.
inline std::vector<double> channel_values(const Tensor& constant, std::size_t channels) {
  std::vector<double> values = constant.to<double>();
  if (values.size() == 1) values.resize(channels, values[0]);
  return values;
}

/// The node `outer` adds a constant `c` to a value, or subtracts it.
constexpr auto shifted(const pattern auto& p) { return either(comm<"Add">(p, c).as(outer), op<"Sub">(p, c).as(outer)); }
/// The node `outer` multiplies a value by a constant `c`, or divides it.
constexpr auto scaled(const pattern auto& p) { return either(comm<"Mul">(p, c).as(outer), op<"Div">(p, c).as(outer)); }

/// The factors of channels in a Mul or Div by a constant.
inline std::vector<double> factors_of(const Node& operation, const Tensor& constant, std::size_t channels) {
  std::vector<double> factors = channel_values(constant, channels);
  if (operation.is("Div"))
    for (double& number : factors) number = 1 / number;
  return factors;
}

/// The summands of channels in an Add or Sub of a constant.
inline std::vector<double> shifts_of(const Node& operation, const Tensor& constant, std::size_t channels) {
  std::vector<double> shifts = channel_values(constant, channels);
  if (operation.is("Sub"))
    for (double& number : shifts) number = -number;
  return shifts;
}

}  // namespace graft::inline v1::vocabulary
