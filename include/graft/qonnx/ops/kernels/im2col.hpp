#pragma once
#include <cstdint>
#include <optional>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// The attributes of Im2Col: height, then width.
struct Im2ColWindow {
  std::int64_t kernel[2], stride[2], dilation[2], pad_begin[2], pad_end[2];

  /// Throws Error, with the field, for lists of other lengths and for numbers that are not valid for a window.
  explicit Im2ColWindow(const Node& node);

  /// The number of window positions along an axis of that extent; nullopt if it does not fit once.
  std::optional<std::int64_t> places(std::size_t axis, std::int64_t extent) const;
};

/// Im2Col of [N, H, W, C] to [N, places, places, kernel * kernel * C]: the windows of a convolution as rows, channels
/// innermost. Elements outside of the image are pad_value.
void im2col_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
