#pragma once
#include <concepts>
#include <string_view>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// A summary of one tensor over many samples, whose size does not grow with them. It is a monoid: samples can be seen
/// in parts, and the parts merged, the earlier one first. add() gets an f32 tensor of any dims, without NaN and
/// infinity, and its least and greatest value. merge() throws Error for statistics that do not match.
template <class S>
concept Statistic = std::copyable<S> && requires(S& statistic, const S& later, const Tensor& tensor, const Range& range,
                                                 detail::StatisticOutput& out, detail::StatisticInput& in) {
  { S::kind } -> std::convertible_to<std::string_view>;  // its name in files
  statistic.add(tensor, range);
  statistic.merge(later);
  later.write(out);
  { S::read(in) } -> std::same_as<S>;
};

}  // namespace graft::inline v1
