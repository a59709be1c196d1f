#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/dims.hpp>

namespace graft::inline v1::qonnx::detail {

/// The output of MultiThreshold for a count of thresholds: attributes out_scale and out_bias.
struct ThresholdOutput {
  float scale = 1, bias = 0;

  /// scale * count + bias, each rounded to float32.
  float at(std::int64_t count) const;
  /// The attribute out_dtype for counts from 0 to this one: "UINT4", "INT8", "BINARY", "BIPOLAR", or "FLOAT32" if some
  /// outputs are not integers.
  std::string data_type(std::int64_t most) const;
};

/// The attribute data_layout for tensors of this rank with the channels at this axis, which is 1 or the last one; empty
/// for more than 5 dims.
std::string_view layout_of(std::size_t rank, std::size_t axis);
/// The axis of the channels; nullopt if the layout has none, or has another rank.
std::optional<std::size_t> channel_axis(std::string_view layout, std::size_t rank);

/// The axis along which dims vary when they are aligned from the right to this rank: the only one that is not 1.
/// nullopt if there are several, or none.
std::optional<std::size_t> only_axis(const Dims& dims, std::size_t rank);

}  // namespace graft::inline v1::qonnx::detail
