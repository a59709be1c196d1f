#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/precision/float_target.hpp>

namespace graft::inline v1 {

/// Operators whose results depend on more digits or a wider range than 16-bit floats have: softmax, exponentials and
/// logarithms, coordinates, running sums, random numbers, and normalizations, except those that may sum in float32 by
/// their stash_type.
std::span<const std::string_view> operators_kept_in_float32();

/// Calls `visit` with the inputs of each sample, in the same order every time.
using FloatSamples = std::function<void(const std::function<void(const Feeds&)>& visit)>;

/// The choices of to_float16() and to_bfloat16(), which throw Error for numbers out of range.
struct FloatOptions {
  /// Whether graph inputs and outputs stay in float32, with Casts behind and before them.
  bool keep_io = false;
  /// Nodes that stay in float32, with their bodies. A node without a name has its operator and first output as name:
  /// "Conv(y)". A pattern that matches no node is a warning in the report.
  std::vector<NamePattern> keep{};
  /// Operators that stay in float32: "Softmax", "com.microsoft::Gelu".
  std::vector<std::string> keep_operators{operators_kept_in_float32().begin(), operators_kept_in_float32().end()};
  /// The runtime.
  FloatTarget target = float_targets::onnx;
  /// Whether to raise the opset if an operator takes the 16-bit type in a later version only. A version in which Cast
  /// takes it is needed in any case: 6 for float16, 13 for bfloat16.
  bool raise_opset = true;
  /// A node stays in float32 if 16 bits turn more than this share of a tensor's nonzero elements to 0: a constant that
  /// it reads, or, with samples, its inputs and outputs.
  double max_vanished = 0.25;
  /// Sums and means of more elements than this stay in float32.
  std::int64_t max_summed = 1024;
  /// Samples of the inputs, for measurements with graft's executor. A node of the main graph then stays in float32 if
  /// one of its inputs or outputs exceeds the range or vanishes, or if it computes an infinity or NaN that float32 does
  /// not have. A node that computes one from inputs in 16 bits keeps their producers in float32 as well.
  FloatSamples samples{};
  /// The least cosine between each output and that of the float32 model, on every sample. As many nodes stay in float32
  /// as that takes. By default any cosine will do. An output with other dims counts as -1.
  double min_cosine = -1;
  /// The cost of one Cast beside the bytes that it reads and writes, in bytes. At most 2^36.
  std::int64_t cast_cost = 1 << 16;
};

}  // namespace graft::inline v1
